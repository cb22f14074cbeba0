"""A game in hand: its terms, its position, and the entries that this transaction adds to its log."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from types import MappingProxyType
from typing import Any, Self, cast
from uuid import UUID

import referee
import referee.proofs
import referee.records
import referee.table
from api.core.callers import Expected
from api.core.errors import RulesetNotInstalled, StaleVersion
from api.core.json import Json
from api.core.names import Labels
from api.games.answers import Origin
from api.games.refusals import error_of
from api.games.seat import DEALT, Seat, note_new_hand
from api.store.seating import Turn
from referee.clocks import timestamp
from referee.table import commands

OPEN, RUNNING, FINISHED, CANCELLED = (
    referee.table.OPEN,
    referee.table.RUNNING,
    referee.table.FINISHED,
    referee.table.CANCELLED,
)
FIRST_HASH = bytes(32)
OPERATOR = "operator"  # who acts, in the words of entries

# The signature of the seat's key for an entry; empty if the seat has no key.
Signed = Mapping[str, str]
UNSIGNED: Signed = MappingProxyType({})


@dataclass(slots=True, kw_only=True)
class Game(referee.table.Table[Seat]):
    """A table as the service keeps it; `state` is the referee's position, None before the start."""

    id: UUID
    app_id: UUID
    visibility: str
    created_at: datetime
    head: bytes = FIRST_HASH
    imported_by: referee.table.Named | None = None
    """The app that brought the game in from elsewhere; None for a game that was dealt here."""
    title: str | None = None
    labels: Labels = Labels()
    seats_private: bool = False
    """Only players act for their seats, and no app key on their behalf."""
    distinct_players: bool = False
    """No player holds two seats."""
    rematch_of: UUID | None = None
    rematch: UUID | None = None
    by: str | None = None
    """Who acts: the player, or the app on its behalf; None if it is not known."""
    unreadable: str | None = None
    """The commitment to the seed of a listed game that cannot be read; None for all others."""
    test_clock: UUID | None = None
    """The clock that the game's time comes from; None: the server's."""
    entries: list[referee.records.Entry] = field(default_factory=list)
    """What was appended and is not yet saved."""
    later: list[Callable[[], object]] = field(default_factory=list)
    """What is written into other tables after the game, in the same transaction."""
    left: list[Seat] = field(default_factory=list)
    """The seats that somebody has left since, as they were."""
    turns: list[Turn] = field(default_factory=list)
    """The turns as they are saved."""
    moved: set[int] = field(default_factory=set)
    """The seats that have moved since."""

    def at_rest(self) -> Self:
        """Return it without what the request that has used it gave to it."""
        self.by = None
        return self

    @property
    def rules(self) -> referee.Ruleset[Any]:
        """The rules that this game began with. Raises RulesetNotInstalled."""
        if not self.installed:
            raise RulesetNotInstalled(self.ruleset, self.ruleset_version)
        return referee.find(self.ruleset, self.ruleset_version)

    def is_open(self, seat: int) -> bool:
        """Return whether a seat may still be taken."""
        current = self.seats[seat]
        return self.status == OPEN and not (current.taken or current.name)

    @property
    def has_open_seat(self) -> bool:
        """Whether a seat may still be taken."""
        return any(self.is_open(seat) for seat in range(len(self.seats)))

    @property
    def origin(self) -> Origin:
        """The origin of the game, which every answer about it names."""
        source = "imported" if self.imported_by else "dealt"
        origin: Origin = {"origin": source, "imported_by": self.imported_by}
        if self.test_clock is not None:
            origin["test_clock"] = str(self.test_clock)
        return origin

    def enter(
        self,
        event: referee.table.Event,
        *,
        signed: Signed = UNSIGNED,
        given: referee.table.Given | None = None,
        director: str | None = None,
    ) -> referee.records.Entry:
        """Let an event happen at the table, and append its entry, which says what it has changed.

        If a part of a move is secret or can be erased, so is its signature: moves could be tried with it.
        """
        kind, members = event.kind, event.members
        if kind == "left":
            self.left.append(self.seats[members["seat"]])
        facts = referee.table.apply(self, event, given or referee.table.Given())
        form: dict[str, Any] = {"seq": self.version, "type": kind, "at": timestamp(self.updated_at)}
        by = referee.proofs.by_itself(kind, members) or (self.by if "seat" in members else director)
        if by is not None and referee.records.ENTRY_TYPES[kind].has("by"):
            form["by"] = by
        private = facts.private
        shares = (private.get(share, {}) for share in (str(members.get("seat")), referee.records.ALL))
        if signed and (share := next((one for one in shares if "move" in one), None)) is not None:
            share["signature"], signed = signed["signature"], {"by": signed["by"]}
        form |= {**members, **facts.public, **signed}
        said, salt = cast(referee.records.Members, form), secrets.token_hex(referee.records.SALT_BYTES)
        entry = referee.records.make_entry(self.head, self.seed, said, private, salt)
        self.head = entry.hash
        self.entries.append(entry)
        if kind == "moved":
            self.moved.add(members["seat"])
        if facts.transfers:
            note_new_hand(self.seats, self.position, facts.transfers)
        return entry

    def obey(self, command: commands.Command, at: datetime, place: str = "") -> referee.records.Entry:
        """Append what a command leads to that nobody signs. Raises the error for its refusal."""
        event = commands.decide(self, command, at)
        if isinstance(event, referee.Refusal):
            raise error_of(self, event, place)
        return self.enter(event)

    def hand_over(self, command: commands.seats.HandOver, at: datetime) -> None:
        """Give a seat to somebody else. Raises the error for a refusal."""
        self.obey(command, at)
        self.enter(command.then(at))

    def play(self, at: datetime, seat: int, move: Json, *, order: bool = False) -> None:
        """Make a move that nobody signs, and end the game if the move does."""
        self.obey(commands.play.Move(seat, move, order), at)
        self.go_on(at)

    def go_on(self, at: datetime) -> referee.records.Entry | None:
        """Append what happens next by itself; return the newest of it, but not the deal or `finished`."""
        newest = None
        for event in commands.following(self, at):
            entry = self.enter(event)
            newest = newest if event.kind in ("started", "finished") else entry
        return newest

    @property
    def waiting_orders(self) -> int | None:
        """The first seat whose standing orders have to be examined.

        The game waits for the seat, and its orders have not been examined yet; or a new hand was dealt.
        """
        if self.status != RUNNING or self.paused:
            return None
        seats = self.seats
        dealt = (n for n, seat in enumerate(seats) if seat.orders and seat.orders_checked_at == DEALT)
        return next(chain(dealt, filter(self.has_orders_to_check, self.to_act)), None)

    def has_orders_to_check(self, number: int) -> bool:
        """Return whether a seat has standing orders that were not examined at this version."""
        seat = self.seats[number]
        return seat.orders and seat.orders_checked_at != self.version

    @property
    def plays_on(self) -> bool:
        """Whether it waits for a bot, or for a seat with standing orders."""
        return self.waiting_bot is not None or self.waiting_orders is not None

    def is_due(self, now: datetime) -> bool:
        """Return whether the time of a turn, or to reveal entropy, is over."""
        return bool(self.overdue(now)) or self.reveal_overdue(now)


def require_version(game: Game, expected: Expected) -> None:
    """Raise StaleVersion unless the caller expects the newest version, or any."""
    if expected is not None and not expected & {game.version, game.head.hex()}:
        raise StaleVersion(game.version)
