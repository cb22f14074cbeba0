"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, Text, Uuid

from api.store.tables.columns import OF_APP, TIME, access, key, metadata, needed, of

# Requests of apps that were refused, for those who find out why; kept for some days.
refused_requests = Table(
    "refused_requests",
    metadata,
    key("id"),
    of("app_id", "apps"),
    needed("at", TIME),
    needed("request_id", Text),
    needed("method", Text),
    needed("path", Text),
    needed("status", Integer),
    needed("problem", Text),
    Column("detail", Text),
    needed("credential_id", Uuid),
    Column("player_id", Uuid),
    Index("refused_requests_of_app", "app_id", "id"),
    Index("refused_requests_by_age", "at"),
    # The worker deletes old rows; this locks them, and a lock needs a column that may be updated.
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (at)", worker="SELECT, DELETE, UPDATE (at)", own=OF_APP
    ),
)
