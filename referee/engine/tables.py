"""What a ruleset does in each phase, as tables: the engine looks its functions up there at every move."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from referee.engine.chance import Chance
from referee.engine.proposals import proposed
from referee.engine.shapes import Move

Moves = Sequence[dict[str, Any]]
Listing = Callable[[Any, int], Moves]
Make = Callable[[Any, int, Move, Chance], None]
Lists = Mapping[str, Listing]  # by phase
Makes = Mapping[str, Mapping[str, Make]]  # by phase and type


class ByPhase:
    """The function `listed` of a ruleset: another one in each phase."""

    def __init__(self, of: Lists) -> None:
        self.of = of

    def __call__(self, state: Any, seat: int) -> Moves:
        """List the moves of a seat."""
        return self.of[state.phase](state, seat)


class ByType:
    """The function `apply` of a ruleset: another one for each type of move in each phase."""

    def __init__(self, of: Makes) -> None:
        self.of = of

    def __call__(self, state: Any, seat: int, move: Move, chance: Chance) -> None:
        """Make a move."""
        self.of[state.phase][move["type"]](state, seat, move, chance)


def _tables(rules: Any) -> tuple[Lists, Makes]:
    """Return the functions of a ruleset, which need not be `compiled` from blocks."""
    listed, apply = getattr(rules, "listed", accepted), rules.apply
    lists = listed.of if isinstance(listed, ByPhase) else dict.fromkeys(rules.PHASES, listed)
    if isinstance(apply, ByType):
        return lists, apply.of
    return lists, dict.fromkeys(rules.PHASES, dict.fromkeys(rules.MOVES, apply))


tables: Callable[[Any], tuple[Lists, Makes]] = cache(_tables)


def accepted(state: Any, seat: int) -> list[dict[str, Any]]:
    """Return the proposals to a seat that `refuse` accepts."""
    refuse, kinds = state.ruleset.refuse, state.ruleset.PHASES[state.phase]
    moves = [move for move in proposed(state, seat) if move["type"] in kinds]
    return [move for move in moves if refuse(state, seat, move) is None]
