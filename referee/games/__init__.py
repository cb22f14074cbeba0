"""The rulesets on offer, and what each file of this folder provides.

`referee new` adds one: its file, its line in `GAMES`, its rules text in `referee/rules`. Packages that are
installed beside this one add theirs through the entry-point group `card_referee.rulesets`: each entry
names a module that is written like the files here, with its rules text in `rules/<id>.md` beside it.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeVar

from referee.chance import Chance
from referee.games import bisca, cats_and_dogs, dog_cards, landlord, mau_mau, palace, pedro, pies, truco
from referee.position import Move, Position, layout
from referee.shapes import Field, Option
from referee.verdicts import Malformed, Refusal

S = TypeVar("S", bound=Position)


class Ruleset(Protocol[S]):
    """A ruleset at one version: constants and plain functions, in this order.

    Two more constants help pages to draw a game: `ROLES`, what facts stand for (seat, team, suit, counter),
    and `CATALOGUE`, card → what `referee.catalogue` could not know of it.
    """

    @property
    def ID(self) -> str:
        """The ruleset's id, `pies`, say."""

    @property
    def VERSION(self) -> int:
        """The version of the rules; an old game keeps the one it began with."""

    @property
    def NAME(self) -> str:
        """What people call it."""

    @property
    def SEATS(self) -> Sequence[int]:
        """How many seats may play, ascending."""

    @property
    def PHASES(self) -> Mapping[str, Sequence[str]]:
        """Phase → the move types that it knows."""

    @property
    def MOVES(self) -> Mapping[str, Mapping[str, Field]]:
        """Move type → its fields."""

    @property
    def OUT_OF_TURN(self) -> Sequence[str]:
        """The move types that a seat may make while the game waits for others."""

    @property
    def COMPLETE(self) -> bool:
        """False where more moves are legal than are listed."""

    @property
    def EXACT(self) -> Sequence[str]:
        """The phases in which every candidate is legal, so that none has to be tried; a test proves it."""

    @property
    def REASONS(self) -> Sequence[str]:
        """The reasons that a result may give."""

    @property
    def State(self) -> type[S]:
        """The state: every field a zone or a fact."""

    def options(self, seats: int) -> dict[str, Option]:
        """Return the options that a table of so many seats may set."""

    def deck(self, seats: int, options: dict[str, Any]) -> Sequence[str]:
        """List every card of the deck."""

    def deal(self, state: S, chance: Chance) -> None:
        """Set a state with empty zones up for the first move."""

    def refuse(self, state: S, seat: int, move: Move) -> Refusal | None:
        """Name the first rule of the game that a well-formed move of a seat that may act breaks."""

    def candidates(self, state: S, seat: int) -> Sequence[dict[str, Any]]:
        """Return what the seat might do, in a fixed order; what `refuse` lets through is listed as legal.

        Asked only of a seat that the game waits for or that has moves out of turn, before the end.
        """

    def team(self, state: S, seat: int) -> list[int]:
        """Return the seats that win and lose with this one, itself included."""

    def apply(self, state: S, seat: int, move: Move, chance: Chance) -> None:
        """Make a legal move and all that follows from it; who is due next is asked afterwards."""

    def due(self, state: S) -> list[int]:
        """Return the seats that the game waits for before its end, ascending.

        `state.to_act` itself where nothing but the moves made says so.
        """

    def check(self, state: S) -> None:
        """Raise Malformed for a position that the rules exclude.

        The deck is complete, and every fact has its shape and exists just in its phases. Cards in zones that
        do not exist in this phase are refused afterwards, and so is a `to_act` that is not due.
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

GROUP = "card_referee.rulesets"
PARTS = [name for name in vars(Ruleset) if not name.startswith("_")]

_BY_ID: dict[tuple[str, int], Ruleset[Any]] = {}
_VERSIONS: dict[str, list[int]] = {}  # id → its versions, oldest first


def register(ruleset: Ruleset[Any]) -> None:
    """Put a ruleset's version on offer.

    Raises TypeError where it lacks a part or its state leaves a visibility undeclared, and ValueError where
    another one has its id and version.
    """
    missing = [part for part in PARTS if not hasattr(ruleset, part)]
    if missing:
        raise TypeError(f"{getattr(ruleset, '__name__', ruleset)} lacks {', '.join(missing)}")
    layout(ruleset.State)
    key = (ruleset.ID, ruleset.VERSION)
    if _BY_ID.get(key, ruleset) is not ruleset:
        raise ValueError(f"there are two rulesets {ruleset.ID}, version {ruleset.VERSION}")
    _BY_ID[key] = ruleset
    _VERSIONS[ruleset.ID] = sorted({ruleset.VERSION, *versions(ruleset.ID)})


def versions(ruleset: str) -> list[int]:
    """List the versions of a ruleset, oldest first; empty for an unknown one."""
    return list(_VERSIONS.get(ruleset, ()))


def newest() -> list[Ruleset[Any]]:
    """List every ruleset at its newest version, in the order in which they were put on offer."""
    return [_BY_ID[name, known[-1]] for name, known in _VERSIONS.items()]


def find(ruleset: object, version: object = None) -> Ruleset[Any]:
    """Find a ruleset, at its newest version unless one is given. Raises Malformed."""
    known = _VERSIONS.get(ruleset) if type(ruleset) is str else None
    if known is None:
        names = ", ".join(_VERSIONS)
        raise Malformed("ruleset", f"must be one of {names}")
    if version is None:
        version = known[-1]
    if type(version) is not int or version not in known:
        raise Malformed("version", f"{ruleset} has versions " + ", ".join(map(str, known)))
    return _BY_ID[str(ruleset), version]


def _register_installed() -> None:
    """Put the rulesets of installed packages on offer. Raises ImportError for one that cannot be."""
    for entry in sorted(entry_points(group=GROUP)):
        try:
            register(entry.load())
        except Exception as error:
            raise ImportError(
                f"the ruleset {entry.name} ({entry.value}) cannot be loaded: {error}"
            ) from error


for _ruleset in GAMES:
    register(_ruleset)
_register_installed()
