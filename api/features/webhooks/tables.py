"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Column,
    Computed,
    Index,
    LargeBinary,
    Table,
    Text,
    text,
)

from api.store.tables.columns import (
    LABELS,
    OF_APP,
    REFERENCE,
    TIME,
    Sealed,
    access,
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
