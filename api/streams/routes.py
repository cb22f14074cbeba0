"""The log of a game, and the feeds of apps and players."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from flask import request

import referee.records
from api.context import Context
from api.core.errors import BadRequest
from api.games.answers import Game
from api.games.answers_of_logs import EntryList, Feed
from api.http import auth, problems
from api.http.fields import Choice, Input, QueryWhole, Several, Text
from api.http.operation import CURSOR, SEQ, Operations
from api.http.patterns import FEED_CURSOR_PATTERN, FeedCursor, Id
from api.http.queries import MOST_ITEMS, EventPages
from api.store.log import Chosen
from api.streams import feeds, sending
from api.streams import log as events
from api.streams import subscriptions as following
from api.streams.feeds import Filters
from api.streams.sending import FORMS, HEADERS, STREAM


class FeedPages(Input):
    """Which part of a feed."""

    cursor = FeedCursor(about="Only items after this `cursor`; `now`: only future items.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    player = Several(Id(), about="Only games in which one of these players has a seat.")
    ruleset = Several(Text(1, 64), about="Only games of these rulesets.")
    type = Several(Choice(*referee.records.ENTRY_TYPES), about="Only entries of these types.")
    move_type = Several(Text(1, 64), about="Only moves of these types.")


EVENTS = Operations("events", __name__, "The log of a game.")


@EVENTS.GET(
    "/v1/games/<uuid:game>/events",
    auth.READERS_OR_ANYBODY,
    query=EventPages,
    answers={
        200: EntryList,
        204: "The game is over and the stream was read to its end: do not connect again.",
    },
    produces=FORMS,
    events={"view": Game},
    problems=("restored",),
    resumable=SEQ,
)
def list_events(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Read the log, oldest entry first.

    As JSON one page at a time. As `text/event-stream` live: first the event `view` with the game as the
    caller sees it, then every entry as it is committed, with its seq as the event's id and its type as the
    event's name. With `Last-Event-ID` (or `after`) the stream starts after that entry, without a view. The
    stream ends when the token is revoked or expires, and when the game ends; resuming it then is answered
    with 204.
    """
    last = _event_after()  # parsed for every format, so that a malformed value is refused in all of them
    chosen = Chosen(query.get("type"), query.get("seat"), query.get("since"))
    if sending.form(*FORMS) == STREAM:
        headers = {**HEADERS, "Game-Origin": events.origin(context, game)}
        look_up = sending.look_up(context, auth.READERS_OR_ANYBODY)
        with sending.OpenStream(context) as opened:
            subscription = following.subscribe(context, sending.live(), game, look_up, last, chosen)
            if subscription.first is None and subscription.ended:
                return problems.empty(204, HEADERS)
            return sending.stream(subscription, opened, headers)
    page = events.page(context, game, query.get("cursor", query["after"]), query["limit"], chosen)
    return page, 200, {**HEADERS, "Game-Origin": page.get("origin", "dealt")}


def _event_after() -> int | None:
    """Return which entry the caller had last; None where it begins. Raises BadRequest."""
    last = request.headers.get("Last-Event-ID")
    if last is None:
        last = request.args.get("cursor") or request.args.get("after")
    if last is not None and not re.fullmatch("[0-9]{1,10}", last):
        raise BadRequest({"Last-Event-ID": ["Must be the seq of an entry."]})
    return int(last) if last is not None else None


FEEDS = Operations("feeds", __name__, "The entries of all games of an app, or of a player.")

# What both operations are.
FEED: dict[str, Any] = {
    "query": FeedPages,
    "produces": FORMS,
    "resumable": CURSOR,
    "problems": ("detached", "restored"),
}


@FEEDS.GET("/v1/events", auth.READERS, Feed, **FEED)
def list_all_events(context: Context, query: dict[str, Any]) -> object:
    """Read the entries of all games of the app that the caller may see, oldest first.

    Each entry is what the caller sees in the log of its game. The order is the same for everybody and never
    changes, and entries of one game are in order. A reader who continues after a `cursor` misses nothing,
    even entries that were committed late: an entry is shown only when nothing can come before it any more. As
    JSON one page at a time. As `text/event-stream` everything, then live: the item's cursor is the event's
    id, the entry's type its name; the stream continues after `Last-Event-ID`, or `cursor`. If
    the next entries are of games that were taken out of the service, the request is refused (410), with the
    `cursor` after these.
    It is also refused (410) if a backup was restored that does not have all entries before the cursor.
    """
    return _feed(context, query, mine=False)


@FEEDS.GET("/v1/me/events", auth.PLAYERS, Feed, **FEED)
def list_my_events(context: Context, query: dict[str, Any]) -> object:
    """Read the entries of all games in which I have a seat, oldest first.

    Otherwise like `/v1/events`. If I take a seat later, earlier entries are only in the log of that game.
    """
    return _feed(context, query, mine=True)


def _feed(context: Context, query: dict[str, Any], mine: bool) -> Any:
    filters = Filters(
        **{name: query.get(name) for name in ("player", "ruleset", "type", "move_type")}, mine=mine
    )
    place = feeds.place_of(context, _cursor_after() or query.get("cursor"))
    if sending.form(*FORMS) == STREAM:
        look_up = sending.look_up(context, auth.PLAYERS if mine else auth.READERS)
        with sending.OpenStream(context) as opened:
            return sending.stream(feeds.follow(context, sending.live(), look_up, filters, place), opened)
    return feeds.page(context, filters, place, query["limit"]), 200, HEADERS


def _cursor_after() -> str | None:
    """Return the cursor of the last event that the caller had; None where it begins. Raises BadRequest."""
    last = request.headers.get("Last-Event-ID")
    if last is not None and not re.fullmatch(FEED_CURSOR_PATTERN, last):
        raise BadRequest({"Last-Event-ID": ["Must be the id of an event of a feed."]})
    return last
