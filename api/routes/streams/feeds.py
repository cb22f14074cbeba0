"""Feeds: what happens in all games of an app, or in all of a player's."""

from __future__ import annotations

import re
from typing import Any

from flask import request

from api.core.context import Context
from api.core.errors import BadRequest
from api.http import auth
from api.http.operation import CURSOR, Operations
from api.routes.streams import sending
from api.routes.streams.sending import FORMS, HEADERS, LINES, STREAM
from api.schemas.logs.feeds import Feed, FeedPages
from api.schemas.patterns import FEED_CURSOR_PATTERN
from api.streams import feeds
from api.streams.feeds import Filters

blueprint = Operations("feeds", __name__)

# What both operations are.
FEED: dict[str, Any] = {
    "query": FeedPages,
    "produces": FORMS,
    "resumable": CURSOR,
    "problems": ("archived",),
}


@blueprint.GET("/v1/events", auth.READERS, Feed, **FEED)
def list_all_events(context: Context, query: dict[str, Any]) -> Any:
    """Read what happens in all games of the app that the caller may see, oldest entry first.

    Each entry is what the caller is shown in the log of its game. The order is the same for everybody and
    for ever, entries of a game come in their order, and whoever goes on after a `cursor` misses nothing,
    however late it was committed: an entry is shown as soon as nothing can come before it any more. As JSON a
    page at a time; with `wait` an empty page waits. As `application/x-ndjson` all there is, one item a line.
    As `text/event-stream` all there is and then live: the item's cursor is the event's id, the entry's type
    its name; the stream goes on after `Last-Event-ID`, or `cursor`. Where what comes next is
    of games that are archived it is refused (410), with the `cursor` behind these.
    """
    return _feed(context, query, mine=False)


@blueprint.GET("/v1/me/events", auth.PLAYERS, Feed, **FEED)
def list_my_events(context: Context, query: dict[str, Any]) -> Any:
    """Read what happens in all games in which I sit, oldest entry first.

    In all else like `/v1/events`. Who takes a seat later finds what came before in the log of that game.
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
        return sending.lines(context, feeds.lines(context, live, look_up, filters, place))
    page = feeds.page(context, filters, place, query["limit"])
    if "wait" in query and not page["items"] and page["next"] is None:
        with sending.held(context):
            found = feeds.follow(context, live, look_up, filters, feeds.read_cursor(page["cursor"]))
            found.wait(sending.timeout(context, query["wait"]))
        page = feeds.page(context, filters, feeds.read_cursor(page["cursor"]), query["limit"])
    return page, 200, HEADERS


def _resumes_after() -> str | None:
    """Return the cursor of the last event that the caller had; None where it begins. Raises BadRequest."""
    last = request.headers.get("Last-Event-ID")
    if last is not None and not re.fullmatch(FEED_CURSOR_PATTERN, last):
        raise BadRequest({"Last-Event-ID": ["Must be the id of an event of a feed."]})
    return last
