"""Forks: test games that go on from a moment of a game that is over.

A fork has the seed of its source, so that every check of a log proves its deal and its chance. The seed is
public, and with it everything hidden in the fork: it says in every form that it is a fork, counts for
nobody, is not in the log of all games, and has no invite codes, which the seed would tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast
from uuid import UUID

import referee
import referee.records
import referee.table
from api.context import Context
from api.core.callers import APP, PLAYER
from api.core.errors import BadRequest, Conflict, RulesetNotInstalled
from api.core.json import loads
from api.core.names import Labels
from api.features.imports import imports
from api.games import acting, games
from api.games.game import Game
from api.games.games import ForkRequest
from api.games.history import end_of, shares
from api.games.loading import load, turns_of
from api.games.views import visibility_of
from api.rulesets.rulesets import require_few_moves
from api.store import log
from api.store.labels import unique
from referee.table import commands

RUNNING = (
    "The game is not over, and a fork of it would show what is hidden: `POST /v1/referee/samples` deals that"
    " anew, and so does What if? on the game's page."
)
BEACON = "The deal depends on a public beacon, so its time is a part of it: such a game cannot be forked."
NOT_BEGUN = "The cards are not dealt at this version."
ENDED = "The game is over at this version."
NO_LOG = "Needs its log: versions are those of its entries."
AS_DEALT = "A fork is dealt as its source was, and its seats have no keys."
NOT_FOR_PLAYERS = "Only an app can play for a seat that nobody has."

VERSION = "from.version"
ENDING = (*referee.records.ENDINGS, *referee.records.LAST)


def create(context: Context, request: ForkRequest) -> Any:
    """Create a fork, with bots and players of the app. Raises NotFound, Conflict, BadRequest, Forbidden."""
    source, version = request["source"], request["source"]["version"]
    brought = None  # a record is verified before the transaction, because that can take long
    if "record" in source:
        brought = _brought(source["record"], version)

    def make() -> Game:
        return _make(context, request, brought or _stored(context, source["game"], version))

    with unique(context.session, context.app_id, request):
        return acting.create(context, make)


def _make(context: Context, request: ForkRequest, of: dict[str, Any]) -> Game:
    version = request["source"]["version"]
    if len(request["seats"]) != of["seats"]:
        raise BadRequest({"seats": [f"The game has {of['seats']} seats."]})
    _require_playable(context, request)
    people = games.seats_of(context, request["seats"])
    how = {"visibility": request["visibility"], "forked_from": {"game": of.pop("game"), "version": version}}
    game = imports.written(context, of, {**how, "labels": Labels().changed(request)})
    if game.position.result is not None:
        raise BadRequest({VERSION: [ENDED]})
    game.title = request.get("title")
    imports.keep(context, game, None)
    game.turns, game.by = turns_of(game), APP
    for number, seat in enumerate(people):
        if seat.taken:
            game.hand_over(commands.seats.HandOver(number, seat.who, alone=False), context.now())
    return game


def _require_playable(context: Context, request: ForkRequest) -> None:
    """Raise Forbidden or BadRequest for seats that a fork, or one of a player, cannot have."""
    games.guests_seat(context, request)
    for number, seat in enumerate(request["seats"]):
        if context.caller.kind == PLAYER and "open" in seat:
            raise BadRequest({f"seats.{number}.open": [NOT_FOR_PLAYERS]})
        for name in ("entropy", "commitment", "public_key"):
            if name in seat:
                raise BadRequest({f"seats.{number}.{name}": [AS_DEALT]})


def _stored(context: Context, game_id: UUID, version: int) -> dict[str, Any]:
    """Return what a game of this server was at a version, as a record. Raises NotFound, Conflict."""
    game = load(context, game_id)
    visibility_of(context.caller, game)  # a former player of a private game is not shown how it ended
    if not game.over:
        raise Conflict(RUNNING)
    if not game.installed:
        raise RulesetNotInstalled(game.ruleset, game.ruleset_version)
    if game.dealing is not None and game.dealing.randomness:
        raise Conflict(BEACON)
    context.require_short(game.version)
    entries = log.all_entries(context.session, game.id, game.version, end=end_of(game))
    return {
        "game": str(game.id),
        "ruleset": game.ruleset,
        "version": game.ruleset_version,
        "seats": len(game.seats),
        "options": game.options,
        "seed": game.seed.hex(),
        "entropy": [seat.entropy for seat in game.seats],
        **_until(({**loads(e.public), "private": shares(e)} for e in entries), version),
    }


def _brought(data: dict[str, Any], version: int) -> dict[str, Any]:
    """Return what the game of a record was at a version, after verifying all of it."""
    require_few_moves(data)
    data = referee.records.known_members(data)
    if data.get("seed") is None:
        raise Conflict(RUNNING)
    if data.get("entries") is None:
        raise BadRequest({"from.record.entries": [NO_LOG]})
    try:
        imports.verified(data)
    except referee.Malformed as error:
        raise BadRequest({f"from.record.{error.place}": [error.detail]}) from None
    if not any(entry["type"] in referee.records.LAST for entry in data["entries"]):
        raise Conflict(RUNNING)
    if data.get("randomness") is not None:
        raise Conflict(BEACON)
    kept = ("ruleset", "version", "seats", "options", "seed", "entropy")
    of = {name: data[name] for name in kept if name in data}
    named = {"game": data.get("game"), "version": version}
    return {
        "game": named["game"] if referee.records.MEMBERS["forked_from"].kind.accepts(named) else None,
        **of,
        **_until(({"private": {}, **entry} for entry in data["entries"]), version),
    }


def _until(entries: Iterable[dict[str, Any]], version: int) -> dict[str, Any]:
    """Return the moves that counted at a version of a whole log. Raises BadRequest if nobody could move."""
    moves: list[dict[str, Any]] = []
    started = end = None
    for entry in entries:
        kind, seq = entry["type"], entry["seq"]
        if kind == "started":
            started = seq
        elif kind in ENDING:
            end = end or seq
        elif kind != "said":
            end = None  # a late seat's move was made after its time-out
        if seq <= version and kind == "moved":
            moves.append(
                {
                    "seat": entry["seat"],
                    "move": referee.table.full_move(cast(referee.table.Members, entry), entry["private"]),
                    "seq": seq,
                }
            )
        elif seq <= version and kind in referee.records.GOING_BACK:
            moves = [each for each in moves if each["seq"] < entry["of"]]
    if started is None or version < started:
        raise BadRequest({VERSION: [NOT_BEGUN]})
    if end is None or version >= end:
        raise BadRequest({VERSION: [ENDED]})
    return {"format": "card-referee/1", "moves": moves}
