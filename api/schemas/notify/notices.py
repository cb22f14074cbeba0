"""What is sent to webhooks: every event, and the shape of its notice."""

from __future__ import annotations

from functools import cache

import referee
from api.notify import events
from api.notify.events import EVENTS, LAST, OF_WEBHOOKS, REASONS, TEST
from api.schemas.fields import Choice, Fixed
from api.schemas.games import FORKED_FROM, TESTED
from api.schemas.logs.entries import Entry
from api.schemas.members import UUID, Boolean, Count, DateTime, List, Map, Nested, String
from api.schemas.rulesets import Result
from api.schemas.shapes import Answer, Json, Opaque, Ref, Shape, camel, one_of

ABOUT = {
    events.GAME_CREATED: "A game has been created.",
    events.SEAT_JOINED: "A player or a bot has taken a seat.",
    events.SEAT_LEFT: "A player has left a seat, before the start or to be replaced.",
    events.SEAT_REPLACED: "Another player has taken over a seat of a running game.",
    events.REVEAL_DUE: "All seats are taken, and a player has to reveal the seat's entropy in time.",
    events.SEAT_KEY_RETIRED: "A seat acts without its public key from now on.",
    events.SEAT_REVEALED: "A seat has revealed the entropy that it had committed to.",
    events.SEAT_FORFEITED: "A seat has not revealed its entropy in time; the game is cancelled.",
    events.GAME_STARTED: "Every seat is taken and the cards are dealt.",
    events.TURN_BEGAN: "It is a seat's turn, until the deadline if there is one.",
    events.TURN_WARNING: "A seat's deadline is near.",
    events.TURN_TIMED_OUT: "A seat's deadline has passed.",
    events.TURN_NUDGED: "Another player has reminded this seat to move.",
    events.DEADLINE_MOVED: "The deadline of a current turn has changed.",
    events.CLOCKS_CHANGED: "Time was given back after an outage, or the operator changed the clocks.",
    events.MOVE_MADE: "A move has been made. Only for webhooks that name this event.",
    events.TAKE_BACK_REQUESTED: "A seat asks to take back its last move.",
    events.TAKE_BACK_ANSWERED: "A seat has answered a request to take back a move.",
    events.MOVE_TAKEN_BACK: "A seat's move has been taken back.",
    events.VACATION_TAKEN: "A seat has gone on vacation.",
    events.PAUSE_AGREED: "A seat has agreed to pause the game.",
    events.GAME_PAUSED: "All players have agreed to a pause; the clocks stand still.",
    events.GAME_RESUMED: "A seat has ended the pause; current turns continue.",
    events.REPLACEMENT_AGREED: "A seat has agreed to a replacement for another seat.",
    events.ENDING_AGREED: "A seat has agreed to cancel the game, or to a draw.",
    events.SEAT_RESIGNED: "A seat has resigned.",
    events.SEAT_DROPPED: "A seat has missed too many turns in a row, and the game is over.",
    events.GAME_DRAWN: "All players have agreed to a draw.",
    events.GAME_ADJUDICATED: "The game's app has decided the game.",
    events.GAME_FINISHED: "A game has finished with a result.",
    events.GAME_CANCELLED: "A game has been cancelled.",
    events.GAME_INVITED: "A player is invited to a seat, which they can take without its code.",
    events.GAME_IMPORTED: "A game has been imported, or forked. Its earlier log is not sent.",
    events.MESSAGE_POSTED: "A chat message has been posted.",
    events.ORDERS_CANCELLED: "An order was illegal or repeated too often; the seat's orders are cancelled.",
    events.MAIL_FAILED: "Mail to a player could not be delivered and is not tried again.",
    events.WEBHOOK_CREATED: "Another webhook of the app has been created.",
    events.WEBHOOK_CHANGED: "Another webhook of the app has been changed.",
    events.SECRET_REPLACED: "The secret of another webhook of the app has been replaced.",
    events.WEBHOOK_DISABLED: "Another webhook of the app has been disabled; `reason` says why.",
    events.WEBHOOK_ENABLED: "Another webhook of the app has been enabled.",
    events.WEBHOOK_ENDED: "A webhook of one game has ended with it.",
    events.WEBHOOK_DELETED: "Another webhook of the app has been deleted.",
    events.TEST: "A test that you requested.",
}


class OfGame(Answer):
    """The game, with the app's labels. Notices queued by older releases have fewer members."""

    game = UUID()
    version = Count(about="The number of the last entry of the log at that time.")
    ruleset = String(optional=True)
    title = String(null=True, optional=True)
    external_id = String(null=True, optional=True, about="The app's own id of the game.")
    metadata = Map(String(), optional=True, about="Data of the app about the game.")
    test_clock = TESTED
    forked_from = FORKED_FROM
    entry = Nested(Entry, optional=True, about="The entry that this notification is about, if included.")


class OfSeat(OfGame):
    """The seat of a game and its player; null if the seat is open."""

    seat = Count(null=True, optional=True)
    player = UUID(null=True, optional=True)


class OfEnding(OfSeat):
    """The seat that agrees to end the game, and how."""

    ending = Choice(*referee.ENDINGS_AGREED)


class OfTurn(OfSeat):
    """The seat whose turn it is, and the deadline."""

    deadline = DateTime(null=True)


class OfResult(OfGame):
    """The end of a game."""

    result = Nested(Result, null=True, optional=True)


class OfWebhook(Answer):
    """The webhook."""

    webhook = UUID()
    game = UUID(optional=True, about="The game whose notifications it gets.")
    url = String(optional=True)
    external_id = String(null=True, optional=True, about="The app's own id of the webhook.")
    metadata = Map(String(), optional=True, about="Data of the app about the webhook.")


class OfChange(OfWebhook):
    """The settings of a webhook that have changed."""

    changed = List(String())


class OfDisabled(OfWebhook):
    """Why a webhook is disabled: it failed for five days, answered 410, or you disabled it."""

    reason = Choice(*REASONS, optional=True)


class OfFailedMail(Answer):
    """The player, and the mail server's last answer, which contains no address."""

    player = UUID()
    status = Count(null=True, about="The status of the mail server; null if it could not be reached.")
    error = String()
    address_disabled = Boolean(
        about="The address does not exist, and gets no more mail until it is set again."
    )


class OfTest(Answer):
    """The webhook, and nothing else."""

    webhook = UUID()


DATA: dict[str, type[Answer]] = {
    **dict.fromkeys(EVENTS, OfSeat),
    **dict.fromkeys(OF_WEBHOOKS, OfWebhook),
    **dict.fromkeys(LAST, OfResult),
    **dict.fromkeys(
        (
            events.GAME_CREATED,
            events.GAME_STARTED,
            events.GAME_IMPORTED,
            events.CLOCKS_CHANGED,
            events.GAME_DRAWN,
            events.GAME_ADJUDICATED,
        ),
        OfGame,
    ),
    **dict.fromkeys(
        (
            events.TURN_BEGAN,
            events.TURN_WARNING,
            events.REVEAL_DUE,
            events.DEADLINE_MOVED,
            events.ORDERS_CANCELLED,
        ),
        OfTurn,
    ),
    events.ENDING_AGREED: OfEnding,
    events.MAIL_FAILED: OfFailedMail,
    events.WEBHOOK_CHANGED: OfChange,
    events.WEBHOOK_DISABLED: OfDisabled,
    TEST: OfTest,
}


@cache
def notice(event: str) -> type[Answer]:
    """Return a shape such as `GameCreatedNotice`: the notice of an event."""
    members = {"type": Fixed(event), "timestamp": DateTime(), "data": Nested(DATA[event])}
    name = camel(event.replace(".", "_"))
    return type(f"{name}Notice", (Answer,), {"__doc__": f"{event}: {ABOUT[event]}", **members})


class Notice(Opaque):
    """A notice to a webhook. Everything else can be read with a token."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the notice of each event."""
        kinds: dict[str, type[Shape]] = {event: notice(event) for event in ABOUT}
        return {"description": schema["description"], **one_of(kinds, "type", ref)}


PARAMETERS: Json = {
    name: {
        "name": header,
        "in": "header",
        "required": True,
        "description": words,
        "schema": {"type": "string"},
    }
    for name, header, words in (
        ("WebhookId", "webhook-id", "The same at every attempt."),
        ("WebhookTimestamp", "webhook-timestamp", "The time of this attempt (Unix time in seconds)."),
        (
            "WebhookSignature",
            "webhook-signature",
            "`v1,` and a signature; two signatures while a secret is being replaced.",
        ),
    )
}


def webhooks(ref: Ref) -> Json:
    """Describe every event as a webhook of OpenAPI; `ref` returns a reference to the shape of its body."""
    parameters = [{"$ref": f"#/components/parameters/{name}"} for name in PARAMETERS]
    return {
        event: {
            "post": {
                "operationId": "on_" + event.replace(".", "_"),
                "summary": words.rstrip("."),
                "tags": ["webhooks"],
                "security": [],
                "parameters": parameters,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ref(notice(event))}},
                },
                "responses": {"2XX": {"description": "Received. Anything else is tried again later."}},
            }
        }
        for event, words in ABOUT.items()
    }
