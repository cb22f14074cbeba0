"""Tables of kept responses, webhooks, contacts of players, and what waits to be sent."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
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

from api.store.tables.columns import TIME, index_where, key, labels, metadata, needed, of

# The first answer to a request with an Idempotency-Key, kept in the same transaction. `key` is the beginning
# of its SHA-256. The columns are in this order so that no space is lost between them.
idempotency = Table(
    "idempotency",
    metadata,
    key("owner"),
    key("key"),
    needed("created_at", TIME),
    needed("final", Boolean, server_default=text("true")),
    needed("fingerprint", LargeBinary),
    Column("headers", Text),
    Column("body", LargeBinary),
    needed("signature", LargeBinary, server_default=text("''")),
)

# `secret_before` signs too until `secret_before_until`. An empty list of events means all of them. A webhook
# gets notices of no entry with a lower `tick`.
webhooks = Table(
    "webhooks",
    metadata,
    key("id"),
    of("app_id", "apps"),
    needed("url", Text),
    needed("events", ARRAY(Text)),
    needed("secret", LargeBinary),
    Column("secret_before", LargeBinary),
    Column("secret_before_until", TIME),
    needed("created_at", TIME),
    Column("failing_since", TIME),
    Column("disabled_at", TIME),
    of("game_id", "games", needed=False),
    needed("include", ARRAY(Text), server_default=text("'{}'")),
    Column("ended_at", TIME),
    needed("tick", BigInteger, server_default=text("0")),
    needed("follows_rematches", Boolean, server_default=text("false")),
    needed("ordered", Boolean, server_default=text("true")),
    Index("webhooks_of_app", "app_id", "id"),
    index_where("ended_at IS NULL", "webhooks_listening", "app_id", "game_id"),
    index_where("game_id IS NOT NULL", "webhooks_of_game", "game_id", "id"),
    index_where("ended_at IS NOT NULL", "webhooks_ended", "ended_at"),
    *labels("webhooks"),
)

# Up to which entry the log of an app was announced; only for apps with webhooks, or with players who can be
# reached.
notice_positions = Table(
    "notice_positions",
    metadata,
    of("app_id", "apps", key=True),
    needed("tick", BigInteger),
    needed("game_id", Uuid),
    needed("seq", Integer),
)

# Notices for webhooks. `number` is the order; `next_at` is null when no attempt is planned.
deliveries = Table(
    "deliveries",
    metadata,
    needed("number", BigInteger, Identity(always=True)),
    key("id"),
    of("webhook_id", "webhooks", ondelete="CASCADE"),
    of("game_id", "games", needed=False),
    needed("event", Text),
    needed("payload", Text),
    needed("created_at", TIME),
    needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    Column("delivered_at", TIME),
    needed("attempts", Text, server_default=text("'[]'")),
    needed("in_order", Boolean, server_default=text("true")),
    Column("trace", Text),
    Column("skipped_at", TIME),
    Index("deliveries_of_event", "webhook_id", "event", "id"),
    index_where("next_at IS NULL AND delivered_at IS NULL", "deliveries_not_made", "webhook_id", "id"),
    index_where("next_at IS NOT NULL", "deliveries_due_of_webhook", "webhook_id", "next_at", "number"),
    Index("deliveries_of_webhook", "webhook_id", "id"),
    index_where("next_at IS NOT NULL", "deliveries_due", "next_at"),
    index_where("next_at IS NOT NULL", "deliveries_in_order", "webhook_id", "game_id", "number"),
    index_where("next_at IS NULL", "deliveries_by_age", "created_at"),
)

# How and how often a player is reached. `awaited`: a mail is due, or was sent since the last visit.
# `bounces`: how many mails came back, the last one at `bounced_at`.
# `account`: a keyed hash of the address with which the player signs in.
# `mailbox`: how often everything that was mailed to the player has lost its effect.
contacts = Table(
    "contacts",
    metadata,
    of("player_id", "players", key=True),
    of("app_id", "apps"),
    needed("key", LargeBinary),
    Column("email", LargeBinary),
    Column("confirmed_at", TIME),
    Column("refused_at", TIME),
    needed("preferences", Text, server_default=text("'{}'")),
    needed("awaited", Boolean, server_default=text("false")),
    Column("mailed_at", TIME),
    Column("calendar", Integer),
    needed("bounces", Integer, server_default=text("0")),
    Column("bounced_at", TIME),
    Column("refused_because", Text),
    Column("account", LargeBinary),
    Column("mailbox", Integer),
    Index("contacts_of_app", "app_id"),
    index_where("account IS NOT NULL", "contacts_account", "account", unique=True),
)

# What was used of limits on mails; `bucket` is a keyed hash of who or what is limited. Rows belong to no app,
# because some limits are for all of them together.
allowances = Table(
    "allowances",
    metadata,
    key("bucket", LargeBinary),
    needed("used_until", TIME),
    Index("allowances_by_age", "used_until"),
)

# A browser gets messages as long as the token that subscribed it (`credential_id`) is not revoked.
push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players"),
    needed("subscription", LargeBinary),
    needed("created_at", TIME),
    Column("credential_id", Uuid),
    Index("push_subscriptions_of_player", "player_id", "id"),
)

# Notices for players, as `deliveries` are for apps; `held`: it was no longer needed.
notices = Table(
    "notices",
    metadata,
    needed("number", BigInteger, Identity(always=True)),
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players"),
    of("game_id", "games", needed=False),
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
)
