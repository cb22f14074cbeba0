"""What all games share: dealing, judging moves, making moves."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.engine.chance import Chance
from referee.engine.fixed import FixedMove
from referee.engine.loading import load, read_options
from referee.engine.position import Moved, Position, build
from referee.engine.registry import find
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import CARD, CARDS, Field, Move
from referee.engine.verdicts import LEGAL, Malformed, Refusal, Verdict

MISSING = object()
UNKNOWN = "common.unknown_move"


def deal(
    ruleset: object,
    seats: object,
    options: object,
    chance: Chance,
    *,
    version: object = None,
) -> tuple[Any, list[Moved]]:
    """Set a game up: the position before the first move and the transfers that led to it.

    Raises Malformed for an unknown ruleset, a number of seats that it does not allow, or bad options.
    """
    rules = find(ruleset, version)
    number, chosen = read_options(rules, seats, options)
    state = build(rules, number, chosen, {}, {}, scores=[0] * number)
    dealt: list[Moved] = []
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
        if seat not in range(state.seats):
            return Verdict(Refusal("common.turn", f"the game has no seat {str(seat)[:40]}"))
        if not legal_moves(state, seat) and not _is_explained(rules, state.phase, move):
            return Verdict(Refusal("common.turn", _whose_turn(state, seat)))
    known = rules.PHASES[state.phase]
    # A move that was found right before is not asked about again: a call would cost as much as its rules.
    if type(move) is not FixedMove or move.shaped_for is not rules or move["type"] not in known:
        misshapen = _misshapen(rules, state.phase, move)
        if misshapen is not None:
            return Verdict(misshapen)
    refusal = rules.refuse(state, seat, move)
    if refusal is None and not waited_for and move["type"] not in rules.OUT_OF_TURN:
        refusal = Refusal("common.turn", _whose_turn(state, seat))
    return LEGAL if refusal is None else Verdict(refusal)


def legal_moves(state: Position, seat: int) -> Sequence[dict[str, Any]]:
    """Return a seat's current legal moves, each once, in the order fixed by the rules.

    This is a list or, if there may be very many, a sequence that creates each when it is read
    (`referee/choices.py`). Moves that lists share are read-only (`referee/engine/fixed.py`).
    """
    if seat in state.to_act:
        return state.lists[state.phase](state, seat)
    out_of_turn = state.ruleset.OUT_OF_TURN
    if state.result is None and out_of_turn and seat in range(state.seats):
        return [move for move in state.lists[state.phase](state, seat) if move["type"] in out_of_turn]
    return []


def advance(state: Position, seat: int, move: Move, chance: Chance) -> list[Moved]:
    """Make a move that was judged legal, in place, and return its transfers."""
    made: list[Moved] = []
    state.transfers = made
    state.before = [*state.scores]  # faster than a slice
    state.won_by = None
    state.makes[state.phase][move["type"]](state, seat, move, chance)
    if state.result is None:
        state.to_act = state.ruleset.due(state)
    return made


def simulate(state: Position, seat: int, move: Move, chance: Chance) -> None:
    """Make a legal move in place without recording transfers, for bots that try moves."""
    state.transfers = None
    state.makes[state.phase][move["type"]](state, seat, move, chance)
    if state.result is None:
        state.to_act = state.ruleset.due(state)


def resign(state: Position, *seats: int, reason: str = "resigned") -> dict[str, Any]:
    """Return the result if these seats give up: their teams lose, everybody else wins."""
    losers = sorted({mate for seat in seats for mate in state.ruleset.team(state, seat)})
    winners = [other for other in range(state.seats) if other not in losers]
    return {"winners": winners, "losers": losers, "reason": reason}


def draw(state: Position) -> dict[str, Any]:
    """Return the result if the players agree to a draw: all seats win together."""
    return {"winners": [*range(state.seats)], "losers": [], "reason": "drawn"}


def rule(ruling: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result that a director has decided."""
    return {"winners": [*ruling["winners"]], "losers": [*ruling["losers"]], "reason": "adjudicated"}


def conclude(state: Position, result: dict[str, Any]) -> None:
    """End a game in place without a move: cards and facts stay as they are."""
    state.phase = "over"
    state.to_act = []
    state.result = result


def _is_explained(rules: Ruleset[Any], phase: str, move: Any) -> bool:
    """Return whether the game's own rules say why a seat without a legal move may not make this one."""
    return _misshapen(rules, phase, move) is None and move["type"] in getattr(rules, "EXPLAINED", ())


def _whose_turn(state: Position, seat: int) -> str:
    waited_for = ", ".join(map(str, state.to_act))
    return f"seat {seat} may not act now; the game waits for seat {waited_for}"


def never_legal(state: Position, move: object) -> Refusal | None:
    """Return why no phase of the game knows such a move, or None."""
    rules = state.ruleset
    name = move.get("type") if type(move) is dict else None
    phase = next((phase for phase, names in rules.PHASES.items() if name in names), None)
    if phase is None or type(move) is not dict:
        return Refusal(UNKNOWN, "the moves known are " + ", ".join(rules.MOVES))
    if misshapen := _misshapen(rules, phase, move):
        return misshapen
    foreign = _foreign_card(state, rules.MOVES[str(name)], move)
    return Refusal(UNKNOWN, foreign) if foreign else None


def _foreign_card(state: Position, fields: Mapping[str, Field], move: Move) -> str | None:
    """Return which card of a move is not in the deck, or None."""
    deck = state.ruleset.deck(state.seats, state.options)
    for key, field in fields.items():
        cards = move.get(key, ()) if field.kind is CARDS else [move[key]] if key in move else ()
        if field.zones and field.kind in (CARD, CARDS) and (strange := set(cards) - set(deck)):
            return f"the deck has no {min(strange)[:10]}"
    return None


def _misshapen(rules: Ruleset[Any], phase: str, move: object) -> Refusal | None:
    """Return why the phase does not know such a move, or None."""
    known = rules.PHASES[phase]
    if not isinstance(move, dict):
        return Refusal(UNKNOWN, "a move must be an object")
    name = move.get("type", MISSING)
    if type(name) is not str or name not in known:
        reason = f"the moves known in phase {phase} are " + ", ".join(known)
        return Refusal(UNKNOWN, reason, ("type", "is missing") if name is MISSING else None)
    fault = _wrong_field(rules, name, move)
    if fault is None and type(move) is FixedMove:
        move.shaped_for = rules
    return None if fault is None else Refusal(UNKNOWN, " ".join(fault), fault)


def _wrong_field(rules: Ruleset[Any], name: str, move: dict[str, Any]) -> tuple[str, str] | None:
    """Return which field of a move of this type is wrong, and what is wrong, or None."""
    fields = rules.MOVES[name]
    count = 1
    for key, field in fields.items():
        value = move.get(key, MISSING)
        if type(value) is field.any_of:
            count += 1
        elif value is MISSING:
            if not field.optional:
                return key, "is missing"
        elif field.accepts(value):
            count += 1
        else:
            return key, f"must be {field.kind.what}"
    if len(move) != count:
        extra = next(key for key in move if key != "type" and key not in fields)
        return str(extra)[:40], f"is unknown: {name} has no such field"
    return None
