"""What is sent to webhooks: every event, and the shape of its notice."""

from __future__ import annotations

from functools import cache

import referee.records
from api.features.notices import events
from api.features.notices.events import ABOUT, EVENTS, LAST, TEST
from api.features.webhooks.examples import examples
from api.games.entries import Entry
from api.games.shapes import TESTED
from api.http.fields import Choice, Fixed
from api.http.members import UUID, Boolean, Count, DateTime, Map, Nested, String
from api.http.shapes import Answer, Json, Opaque, Ref, Shape, camel, one_of
from api.rulesets.shapes import Result


class OfGame(Answer):
    """The game, with the app's labels."""

    game = UUID()
    version = Count(about="The number of the last entry of the log at that time.")
    ruleset = String(optional=True)
    title = String(null=True, optional=True)
    external_id = String(null=True, optional=True, about="The app's own id of the game.")
    metadata = Map(String(), optional=True, about="Data of the app about the game.")
    test_clock = TESTED
    entry = Nested(Entry, optional=True, about="The entry that this notification is about, if included.")


class OfSeat(OfGame):
    """The seat of a game and its player; null if the seat is open."""

    seat = Count(null=True, optional=True)
    player = UUID(null=True, optional=True)


class OfEnding(OfSeat):
    """The seat that agrees to end the game, and how."""

    ending = Choice(*referee.records.ENDINGS_AGREED)


class OfTurn(OfSeat):
    """The seat whose turn it is, and the deadline."""

    deadline = DateTime(null=True)


class OfResult(OfGame):
    """The end of a game."""

    result = Nested(Result, null=True, optional=True)


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
    **{
        events.OF_ENTRIES[name]: OfGame
        for name, kind in referee.records.ENTRY_TYPES.items()
        if not kind.has("seat")
    },
    **dict.fromkeys(LAST, OfResult),
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
    events.GAME_ENDING_AGREED: OfEnding,
    events.MAIL_FAILED: OfFailedMail,
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
    named = examples()
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
                    "content": {"application/json": {"schema": ref(notice(event)), "example": named[event]}},
                },
                "responses": {"2XX": {"description": "Received. Anything else is tried again later."}},
            }
        }
        for event, words in ABOUT.items()
    }
