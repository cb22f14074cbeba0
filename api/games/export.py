"""Games as records, with everything that a replay elsewhere needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import referee
import referee.proofs
import referee.records
import referee.table
from api.context import Context
from api.core.errors import Conflict, NotFound, RulesetNotInstalled
from api.core.json import Json, loads
from api.feature import Hook
from api.games import looks, receipts
from api.games.game import Game
from api.games.history import at_version, end_of, shares
from api.games.loading import load
from api.games.views import Visibility, reading, show_entry
from api.store import log

BUNDLE = "card-referee-bundle/1"

included: Hook[[Game], dict[str, Any] | None] = Hook()
"""Returns the proofs that a game is in a log of all games, as its record shows them."""


def record(context: Context, game_id: UUID) -> dict[str, Any]:
    """Return a game's record: whole after the end, and before that what the caller may see."""
    game = load(context, game_id)
    visibility = reading(context.caller, game)
    looks.note_view(context, game, visibility)
    if visibility.until is not None:
        game = at_version(context, game, visibility.until)
    return _record(context, game, visibility)


def bundle(context: Context, game_id: UUID) -> Json:
    """Return everything that is needed to verify a finished game offline, in one file.

    Raises NotFound, Conflict.
    """
    content = record(context, game_id)
    if not (content["seed"] and content["entries"]):
        raise Conflict("The bundle is available when the game is over: until then the seed is secret.")
    last = content["entries"][-1]
    receipt = receipts.sign(context, game_id, last["seq"], bytes.fromhex(last["hash"]))
    return {
        "format": BUNDLE,
        "record": content,
        "receipts": [receipt] if receipt else [],
        "keys": receipts.listing(context)["items"],
    }


def whole(context: Context, game_id: UUID) -> dict[str, Any]:
    """Return a game's record for an operator: everything except its app's labels."""
    return _record(context, load(context, game_id), Visibility(whole=True))


def of_app(context: Context, game_id: UUID) -> dict[str, Any]:
    """Return a game's record for its app, with its labels; until it is over, with what everybody sees."""
    return _record(context, load(context, game_id), Visibility(own=True))


def _record(context: Context, game: Game, visibility: Visibility) -> dict[str, Any]:
    over = game.over
    visibility = visibility._replace(whole=visibility.whole or over)
    entries: list[Json] = []
    moves: list[dict[str, Any]] = []
    ended: dict[str, Any] | None = None
    for entry in log.all_entries(context.session, game.id, game.version, end=end_of(game)):
        public = loads(entry.public)
        written = referee.records.Entry(public, shares(entry), bytes(entry.hash))
        shown: dict[str, Any] = show_entry(written, visibility)
        entries.append(shown)
        if public["type"] == "moved":
            move = referee.table.full_move(public, shown.get("private", {}))
            moves.append({"seat": public["seat"], "move": move, "seq": entry.seq, "at": public["at"]})
            ended = None  # a time-out followed by a move did not end the game
        elif public["type"] in referee.records.GOING_BACK:
            moves = [each for each in moves if each["seq"] < public["of"]]
        elif public["type"] in referee.records.ENDINGS:
            late = [*ended.get("seats", [ended["seat"]]), public["seat"]] if ended else []
            ended = {"type": public["type"], "seat": late[0] if late else public.get("seat")}
            if late:
                ended["seats"] = late
            ended |= public.get("ruling", {})
    return {
        "format": "card-referee/1",
        "game": str(game.id),
        "ruleset": game.ruleset,
        "version": game.ruleset_version,
        "seats": len(game.seats),
        "options": game.options,
        "seed": game.seed.hex() if over else None,
        "entropy": [seat.entropy for seat in game.seats],
        "moves": moves,
        "result": game.result,
        "commitment": referee.commitment(game.seed),
        **game.origin,
        **_inclusion(context, game, visibility),
        **({"title": game.title} if game.title else {}),
        **(game.labels.to_json() if visibility.own and any(game.labels) else {}),
        **({"ended": ended} if ended else {}),
        **({"randomness": drawn} if game.dealing and (drawn := game.dealing.randomness) else {}),
        **({"chance": _outcomes(game, moves)} if over and game.state is not None and game.installed else {}),
        "entries": entries,
    }


def _inclusion(context: Context, game: Game, visibility: Visibility) -> Json:
    """Return the proofs that the game is in the log of all games; they also show that it has ended."""
    proofs = None if visibility.until is not None else next(iter(included(context, game)), None)
    return {"inclusion": proofs} if proofs and proofs["leaves"] else {}


def dispute_report(context: Context, game_id: UUID, seat: int) -> Iterator[str]:
    """Yield an HTML report of a finished game from a seat's point of view. Raises NotFound, Conflict."""
    game_record = record(context, game_id)
    if game_record["seed"] is None:
        raise Conflict("The report is available when the game is over: until then the seed is secret.")
    if not any(entry["type"] == "started" for entry in game_record["entries"]):
        raise Conflict("The game was called off before it began: there is nothing to report.")
    if game_record["version"] not in referee.versions(game_record["ruleset"]):
        raise RulesetNotInstalled(game_record["ruleset"], game_record["version"])
    if seat >= game_record["seats"]:
        raise NotFound(f"The game has seats 0 to {game_record['seats'] - 1}.")
    return referee.proofs.dispute_report(game_record, seat, game=str(game_id))


def _outcomes(game: Game, moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return every outcome of chance, for checking the deals without knowing the rules."""
    chance = referee.Noted(game.key)
    state, _ = referee.deal(game.ruleset, len(game.seats), game.options, chance, version=game.ruleset_version)
    for move in moves:
        referee.advance(state, move["seat"], move["move"], chance)
    return chance.outcomes
