"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    Computed,
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
    LABELS,
    MANAGED,
    OF_APP,
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

# What receives what is sent to an address: a name, or an address in brackets.
HOST = r"""lower(COALESCE("substring"(url, '^[^:]*://([^/?#:[]+|\[[^]]*\])'::text), ''::text))"""
SECRET = b"webhooks.secret"  # the place of a sealed secret

# `secret_before` signs too until `secret_before_until`. An empty list of events means all of them. A webhook
# gets notices of no entry with a lower `tick`.
webhooks = Table(
    "webhooks",
    metadata,
    key("id"),
    of("app_id", "apps"),
    needed("url", Text),
    needed("host", Text, Computed(HOST, persisted=True)),
    needed("events", ARRAY(Text)),
    needed("secret", LargeBinary),
    Column("secret_before", LargeBinary),
    Column("secret_before_until", TIME),
    needed("created_at", TIME),
    Column("failing_since", TIME),
    Column("disabled_at", TIME),
    needed("include", ARRAY(Text), server_default=text("'{}'")),
    needed("tick", BigInteger, server_default=text("0")),
    Index("webhooks_of_app", "app_id", "id"),
    *labels("webhooks"),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (url, events, include, secret, secret_before,"
        f" secret_before_until, failing_since, disabled_at, {LABELS})",
        worker="SELECT, UPDATE (failing_since, disabled_at)",
        own=OF_APP,
        sealed=(Sealed(("secret", "secret_before"), lambda webhook: SECRET),),
        citus=REFERENCE,
    ),
)

# Notices for webhooks. `number` is the order; `next_at` is null when no attempt is planned.
deliveries = Table(
    "deliveries",
    metadata,
    needed("number", BigInteger, Identity(always=True)),
    key("id"),
    of("webhook_id", "webhooks", ondelete="CASCADE"),
    Column("game_id", Uuid),
    needed("event", Text),
    needed("payload", Text),
    needed("created_at", TIME),
    needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    Column("delivered_at", TIME),
    needed("attempts", Text, server_default=text("'[]'")),
    needed("in_order", Boolean, server_default=text("true")),
    Index("deliveries_of_event", "webhook_id", "event", "id"),
    index_where("next_at IS NULL AND delivered_at IS NULL", "deliveries_not_made", "webhook_id", "id"),
    index_where("next_at IS NOT NULL", "deliveries_due_of_webhook", "webhook_id", "next_at", "number"),
    Index("deliveries_of_webhook", "webhook_id", "id"),
    index_where("next_at IS NOT NULL", "deliveries_due", "next_at"),
    index_where("next_at IS NOT NULL", "deliveries_in_order", "webhook_id", "game_id", "number"),
    index_where("next_at IS NULL", "deliveries_by_age", "created_at"),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, attempts, in_order)",
        worker="SELECT, INSERT, DELETE, UPDATE (tries, next_at, delivered_at, attempts, in_order)",
        own="(SELECT true FROM webhooks w WHERE w.id = webhook_id)",
        citus=MANAGED,
    ),
)
