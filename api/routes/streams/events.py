"""The log of a game, as the caller may see it: in pages, as lines, or live."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from flask import request

from api.context import Context
from api.core.errors import BadRequest
from api.http import auth, problems
from api.http.operation import JSON, SEQ, Operations
from api.routes.streams import sending
from api.routes.streams.sending import CLOSE, FORMS, HEADERS, LINES, STREAM
from api.schemas.games import Game
from api.schemas.logs.entries import EntryList
from api.schemas.requests.queries import EventPages
from api.store.game.log import Chosen
from api.streams import log as events
from api.streams import subscriptions as following

blueprint = Operations("events", __name__)


@blueprint.GET(
    "/v1/games/<uuid:game>/events",
    auth.READERS_OR_ANYBODY,
    query=EventPages,
    answers={200: EntryList, 204: None},
    produces=FORMS,
    events={"view": Game},
    problems=("archive-unreadable", "restored"),
    resumable=SEQ,
)
def list_events(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Read the log, oldest entry first.

    As JSON one page at a time; with `wait`, an empty page waits for the next entry. As `application/x-ndjson`
    all entries after `after`, or as many as `limit` says, one per line. As `text/event-stream` live: first
    the event `view` with the game as the caller sees it, then every entry as it is committed, with its seq as
    the event's id and its type as the event's name. With `Last-Event-ID` (or `after`) the stream starts after
    that entry, without a view. The stream ends when the token is revoked or expires, and when the game ends;
    resuming it then is answered with 204.
    """
    live = sending.live()
    after = query.get("cursor", query["after"])
    last = _resumes_after()  # parsed for every format, so that a malformed value is refused in all of them
    chosen = Chosen(query.get("type"), query.get("seat"), query.get("since"))
    look_up = sending.look_up(context, auth.READERS_OR_ANYBODY)
    form = sending.form(*FORMS)
    if form != JSON:
        headers = {**HEADERS, "Game-Origin": events.origin(context, game)}
    if form == STREAM:
        with sending.held(context) as held:
            subscription = following.subscribe(context, live, game, look_up, last, chosen)
            if subscription.first is None and subscription.ended:
                return problems.empty(204, HEADERS)
            return sending.stream(subscription, held, headers)
    if "wait" in query:
        with sending.held(context):
            timeout = sending.timeout(context, query["wait"])
            following.wait_for_more(context, live, game, look_up, after, chosen, timeout)
    if form == LINES:
        limit = sending.limit_of_lines(query)
        found_lines = following.everything(context, live, game, look_up, after, chosen, limit)
        return sending.lines(context, found_lines, headers)
    page = events.page(context, game, after, query["limit"], chosen)
    close = CLOSE if "wait" in query else {}
    return page, 200, {**HEADERS, **close, "Game-Origin": page.get("origin", "dealt")}


def _resumes_after() -> int | None:
    """Return which entry the caller had last; None where it begins. Raises BadRequest."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        last = request.args.get("cursor") or request.args.get("after")
    if last is not None and not re.fullmatch("[0-9]{1,10}", last):
        raise BadRequest({"Last-Event-ID": ["Must be the seq of an entry."]})
    return int(last) if last is not None else None
