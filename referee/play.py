"""Dealing, judging and making moves: what is the same in every game."""

from typing import Any

from referee.chance import Chance
from referee.games import Game, find
from referee.loading import load, read_options
from referee.position import Move, Position, Transfer, build
from referee.verdicts import LEGAL, Malformed, Refusal, Verdict


def deal(
    ruleset: object,
    seats: object,
    options: object,
    chance: Chance,
    *,
    version: object = None,
) -> tuple[Any, list[Transfer]]:
    """Set a game up: the position before the first move and the transfers that led to it.

    Raises Malformed for an unknown ruleset, a number of seats that it is not played by, bad options.
    """
    game = find(ruleset, version)
    number, chosen = read_options(game, seats, options)
    state = build(game, number, chosen, {}, {}, scores=[0] * number)
    game.deal(state, chance)
    return state, state.transfers


def read(position: object) -> Any:
    """Read a position from JSON. Raises Malformed, naming the place, for one that cannot be."""
    if type(position) is not dict:
        raise Malformed("position", "must be an object")
    return load(find(position.get("ruleset"), position.get("version")), position)


def judge(state: Position, seat: int, move: object) -> Verdict:
    """Judge a move. The common rules come first: finished, turn, unknown_move; the game's own follow."""
    game = state.game
    if state.result is not None:
        return Verdict(Refusal("common.finished", "the game is over"))
    if seat not in state.to_act and not game.legal(state, seat):
        return Verdict(Refusal("common.turn", _whose_turn(state, seat)))
    fault = _misshapen(game, state.phase, move)
    if fault is not None:
        return Verdict(Refusal("common.unknown_move", fault))
    refusal = game.refuse(state, seat, move)  # type: ignore[arg-type]  # shaped like a move by now
    return LEGAL if refusal is None else Verdict(refusal)


def legal_moves(state: Position, seat: int) -> list[dict[str, Any]]:
    """List a seat's legal moves now, each once, in the order fixed by the rules."""
    return [] if state.result is not None else state.game.legal(state, seat)


def advance(state: Position, seat: int, move: Move, chance: Chance) -> list[Transfer]:
    """Make a move that was judged legal, in place, and return its transfers."""
    made: list[Transfer] = []
    state.transfers = made
    state.won_by = None
    before = state.scores[:]
    state.game.apply(state, seat, move, chance)
    state.scored = state.scores != before
    return made


def resign(state: Position, seat: int) -> dict[str, Any]:
    """Give the result of a game that a seat gives up: its team loses, everyone else wins."""
    losers = sorted(state.game.team(state, seat))
    winners = [other for other in range(state.seats) if other not in losers]
    return {"winners": winners, "losers": losers, "reason": "resigned"}


def conclude(state: Position, result: dict[str, Any]) -> None:
    """End a game, in place, otherwise than by a move; the cards stay where they are."""
    state.phase = "over"
    state.to_act = []
    state.result = result


def _whose_turn(state: Position, seat: int) -> str:
    waited_for = ", ".join(map(str, state.to_act))
    return f"seat {seat} may not act now; the game waits for seat {waited_for}"


def _misshapen(game: Game[Any], phase: str, move: object) -> str | None:
    """Say in what a move is not one that this phase knows."""
    if type(move) is not dict:
        return "a move must be an object"
    name = move.get("type")
    if type(name) is not str or name not in game.PHASES[phase]:
        return f"the moves known in phase {phase} are " + ", ".join(game.PHASES[phase])
    found = 1
    for key, field in game.MOVES[name].items():
        if key in move:
            found += 1
            value = move[key]
            if type(value) is not field.any_of and not field.accepts(value):
                return f"{key} must be {field.kind.what}"
        elif not field.optional:
            return f"{name} needs {key}"
    if len(move) != found:
        extra = next(key for key in move if key != "type" and key not in game.MOVES[name])
        return f"{name} has no field {str(extra)[:40]!r}"
    return None
