"""Callers: apps, their players, and the hashes of their keys and tokens; kept responses, contacts."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    Column,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)

from api.store.database import encryption
from api.store.tables.columns import (
    APP,
    GUESTS,
    LABELS,
    OF_APP,
    OF_OWNER,
    REFERENCE,
    TIME,
    Sealed,
    access,
    index_where,
    key,
    labels,
    metadata,
    needed,
    of,
)

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
    Column("made_by", LargeBinary),  # keyed hashes of the networks in which a guest came
    index_where("made_by IS NOT NULL AND deleted_at IS NULL", "players_of_maker", "made_by"),
    index_where("made_by IS NOT NULL AND deleted_at IS NOT NULL", "players_to_erase", "id"),
    index_where("deleted_at IS NULL", "players_of_app", "app_id", "id"),
    *labels("players"),
    info=access(
        service=f"SELECT, INSERT, UPDATE (name, deleted_at, made_by, {LABELS})",
        worker="SELECT, UPDATE (made_by)",
        own=OF_APP,
        citus=REFERENCE,
    ),
)

# App keys (no player) and player tokens: only their hashes. `parent_id` is the key that made a token.
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

# The first answer to a request with an Idempotency-Key, kept in the same transaction. `key` is the beginning
# of its SHA-256. The columns are in this order so that no space is lost between them.
idempotency = Table(
    "idempotency",
    metadata,
    key("owner"),
    key("key"),
    needed("created_at", TIME),
    needed("fingerprint", LargeBinary),
    Column("body", LargeBinary),
    # A worker without a role of its own uses the service's, which may therefore delete old rows as well.
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (fingerprint, body, created_at)",
        worker="SELECT, DELETE, UPDATE (created_at)",
        own=f"coalesce((SELECT true FROM credentials c WHERE c.id = owner), {OF_OWNER})",
        sealed=(Sealed(("body",), lambda owner, key: encryption.ANSWER, row=encryption.answer_row),),
        citus="owner",
        goes_with=dict.fromkeys(("apps", "credentials", "games"), "owner"),
    ),
)
