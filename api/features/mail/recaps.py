"""What a mail tells of a game: the moves since the player's last one, the table, and whose turn it is."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import referee
import referee.positions
from api.context import Context
from api.core.json import loads
from api.features.mail import drawn as tables
from api.features.mail.letters import Section
from api.features.mail.phrases import many, spoken, translate
from api.features.mail.preferences import Preferences
from api.features.mail.present import PresentGame
from api.features.mail.store import Contact
from api.features.mail.words import listed, name_of_seat, until_when
from api.games.loading import load, time_of
from api.games.looks import BY_APP, CARDS
from api.games.seat import Seat
from api.store import games, log, looks
from api.store.database.session import Session
from api.store.log import StoredEntry
from referee.clocks import timestamp

logger = logging.getLogger("card_referee.jobs")

READ_BACK = 100  # entries before the newest one among which the player's last move is looked for
MOST = 20  # moves in a mail
BY_OTHERS = ("random", "order")  # marks of moves that a player did not make at the time
RUNNING, FINISHED = "running", "finished"


def of_games(context: Context, contact: Contact, played: Iterable[PresentGame]) -> dict[UUID | None, Section]:
    """Return what a player may be told of these games, as far as the player sits in them.

    A game that cannot be read is left out: the mail says less, but is sent. Where an app has chosen the
    address, a look by the app is recorded, or the cards are left out if only players act for their seats.
    """
    recaps = dict[UUID | None, Section]()
    for game in played:
        own = game.seats_of(str(contact.player_id))
        try:
            if own and game.row.status in (RUNNING, FINISHED):
                cards = contact.set_by is None or _record_look(context, game.row.id, own, contact.set_by)
                recaps[game.row.id] = _recap(
                    context.session, contact.preferences, game, own, own if cards else []
                )
        except Exception:
            logger.exception("game %s cannot be told in a mail", game.row.id)
    return recaps


def _record_look(context: Context, game_id: UUID, seats: Sequence[int], key_id: UUID) -> bool:
    """Record that an app is about to get the cards of a player's seats by mail, in the open transaction.

    The app key has set the address. Return whether the mail may show cards: not during a game in which only
    players act for their seats.
    """
    game = load(context, game_id)
    if game.status != RUNNING:
        return True
    if not game.seats_private:
        now = time_of(context, game)
        looked = [looks.Look(CARDS, seat, BY_APP, now) for seat in seats]
        looks.insert(context.session, game_id, key_id, looked)
    return not game.seats_private


def _recap(
    session: Session, preferences: Preferences, game: PresentGame, own: Sequence[int], seen: Sequence[int]
) -> Section:
    """Return a game as these `seen` of the player's own seats see it; nothing if there is nothing to see."""
    row = games.opened(session, game.row)
    if row.position is None or row.ruleset_version not in referee.versions(row.ruleset):
        return Section()
    state = referee.positions.restore(referee.find(row.ruleset, row.ruleset_version), loads(row.position))
    rules = tables.rules_of(row.ruleset, row.ruleset_version, spoken())
    seats = tables.SeatNames([_name(seat, number) for number, seat in enumerate(game.seats)], own)
    to_act = list(state.to_act) if row.status == RUNNING else []
    stored = log.page(session, row.id, max(row.version - READ_BACK, 0), READ_BACK)
    holders = (held for seat in game.seats for held in (seat.player, seat.previous))
    called = {player.id: player.to_json() for player in holders if player}
    since = _since(own, [_shown(entry, seen, called) for entry in stored], over=row.status == FINISHED)
    moves = tables.happened(since, rules, seats)
    if skipped := len(moves[:-MOST]):
        before = many(skipped, "… and one move before", "… and {number} moves before")
        moves = [before, *moves[-MOST:]]
    news = []
    if to_act and not {*own} & {*to_act}:
        ends = [at for seat in to_act if (at := game.seats[seat].deadline)]
        until = until_when(preferences, timestamp(min(ends))) if ends else ""
        who = listed([seats.names[seat] for seat in to_act])
        news.append(translate("It is the turn of {who}{until}.", who=who, until=until))
    view = referee.view(state, next((seat for seat in (*to_act, *seen) if seat in seen), None))
    return Section(news, moves, tables.table(view, rules, seats))


def _shown(entry: StoredEntry, seen: Sequence[int], called: Mapping[str, Any]) -> dict[str, Any]:
    """Return the public form of an entry, with the shares of these seats, and its player with the name."""
    private = loads(entry.private) if entry.private else {}
    shares = {seat: private[seat] for seat in map(str, seen) if seat in private}
    public = loads(entry.public)
    player = public.get("player")
    return {**public, "player": player and called.get(player["id"]), "private": shares}


def _since(own: Collection[int], shown: list[dict[str, Any]], *, over: bool) -> list[dict[str, Any]]:
    """Return the entries after the last move that the player made, without moves that were taken back.

    The last move of a game that is over is always among them.
    """
    since: list[dict[str, Any]] = []
    last = max((entry["seq"] for entry in shown if entry["type"] == "moved"), default=0) if over else 0
    for entry in shown:
        moved = entry["type"] == "moved" and entry["seat"] in own and entry["seq"] != last
        if moved and not any(mark in entry for mark in BY_OTHERS):
            since.clear()
        else:
            if "of" in entry and entry["type"] in ("taken_back", "timeout_undone"):
                since[:] = [each for each in since if each["seq"] < entry["of"]]
            since.append(entry)
    return since


def _name(seat: Seat, number: int) -> str:
    return name_of_seat(seat.player.name if seat.player else seat.name, number, bot=bool(seat.bot))
