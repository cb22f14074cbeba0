"""What the referee is asked about positions and records that nobody has stored."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Any

import referee
import referee.bots
import referee.positions
import referee.records
from api.core.json import Json
from api.features.stateless import answers
from api.rulesets.answers import Refused
from api.rulesets.rulesets import require_few_moves

MOST_CARDS = 1_000  # in a place; no deck has more


def verdict(question: Mapping[str, Any]) -> answers.Judged:
    """Judge a move, and make it if it is legal. Raises Malformed."""
    if "record" in question:
        state, chance = _end_of(question["record"])
    else:
        state = referee.read(question["position"])
        chance = _chance(question, state.seats)
    seat = _seat(question["seat"], state.seats)
    judged = referee.judge(state, seat, question["move"])
    if not judged.legal:
        return {"verdict": judged.to_json()}
    transfers = referee.advance(state, seat, question["move"], chance)
    return {
        "verdict": judged.to_json(),
        "position": referee.dump(state),
        "transfers": referee.show_transfers(transfers, None, whole=True),
    }


def legal_moves(position: Any, seat: int) -> answers.PositionMoves:
    """List a seat's legal moves in a position. Raises Malformed."""
    state = referee.read(position)
    moves = referee.legal_moves(state, _seat(seat, state.seats))
    return {"ruleset": state.ruleset.ID, "moves": [*moves], "complete": state.ruleset.COMPLETE}


def suggestion(position: Any, seat: int) -> answers.Suggested:
    """Return a good move in a position. Raises Malformed."""
    state = referee.read(position)
    number = _seat(seat, state.seats)
    view = referee.records.canonical({"view": referee.view(state, number)})
    move = referee.suggest(state, number, referee.bots.bot_numbers(sha256(view).digest(), 0))
    ways = referee.bots.ways(state, number, move) if move else []
    return {"ruleset": state.ruleset.ID, "move": move, "transfers": ways}


def sampled(view: Mapping[str, Any], key: bytes) -> answers.Sampled:
    """Return a position that agrees with a view. Raises Malformed."""
    rules = referee.find(view.get("ruleset"), view.get("version"))
    referee.positions.read_options(rules, view.get("seats"), view.get("options"))
    try:
        hidden = [shown["count"] for shown in view["zones"].values() if type(shown) is dict]
        if any(type(count) is not int or not 0 <= count <= MOST_CARDS for count in hidden):
            raise referee.Malformed("zones", "must have a count of cards where they are hidden")
        return {"position": referee.dump(referee.sample(view, referee.bots.bot_numbers(key, 0)))}
    except (AttributeError, LookupError, TypeError):
        raise referee.Malformed("view", "is none that a game shows") from None


def replay(data: Json) -> answers.Replayed:
    """Replay a record to its end or its first refused move. Raises Malformed."""
    require_few_moves(data)
    record = referee.read_record(data)
    last = referee.replay(record)
    refused: Refused | None = None
    if last.verdict is not None and last.seat is not None and not last.verdict.legal:
        verdict = last.verdict.to_json()
        refused = {"n": last.n, "seat": last.seat, "move": last.move, "verdict": verdict}
    legal = last.n - (refused is not None)
    result = last.state.result
    return {
        "ok": refused is None and (record.result is None or referee.records.same(record.result, result)),
        "moves": legal,
        "position": referee.dump(last.state),
        "result": result,
        "refused": refused,
    }


def _end_of(data: Any) -> tuple[Any, referee.Chance]:
    """Replay a record; return the state at its end and the remaining chance. Raises Malformed."""
    if type(data) is dict:
        require_few_moves(data)
    record = referee.read_record(data)
    chance = referee.Seeded(record.key)
    state, _ = referee.deal(record.ruleset, record.seats, record.options, chance, version=record.version)
    for n, made in enumerate(record.moves):
        if not referee.judge(state, made["seat"], made["move"]).legal:
            raise referee.Malformed(f"record.moves[{n}]", "is refused")
        referee.advance(state, made["seat"], made["move"], chance)
    return state, chance


def _chance(question: Mapping[str, Any], seats: int) -> referee.Chance:
    seeded = None
    if "seed" in question:
        seeded = partial(
            referee.Seeded.from_seed, referee.positions.seed_bytes(question["seed"]), [""] * seats
        )
    return referee.Scripted(question.get("chance", []), seeded)


def _seat(seat: int, seats: int) -> int:
    if seat >= seats:
        raise referee.Malformed("seat", f"must be a seat, 0 to {seats - 1}")
    return seat
