"""What an app is told of its games: ids, seats, versions and deadlines, never a card.

Notices are queued in the transaction of what they tell of; a worker delivers them (see `deliveries`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.core.context import Context, new_id, timestamp
from api.core.json import stored
from api.store import webhooks
from api.store.webhooks import NewDelivery

GAME_CREATED, GAME_STARTED = "game.created", "game.started"
GAME_FINISHED, GAME_CANCELLED = "game.finished", "game.cancelled"
GAME_IMPORTED = "game.imported"
SEAT_JOINED, SEAT_LEFT, SEAT_REPLACED = "seat.joined", "seat.left", "seat.replaced"
SEAT_RESIGNED, VACATION_TAKEN = "seat.resigned", "vacation.taken"
TURN_BEGAN, TURN_WARNING, TURN_TIMED_OUT = "turn.began", "turn.warning", "turn.timed_out"
MOVE_MADE, MOVE_TAKEN_BACK = "move.made", "move.taken_back"
TAKE_BACK_REQUESTED, TAKE_BACK_ANSWERED = "take_back.requested", "take_back.answered"
REPLACEMENT_AGREED = "replacement.agreed"
MESSAGE_POSTED, ORDERS_CANCELLED = webhooks.CHAT, "orders.cancelled"
WEBHOOK_DISABLED, TEST = "webhook.disabled", "webhook.test"
EVENTS = (
    GAME_CREATED,
    SEAT_JOINED,
    SEAT_LEFT,
    SEAT_REPLACED,
    GAME_STARTED,
    TURN_BEGAN,
    TURN_WARNING,
    TURN_TIMED_OUT,
    MOVE_MADE,
    TAKE_BACK_REQUESTED,
    TAKE_BACK_ANSWERED,
    MOVE_TAKEN_BACK,
    VACATION_TAKEN,
    REPLACEMENT_AGREED,
    SEAT_RESIGNED,
    GAME_FINISHED,
    GAME_CANCELLED,
    GAME_IMPORTED,
    MESSAGE_POSTED,
    ORDERS_CANCELLED,
    WEBHOOK_DISABLED,
)
ON_REQUEST = (MOVE_MADE,)  # too many for whoever has not asked for them by name
OF_ENTRIES = {
    "created": GAME_CREATED,
    "joined": SEAT_JOINED,
    "left": SEAT_LEFT,
    "started": GAME_STARTED,
    "moved": MOVE_MADE,
    "taken_back": MOVE_TAKEN_BACK,
    "said": MESSAGE_POSTED,
    "resigned": SEAT_RESIGNED,
    "timed_out": TURN_TIMED_OUT,
    "finished": GAME_FINISHED,
    "cancelled": GAME_CANCELLED,
    "imported": GAME_IMPORTED,
}
OF_MARKS = {"vacation": VACATION_TAKEN, "replacement": REPLACEMENT_AGREED}  # of what is said


class Notification(NamedTuple):
    """What is told; the game it is about stands in `data` as well."""

    event: str
    data: dict[str, Any]


class Turn(NamedTuple):
    """A seat's turn: who sits there (a player's id, None: a bot), until when."""

    game_id: UUID
    version: int
    seat: int
    player_id: str | None
    deadline: str | None


def of_entries(
    game_id: UUID, entries: Sequence[Mapping[str, Any]], began: Sequence[Turn]
) -> list[Notification]:
    """List what new entries (their public forms) have to tell, then whose turns have begun."""
    found = []
    for entry in entries:
        data = {"game": str(game_id), "version": entry["seq"]}
        if "seat" in entry:
            who = entry.get("player")
            data.update(seat=entry["seat"], player=who and who["id"])
        found += [Notification(event, data) for event in _events(entry)]
    return found + [of_turn(TURN_BEGAN, turn) for turn in began if turn.player_id is not None]


def _events(entry: Mapping[str, Any]) -> list[str]:
    """List the events of an entry; a message with a mark is two of them."""
    kind = entry["type"]
    if kind == "joined" and entry.get("replaced"):
        return [SEAT_REPLACED]
    marked = [event for mark, event in OF_MARKS.items() if mark in entry]
    if "take_back" in entry:
        marked.append(TAKE_BACK_REQUESTED if entry["take_back"].get("asks") else TAKE_BACK_ANSWERED)
    return [*marked, OF_ENTRIES[kind]]


def of_turn(event: str, turn: Turn) -> Notification:
    """Make the notification of a seat's turn: which seat, which player, until when."""
    data = {
        "game": str(turn.game_id),
        "version": turn.version,
        "seat": turn.seat,
        "player": turn.player_id,
        "deadline": turn.deadline,
    }
    return Notification(event, data)


def post(
    context: Context, app_id: UUID, game_id: UUID | None, notices: Sequence[Notification], at: datetime
) -> None:
    """Queue notices for every webhook of an app that wants them."""
    rows = [
        delivery(hook, game_id, notice, at)
        for hook, events in webhooks.listening(context.session, app_id)
        for notice in notices
        if (notice.event in events if events else notice.event not in ON_REQUEST)
    ]
    if rows:
        webhooks.enqueue(context.session, rows, at)


def delivery(webhook_id: UUID, game_id: UUID | None, notice: Notification, at: datetime) -> NewDelivery:
    """Make the delivery of a notice: its payload is the same at every attempt."""
    payload = stored({"type": notice.event, "timestamp": timestamp(at), "data": notice.data})
    return NewDelivery(new_id(), webhook_id, game_id, notice.event, payload)
