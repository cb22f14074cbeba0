"""What people are called and say in games: written beside the log, given to them, and erased."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeGuard
from uuid import UUID

import referee.records
from api.context import Context
from api.core.json import Json, loads, stored
from api.games.answers_of_logs import SaidAfter
from api.games.game import Game
from api.store import words as store
from api.store.layout import layout_of
from api.store.words import Seated, Words

log = logging.getLogger("card_referee.game")

BATCH = 100  # games that are locked at once
ALL = referee.records.ALL
IN_TALK = {"name": referee.records.ERASED, "text": "…"}  # in place of what was said after the end of a game


def shares_of(entry: referee.records.Entry) -> str | None:
    """Return the shares of seats in an entry (JSON); that of everybody is stored apart, as names are."""
    shares = {seat: share for seat, share in entry.private.items() if seat != ALL}
    return stored(shares) if shares else None


def keep(context: Context, game: Game) -> None:
    """Store the names and texts of a game's new entries."""
    said = [
        Words(entry.public["seq"], whose(entry.public), stored(words))
        for entry in game.entries
        if (words := entry.name or entry.private.get(ALL))
    ]
    if said:
        store.insert(context.session, game.id, game.app_id, said)


def whose(public: referee.records.Members) -> UUID | None:
    """Return the player whose name or text an entry has; None if nobody's."""
    player = public["replacement"]["player"] if "replacement" in public else public["player"]
    return UUID(player["id"]) if player else None


def erase(context: Context, app_id: UUID, player_id: UUID) -> bool:
    """Erase the name and the texts of a player in all games of an app, some games in each transaction.

    Return whether there was something.
    """
    session, found_some = context.session, False
    while some := store.games_of(session, app_id, player_id, BATCH, IN_TALK):
        found_some = True
        for ids in layout_of(session).lockable(some):
            with session.transaction():
                found = store.lock(session, ids)
                store.erase(session, player_id, [_without(game, str(player_id)) for game in found])
    return found_some


def _without(game: Seated, player: str) -> Seated:
    """Return a game in whose row nothing is left of a player but the id."""
    seats = _readable(game, lambda: _seats_without(game.sitting, player))
    said = game.chat
    chat = said and _readable(game, lambda: _chat_without(said, player))
    return game._replace(sitting=stored(seats), chat=chat)


def _readable(game: Seated, read: Callable[[], list[Json]]) -> list[Json]:
    """Return a part of a row; nothing if it cannot be read: it may have the name, and the log the rest."""
    try:
        return read()
    except (ValueError, TypeError, KeyError, AttributeError):  # what a damaged row leads to
        log.exception("a part of game %s cannot be read, and is emptied, as a player is erased", game.id)
        return []


def _seats_without(sitting: str, player: str) -> list[Json]:
    seats: list[Json] = loads(sitting)
    for seat in seats:
        for holder in ("player", "previous"):
            _forget(seat.get(holder), player)
    return seats


def _chat_without(chat: list[Json], player: str) -> list[Json]:
    for message in chat:
        if _forget(message["player"], player):
            message["text"] = IN_TALK["text"]
    return chat


def _is(named: object, player: str) -> TypeGuard[dict[str, str]]:
    """Return whether a player is this one."""
    return isinstance(named, dict) and named["id"] == player


def _forget(named: object, player: str) -> bool:
    """Let a player who is named have no name; return whether it is this one."""
    if not _is(named, player):
        return False
    named["name"] = referee.records.ERASED
    return True


def said_after(context: Context, player_id: UUID) -> list[SaidAfter]:
    """List what a player has said after the end of games of the app, each with its game."""
    mine = str(player_id)
    return [
        {"game": str(game), "text": str(message["text"]), "at": str(message["at"])}
        for game, chat in store.chats_of(context.session, player_id)
        for message in chat
        if _is(message["player"], mine)
    ]
