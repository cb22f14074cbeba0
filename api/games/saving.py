"""Changes games, and writes what has changed, also into other tables.

What no caller asked for (bots, deadlines, outages, test clocks, operators) goes through
`change`: a game is taken under its lock, decided about, and written in the same transaction. The
changes of callers, which can often do without the lock, have more around them (`api.games.acting`) and come
to `save_guarded`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self, TypeVar
from uuid import UUID

import psycopg

import referee.records
import referee.table
from api.context import Context
from api.core.callers import SEAT_GUEST
from api.core.errors import UnknownPlayer
from api.core.json import Json, stored
from api.feature import Hook
from api.games import words
from api.games.game import Game
from api.games.loading import load, load_all, row_of, turns_of
from api.games.seat import Seat
from api.store import credentials, players, seating, talk, write
from api.store import games as store
from api.store.games import NewEntry
from api.store.layout import layout_of
from api.store.seating import Turn, changes_of
from api.store.write import Change, Guard, Mark, Request
from referee.clocks import timestamp

# Entries that change the columns by which games are found.
DEALING = ("joined", "left", "revealed", "time_returned", "started", "cancelled")  # of deals that wait
SEATED = ("joined", "left")
LISTED = ("created", *SEATED, "started", *referee.records.LAST)
log = logging.getLogger("card_referee.game")
T = TypeVar("T")


saved: Hook[[Sequence[Game]], None] = Hook()
"""Hears that changes of games were written that concern more than their rows, in the same transaction."""
handed_over: Hook[[UUID, int], None] = Hook()
"""Hears that a seat of a game was handed over, in the same transaction."""


def save(context: Context, game: Game) -> None:
    """Write the changes of a game since it was read; its row is locked, or not visible to others yet."""
    save_all(context, [game])


def save_all(context: Context, games: Sequence[Game]) -> None:
    """Write the changes of games since they were read; if possible, one statement writes all of them."""
    changed = [Changed.of(game) for game in games]
    written = write.write_all(context.session, [each.change for each in changed])
    for each, mark in zip(changed, written, strict=True):
        if mark is None:
            raise RuntimeError(f"game {each.game.id} is not at version {each.change.expected}")
    _save_beside(context, changed)


def save_guarded(
    context: Context, game: Game, guard: Guard, request: Request | None = None, caused: int = 0
) -> Mark | None:
    """Write the changes of a game that is not locked; return the new mark of its row.

    The entry with the number `caused` names the request. Return None if others have changed the game or the
    caller's credential, or if the request was made before.
    """
    changed, session = Changed.of(game), context.session
    change = changed.change._replace(guard=guard, request=request, caused=caused)
    try:
        if is_alone(game):
            mark = write.write_alone(session, change)
            if mark is not None:
                changed.saved()
            return mark
        with session.transaction(pipelined=True):
            [mark] = write.write_all(session, [change])
            if mark is None:
                raise psycopg.Rollback
            _save_beside(context, [changed])
        return mark
    except psycopg.errors.DeadlockDetected:
        return None
    except psycopg.errors.UniqueViolation:
        if context.key is None:  # so it was not theirs
            raise
        return None


@dataclass
class Changed:
    """A game to save, with its current turns."""

    game: Game
    change: Change
    turns: list[Turn]

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return what to write for a game."""
        turns = turns_of(game)
        awaited = _awaited(game, turns)
        entries = [
            NewEntry(
                entry.public["seq"],
                stored(entry.public),
                words.shares_of(entry),
                entry.hash,
                stored(awaited) if awaited and entry is game.entries[-1] else "",
            )
            for entry in game.entries
        ]
        change = Change(row_of(game), game.version - len(entries), changes_of(game.turns, turns), entries)
        return cls(game, change, turns)

    def saved(self) -> None:
        """Mark everything in the game as written."""
        self.game.entries, self.game.later, self.game.left, self.game.turns = [], [], [], self.turns
        self.game.moved.clear()


def is_alone(game: Game) -> bool:
    """Return whether the statement that writes a changed game writes all that its changes are."""
    types = {entry.public["type"] for entry in game.entries}
    said = any(entry.name or referee.records.ALL in entry.private for entry in game.entries)
    return not (said or game.later) and types.isdisjoint((*LISTED, *DEALING))


def _has(game: Game, *types: str) -> bool:
    """Return whether a new entry of the game has one of these types."""
    return any(entry.public["type"] in types for entry in game.entries)


def _save_beside(context: Context, changed: Sequence[Changed]) -> None:
    """Write what changes in other tables, which only few changes do."""
    session, games = context.session, [each.game for each in changed]
    for each in changed:
        game = each.game
        if game.dealing is not None and _has(game, *DEALING):
            store.set_dealing(session, game.id, stored(game.dealing.stored()), game.dealing.reveal_by)
        for write_more in game.later:
            write_more()
        words.keep(context, game)
        if not _has(game, "created"):  # otherwise its seats are there already
            _save_seats(context, game)
    listed = [game for game in games if _has(game, *LISTED)]
    if listed:
        seated = any(_has(game, *SEATED) for game in listed)
        seating.list_players(session, [game.id for game in listed], seated)
    for game in (game for game in games if _has(game, *referee.records.LAST)):
        layout_of(session).queue_leaf(session, game.id, True)
        _end_guests(context, game.seats, context.now() + talk.OPEN_FOR)
    saved(context, games)
    for each in changed:
        each.saved()


def _save_seats(context: Context, game: Game) -> None:
    """Write who has taken and left seats. Raises UnknownPlayer for one who was deleted in the meantime."""
    session, changed = context.session, dict[int, tuple[UUID | None, str | None]]()
    for said in (entry.public for entry in game.entries if entry.public["type"] in SEATED):
        player = said["player"] and UUID(said["player"]["id"])
        if said["type"] == "joined":
            changed[said["seat"]] = player, said["bot"]
        else:
            changed[said["seat"]] = None, None
            if "replaced" in said:
                handed_over(context, game.id, said["seat"])
    ids = [player for player, _ in changed.values() if player]
    if ids and not players.several(session, game.app_id, ids).keys() >= {*ids}:
        raise UnknownPlayer("player")
    for seat, who in changed.items():
        seating.seat_player(session, game.id, seat, *who)
    if game.left:
        _end_guests(context, game.left, context.now())


def _awaited(game: Game, turns: Sequence[Turn]) -> Json:
    """Return the seats of players whose turns begin, or who must reveal their entropy, with their deadlines.

    Notices of the last new entry are made of it: `awaited`, or nothing.
    """
    by = game.dealing.reveal_by if game.dealing else None
    if by is not None and _has(game, "joined"):
        seats: list[tuple[int, datetime | None]] = [
            (seat, by) for seat in referee.table.seats_to_reveal(game.seats)
        ]
    else:
        seats = [(each.seat, each.deadline) for each in turns if each.player_id and _begins(game, each)]
    awaited = {str(seat): deadline and timestamp(deadline) for seat, deadline in seats}
    return {"awaited": awaited} if awaited else {}


def _begins(game: Game, turn: Turn) -> bool:
    """Return whether a turn is new; it may begin at the same time as the seat's previous one."""
    new = turn.seat in game.moved or turn.since != game.turns[turn.seat].since
    return turn.since is not None and new


def _end_guests(context: Context, seats: Iterable[Seat], at: datetime) -> None:
    """End the tokens of guests who came only for this game and have these seats, at a time."""
    guests = [UUID(seat.player.id) for seat in seats if seat.guest and seat.player]
    if guests:
        credentials.expire_tokens(context.session, guests, SEAT_GUEST, at)


def change(context: Context, game_id: UUID, decide: Callable[[Game], T]) -> tuple[Game, T]:
    """Change a game in a transaction of its own; return it, and what `decide` returns. Raises NotFound."""
    with context.session.transaction():
        return change_within(context, game_id, decide)


def change_within(context: Context, game_id: UUID, decide: Callable[[Game], T]) -> tuple[Game, T]:
    """Change a game in the open transaction, which keeps it locked, see `change`."""
    game = load(context, game_id, lock=True)
    before = list(game.seats)
    result = decide(game)
    if game.entries or game.seats != before:
        save(context, game)
    return game, result


def change_all(context: Context, game_ids: Sequence[UUID], decide: Callable[[Game], object]) -> list[UUID]:
    """Change games that the open transaction has locked, if possible by one statement.

    Return those that could not be read or decided about; they are left as they were.
    """
    failed, changed = [], []
    for game in load_all(context, game_ids) if game_ids else ():
        if isinstance(game, UUID):
            failed.append(game)
            continue
        try:
            decide(game)
        except psycopg.Error:
            raise  # nothing can be written in this transaction any more
        except Exception:
            log.exception("game %s: what was due failed", game.id)
            failed.append(game.id)
        else:
            changed.append(game)
    changed = [game for game in changed if game.entries]
    if changed:
        save_all(context, changed)
    return failed
