"""The rulesets that are available, and what each module in this folder must provide.

`referee new --here` adds one: its module, its line in `GAMES`, and its rules in `referee/rules`. Those of
installed packages are added by `referee/installed.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from referee.chance import Chance
from referee.games import bisca, cats_and_dogs, dog_cards, landlord, mau_mau, palace, pedro, pies, truco
from referee.position import Move, Position
from referee.shapes import Field, Option
from referee.verdicts import Malformed, Refusal

S = TypeVar("S", bound=Position)


class Ruleset(Protocol[S]):
    """A ruleset at one version: constants and plain functions, in this order.

    `PASSIVE` is optional: phase → the type of the move, without fields, by which a seat does nothing there.
    It is made for late seats where it is legal. Three more constants help pages to draw a game:
    `WORDS` says in words what each fact means to players (required for facts that pages show), `ROLES` says
    what facts stand for (seat, team, suit, counter), and `CATALOGUE` describes cards that
    `referee.catalogue` does not know.
    """

    @property
    def ID(self) -> str:
        """The ruleset's id, `pies`, say."""

    @property
    def VERSION(self) -> int:
        """The version of the rules; a game keeps the version with which it began."""

    @property
    def NAME(self) -> str:
        """The name for people."""

    @property
    def SEATS(self) -> Sequence[int]:
        """The possible numbers of seats, ascending."""

    @property
    def PHASES(self) -> Mapping[str, Sequence[str]]:
        """Each phase and the move types that are possible in it."""

    @property
    def MOVES(self) -> Mapping[str, Mapping[str, Field]]:
        """Each move type and its fields."""

    @property
    def OUT_OF_TURN(self) -> Sequence[str]:
        """The move types that a seat may make while the game waits for others."""

    @property
    def COMPLETE(self) -> bool:
        """False if more moves are legal than are listed."""

    @property
    def EXACT(self) -> Sequence[str]:
        """The phases in which every candidate is legal, so that none has to be checked; a test proves it."""

    @property
    def REASONS(self) -> Sequence[str]:
        """The reasons that a result may have."""

    @property
    def State(self) -> type[S]:
        """The state: every field a zone or a fact."""

    def options(self, seats: int) -> dict[str, Option]:
        """Return the options of a game with this number of seats."""

    def deck(self, seats: int, options: dict[str, Any]) -> Sequence[str]:
        """List every card of the deck."""

    def deal(self, state: S, chance: Chance) -> None:
        """Set up a state with empty zones for the first move."""

    def refuse(self, state: S, seat: int, move: Move) -> Refusal | None:
        """Return the first rule that a well-formed move breaks, or None; the seat may act."""

    def candidates(self, state: S, seat: int) -> Sequence[dict[str, Any]]:
        """Return moves that a seat might make, in a fixed order; those that `refuse` accepts are legal.

        Called before the end, for a seat in `to_act` or, in games with moves out of turn, for any seat.
        """

    def team(self, state: S, seat: int) -> list[int]:
        """Return the seats that win and lose with this one, itself included."""

    def apply(self, state: S, seat: int, move: Move, chance: Chance) -> None:
        """Make a legal move and everything that follows from it; `due` is called afterwards."""

    def due(self, state: S) -> list[int]:
        """Return the seats for which the game waits before its end, ascending.

        A game in which only the moves made determine them keeps them in `state.to_act`, and returns that.
        """

    def check(self, state: S) -> None:
        """Check that the rules allow a position. Raises Malformed.

        Checked before: the deck is complete, and every fact has its shape and exists only in its phases.
        Checked afterwards: zones that do not exist in the phase are empty, and `to_act` is right.
        """


GAMES: tuple[Ruleset[Any], ...] = (
    cats_and_dogs,
    truco,
    landlord,
    pies,
    bisca,
    dog_cards,
    mau_mau,
    pedro,
    palace,
)

PARTS = [name for name in vars(Ruleset) if not name.startswith("_")]

_BY_ID: dict[tuple[str, int], Ruleset[Any]] = {}
_VERSIONS: dict[str, list[int]] = {}  # id → its versions, oldest first
BROKEN: dict[str, str] = {}  # the names of installed rulesets that could not be loaded → why


def register(ruleset: Ruleset[Any]) -> None:
    """Make a version of a ruleset available.

    Raises ValueError if another ruleset has its id and version.
    """
    key = (ruleset.ID, ruleset.VERSION)
    if _BY_ID.get(key, ruleset) is not ruleset:
        raise ValueError(f"there are two rulesets {ruleset.ID}, version {ruleset.VERSION}")
    _BY_ID[key] = ruleset
    _VERSIONS[ruleset.ID] = sorted({ruleset.VERSION, *versions(ruleset.ID)})


def versions(ruleset: str) -> list[int]:
    """List the versions of a ruleset, oldest first; empty for an unknown one."""
    return list(_VERSIONS.get(ruleset, ()))


def newest() -> list[Ruleset[Any]]:
    """List every ruleset in its newest version, in the order in which they were registered."""
    return [_BY_ID[name, known[-1]] for name, known in _VERSIONS.items()]


def find(ruleset: object, version: object = None) -> Ruleset[Any]:
    """Return a ruleset, in its newest version unless one is given. Raises Malformed."""
    known = _VERSIONS.get(ruleset) if type(ruleset) is str else None
    if known is None:
        if type(ruleset) is str and ruleset in BROKEN:
            raise Malformed("ruleset", BROKEN[ruleset])
        names = ", ".join(_VERSIONS)
        raise Malformed("ruleset", f"must be one of {names}")
    if version is None:
        version = known[-1]
    if type(version) is not int or version not in known:
        raise Malformed("version", f"{ruleset} has versions " + ", ".join(map(str, known)))
    return _BY_ID[str(ruleset), version]


for _ruleset in GAMES:
    register(_ruleset)
