"""What all answers that go on and on share."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from flask import Response, current_app, request

from api.context import Context
from api.core.callers import Caller
from api.feature import RateLimits
from api.http import auth, inputs, queue
from api.http.admission import LIMITS, line_of
from api.http.operation import JSON
from api.http.tokens import caller_of
from api.store.database.session import Session
from api.streams.channels import Live
from api.streams.following import Event, Following, LookUp

STREAM = "text/event-stream"
FORMS = (JSON, STREAM)
CLOSE = {"Connection": "close"}  # of every answer that goes on: nothing follows it
HEADERS = {
    "Cache-Control": "private, no-store",
    "Vary": "Accept, Authorization, Card-Referee-Player",
    "X-Accel-Buffering": "no",
}
COMMENT = b":\n\n"


def live() -> Live:
    """Return this process's channels."""
    shared: Live = current_app.extensions["card_referee"].live
    return shared


def form(*forms: str) -> str:
    """Return which of these media types is asked for; the first where that is open."""
    return inputs.accepted(forms) or forms[0]


def look_up(context: Context, audience: auth.Audience) -> LookUp:
    """Make what looks the caller up again while the request lasts."""
    token = auth.bearer_token(request.headers.get("Authorization"))
    player = auth.acting_player(request.headers.get(auth.ACTING))
    path = dict(request.view_args or {})

    def again(session: Session) -> Caller:
        caller = caller_of(replace(context, session=session), token, player)
        auth.require(audience, caller)
        auth.require_still_valid(caller, "GET", path, False)
        return caller

    return again


def held(context: Context) -> ExitStack:
    """Count a stream of the caller's until what is returned is closed. Raises TooManyRequests."""
    limits: RateLimits | None = request.environ.get(LIMITS)
    if limits is None:
        return ExitStack()
    caller, line = context.caller, line_of(context.caller)
    player = None if caller.by_app or caller.player_id is None else str(caller.player_id)
    party = None if line.party in queue.STRANGERS else str(line.party)
    return limits.hold_stream(str(line.member), party, player)


def stream(following: Following[Any], held: ExitStack, headers: dict[str, str] = HEADERS) -> Response:
    """Answer with events as they come; what is held is let go at the end of the answer."""
    events = Stream(_events(following, request.environ), held.pop_all())
    return Response(events, headers={**headers, **CLOSE}, content_type=STREAM, direct_passthrough=True)


class Stream:
    """The body of an answer with events. Iterating it blocks while it waits."""

    __slots__ = ("_events", "_held")

    def __init__(self, events: Generator[bytes, None, None], held: ExitStack) -> None:
        self._events = events
        self._held = held

    def __iter__(self) -> Iterator[bytes]:
        """Return what yields the parts to send."""
        return self._events

    def close(self) -> None:
        """End it, and let go of what is held for it."""
        try:
            self._events.close()
        finally:
            self._held.close()


def _events(following: Following[Any], environ: dict[str, Any]) -> Generator[bytes, None, None]:
    yield COMMENT  # the headers go out with it, before anything happens
    environ.clear()  # the request would take memory for as long as the stream waits
    for event in following.run():
        yield COMMENT if event is None else _event(event)
        del event
        yield b""  # the server keeps the last part while it waits for the next


def _event(event: Event) -> bytes:
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (event.id.encode(), event.type.encode(), event.data)
