"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Index, LargeBinary, Table, Uuid

from api.store.tables.columns import OF_APP, access, key, metadata, needed, of

# Imported records by their identity, so that each is imported only once.
imports = Table(
    "imports",
    metadata,
    of("app_id", "apps", key=True),
    key("fingerprint", LargeBinary),
    needed("game_id", Uuid),
    Index("imports_of_game", "game_id"),
    info=access(service="SELECT, INSERT", own=OF_APP, goes_with={"games": "game_id"}),
)
