"""What is sent to webhooks: every event, and the shape of its notice."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, NotRequired, TypedDict

import referee.records
from api.features.notices import events
from api.features.notices.events import ABOUT, EVENTS, LAST, TEST
from api.features.webhooks.examples import examples
from api.games.answers import Tested
from api.games.answers_of_logs import Entry
from api.http.answers import (
    Component,
    Count,
    Json,
    Ref,
    Timestamp,
    Uuid,
    camel,
    choice,
    one_of,
    schema_of_class,
    words,
)
from api.rulesets.answers import Result


class OfGame(TypedDict):
    """The game, with the app's labels."""

    game: Uuid
    version: Annotated[Count, "The number of the last entry of the log at that time."]
    ruleset: NotRequired[str]
    title: NotRequired[str | None]
    external_id: NotRequired[Annotated[str | None, "The app's own id of the game."]]
    metadata: NotRequired[Annotated[dict[str, str], "Data of the app about the game."]]
    test_clock: NotRequired[Tested]
    entry: NotRequired[Annotated[Entry, "The entry that this notification is about, if included."]]


class OfSeat(OfGame):
    """The seat of a game and its player; null if the seat is open."""

    seat: NotRequired[Count | None]
    player: NotRequired[Uuid | None]


class OfEnding(OfSeat):
    """The seat that agrees to end the game, and how."""

    ending: Annotated[str, choice(*referee.records.ENDINGS_AGREED)]


class OfTurn(OfSeat):
    """The seat whose turn it is, and the deadline."""

    deadline: Timestamp | None


class OfResult(OfGame):
    """The end of a game."""

    result: NotRequired[Result | None]


class OfFailedMail(TypedDict):
    """The player, and the mail server's last answer, which contains no address."""

    player: Uuid
    status: Annotated[Count | None, "The status of the mail server; null if it could not be reached."]
    error: str
    address_disabled: Annotated[
        bool, "The address does not exist, and gets no more mail until it is set again."
    ]


class OfTest(TypedDict):
    """The webhook, and nothing else."""

    webhook: Uuid


DATA: dict[str, type[Any]] = {
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


class Noticed(TypedDict):
    """A notice to a webhook. Everything else can be read with a token."""

    type: str
    timestamp: Timestamp
    data: object


@cache
def notice(event: str) -> Component:
    """Return a component such as `GameCreatedNotice`: the notice of an event."""

    def schema(ref: Ref) -> Json:
        fixed = {"type": "string", "const": event}
        return schema_of_class(Noticed, ref, f"{event}: {ABOUT[event]}", type=fixed, data=ref(DATA[event]))

    return Component(f"{camel(event.replace('.', '_'))}Notice", schema)


def _any_notice(ref: Ref) -> Json:
    return {"description": words(Noticed), **one_of({event: notice(event) for event in ABOUT}, "type", ref)}


Notice = Annotated[Json, Component("Notice", _any_notice)]


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
