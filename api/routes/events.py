"""The log of a game, as the caller may see it: in pages, as lines, or live."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from uuid import UUID

from flask import Blueprint, Response, current_app, request

from api.accounts.tokens import caller_of
from api.core.context import Caller, Context
from api.core.errors import BadRequest
from api.http import auth, problems
from api.http.operation import JSON, operation
from api.ops.limits import LIMITS, Limits
from api.schemas import requests
from api.store.database.session import Session
from api.streams import log as events
from api.streams import subscriptions as following
from api.streams.subscriptions import Event, LookUp

LINES = "application/x-ndjson"
STREAM = "text/event-stream"
FORMS = (JSON, LINES, STREAM)
HEADERS = {"Cache-Control": "private, no-store", "Vary": "Accept, Authorization", "X-Accel-Buffering": "no"}
COMMENT = b":\n\n"

blueprint = Blueprint("events", __name__)


@operation(
    blueprint,
    "GET",
    "/v1/games/<uuid:game>/events",
    audience=auth.READERS_OR_ANYBODY,
    query=requests.EventPages,
    answers={200: "EntryList", 204: None},
    problems=("not-found",),
    produces=FORMS,
    resumable=True,
)
def list_events(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Read the log, oldest entry first.

    As JSON a page at a time; with `wait` an empty page waits for the next entry. As `application/x-ndjson`
    all entries after `after`, one a line. As `text/event-stream` live: first the event `view` with the game
    as the caller sees it, then every entry as it is committed, its seq as the event's id and its type as
    the event's name. With `Last-Event-ID` (or `after`) the stream begins after that entry, without a view.
    It ends when the token is revoked or expires, and with the game; who resumes it then is answered 204.
    """
    live = current_app.extensions["card_referee"].live
    after = query.get("cursor", query["after"])
    last = _resumes_after()  # read in every form, so that nonsense is refused in every form
    look_up = _look_up(context)
    form = request.accept_mimetypes.best_match(FORMS) or JSON
    if form != JSON:
        headers = {**HEADERS, "Game-Origin": events.origin(context, game)}
    if form == STREAM:
        with ExitStack() as held:
            held.callback(_hold(context))
            answer = _stream(following.subscribe(context, live, game, look_up, last), headers)
            answer.call_on_close(held.pop_all().close)
            return answer
    if "wait" in query:
        timeout = min(query["wait"].total_seconds(), context.settings.max_wait)
        with ExitStack() as held:
            held.callback(_hold(context))
            following.wait_for_more(context, live, game, look_up, after, timeout)
    if form == LINES:
        lines = following.everything(context, live, game, look_up, after)
        return Response(lines, headers=headers, content_type=LINES)
    page = events.page(context, game, after, query["limit"])
    return page, 200, {**HEADERS, "Game-Origin": page.get("origin", "dealt")}


def _hold(context: Context) -> Callable[[], None]:
    """Count a stream of the caller's; returns what ends it. Raises TooManyRequests."""
    limits: Limits | None = request.environ.get(LIMITS)
    return limits.hold_stream(request.environ, context.caller.credential_id) if limits else lambda: None


def _look_up(context: Context) -> LookUp:
    """Make what looks the caller up again while the request lasts."""
    token = auth.bearer_token(request.headers.get("Authorization"))

    def look_up(session: Session) -> Caller:
        caller = caller_of(session, token, context.now())
        auth.require(auth.READERS_OR_ANYBODY, caller)
        return caller

    return look_up


def _resumes_after() -> int | None:
    """Return which entry the caller had last; None where it begins. Raises BadRequest."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        last = request.args.get("cursor") or request.args.get("after")
    if last is not None and not re.fullmatch("[0-9]{1,10}", last):
        raise BadRequest({"Last-Event-ID": ["Must be the seq of an entry."]})
    return int(last) if last is not None else None


def _stream(found: following.Subscription, headers: dict[str, str]) -> Response:
    if found.first is None and found.ended:
        return problems.empty(204, HEADERS)
    return Response(_events(found), headers=headers, content_type=STREAM)


def _events(found: following.Subscription) -> Iterator[bytes]:
    yield COMMENT  # the headers go out with it, before anything happens
    for event in found.run():
        yield COMMENT if event is None else _event(event)


def _event(event: Event) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.type.encode(), event.data)
