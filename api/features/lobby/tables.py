"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table, Text, Uuid

from api.store.tables.columns import MANAGED, OF_APP, TIME, access, index_where, key, metadata, needed, of

# Players who look for others. `terms` is the fingerprint of what must be equal; `game_id` what came of it.
seeks = Table(
    "seeks",
    metadata,
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players"),
    needed("terms", LargeBinary),
    needed("request", Text),
    needed("ruleset", Text),
    Column("pool", Text),
    needed("created_at", TIME),
    needed("expires_at", TIME),
    Column("game_id", Uuid),
    index_where("game_id IS NULL", "seeks_of_app", "app_id", "id"),
    index_where("game_id IS NULL", "seeks_by_terms", "app_id", "terms", "player_id", unique=True),
    Index("seeks_of_player", "player_id"),
    Index("seeks_by_end", "expires_at"),
    # The worker deletes old rows; this locks them, and a lock needs a column that may be updated.
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (game_id)",
        worker="SELECT, DELETE, UPDATE (game_id)",
        own=OF_APP,
        citus=MANAGED,
    ),
)
