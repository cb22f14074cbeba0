"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    text,
)

from api.store.tables.columns import (
    MANAGED,
    OF_APP,
    TIME,
    access,
    index_where,
    key,
    metadata,
    needed,
    of,
)

# What was used of limits on mails; `bucket` is a keyed hash of who or what is limited. Rows belong to no app,
# because some limits are for all of them together.
allowances = Table(
    "allowances",
    metadata,
    key("bucket", LargeBinary),
    needed("used_until", TIME),
    Index("allowances_by_age", "used_until"),
    info=access(service="SELECT, INSERT, DELETE, UPDATE (used_until)", worker="SELECT, DELETE"),
)

# Notices for players, as `deliveries` are for apps; `held`: it was no longer needed.
notices = Table(
    "notices",
    metadata,
    needed("number", BigInteger, Identity(always=True)),
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players"),
    Column("game_id", Uuid),
    needed("channel", Text),
    needed("event", Text),
    needed("payload", Text),
    needed("urgent", Boolean),
    needed("created_at", TIME),
    needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    Column("delivered_at", TIME),
    needed("held", Boolean, server_default=text("false")),
    needed("attempts", Text, server_default=text("'[]'")),
    Index("notices_of_player", "player_id", "id"),
    index_where("next_at IS NOT NULL", "notices_due", "channel", "next_at"),
    index_where("next_at IS NOT NULL", "notices_waiting", "player_id", "number"),
    index_where("next_at IS NULL", "notices_by_age", "created_at"),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, held, urgent, attempts)",
        worker="SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, held, urgent, attempts)",
        own=OF_APP,
        citus=MANAGED,
    ),
)
