"""What a mail tells of a game: the moves since the player's last one, the table, and whose turn it is."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.context import Context
from api.game.game import FINISHED, RUNNING, Game
from api.game.rows import load_all
from api.game.show import show_position, show_stored
from api.game.visibility import Visibility
from api.notify.people import tables
from api.notify.people.words import name_of_seat
from api.store.game import log as entries

READ_BACK = 100  # entries before the newest one among which the player's last move is looked for
MOST = 20  # moves in a mail
BY_OTHERS = ("random", "order")  # marks of moves that a player did not make at the time


class Recap(NamedTuple):
    """A game as a mail tells it; `skipped` moves came before the told ones, since the player's last one."""

    moves: list[str]
    skipped: int
    table: list[tuple[str, str]]
    waiting: list[str]
    until: datetime | None


def of_games(context: Context, player_id: UUID, game_ids: Collection[UUID]) -> dict[UUID, Recap]:
    """Return what a player may be told of these games, as far as the player sits in them."""
    found = {}
    for game in load_all(context, list(game_ids)) if game_ids else ():
        if isinstance(game, Game):
            recap = _recap(context, game, player_id)
            if recap is not None:
                found[game.id] = recap
    return found


def _recap(context: Context, game: Game, player_id: UUID) -> Recap | None:
    """Return a game as this player sees it; None if there is nothing to see, or the player has no seat."""
    player = str(player_id)
    own = tuple(n for n, seat in enumerate(game.seats) if seat.player and seat.player.id == player)
    if not own or game.state is None or game.status not in (RUNNING, FINISHED):
        return None
    seen, rules = Visibility(own), tables.rules_of(game.ruleset, game.ruleset_version)
    seats = tables.Seats([_name(game, number) for number in range(len(game.seats))], own)
    after = max(game.version - READ_BACK, 0)
    stored = entries.page(context.session, game.id, after, READ_BACK)
    since = _since(own, [show_stored(entry, seen) for entry in stored], over=game.status == FINISHED)
    told = tables.happened(since, rules, seats)
    waiting = [number for number in game.to_act if number not in own] if game.status == RUNNING else []
    deadlines = [deadline for number in waiting if (deadline := game.seats[number].deadline) is not None]
    return Recap(
        told[-MOST:],
        len(told[:-MOST]),
        tables.table(show_position(game.state, seen), rules, seats),
        [seats.names[number] for number in waiting] if not set(game.to_act) & set(own) else [],
        min(deadlines, default=None),
    )


def _since(own: Collection[int], shown: list[dict[str, Any]], *, over: bool) -> list[dict[str, Any]]:
    """Return the entries after the last move that the player made, without moves that were taken back.

    The last move of a game that is over is always among them.
    """
    since: list[dict[str, Any]] = []
    last = max((entry["seq"] for entry in shown if entry["type"] == "moved"), default=0) if over else 0
    for entry in shown:
        made = entry["type"] == "moved" and entry["seat"] in own and entry["seq"] != last
        if made and not any(mark in entry for mark in BY_OTHERS):
            since.clear()
        else:
            if "of" in entry and entry["type"] in ("taken_back", "timeout_undone"):
                since[:] = [each for each in since if each["seq"] < entry["of"]]
            since.append(entry)
    return since


def _name(game: Game, number: int) -> str:
    seat = game.seats[number]
    return name_of_seat(seat.player.name if seat.player else seat.name, number, bot=bool(seat.bot))
