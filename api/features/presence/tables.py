"""The table of this feature."""

from __future__ import annotations

from sqlalchemy import Boolean, Table

from api.store.tables.columns import (
    OF_APP,
    OF_SEEN_GAME,
    TIME,
    access,
    index_where,
    key,
    metadata,
    needed,
    of,
)

# When somebody last had a stream of a game open. `who` is a player, or a stream of somebody without a name.
followers = Table(
    "followers",
    metadata,
    of("game_id", "games", key=True),
    key("who"),
    of("app_id", "apps"),
    needed("watching", Boolean),
    needed("seen_at", TIME),
    index_where("watching", "followers_watching", "game_id"),  # which no later sight of them changes
    info=access(
        service="SELECT, INSERT, UPDATE (watching, seen_at)",
        worker="SELECT, DELETE",
        own=OF_APP,
        seen=f"{OF_APP} OR {OF_SEEN_GAME}",
        citus="game_id",
    ),
)
