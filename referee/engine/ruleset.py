"""What the module of a ruleset must provide."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from referee.engine.chance import Chance
from referee.engine.shapes import Field, Move, Option
from referee.engine.verdicts import Refusal

S = TypeVar("S")  # the ruleset's State
Moves = Sequence[dict[str, Any]]
Listing = Callable[[Any, int], Moves]
Make = Callable[[Any, int, Move, Chance], None]
Options = dict[str, Option]
Result = dict[str, Any] | None  # what the end of a game gives


class Ruleset(Protocol[S]):
    """A ruleset at one version: constants and plain functions, in this order.

    What programs need is optional: `LOWEST_WINS` says that few points are good; `ONE_FOR_TEAM` names the
    phases in which one seat's move stands for its team; `EXPLAINED` the move types whose own rules are asked
    also where a seat has no legal move; `known` and `guess` help to imagine hidden cards and
    private facts (`referee/computer/sampling.py`); `standing(state)` returns how well each seat stands
    besides its points, larger is better; `payoffs(state)` what a game that is over pays each seat;
    `idle(move)` whether bots leave out a legal move: where moves could undo each other.

    `BLOCKS` has the moves and their rules; `referee.authoring.complete` makes the other members about moves
    from them, and adds what the module leaves out.
    Optional are `PASSIVE`: phase → the type of the move, without fields, by
    which a seat does nothing there, made for late seats where it is legal; and constants that help pages to
    draw a game: `ROLES` says what facts stand for (seat, team, suit, counter), and `CATALOGUE` describes
    cards that `referee.texts.catalogue` does not know. `TILE` says how pages offer it: its `minutes`, its
    `level` (1 is easy, 3 is hard), and three `cards` to draw. `WORDS` says what the facts that pages show
    mean to players; without it, such a fact is a fault.
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
    def BLOCKS(self) -> Sequence[Any]:
        """The moves, as blocks of `referee.authoring.move_type`."""

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
    def REASONS(self) -> Mapping[str, str]:
        """The reasons that a result may have, and what each says to players, after "Anna wins:"."""

    @property
    def State(self) -> type[S]:
        """The state: every field a zone or a fact."""

    def options(self, seats: int) -> Options:
        """Return the options of a game with this number of seats."""

    def deck(self, seats: int, options: dict[str, Any]) -> Sequence[str]:
        """List every card of the deck."""

    def deal(self, state: S, chance: Chance) -> None:
        """Set up a state with empty zones for the first move."""

    @property
    def lists(self) -> Mapping[str, Listing]:
        """Phase → the function that lists a seat's legal moves in it."""

    @property
    def makes(self) -> Mapping[str, Mapping[str, Make]]:
        """Phase → move type → the function that makes a legal move and everything that follows from it."""

    def candidates(self, state: S, seat: int) -> Moves:
        """Return the moves that a seat might make; those that `refuse` accepts are legal."""

    def refuse(self, state: S, seat: int, play: Move) -> Refusal | None:
        """Return the first rule that a well-formed move breaks, or None; the seat may act."""

    def team(self, state: S, seat: int) -> list[int]:
        """Return the seats that win and lose with this one, itself included."""

    def due(self, state: S) -> list[int]:
        """Return the seats for which the game waits before its end, ascending.

        A game in which only the moves made determine them keeps them in `state.to_act`, and returns that.
        """

    def ending(self, state: S) -> Result:
        """Return the result that the position gives, or None before the end.

        A move finishes the game with it; when a position is read, its result is compared.
        """

    def check(self, state: S) -> None:
        """Check that the rules allow a position. Raises Malformed.

        Checked before: the deck is complete, and every fact has its shape and exists only in its phases.
        Checked afterwards: zones that do not exist in the phase are empty, and `to_act` is right.
        """


PARTS = [name for name in vars(Ruleset) if not name.startswith("_")]
