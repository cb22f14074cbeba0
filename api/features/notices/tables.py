"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Identity, Index, Integer, Table, Text, Uuid, text

from api.store.tables.columns import MANAGED, OF_APP, TIME, access, index_where, key, metadata, needed, of

# Up to which entry the log of an app was announced; only for apps with webhooks, or with players who can be
# reached.
notice_positions = Table(
    "notice_positions",
    metadata,
    of("app_id", "apps", key=True),
    needed("tick", BigInteger),
    needed("game_id", Uuid),
    needed("seq", Integer),
    # A new listener locks its app's row, and a lock needs a column that may be updated.
    info=access(
        service="SELECT, INSERT, UPDATE (app_id)",
        worker="SELECT, DELETE, UPDATE (tick, game_id, seq)",
        own=OF_APP,
        citus=MANAGED,
    ),
)

# What is sent to webhooks and players, or was. `number` is the order; `next_at` is null when no attempt is
# planned. A receiver is a webhook or a player, so no foreign key can say which.
CHANGES = "tries, next_at, delivered_at, held, urgent, attempts, in_order"
outbox = Table(
    "outbox",
    metadata,
    needed("number", BigInteger, Identity(always=True)),
    key("id"),
    of("app_id", "apps"),
    needed("channel", Text),
    needed("receiver_id", Uuid),
    Column("game_id", Uuid),
    needed("event", Text),
    needed("payload", Text),
    needed("in_order", Boolean, server_default=text("false")),
    needed("urgent", Boolean, server_default=text("false")),
    needed("created_at", TIME),
    needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    Column("delivered_at", TIME),
    needed("held", Boolean, server_default=text("false")),
    needed("attempts", Text, server_default=text("'[]'")),
    Index("outbox_of_receiver", "receiver_id", "id"),
    Index("outbox_of_event", "receiver_id", "event", "id"),
    index_where("next_at IS NULL AND delivered_at IS NULL", "outbox_not_delivered", "receiver_id", "id"),
    index_where("next_at IS NOT NULL", "outbox_due", "channel", "next_at"),
    index_where(
        "next_at IS NOT NULL", "outbox_due_of_receiver", "channel", "receiver_id", "next_at", "number"
    ),
    index_where("next_at IS NOT NULL", "outbox_in_order", "receiver_id", "game_id", "number"),
    index_where("next_at IS NULL", "outbox_by_age", "created_at"),
    info=access(
        service=f"SELECT, INSERT, DELETE, UPDATE ({CHANGES})",
        worker=f"SELECT, INSERT, DELETE, UPDATE ({CHANGES})",
        own=OF_APP,
        citus=MANAGED,
    ),
)
