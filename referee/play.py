"""What all games share: dealing, judging moves, making moves."""

from collections.abc import Sequence
from typing import Any

from referee.chance import Chance
from referee.fixed import FixedMove
from referee.games import Ruleset, find
from referee.loading import load, read_options
from referee.position import Move, Position, Transfer, build
from referee.verdicts import LEGAL, Malformed, Refusal, Verdict

MISSING = object()


def deal(
    ruleset: object,
    seats: object,
    options: object,
    chance: Chance,
    *,
    version: object = None,
) -> tuple[Any, list[Transfer]]:
    """Set a game up: the position before the first move and the transfers that led to it.

    Raises Malformed for an unknown ruleset, a number of seats that it does not allow, or bad options.
    """
    rules = find(ruleset, version)
    number, chosen = read_options(rules, seats, options)
    state = build(rules, number, chosen, {}, {}, scores=[0] * number)
    dealt: list[Transfer] = []
    state.transfers = dealt
    rules.deal(state, chance)
    state.to_act = rules.due(state)
    return state, dealt


def read(position: object) -> Any:
    """Read a position from JSON. Raises Malformed, naming the place, for an impossible one."""
    if type(position) is not dict:
        raise Malformed("position", "must be an object")
    return load(find(position.get("ruleset"), position.get("version")), position)


def judge(state: Position, seat: int, move: Any) -> Verdict:
    """Judge a move by the common rules (finished, turn, unknown_move), then by the game's own."""
    rules = state.ruleset
    waited_for = seat in state.to_act
    if not waited_for:  # no seat is to act after the end
        if state.result is not None:
            return Verdict(Refusal("common.finished", "the game is over"))
        if not legal_moves(state, seat):
            return Verdict(Refusal("common.turn", _whose_turn(state, seat)))
    fault = _misshapen(rules, state.phase, move)
    if fault is not None:
        return Verdict(Refusal("common.unknown_move", fault))
    refusal = rules.refuse(state, seat, move)
    if refusal is None and not waited_for and move["type"] not in rules.OUT_OF_TURN:
        refusal = Refusal("common.turn", _whose_turn(state, seat))
    return LEGAL if refusal is None else Verdict(refusal)


def legal_moves(state: Position, seat: int) -> Sequence[dict[str, Any]]:
    """Return a seat's current legal moves, each once, in the order fixed by the rules.

    This is a list or, if there may be very many, a sequence that creates each when it is read
    (`referee/choices.py`). Moves that lists share are read-only (`referee/fixed.py`).
    """
    rules = state.ruleset
    if seat in state.to_act:
        moves = rules.candidates(state, seat)
    elif state.result is None and rules.OUT_OF_TURN:
        moves = [move for move in rules.candidates(state, seat) if move["type"] in rules.OUT_OF_TURN]
    else:
        return []
    if state.phase in rules.EXACT:
        return moves
    refuse = rules.refuse
    return [move for move in moves if refuse(state, seat, move) is None]


def advance(state: Position, seat: int, move: Move, chance: Chance) -> list[Transfer]:
    """Make a move that was judged legal, in place, and return its transfers."""
    made: list[Transfer] = []
    state.transfers = made
    state.before = state.scores[:]
    state.won_by = None
    rules = state.ruleset
    rules.apply(state, seat, move, chance)
    if state.result is None:
        state.to_act = rules.due(state)
    return made


def simulate(state: Position, seat: int, move: Move, chance: Chance) -> None:
    """Make a legal move in place without recording transfers, for bots that try moves."""
    state.transfers = None
    rules = state.ruleset
    rules.apply(state, seat, move, chance)
    if state.result is None:
        state.to_act = rules.due(state)


def resign(state: Position, *seats: int, reason: str = "resigned") -> dict[str, Any]:
    """Return the result if these seats give up: their teams lose, everybody else wins."""
    losers = sorted({mate for seat in seats for mate in state.ruleset.team(state, seat)})
    winners = [other for other in range(state.seats) if other not in losers]
    return {"winners": winners, "losers": losers, "reason": reason}


def conclude(state: Position, result: dict[str, Any]) -> None:
    """End a game in place without a move: cards and facts stay as they are."""
    state.phase = "over"
    state.to_act = []
    state.result = result


def _whose_turn(state: Position, seat: int) -> str:
    waited_for = ", ".join(map(str, state.to_act))
    return f"seat {seat} may not act now; the game waits for seat {waited_for}"


def _misshapen(rules: Ruleset[Any], phase: str, move: object) -> str | None:
    """Return why the phase does not know such a move, or None."""
    if not isinstance(move, dict):
        return "a move must be an object"
    name = move.get("type")
    if type(name) is not str or name not in rules.PHASES[phase]:
        return f"the moves known in phase {phase} are " + ", ".join(rules.PHASES[phase])
    if type(move) is not FixedMove:
        return _wrong_field(rules, name, move)
    if move.shaped_for is not rules:
        fault = _wrong_field(rules, name, move)
        if fault is not None:
            return fault
        move.shaped_for = rules
    return None


def _wrong_field(rules: Ruleset[Any], name: str, move: dict[str, Any]) -> str | None:
    """Return what is wrong with the fields of a move of this type, or None."""
    fields = rules.MOVES[name]
    found = 1
    for key, field in fields.items():
        value = move.get(key, MISSING)
        if type(value) is field.any_of:
            found += 1
        elif value is MISSING:
            if not field.optional:
                return f"{name} needs {key}"
        elif field.accepts(value):
            found += 1
        else:
            return f"{key} must be {field.kind.what}"
    if len(move) != found:
        extra = next(key for key in move if key != "type" and key not in fields)
        return f"{name} has no field {str(extra)[:40]!r}"
    return None
