"""Callers: apps, their players, and the hashes of their keys and tokens."""

from __future__ import annotations

from sqlalchemy import ARRAY, Column, Index, LargeBinary, Table, Text, UniqueConstraint

from api.store.tables.access import APP, GUESTS, LABELS, OF_APP, REFERENCE, access
from api.store.tables.columns import TIME, index_where, key, labels, metadata, needed, of

apps = Table(
    "apps",
    metadata,
    key("id"),
    needed("name", Text),
    needed("created_at", TIME),
    UniqueConstraint("name"),
    # Counting an app's webhooks locks its row, and a lock needs a column that may be updated.
    info=access(
        service="SELECT, INSERT, UPDATE (name)",
        worker="SELECT",
        own=f"id = {APP} OR name = '{GUESTS}'",
        citus=REFERENCE,
    ),
)

players = Table(
    "players",
    metadata,
    key("id"),
    of("app_id", "apps"),
    needed("name", Text),
    needed("created_at", TIME),
    Column("deleted_at", TIME),
    index_where("deleted_at IS NULL", "players_of_app", "app_id", "id"),
    *labels("players"),
    info=access(
        service=f"SELECT, INSERT, UPDATE (name, deleted_at, {LABELS})",
        worker="SELECT",
        own=OF_APP,
        citus=REFERENCE,
    ),
)

# The `metadata` of apps' objects; `kind` is the table. Each pair is found by comparing texts, which
# PostgreSQL does before it applies a policy. Triggers write these rows.
metadata_pairs = Table(
    "metadata_pairs",
    metadata,
    of("app_id", "apps", key=True),
    *(key(name, Text(collation="C")) for name in ("kind", "key", "value")),
    key("id"),
    info=access(service="SELECT", own=OF_APP, citus="id"),
)

# App keys (no player) and player tokens: only their hashes. `parent_id` is the key that made it.
credentials = Table(
    "credentials",
    metadata,
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players", needed=False),
    needed("hash", LargeBinary),
    needed("scopes", ARRAY(Text)),
    needed("created_at", TIME),
    Column("expires_at", TIME),
    Column("revoked_at", TIME),
    of("parent_id", "credentials", needed=False),
    Column("device", Text),
    Column("name", Text),
    Column("prefix", Text),
    UniqueConstraint("hash"),
    Index("credentials_of_player", "player_id", "id"),
    index_where("player_id IS NULL", "credentials_of_app", "app_id", "id"),
    index_where("parent_id IS NOT NULL", "credentials_of_parent", "parent_id"),
    # The tokens of guests expire with their game, whichever process ends it.
    info=access(
        service="SELECT, INSERT, UPDATE (revoked_at, expires_at)",
        worker="SELECT (id, player_id, scopes, expires_at, revoked_at), UPDATE (expires_at)",
        own=OF_APP,
        citus=REFERENCE,
    ),
)

# When an app key was last used, about to the minute. A table of its own, because requests lock the rows of
# their keys. Keys go only with their app, so there is no reference.
key_uses = Table(
    "key_uses",
    metadata,
    key("credential_id"),
    needed("at", TIME),
    info=access(
        service="SELECT, INSERT, UPDATE (at)",
        own="(SELECT true FROM credentials c WHERE c.id = credential_id)",
        goes_with={"credentials": "credential_id"},
    ),
)
