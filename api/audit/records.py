"""Games as records: what a replay anywhere else needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import referee
from api.core.context import Context
from api.core.errors import Conflict, NotFound
from api.core.json import loads
from api.game.game import CANCELLED, FINISHED, Game, load
from api.game.history import full_move, shares
from api.game.show import show_entry
from api.game.visibility import visibility
from api.store import log

ENDS = ("resigned", "timed_out", "cancelled")


def record(context: Context, game_id: UUID) -> dict[str, Any]:
    """Return a game's record: whole once the game is over, until then what the caller may see of it."""
    game = load(context, game_id)
    seen = visibility(context.caller, game)
    over = game.status in (FINISHED, CANCELLED)
    seen = seen._replace(whole=seen.whole or over)
    entries: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    ended: dict[str, Any] | None = None
    for entry in log.all_entries(context.session, game.id, game.version):
        public = loads(entry.public)
        shown = show_entry(referee.Entry(public, shares(entry), bytes(entry.hash)), seen)
        entries.append(shown)
        if public["type"] == "moved":
            move = full_move(public, shown.get("private", {}))
            moves.append({"seat": public["seat"], "move": move, "seq": entry.seq, "at": public["at"]})
            ended = None  # a time-out that a move followed did not end the game
        elif public["type"] == "taken_back":
            moves = [made for made in moves if made["seq"] < public["of"]]
        elif public["type"] in ENDS:
            late = [*ended.get("seats", [ended["seat"]]), public["seat"]] if ended else []
            ended = {"type": public["type"], "seat": late[0] if late else public.get("seat")}
            if late:
                ended["seats"] = late
    return {
        "format": "card-referee/1",
        "ruleset": game.ruleset,
        "version": game.ruleset_version,
        "seats": len(game.seats),
        "options": game.options,
        "seed": game.seed.hex() if over else None,
        "entropy": [seat["entropy"] for seat in game.seats],
        "moves": moves,
        "result": game.result,
        "commitment": referee.commitment(game.seed),
        **game.origin,
        **({"ended": ended} if ended else {}),
        **({"chance": _outcomes(game, moves)} if over and game.state is not None else {}),
        "entries": entries,
    }


def dispute_report(context: Context, game_id: UUID, seat: int) -> Iterator[str]:
    """Return a finished game as a seat saw it, in pieces of an HTML page. Raises NotFound, Conflict."""
    told = record(context, game_id)
    if told["result"] is None:
        raise Conflict("The game can be told once it is over: until then its seed is secret.")
    if seat >= told["seats"]:
        raise NotFound(f"The game has seats 0 to {told['seats'] - 1}.")
    return referee.dispute_report(told, seat)


def _outcomes(game: Game, moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return every outcome of chance, for those who check the deals without knowing the rules."""
    chance = referee.Noted(referee.game_key(game.seed, [seat["entropy"] for seat in game.seats]))
    state, _ = referee.deal(game.ruleset, len(game.seats), game.options, chance, version=game.ruleset_version)
    for made in moves:
        referee.advance(state, made["seat"], made["move"], chance)
    return chance.outcomes
