"""A seat of a game: its player and its clock."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Self

import referee
from api.core.times import timestamp

# The parts of a seat that moves change, which its row stores separately.
CLOCK = ("since", "deadline", "reserve", "left", "looked")
FLAGS = ("guest", "host", "orders", "paused", "pause_agreed")


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
    looked: int | None = None
    """The version at which its orders were looked at, and there was nothing to do."""
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
        player, since, deadline = data["player"], data.get("since"), data.get("deadline")
        reserve, away_until = data.get("reserve"), data.get("away_until")
        return cls(
            data["bot"],
            since and datetime.fromisoformat(since),
            deadline and datetime.fromisoformat(deadline),
            reserve and referee.duration(reserve),
            away_until and datetime.fromisoformat(away_until),
            data.get("vacation_days"),
            data.get("paused", False),
            referee.duration(data["left"]) if "left" in data else None,
            player and PlayerName(player["id"], player["name"]),
            data["entropy"],
            data.get("name"),
            data.get("guest", False),
            data.get("host", False),
            data.get("invites", 0),
            data.get("orders", False),
            data.get("public_key"),
            data.get("looked"),
            datetime.fromisoformat(data["nudged_at"]) if "nudged_at" in data else None,
            data.get("commitment"),
            data.get("former", {}),
            data.get("pause_agreed", False),
            data.get("ending_agreed"),
            PlayerName(**data["previous"]) if "previous" in data else None,
            data.get("invited"),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the seat's form in a game's row."""
        members: dict[str, Any] = {
            "player": self.player and self.player.to_json(),
            "bot": self.bot,
            "entropy": self.entropy,
        }
        if self.since is not None:
            members["since"] = timestamp(self.since)
        if self.deadline is not None:
            members["deadline"] = timestamp(self.deadline)
        if self.reserve is not None:
            members["reserve"] = referee.duration_text(self.reserve)
        if self.away_until is not None:
            members["away_until"] = timestamp(self.away_until)
        if self.vacation_days is not None:
            members["vacation_days"] = self.vacation_days
        if self.name is not None:
            members["name"] = self.name
        if self.public_key is not None:
            members["public_key"] = self.public_key
        if self.nudged_at is not None:
            members["nudged_at"] = timestamp(self.nudged_at)
        if self.looked is not None:
            members["looked"] = self.looked
        if self.commitment is not None:
            members["commitment"] = self.commitment
        if self.former:
            members["former"] = dict(self.former)
        if self.invites:
            members["invites"] = self.invites
        if self.left is not None:
            members["left"] = referee.duration_text(self.left)
        if self.previous is not None:
            members["previous"] = self.previous.to_json()
        if self.ending_agreed is not None:
            members["ending_agreed"] = self.ending_agreed
        if self.invited is not None:
            members["invited"] = self.invited
        if self.guest or self.host or self.orders or self.paused or self.pause_agreed:
            members |= {flag: True for flag in FLAGS if getattr(self, flag)}
        return members


def without_strangers(seats: Sequence[Seat], known: Collection[str]) -> list[Seat]:
    """Return seats with only the names of players, except for those with these ids."""
    return [
        replace(seat, name=seat.player.name, player=None)
        if seat.player and seat.player.id not in known
        else seat
        for seat in seats
    ]
