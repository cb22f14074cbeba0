"""Searching for games: which ones a caller is shown, in which order, page by page."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any

from api.context import Context
from api.core.callers import ANONYMOUS, APP, PLAYER, Caller
from api.core.errors import BadRequest, Forbidden
from api.core.json import sorted_bytes
from api.core.paging import Page, PageOf
from api.features.search import store
from api.features.search.filters import FILTERS, TimedPlace, read_place, write_place
from api.features.search.store import ORDERS, Search, Sorting
from api.games.answers import GameSummary
from api.games.game import CANCELLED, FINISHED, RUNNING
from api.games.loading import listed
from api.games.views import SPECTATOR, show_summary, visibility_of
from api.http.queue import with_pauses
from api.store.games import GameRow

NEWEST = "newest"
ANOTHER = "Is of a list with other filters, or another sort: a list goes on as it began."


def search(context: Context, filters: dict[str, Any], page: Page) -> PageOf[GameSummary]:
    """Find games: the caller's own, or everyone's public ones if `visibility` is public alone."""
    sort = filters.pop("sort", NEWEST)
    conditions = _seen_by(context.caller, Search(**filters))
    order, query = ORDERS[sort], _fingerprint(conditions, sort)
    place = read_place(page.cursor) if page.cursor else None
    if place is not None and place.query != (query if place.query or sort != NEWEST else ""):
        raise BadRequest({"cursor": [ANOTHER]})
    rows = store.find(context.session, conditions, order, place, page.limit + 1)
    shown = rows[: page.limit]
    last = TimedPlace(shown[-1].id, _time(order, shown[-1]), query) if len(rows) > page.limit else None
    items = [_summary(context, row) for row in with_pauses(shown)]
    return {"items": items, "next": last and write_place(last)}


def _seen_by(caller: Caller, conditions: Search) -> Search:
    """Restrict a search to the games that the caller may find. Raises Forbidden."""
    public = set(conditions.get("visibility", ())) == {"public"}
    if caller.kind == ANONYMOUS:
        if "visibility" in conditions and not public:
            raise Forbidden("Without a token only public games are listed.")
        conditions = Search(conditions, visibility=["public"])
    elif not public:
        conditions = Search(conditions, app_id=caller.app_id)
        if caller.kind == PLAYER:
            conditions["seated"] = caller.player_id
    if "external_id" in conditions and not (caller.kind == APP and not public):
        raise Forbidden("Only an app may filter by external_id, among its own games.")
    if "external_id" in conditions:
        conditions["external_id"] = caller.app_id, conditions["external_id"]
    return conditions


def _fingerprint(conditions: Search, sort: str) -> str:
    """Return a fingerprint of this query, in hex, which does not depend on the order of its values."""
    pairs = [(name, _named(conditions[name])) for name in FILTERS if name in conditions]
    return sha256(sorted_bytes([sort, pairs])).hexdigest()[:8]


def _named(value: Any) -> Any:
    if isinstance(value, list):
        return sorted({str(each) for each in value})
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _time(order: Sorting, row: GameRow) -> datetime | None:
    """Return the time by which an order sorts this game, or None."""
    if order.time is None:
        return None
    if order.time == "created_at":
        return row.created_at
    return row.updated_at if row.status in (FINISHED, CANCELLED) else None


def _summary(context: Context, row: GameRow) -> GameSummary:
    game, caller = listed(context, row), context.caller
    mine = caller.app_id == game.app_id and caller.kind != ANONYMOUS
    visibility = SPECTATOR._replace(own=mine and caller.kind == APP)
    if mine and not game.unreadable:
        with suppress(Forbidden):  # only the player is shown the hand
            visibility = visibility_of(caller, game)
    waiting = [n for n, seat in enumerate(game.seats) if seat.since] if game.status == RUNNING else []
    return show_summary(game, visibility, waiting)
