"""What is sent to webhooks: every event, and the shape of its notice."""

from __future__ import annotations

from functools import cache
from typing import Annotated, TypedDict

from api.feature import EventType
from api.features.webhooks.examples import example
from api.features.webhooks.posting import TEST, events
from api.http.answers import Component, Json, Ref, Timestamp, camel, one_of, schema_of_class, words

EVENTS = events()
ALL = {**EVENTS, TEST.name: TEST}
ON_REQUEST = tuple(event.name for event in EVENTS.values() if event.on_request)
ALL_BUT = "all except " + " and ".join(f"`{event}`" for event in ON_REQUEST)


class Noticed(TypedDict):
    """A notice to a webhook. Everything else can be read with a token."""

    type: str
    timestamp: Timestamp
    data: object


def about(event: EventType) -> str:
    """Return what an event means, and who gets it."""
    return event.about + " Only for webhooks that name this event." * event.on_request


@cache
def notice(name: str) -> Component:
    """Return a component such as `GameCreatedNotice`: the notice of an event."""
    event = ALL[name]

    def schema(ref: Ref) -> Json:
        fixed = {"type": "string", "const": name}
        said = f"{name}: {about(event)}"
        return schema_of_class(Noticed, ref, said, type=fixed, data=ref(event.shape))

    return Component(f"{camel(name.replace('.', '_'))}Notice", schema)


def _any_notice(ref: Ref) -> Json:
    return {"description": words(Noticed), **one_of({event: notice(event) for event in ALL}, "type", ref)}


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
    return {
        name: {
            "post": {
                "operationId": "on_" + name.replace(".", "_"),
                "summary": about(event).rstrip("."),
                "tags": ["webhooks"],
                "security": [],
                "parameters": parameters,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ref(notice(name)), "example": example(event)}},
                },
                "responses": {"2XX": {"description": "Received. Anything else is tried again later."}},
            }
        }
        for name, event in ALL.items()
    }
