"""What all answers that go on and on share."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

from flask import Response, current_app, request
from werkzeug.exceptions import TooManyRequests

from api.context import Context
from api.core.callers import Caller
from api.http import auth, inputs
from api.http.admission import party_of
from api.http.operation import JSON
from api.http.site import this_site
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
PAUSE = 5  # seconds until a caller for whom there is no stream may try again


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

    def again(session: Session) -> Caller:
        caller = caller_of(replace(context, session=session), token, player)
        auth.require(audience, caller)
        return caller

    return again


class OpenStream:
    """A caller's stream that counts as open, until the end of the block or of the answer that goes on.

    It counts for the player, whatever the token. If it is taken back for somebody else, it ends before its
    next part, which is at most a keep-alive later.
    """

    def __init__(self, context: Context) -> None:
        """Open it. Raises TooManyRequests."""
        self._streams = this_site().streams
        self._party = party_of(context)
        self.lost = self.kept = False
        if not self._streams.enter(self._party, self.lose):
            raise TooManyRequests(retry_after=PAUSE)

    def lose(self) -> None:
        """End it soon."""
        self.lost = True

    def close(self) -> None:
        """Count it no more."""
        self._streams.exit(self._party, self.lose)

    def __enter__(self) -> OpenStream:
        """Begin."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it, unless an answer goes on."""
        if not self.kept:
            self.close()


def stream(following: Following[Any], opened: OpenStream, headers: dict[str, str] = HEADERS) -> Response:
    """Answer with events as they come; the stream counts until the end of the answer."""
    events = Stream(_events(following, opened, request.environ), opened)
    opened.kept = True
    return Response(events, headers={**headers, **CLOSE}, content_type=STREAM, direct_passthrough=True)


class Stream:
    """The body of an answer with events. Iterating it blocks while it waits."""

    __slots__ = ("_events", "_opened")

    def __init__(self, events: Generator[bytes, None, None], opened: OpenStream) -> None:
        self._events = events
        self._opened = opened

    def __iter__(self) -> Iterator[bytes]:
        """Return what yields the parts to send."""
        return self._events

    def close(self) -> None:
        """End it, and count it no more."""
        try:
            self._events.close()
        finally:
            self._opened.close()


def _events(
    following: Following[Any], opened: OpenStream, environ: dict[str, Any]
) -> Generator[bytes, None, None]:
    yield COMMENT  # the headers go out with it, before anything happens
    environ.clear()  # the request would take memory for as long as the stream waits
    for event in following.run():
        if opened.lost:
            return
        yield COMMENT if event is None else _event(event)
        del event
        yield b""  # the server keeps the last part while it waits for the next


def _event(event: Event) -> bytes:
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (event.id.encode(), event.type.encode(), event.data)
