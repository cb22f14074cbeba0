"""Events and the notices of them: ids, seats, versions and deadlines, never a card.

Nor does a notice ever tell that a move was refused, or why: the rule and its reason depend on the hand of the
seat that tried it ("Looks" in `docs/explanation/architecture.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import referee.records
from api.core.json import Json
from api.core.names import Labels
from api.feature import Hook
from api.games.game import Game
from referee.clocks import timestamp

# The event of an entry is `game.` and its type; here are those that the code names.
GAME_STARTED, GAME_SAID = "game.started", "game.said"
GAME_PAUSED, GAME_RESUMED = "game.paused", "game.resumed"
GAME_FINISHED, GAME_CANCELLED = "game.finished", "game.cancelled"
GAME_LEFT, GAME_RESIGNED = "game.left", "game.resigned"
GAME_PAUSE_AGREED, GAME_ENDING_AGREED = "game.pause_agreed", "game.ending_agreed"
GAME_REPLACEMENT_AGREED, GAME_TAKE_BACK_REQUESTED = "game.replacement_agreed", "game.take_back_requested"
GAME_VACATION_TAKEN, GAME_NUDGED, GAME_TIMED_OUT = "game.vacation_taken", "game.nudged", "game.timed_out"
GAME_REPLACED = "game.replaced"  # of an entry that is marked as `replaced`
GAME_INVITED, REVEAL_DUE, DEADLINE_MOVED = "game.invited", "reveal.due", "deadline.moved"
TURN_BEGAN, TURN_WARNING = "turn.began", "turn.warning"
OF_ENTRIES = {name: f"game.{name}" for name in referee.records.ENTRY_TYPES}
ENTRY = "entry"
INCLUDED = (ENTRY,)  # what notices include on request
MISSED_FOR = timedelta(days=30)  # how long a disabled webhook's missed notices are kept
# Entries that change deadlines of current turns.
MOVING = tuple(
    name for name, kind in referee.records.ENTRY_TYPES.items() if kind.has("deadlines") and not kind.turns
)

Players = Sequence[str | None]


class Notification(NamedTuple):
    """A notice. `data` also names its game; the `entry` is for webhooks that include it.

    `by` is the acting player, if different from the one in `data`.
    """

    event: str
    data: Json
    entry: referee.records.Entry | None = None
    by: str | None = None


class Subject(NamedTuple):
    """The recipients of notices, and their game, if any, with its app's labels."""

    app_id: UUID
    game_id: UUID | None = None
    ruleset: str = ""
    title: str | None = None
    labels: Labels = Labels()
    players: tuple[str, ...] = ()
    """The ids of those who sit in the game."""
    test_clock: UUID | None = None

    def to_json(self) -> Json:
        """Return what every notification says about the game, in addition to its id."""
        if self.game_id is None:
            return {}
        tested = {"test_clock": str(self.test_clock)} if self.test_clock else {}
        return {"ruleset": self.ruleset, "title": self.title, **self.labels.to_json(), **tested}


class TurnNotice(NamedTuple):
    """A seat's turn: its player's id (None: a bot), and the deadline."""

    game_id: UUID
    version: int
    seat: int
    player_id: str | None
    deadline: datetime | None


posted: Hook[[Subject, Sequence[Notification], datetime], None] = Hook()
"""Hears what happened at a time, unless the log tells it, in the open transaction."""


def of_entry(game_id: UUID, written: referee.records.Entry, players: Players = ()) -> list[Notification]:
    """List the notices of an entry. `players` are the ids of those who sit in the game, by seat."""
    entry = written.public
    data: Json = {"game": str(game_id), "version": entry["seq"]}
    if "seat" in entry:
        who = entry.get("player")
        data.update(seat=entry["seat"], player=who and who["id"])
    if "result" in entry:
        data["result"] = entry["result"]
    if "nudge" in entry:
        data.update(seat=entry["nudge"]["seat"], player=entry["nudge"]["player"]["id"])
    if "ending" in entry:
        data["ending"] = entry["ending"]
    doer = data.get("player")
    by = doer if isinstance(doer, str) else None
    moved = _moved(data, by, entry.get("deadlines", {}), players) if entry["type"] in MOVING else []
    return [Notification(_event(entry), data, written), *moved]


def _moved(data: Json, by: str | None, deadlines: Mapping[str, str], players: Players) -> list[Notification]:
    """List the notices of deadlines moved by the event in `data`, one for each seat."""
    notifications = []
    for seat, at in deadlines.items():
        player = players[int(seat)] if int(seat) < len(players) else by
        moved = {**data, "seat": int(seat), "player": player, "deadline": at}
        notifications.append(Notification(DEADLINE_MOVED, moved, by=by))
    return notifications


def events_of(entry: referee.records.Members) -> list[str]:
    """List the events of an entry, except those of the seats that are awaited from then on."""
    more = (DEADLINE_MOVED,) if entry["type"] in MOVING else ()
    return [_event(entry), *more, *((GAME_INVITED,) if entry["type"] == "created" else ())]


def of_invitation(game_id: UUID, version: int, seat: int, player: str) -> Notification:
    """Make the notice of a seat to which a player is invited."""
    return Notification(
        GAME_INVITED, {"game": str(game_id), "version": version, "seat": seat, "player": player}
    )


def _event(entry: referee.records.Members) -> str:
    return GAME_REPLACED if entry.get("replaced") and entry["type"] == "joined" else OF_ENTRIES[entry["type"]]


def of_turn(event: str, turn: TurnNotice) -> Notification:
    """Make the notification of a seat's turn: which seat, which player, until when."""
    data: Json = {
        "game": str(turn.game_id),
        "version": turn.version,
        "seat": turn.seat,
        "player": turn.player_id,
        "deadline": turn.deadline and timestamp(turn.deadline),
    }
    return Notification(event, data)


def payload(notice: Notification, at: datetime) -> Json:
    """Return what is sent of a notice."""
    return {"type": notice.event, "timestamp": timestamp(at), "data": notice.data}


def describe_turn(game: Game, seat: int) -> TurnNotice:
    """Return a seat's turn in its form in notices."""
    taken = game.seats[seat]
    player = taken.player
    return TurnNotice(game.id, game.version, seat, player and player.id, taken.deadline)


def subject_of(game: Game) -> Subject:
    """Return what notices say about the game itself."""
    players = tuple(seat.player.id for seat in game.seats if seat.player)
    return Subject(
        *(game.app_id, game.id, game.ruleset, game.title, game.labels, players, game.test_clock),
    )
