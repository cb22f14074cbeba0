"""Events and the notices of them: ids, seats, versions and deadlines, never a card.

Nor does a notice ever tell that a move was refused, or why: the rule and its reason depend on the hand of the
seat that tried it ("Looks" in `docs/architecture/games.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import referee
from api.core.labels import Labels
from api.core.times import timestamp
from api.store.notify import deliveries
from api.store.notify.webhooks import Webhook

GAME_CREATED, GAME_STARTED = "game.created", "game.started"
GAME_FINISHED, GAME_CANCELLED = "game.finished", "game.cancelled"
GAME_IMPORTED, GAME_INVITED = "game.imported", "game.invited"
SEAT_JOINED, SEAT_LEFT, SEAT_REPLACED = "seat.joined", "seat.left", "seat.replaced"
SEAT_REVEALED, SEAT_FORFEITED, REVEAL_DUE = "seat.revealed", "seat.forfeited", "reveal.due"
SEAT_KEY_RETIRED = "seat.key_retired"
SEAT_RESIGNED, VACATION_TAKEN = "seat.resigned", "vacation.taken"
ENDING_AGREED, GAME_DRAWN, GAME_ADJUDICATED = "ending.agreed", "game.drawn", "game.adjudicated"
SEAT_DROPPED = "seat.dropped"
PAUSE_AGREED, GAME_PAUSED, GAME_RESUMED = "pause.agreed", "game.paused", "game.resumed"
TURN_BEGAN, TURN_WARNING, TURN_TIMED_OUT = "turn.began", "turn.warning", "turn.timed_out"
TURN_NUDGED, DEADLINE_MOVED = "turn.nudged", "deadline.moved"
CLOCKS_CHANGED = "clocks.changed"
MOVE_MADE, MOVE_TAKEN_BACK = "move.made", "move.taken_back"
TAKE_BACK_REQUESTED, TAKE_BACK_ANSWERED = "take_back.requested", "take_back.answered"
REPLACEMENT_AGREED = "replacement.agreed"
MESSAGE_POSTED, ORDERS_CANCELLED = deliveries.CHAT, "orders.cancelled"
WEBHOOK_CREATED, WEBHOOK_CHANGED, WEBHOOK_DELETED = "webhook.created", "webhook.changed", "webhook.deleted"
WEBHOOK_DISABLED, WEBHOOK_ENABLED = "webhook.disabled", "webhook.enabled"
SECRET_REPLACED, WEBHOOK_ENDED = "webhook.secret_replaced", "webhook.ended"
MAIL_FAILED = "mail.failed"
TEST = "webhook.test"
EVENTS = (
    GAME_CREATED,
    SEAT_JOINED,
    SEAT_LEFT,
    SEAT_REPLACED,
    REVEAL_DUE,
    SEAT_REVEALED,
    SEAT_FORFEITED,
    GAME_STARTED,
    TURN_BEGAN,
    TURN_WARNING,
    TURN_TIMED_OUT,
    TURN_NUDGED,
    DEADLINE_MOVED,
    CLOCKS_CHANGED,
    MOVE_MADE,
    TAKE_BACK_REQUESTED,
    TAKE_BACK_ANSWERED,
    MOVE_TAKEN_BACK,
    VACATION_TAKEN,
    PAUSE_AGREED,
    GAME_PAUSED,
    GAME_RESUMED,
    REPLACEMENT_AGREED,
    ENDING_AGREED,
    SEAT_KEY_RETIRED,
    SEAT_RESIGNED,
    SEAT_DROPPED,
    GAME_DRAWN,
    GAME_ADJUDICATED,
    GAME_FINISHED,
    GAME_CANCELLED,
    GAME_IMPORTED,
    GAME_INVITED,
    MESSAGE_POSTED,
    ORDERS_CANCELLED,
    MAIL_FAILED,
    WEBHOOK_CREATED,
    WEBHOOK_CHANGED,
    SECRET_REPLACED,
    WEBHOOK_DISABLED,
    WEBHOOK_ENABLED,
    WEBHOOK_ENDED,
    WEBHOOK_DELETED,
)
ENTRY = "entry"
INCLUDED = (ENTRY,)  # what notices include on request
FAILED, GONE, ASKED = "failed", "gone", "asked"
REASONS = (FAILED, GONE, ASKED)  # why a webhook is switched off
MISSED_FOR = timedelta(days=30)  # how long a disabled webhook's missed notices are kept
# Entries that change deadlines of current turns.
MOVING = ("vacation_taken", "resumed", "time_returned", "time_added")
LAST = (GAME_FINISHED, GAME_CANCELLED)
OF_WEBHOOKS = tuple(event for event in EVENTS if event.startswith("webhook."))
ON_REQUEST = (MOVE_MADE,)  # so frequent that they are sent only on request
UNLESS_NAMED = frozenset(EVENTS).difference(ON_REQUEST)  # what a webhook gets that names no events
OF_ENTRIES = {
    "created": GAME_CREATED,
    "joined": SEAT_JOINED,
    "left": SEAT_LEFT,
    "revealed": SEAT_REVEALED,
    "key_retired": SEAT_KEY_RETIRED,
    "forfeited": SEAT_FORFEITED,
    "started": GAME_STARTED,
    "moved": MOVE_MADE,
    "taken_back": MOVE_TAKEN_BACK,
    "take_back_requested": TAKE_BACK_REQUESTED,
    "take_back_agreed": TAKE_BACK_ANSWERED,
    "take_back_refused": TAKE_BACK_ANSWERED,
    "vacation_taken": VACATION_TAKEN,
    "pause_agreed": PAUSE_AGREED,
    "paused": GAME_PAUSED,
    "resumed": GAME_RESUMED,
    "replacement_agreed": REPLACEMENT_AGREED,
    **dict.fromkeys(("time_returned", "time_added", "pace_changed", "timeout_undone"), CLOCKS_CHANGED),
    "nudged": TURN_NUDGED,
    "said": MESSAGE_POSTED,
    "ending_agreed": ENDING_AGREED,
    "resigned": SEAT_RESIGNED,
    "dropped": SEAT_DROPPED,
    "drawn": GAME_DRAWN,
    "adjudicated": GAME_ADJUDICATED,
    "timed_out": TURN_TIMED_OUT,
    "finished": GAME_FINISHED,
    "cancelled": GAME_CANCELLED,
    "imported": GAME_IMPORTED,
}


Players = Sequence[str | None]


class Notification(NamedTuple):
    """A notice. `data` also names its game; the `entry` is for webhooks that include it.

    `by` is the acting player, if different from the one in `data`.
    """

    event: str
    data: dict[str, Any]
    entry: referee.Entry | None = None
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
    forked_from: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what every notification says about the game, in addition to its id."""
        if self.game_id is None:
            return {}
        tested = {"test_clock": str(self.test_clock)} if self.test_clock else {}
        forked = {"forked_from": self.forked_from} if self.forked_from else {}
        return {"ruleset": self.ruleset, "title": self.title, **self.labels.to_json(), **tested, **forked}


class Turn(NamedTuple):
    """A seat's turn: its player's id (None: a bot), and the deadline."""

    game_id: UUID
    version: int
    seat: int
    player_id: str | None
    deadline: datetime | None


def of_entry(game_id: UUID, written: referee.Entry, players: Players = ()) -> list[Notification]:
    """List the notices of an entry. `players` are the ids of those who sit in the game, by seat."""
    entry = written.public
    data = {"game": str(game_id), "version": entry["seq"]}
    if "seat" in entry:
        who = entry.get("player")
        data.update(seat=entry["seat"], player=who and who["id"])
    if "result" in entry:
        data["result"] = entry["result"]
    if "nudge" in entry:
        data.update(seat=entry["nudge"]["seat"], player=entry["nudge"]["player"]["id"])
    if "ending" in entry:
        data["ending"] = entry["ending"]
    moved = _moved(data, entry.get("deadlines", {}), players) if entry["type"] in MOVING else []
    return [Notification(_event(entry), data, written), *moved]


def _moved(data: Mapping[str, Any], deadlines: Mapping[str, str], players: Players) -> list[Notification]:
    """List the notices of deadlines moved by the event in `data`, one for each seat."""
    notifications = []
    for seat, at in deadlines.items():
        player = players[int(seat)] if int(seat) < len(players) else data.get("player")
        moved = {**data, "seat": int(seat), "player": player, "deadline": at}
        notifications.append(Notification(DEADLINE_MOVED, moved, by=data.get("player")))
    return notifications


def events_of(entry: Mapping[str, Any]) -> list[str]:
    """List the events of an entry, except those of the seats that are awaited from then on."""
    more = (DEADLINE_MOVED,) if entry["type"] in MOVING else ()
    return [_event(entry), *more, *((GAME_INVITED,) if entry["type"] == "created" else ())]


def of_invitation(game_id: UUID, version: int, seat: int, player: str) -> Notification:
    """Make the notice of a seat to which a player is invited."""
    return Notification(
        GAME_INVITED, {"game": str(game_id), "version": version, "seat": seat, "player": player}
    )


def _event(entry: Mapping[str, Any]) -> str:
    return SEAT_REPLACED if entry.get("replaced") and entry["type"] == "joined" else OF_ENTRIES[entry["type"]]


def of_turn(event: str, turn: Turn) -> Notification:
    """Make the notification of a seat's turn: which seat, which player, until when."""
    data = {
        "game": str(turn.game_id),
        "version": turn.version,
        "seat": turn.seat,
        "player": turn.player_id,
        "deadline": turn.deadline and timestamp(turn.deadline),
    }
    return Notification(event, data)


def of_webhook(event: str, webhook: Webhook, **more: Any) -> Notification:
    """Return the notification of a webhook's change, with the app's labels of it."""
    data = {
        "webhook": str(webhook.id),
        **({"game": str(webhook.game_id)} if webhook.game_id else {}),
        "url": webhook.url,
        **Labels(webhook.external_id, webhook.metadata).to_json(),
        **more,
    }
    return Notification(event, data)


def payload(notice: Notification, at: datetime) -> dict[str, Any]:
    """Return what is sent of a notice."""
    return {"type": notice.event, "timestamp": timestamp(at), "data": notice.data}


def of_failed_mail(player_id: UUID, status: int | None, error: str | None, *, disabled: bool) -> Notification:
    """Return the notification that a player's mail is given up; `disabled`: so is the address."""
    data = {"player": str(player_id), "status": status, "error": error, "address_disabled": disabled}
    return Notification(MAIL_FAILED, data)


def of_test(webhook_id: UUID) -> Notification:
    """Return an empty notification, to test whether it arrives."""
    return Notification(TEST, {"webhook": str(webhook_id)})
