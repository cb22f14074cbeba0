"""What an app is told of its games: ids, seats, versions and deadlines, never a card.

Notices are queued in the transaction of what they tell of; a worker delivers them (see `deliveries`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.services.context import Context, new_id, timestamp
from api.services.texts import stored
from api.store import webhooks
from api.store.webhooks import NewDelivery

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


class Turn(NamedTuple):
    """A seat's turn: who sits there (a player's id, None: a bot), until when."""

    game_id: UUID
    version: int
    seat: int
    player_id: str | None
    deadline: str | None


def of_change(game_id: UUID, entries: Sequence[Mapping[str, Any]], began: Sequence[Turn]) -> list[Notice]:
    """List what new entries (their public forms) have to tell, then whose turns have begun."""
    found = []
    for entry in entries:
        if entry["type"] in OF_ENTRIES:
            who = entry.get("player")
            data = {"game": str(game_id), "version": entry["seq"]}
            if "seat" in entry:
                data.update(seat=entry["seat"], player=who and who["id"])
            found.append(Notice(OF_ENTRIES[entry["type"]], data))
    return found + [of_turn(TURN_BEGAN, turn) for turn in began if turn.player_id is not None]


def of_turn(event: str, turn: Turn) -> Notice:
    """Tell of a seat's turn: which seat, which player, until when."""
    data = {
        "game": str(turn.game_id),
        "version": turn.version,
        "seat": turn.seat,
        "player": turn.player_id,
        "deadline": turn.deadline,
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
