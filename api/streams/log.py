"""The log as its viewers see it, and whether they may."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.core.errors import Restored
from api.games import looks
from api.games.answers_of_logs import Entry, EntryList
from api.games.game import Game
from api.games.loading import load
from api.games.views import Visibility, show_stored, visibility_of
from api.store import log
from api.store.log import EVERYTHING, Chosen


def open_log(context: Context, game_id: UUID, after: int = 0) -> tuple[Game, Visibility]:
    """Find a game and what the caller sees of it. Raises NotFound.

    Raises Restored if the game has no entry `after`: a caller who has read it did so before a backup was
    restored.
    """
    game = load(context, game_id)
    visibility = visibility_of(context.caller, game)
    if after > game.version:
        raise Restored(f"This log has {game.version} entries, not {after}: read it from the beginning.")
    looks.record_view(context, game, visibility)
    return game, visibility


def origin(context: Context, game_id: UUID) -> str:
    """Return the origin of a game: `dealt` here, or `imported`. Raises NotFound."""
    game, _ = open_log(context, game_id)
    return str(game.origin["origin"])


def entries(
    context: Context, game: Game, visibility: Visibility, after: int, limit: int, chosen: Chosen = EVERYTHING
) -> list[Entry]:
    """Return the entries after `after`, oldest first."""
    rows = log.page(context.session, game.id, after, limit, chosen)
    return [show_stored(entry, visibility) for entry in rows]


def page(context: Context, game_id: UUID, after: int, limit: int, chosen: Chosen) -> EntryList:
    """Return a page of the log; `next` is the seq after which the next page begins, as text."""
    game, visibility = open_log(context, game_id, after)
    items = entries(context, game, visibility, after, limit + 1, chosen)
    more = len(items) > limit
    items = items[:limit]
    shown: EntryList = {"items": items, "next": str(items[-1]["seq"]) if more else None}
    if game.imported_by or game.test_clock:
        shown.update(game.origin)
    return shown
