"""What an app is told of its games: ids, seats, versions and deadlines, never a card.

Notices are queued in the transaction of what they tell of; a worker delivers them (see `deliveries`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from api.services.context import Context, new_id, timestamp
from api.services.texts import stored
from api.store import webhooks
from api.store.webhooks import NewDelivery

if TYPE_CHECKING:
    from api.services.table import Table

GAME_STARTED, GAME_FINISHED = "game.started", "game.finished"
TURN_BEGAN, TURN_WARNING, TURN_TIMED_OUT = "turn.began", "turn.warning", "turn.timed_out"
MESSAGE_POSTED, ORDERS_CANCELLED, TEST = "message.posted", "orders.cancelled", "webhook.test"
EVENTS = (
    GAME_STARTED,
    TURN_BEGAN,
    TURN_WARNING,
    TURN_TIMED_OUT,
    GAME_FINISHED,
    MESSAGE_POSTED,
    ORDERS_CANCELLED,
)
OF_ENTRIES = {
    "started": GAME_STARTED,
    "timed_out": TURN_TIMED_OUT,
    "said": MESSAGE_POSTED,
    "finished": GAME_FINISHED,
}


class Notice(NamedTuple):
    """What is told; the game it is about stands in `data` as well."""

    event: str
    data: dict[str, Any]


def of_change(table: Table, begun: Sequence[int]) -> list[Notice]:
    """List what a table's unsaved entries have to tell, then whose turns have begun."""
    found = []
    for entry in table.entries:
        told = entry.public
        if told["type"] in OF_ENTRIES:
            who = told.get("player")
            data = {"game": str(table.id), "version": told["seq"]}
            if "seat" in told:
                data.update(seat=told["seat"], player=who and who["id"])
            found.append(Notice(OF_ENTRIES[told["type"]], data))
    return found + [turn(TURN_BEGAN, table, seat) for seat in begun if table.seats[seat]["player"]]


def turn(event: str, table: Table, number: int) -> Notice:
    """Tell of a seat's turn: which seat, which player, until when."""
    seat = table.seats[number]
    data = {
        "game": str(table.id),
        "version": table.version,
        "seat": number,
        "player": seat["player"] and seat["player"]["id"],
        "deadline": seat["deadline"],
    }
    return Notice(event, data)


def post(context: Context, app_id: UUID, game_id: UUID, notices: Sequence[Notice], at: datetime) -> None:
    """Queue notices for every webhook of an app that wants them."""
    rows = [
        delivery(hook, game_id, notice, at)
        for hook, events in webhooks.listening(context.session, app_id)
        for notice in notices
        if not events or notice.event in events
    ]
    if rows:
        webhooks.enqueue(context.session, rows, at)


def delivery(webhook_id: UUID, game_id: UUID | None, notice: Notice, at: datetime) -> NewDelivery:
    """Make the delivery of a notice: its payload is the same at every attempt."""
    payload = stored({"type": notice.event, "timestamp": timestamp(at), "data": notice.data})
    return NewDelivery(new_id(), webhook_id, game_id, notice.event, payload)
