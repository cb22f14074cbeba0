"""A seat of a game as the service keeps it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Self

import referee
import referee.clocks
import referee.positions
import referee.table
from api.core.json import Json
from referee.clocks import timestamp

# The parts of a seat that moves change, which its row stores separately.
CLOCK = ("since", "deadline", "reserve", "left", "looked")


DEALT = -1  # instead of a version: a new hand was dealt since


@dataclass(frozen=True, slots=True)
class Seat(referee.table.Seat):
    """A seat of a table, with what only the service knows of it.

    `name` is that of a player of another service, in an imported game. A `guest` came only for this game; the
    `host` created it; `invites` counts the used invite codes of the seat; `orders`: the player has standing
    orders.
    """

    name: str | None = referee.clocks.fact(
        None, shown="The name of the player, if an imported game has only the name."
    )
    guest: bool = referee.clocks.fact(False, of_holder=True)
    host: bool = referee.clocks.fact(False, of_holder=True)
    invites: int = 0
    orders: bool = referee.clocks.fact(False, of_holder=True)
    orders_checked_at: int | None = referee.clocks.fact(None, of_holder=True)
    """The version at which its orders were checked, and there was nothing to do; or DEALT."""
    invited: str | None = None
    """The id of the player who may take the seat without its invite code."""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Read a seat from a game's row."""
        members = {}
        for name, value in data.items():
            read = READ.get(name)
            members[MEMBER_OF.get(name, name)] = value if read is None or value is None else read(value)
        return cls(**members)

    def to_json(self) -> Json:
        """Return the seat's form in a game's row: those of ALWAYS, and members that are not as usual."""
        return {**self.who.to_json(), "entropy": self.entropy, **_unusual(self, STORED)}

    def shown(self) -> Any:
        """Return what a game's answer says of the seat only if it is not as usual."""
        return _unusual(self, SHOWN)


def _unusual(seat: Seat, usually: Mapping[str, object]) -> Json:
    """Return the facts of a seat that are not as they are `usually`, as JSON."""
    members: Json = {}
    for name, usual in usually.items():
        value = getattr(seat, name)
        if value is not usual and value != usual:
            write = WRITE.get(name)
            members[STORED_AS.get(name, name)] = value if write is None else write(value)
    return members


def note_new_hand(
    seats: list[Seat], position: referee.Position, transfers: Sequence[referee.positions.Moved]
) -> None:
    """Note at each seat with orders if a move has gathered all cards for a new hand."""
    if any(seat.orders for seat in seats):
        gathered = sum(len(cards) for origin, _, cards, *_ in transfers if origin is None)
        if gathered == len(position.ruleset.deck(position.seats, position.options)):
            seats[:] = [replace(seat, orders_checked_at=DEALT) if seat.orders else seat for seat in seats]


STORED_AS = {"orders_checked_at": "looked"}
MEMBER_OF = {stored: name for name, stored in STORED_AS.items()}

Form = tuple[Callable[[Any], Any], Callable[[Any], Any]]
TIME: Form = (datetime.fromisoformat, timestamp)
DURATION: Form = (referee.clocks.duration, referee.clocks.duration_text)
PLAYER: Form = (lambda data: referee.table.PlayerName(**data), referee.table.PlayerName.to_json)
FORMS: Mapping[str, Form] = {
    **dict.fromkeys(("since", "deadline", "away_until", "nudged_at"), TIME),
    **dict.fromkeys(("reserve", "left"), DURATION),
    **dict.fromkeys(("player", "previous"), PLAYER),
}
READ = {name: read for name, (read, _) in FORMS.items()}
WRITE = {name: write for name, (_, write) in FORMS.items()}

ALWAYS = ("player", "bot", "entropy")
USUAL = {each.name: getattr(Seat(), each.name) for each in fields(Seat)}
STORED = {name: usual for name, usual in USUAL.items() if name not in ALWAYS}
MEANINGS = {each.name: about for each in fields(Seat) if (about := each.metadata.get("shown"))}
SHOWN = {name: USUAL[name] for name in MEANINGS}


def without_strangers(seats: Sequence[Seat], known: Collection[str]) -> list[Seat]:
    """Return seats with only the names of players, except for those with these ids."""
    found = []
    for seat in seats:
        if seat.player and seat.player.id not in known:
            seat = replace(seat, name=seat.player.name, player=None)
        if seat.previous and seat.previous.id not in known:
            seat = replace(seat, previous=None)
        found.append(seat)
    return found


def named(seats: Sequence[Seat]) -> set[str]:
    """Return the ids of the players who hold these seats or held them before."""
    return {who.id for seat in seats for who in (seat.player, seat.previous) if who}
