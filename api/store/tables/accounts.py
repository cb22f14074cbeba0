"""Callers: apps, their players, and the hashes of their keys and tokens."""

from __future__ import annotations

from sqlalchemy import ARRAY, Column, Index, Integer, LargeBinary, Table, Text, UniqueConstraint, Uuid, text

from api.store.tables.columns import TIME, index_where, key, labels, metadata, needed, of

apps = Table(
    "apps",
    metadata,
    key("id"),
    needed("name", Text),
    needed("created_at", TIME),
    UniqueConstraint("name"),
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
)

# The `metadata` of apps' objects; `kind` is the table. Each pair is found by comparing texts, which
# PostgreSQL does before it applies a policy. Triggers write these rows.
metadata_pairs = Table(
    "metadata_pairs",
    metadata,
    of("app_id", "apps", key=True),
    *(key(name, Text(collation="C")) for name in ("kind", "key", "value")),
    key("id"),
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
)

# When an app key was last used, about to the minute. A table of its own, because requests lock the rows of
# their keys. Keys are never deleted, so there is no reference.
key_uses = Table("key_uses", metadata, key("credential_id"), needed("at", TIME))

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
)

# Requests to sign in with an address, sealed; `codes` are the hashes of what was mailed. `next_at` is null
# when no attempt to mail is planned. `restores`: the player whose account gets this address back.
sign_ins = Table(
    "sign_ins",
    metadata,
    key("id"),
    needed("address", LargeBinary),
    needed("codes", ARRAY(LargeBinary), server_default=text("'{}'")),
    needed("created_at", TIME),
    needed("expires_at", TIME),
    Column("used_at", TIME),
    needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    needed("language", Text, server_default=text("'en'")),
    Column("restores", Uuid),
    index_where("next_at IS NOT NULL", "sign_ins_due", "next_at"),
    Index("sign_ins_by_age", "expires_at"),
)
