"""Checks of what programs need of a ruleset: imagined cards, values of positions, bots."""

from typing import Any

from referee.computer.bots import BOTS, bot_move
from referee.computer.match import payoffs
from referee.computer.sampling import sample
from referee.engine.chance import Below
from referee.engine.jsontext import compact
from referee.engine.play import judge, legal_moves
from referee.engine.talk import Talk, talk
from referee.engine.verdicts import Malformed
from referee.engine.views import view
from referee.texts.rulebook import read_rules
from referee.workshop.declarations import Fault
from referee.workshop.trials import Point

BOTS_MOVE = 25  # bots choose in one of so many positions


def samples(point: Point, below: Below) -> Fault | None:
    """Check that a full position can be imagined from each view, and looks the same to its seat."""
    state = point.after
    for seat in state.to_act:
        shown = view(state, seat)
        try:
            imagined = sample(shown, below)
        except Malformed as error:
            why = f"no position agrees with what seat {seat} sees: {error}"
            return "guess" if error.place.startswith("facts") else "known", why
        if view(imagined, seat) != shown:
            return "known", f"a position that is imagined for seat {seat} looks otherwise to it"
        if [*legal_moves(imagined, seat)] != [*legal_moves(state, seat)]:
            return "BLOCKS", f"seat {seat} has other legal moves where only what it does not see differs"
    return None


def values(point: Point, below: Below) -> Fault | None:
    """Check that `standing` and `payoffs` return a number for each seat."""
    state: Any = point.after
    standing = getattr(state.ruleset, "standing", None)
    given = {"payoffs": payoffs(state)} if state.result is not None else {}
    given |= {"standing": standing(state)} if standing is not None else {}
    for name, numbers in given.items():
        right = isinstance(numbers, list | tuple) and len(numbers) == state.seats
        if not right or not all(type(number) in (int, float) for number in numbers):
            return name, f"must return a list of {state.seats} numbers, one a seat, not {numbers!r}"
    return None


def talk_declared(point: Point, below: Below) -> Fault | None:
    """Check that `talk` names a move of the phase with a text, or a rule of the text with a reason."""
    state: Any = point.before
    said = talk(state)
    rules = state.ruleset
    if not isinstance(said, Talk):
        return "talk", f"must return a Talk, not {said!r}"
    if said.move and (said.move not in rules.PHASES[state.phase] or "text" not in rules.MOVES[said.move]):
        return "talk", f"{said.move!r} must be a move type of the phase {state.phase} with a field `text`"
    if said.rule and (said.rule not in {rule.id for rule in read_rules(rules)} or not said.reason):
        return "talk", f"{said.rule!r} must be a rule of the text, with a reason"
    return None


def bots(point: Point, below: Below) -> Fault | None:
    """Check that every bot makes legal moves, early in each game and now and then."""
    if point.number % BOTS_MOVE != 1:
        return None
    for name in BOTS:
        move = bot_move(name, point.before, point.seat, below)
        if not judge(point.before, point.seat, move).legal:
            return "BLOCKS", f"the bot {name} makes a move that is refused: {compact(move)}"
    return None
