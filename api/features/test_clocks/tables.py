"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from api.store.tables.columns import OF_APP, REFERENCE, TIME, access, index_where, key, metadata, needed, of

# Test clocks: the time of games whose app sets it.
test_clocks = Table(
    "test_clocks",
    metadata,
    key("id"),
    of("app_id", "apps"),
    Column("name", Text),
    needed("time", TIME),
    needed("created_at", TIME),
    Column("deleted_at", TIME),
    index_where("deleted_at IS NULL", "test_clocks_of_app", "app_id", "id"),
    # A worker that continues for bots reads the time of their game's test clock.
    info=access(
        service="SELECT, INSERT, UPDATE (time, deleted_at)", worker="SELECT", own=OF_APP, citus=REFERENCE
    ),
)
