"""Feeds: what happens in all games of an app, or in all of a player's."""

from __future__ import annotations

import re
from typing import Any

from flask import request

from api.context import Context
from api.core.errors import BadRequest
from api.http import auth
from api.http.operation import CURSOR, Operations
from api.routes.streams import sending
from api.routes.streams.sending import CLOSE, FORMS, HEADERS, LINES, STREAM
from api.schemas.logs.entries import Feed, FeedPages
from api.schemas.patterns import FEED_CURSOR_PATTERN
from api.streams import feeds
from api.streams.feeds import Filters

blueprint = Operations("feeds", __name__)

# What both operations are.
FEED: dict[str, Any] = {
    "query": FeedPages,
    "produces": FORMS,
    "resumable": CURSOR,
    "problems": ("archived", "restored"),
}


@blueprint.GET("/v1/events", auth.READERS, Feed, **FEED)
def list_all_events(context: Context, query: dict[str, Any]) -> Any:
    """Read the entries of all games of the app that the caller may see, oldest first.

    Each entry is what the caller sees in the log of its game. The order is the same for everybody and never
    changes, and entries of one game are in order. A reader who continues after a `cursor` misses nothing,
    even entries that were committed late: an entry is shown only when nothing can come before it any more. As
    JSON one page at a time; with `wait`, an empty page waits. As `application/x-ndjson` everything, or as
    many items as `limit` says, one per line. As `text/event-stream` everything, then live: the item's cursor
    is the event's id, the entry's type its name; the stream continues after `Last-Event-ID`, or `cursor`. If
    the next entries belong to archived games, the request is refused (410), with the `cursor` after these.
    It is also refused (410) if a backup was restored that does not have all entries before the cursor.
    """
    return _feed(context, query, mine=False)


@blueprint.GET("/v1/me/events", auth.PLAYERS, Feed, **FEED)
def list_my_events(context: Context, query: dict[str, Any]) -> Any:
    """Read the entries of all games in which I have a seat, oldest first.

    Otherwise like `/v1/events`. If I take a seat later, earlier entries are only in the log of that game.
    """
    return _feed(context, query, mine=True)


def _feed(context: Context, query: dict[str, Any], mine: bool) -> Any:
    live = sending.live()
    filters = Filters(
        **{name: query.get(name) for name in ("player", "ruleset", "type", "move_type")}, mine=mine
    )
    place = feeds.place_of(context, _resumes_after() or query.get("cursor"))
    look_up = sending.look_up(context, auth.PLAYERS if mine else auth.READERS)
    form = sending.form(*FORMS)
    if form == STREAM:
        with sending.held(context) as held:
            return sending.stream(feeds.follow(context, live, look_up, filters, place), held)
    if form == LINES:
        limit = sending.limit_of_lines(query)
        return sending.lines(context, feeds.lines(context, live, look_up, filters, place, limit))
    page = feeds.page(context, filters, place, query["limit"])
    if "wait" in query and not page["items"] and page["next"] is None:
        with sending.held(context):
            reached = feeds.place_of(context, page["cursor"])
            following = feeds.follow(context, live, look_up, filters, reached)
            following.wait(sending.timeout(context, query["wait"]))
        page = feeds.page(context, filters, reached, query["limit"])
    return page, 200, {**HEADERS, **CLOSE} if "wait" in query else HEADERS


def _resumes_after() -> str | None:
    """Return the cursor of the last event that the caller had; None where it begins. Raises BadRequest."""
    last = request.headers.get("Last-Event-ID")
    if last is not None and not re.fullmatch(FEED_CURSOR_PATTERN, last):
        raise BadRequest({"Last-Event-ID": ["Must be the id of an event of a feed."]})
    return last
