"""A seat of a game: its player and its clock."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple, Self

import referee
from api.core.times import timestamp

# The parts of a seat that moves change, which its row stores separately.
CLOCK = ("since", "deadline", "reserve", "left", "looked")


class PlayerName(NamedTuple):
    """A player, with the name at the time of joining. The id is text, as in entries."""

    id: str
    name: str

    def to_json(self) -> dict[str, str]:
        """Return the player's form in entries and answers."""
        return {"id": self.id, "name": self.name}


class Who(NamedTuple):
    """The present or future holder of a seat: a player, a bot or nobody."""

    player: PlayerName | None = None
    bot: str | None = None

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """Read the holder from an entry, or anything else with the same members."""
        player = data["player"]
        return cls(PlayerName(player["id"], player["name"]) if player else None, data.get("bot"))

    def to_json(self) -> dict[str, Any]:
        """Return the holder's form in entries and answers."""
        return {"player": self.player and self.player.to_json(), "bot": self.bot}


DEALT = -1  # instead of a version: a new hand was dealt since


@dataclass(frozen=True, slots=True)
class Seat(referee.Clock):
    """A seat, with its clock.

    `name` is that of a player of another service, in an imported game. A `guest` came only for this game; the
    `host` created it; `invites` counts the used invite codes of the seat; `orders`: the player has standing
    orders. The `commitment` (hex) is to the entropy, which is empty until it is revealed.
    """

    player: PlayerName | None = None
    entropy: str = ""
    name: str | None = None
    guest: bool = False
    host: bool = False
    invites: int = 0
    orders: bool = False
    public_key: str | None = None
    """Of the player, in hex: what is done for the seat has to be signed with it."""
    orders_checked_at: int | None = None
    """The version at which its orders were checked, and there was nothing to do; or DEALT."""
    nudged_at: datetime | None = None
    commitment: str | None = None
    former: Mapping[str, int] = field(default_factory=dict)
    """Players who have held the seat, by id, each with the version at which it was handed over."""
    pause_agreed: bool = False
    """It agrees that the game be paused now."""
    ending_agreed: str | None = None
    """How it agrees to end the game now: `cancellation` or `draw`."""
    previous: PlayerName | None = None
    """Who held it last, if it was handed over while the game was running."""
    invited: str | None = None
    """The id of the player who may take the seat without its invite code."""

    @property
    def who(self) -> Who:
        """The holder of the seat."""
        return Who(self.player, self.bot)

    @property
    def taken(self) -> bool:
        """Whether the seat is taken."""
        return self.player is not None or self.bot is not None

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """Read a seat from a game's row."""
        members = {}
        for name, value in data.items():
            read = READ.get(name)
            members[MEMBER_OF.get(name, name)] = value if read is None or value is None else read(value)
        return cls(**members)

    def to_json(self) -> dict[str, Any]:
        """Return the seat's form in a game's row: those of ALWAYS, and members that are not as usual."""
        members: dict[str, Any] = {**self.who.to_json(), "entropy": self.entropy}
        for (name, usual), value in zip(USUAL, VALUES(self), strict=True):
            if value is not usual and value != usual:
                write = WRITE.get(name)
                members[STORED_AS.get(name, name)] = value if write is None else write(value)
        return members


def note_new_hand(seats: list[Seat], position: referee.Position, transfers: Sequence[referee.Moved]) -> None:
    """Note at each seat with orders if a move has gathered all cards for a new hand."""
    if any(seat.orders for seat in seats):
        gathered = sum(len(cards) for origin, _, cards, *_ in transfers if origin is None)
        if gathered == len(position.ruleset.deck(position.seats, position.options)):
            seats[:] = [replace(seat, orders_checked_at=DEALT) if seat.orders else seat for seat in seats]


STORED_AS = {"orders_checked_at": "looked"}
MEMBER_OF = {stored: name for name, stored in STORED_AS.items()}

Form = tuple[Callable[[Any], Any], Callable[[Any], Any]]
TIME: Form = (datetime.fromisoformat, timestamp)
DURATION: Form = (referee.duration, referee.duration_text)
PLAYER: Form = (lambda data: PlayerName(**data), PlayerName.to_json)
FORMS: Mapping[str, Form] = {
    **dict.fromkeys(("since", "deadline", "away_until", "nudged_at"), TIME),
    **dict.fromkeys(("reserve", "left"), DURATION),
    **dict.fromkeys(("player", "previous"), PLAYER),
    "former": (dict, dict),
}
READ = {name: read for name, (read, _) in FORMS.items()}
WRITE = {name: write for name, (_, write) in FORMS.items()}

ALWAYS = ("player", "bot", "entropy")
USUAL = [(name, getattr(Seat(), name)) for name in (each.name for each in fields(Seat)) if name not in ALWAYS]
VALUES = attrgetter(*(name for name, _ in USUAL))


def without_strangers(seats: Sequence[Seat], known: Collection[str]) -> list[Seat]:
    """Return seats with only the names of players, except for those with these ids."""
    return [
        replace(seat, name=seat.player.name, player=None)
        if seat.player and seat.player.id not in known
        else seat
        for seat in seats
    ]
