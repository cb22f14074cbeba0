"""Every table as SQLAlchemy metadata: what the statements of the store are written with.

The migrations make the tables, and they alone say what only PostgreSQL need know: triggers, functions, how
values are stored. `alembic check` and a test hold both against each other (`tests/api/test_tables.py`).

JSON is text or, where it is sealed, bytes: only the service reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    TIMESTAMP,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    any_,
    literal,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

# As PostgreSQL names what a migration gives no name.
metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_name)s_key",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)


def _key(name: str, kind: Any = Uuid) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _needed(name: str, kind: Any, *more: Any, **options: Any) -> Column[Any]:
    return Column(name, kind, *more, nullable=False, **options)


def _of(name: str, table: str, *, needed: bool = True, key: bool = False, **more: Any) -> Column[Any]:
    """Return a column that refers to the id of a table."""
    reference = ForeignKey(f"{table}.id", **more)
    return Column(name, Uuid, reference, nullable=not (needed or key), primary_key=key)


def _labels(table: str) -> list[Column[Any] | Index]:
    """Return what an app writes on a thing of its own (see `api.core.labels`)."""
    return [
        Column("external_id", Text),
        _needed("metadata", JSONB, server_default=text("'{}'")),
        Index(
            f"{table}_external_id",
            "app_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id IS NOT NULL"),
        ),
    ]


def _metadata_index(table: str) -> Index:
    operators = {"metadata": "jsonb_path_ops"}
    return Index(f"{table}_metadata", "metadata", postgresql_using="gin", postgresql_ops=operators)


TIME = TIMESTAMP(timezone=True)

apps = Table(
    "apps",
    metadata,
    _key("id"),
    _needed("name", Text),
    _needed("created_at", TIME),
    UniqueConstraint("name"),
)

players = Table(
    "players",
    metadata,
    _key("id"),
    _of("app_id", "apps"),
    _needed("name", Text),
    _needed("created_at", TIME),
    Column("deleted_at", TIME),
    Index("players_of_app", "app_id", "id", postgresql_where=text("deleted_at IS NULL")),
    *_labels("players"),
    _metadata_index("players"),
)

# App keys (no player) and player tokens: only their hashes. `parent_id` is the key that made it.
credentials = Table(
    "credentials",
    metadata,
    _key("id"),
    _of("app_id", "apps"),
    _of("player_id", "players", needed=False),
    _needed("hash", LargeBinary),
    _needed("scopes", ARRAY(Text)),
    _needed("created_at", TIME),
    Column("expires_at", TIME),
    Column("revoked_at", TIME),
    _of("parent_id", "credentials", needed=False),
    UniqueConstraint("hash"),
    Index("credentials_of_player", "player_id", "id"),
    Index("credentials_of_app", "app_id", "id", postgresql_where=text("player_id IS NULL")),
    Index("credentials_of_parent", "parent_id", postgresql_where=text("parent_id IS NOT NULL")),
)

# The times of games that wait for nobody's clock but their app's.
test_clocks = Table(
    "test_clocks",
    metadata,
    _key("id"),
    _of("app_id", "apps"),
    Column("name", Text),
    _needed("time", TIME),
    _needed("created_at", TIME),
    Column("deleted_at", TIME),
    Index("test_clocks_of_app", "app_id", "id", postgresql_where=text("deleted_at IS NULL")),
)

# A game as it stands, with its position beside the log.
games = Table(
    "games",
    metadata,
    _key("id"),
    _of("app_id", "apps"),
    _needed("ruleset", Text),
    _needed("ruleset_version", Integer),
    _needed("options", Text),
    _needed("visibility", Text),
    Column("pace", Text),
    _needed("status", Text),
    _needed("version", Integer),
    _needed("seats", Text),
    _needed("seed", LargeBinary),
    _needed("head", LargeBinary),
    _needed("drawn", Integer),
    Column("position", LargeBinary),
    Column("result", Text),
    _needed("created_at", TIME),
    _needed("updated_at", TIME),
    Column("imported_by", Text),
    Column("commitment", LargeBinary),
    Column("title", Text),
    _needed("seats_private", Boolean, server_default=text("false")),
    _needed("distinct_players", Boolean, server_default=text("false")),
    Column("rematch_of", Uuid),
    Column("rematch", Uuid),
    Column("series_id", Uuid),
    Column("series_number", Integer),
    Column("series_games", Integer),
    Column("dealing", Text),
    Column("reveal_by", TIME),
    Column("draw_at", TIME),
    _of("test_clock", "test_clocks", needed=False),
    Index("games_of_test_clock", "test_clock", "id", postgresql_where=text("test_clock IS NOT NULL")),
    Index(
        "games_of_series",
        "series_id",
        "series_number",
        unique=True,
        postgresql_where=text("series_id IS NOT NULL"),
    ),
    *_labels("games"),
    _metadata_index("games"),
    CheckConstraint("visibility IN ('public', 'unlisted', 'private')", name="visibility"),
    CheckConstraint("status IN ('open', 'running', 'finished', 'cancelled')", name="status"),
    Index("games_of_app", "app_id", "id"),
    Index("games_to_reveal", "reveal_by", postgresql_where=text("reveal_by IS NOT NULL")),
    Index("games_to_draw", "draw_at", postgresql_where=text("draw_at IS NOT NULL")),
    Index("games_public", "id", postgresql_where=text("visibility = 'public'")),
    Index("games_of_commitment", "commitment"),  # not unique: once every app could import the same game
)

# The seats again, to find games by player and turns by player; `since`: the game waits for this seat.
# What is due by a test clock is found by that clock, and by nothing else.
game_seats = Table(
    "game_seats",
    metadata,
    _of("game_id", "games", key=True),
    _key("seat", Integer),
    _of("player_id", "players", needed=False),
    Column("bot", Text),
    Column("since", TIME),
    Column("deadline", TIME),
    Column("warn_at", TIME),
    Column("test_clock", Uuid),
    Index("game_seats_of_player", "player_id", "game_id", postgresql_where=text("player_id IS NOT NULL")),
    Index(
        "turns_of_player",
        *("player_id", "deadline", "since", "game_id", "seat"),
        postgresql_where=text("since IS NOT NULL"),
    ),
    Index("turns_of_bots", "game_id", postgresql_where=text("bot IS NOT NULL AND since IS NOT NULL")),
    Index("deadlines", "deadline", postgresql_where=text("deadline IS NOT NULL AND test_clock IS NULL")),
    Index("warnings", "warn_at", postgresql_where=text("warn_at IS NOT NULL AND test_clock IS NULL")),
    Index(
        "turns_by_test_clock",
        *("test_clock", "deadline"),
        postgresql_where=text("test_clock IS NOT NULL AND since IS NOT NULL"),
    ),
)

# The log. `public` is what everyone sees, `private` maps a seat to its share, `hash` chains them. A trigger
# says whose an entry is (`app_id`), and when it was written (`tick`: what feeds are ordered by).
entries = Table(
    "entries",
    metadata,
    _of("game_id", "games", key=True),
    _key("seq", Integer),
    _needed("public", Text),
    Column("private", LargeBinary),
    _needed("hash", LargeBinary),
    _needed("app_id", Uuid),
    _needed("tick", BigInteger),
    Index("entries_in_order", "app_id", "tick", "game_id", "seq"),
)

# Games as they were at some of their versions. `form` says how `state` is to be read.
snapshots = Table(
    "snapshots",
    metadata,
    _of("game_id", "games", key=True),
    _key("form", Integer),
    _key("version", Integer),
    _needed("state", LargeBinary),
)

standing_orders = Table(
    "standing_orders",
    metadata,
    _of("game_id", "games", key=True),
    _key("seat", Integer),
    _of("player_id", "players"),
    _needed("moves", LargeBinary),
    Column("cancelled", LargeBinary),
    _needed("remaining", Boolean),
    Index("orders_left", "game_id", "seat", postgresql_where=text("remaining")),
)

# Records brought in from elsewhere, by what they were, so that each comes in once.
imports = Table(
    "imports",
    metadata,
    _of("app_id", "apps", key=True),
    _key("fingerprint", LargeBinary),
    _of("game_id", "games"),
)

# First looks at private cards of running games; seat -1 stands for all of them.
looks = Table(
    "looks",
    metadata,
    _of("game_id", "games", key=True),
    _key("what", Text),
    _key("seat", Integer),
    _key("credential_id"),
    _needed("by", Text),
    _needed("at", TIME),
)

# The first answer to a request with an Idempotency-Key, kept in the transaction of what it answers.
idempotency = Table(
    "idempotency",
    metadata,
    _key("owner"),
    _key("key", Text),
    _needed("fingerprint", LargeBinary),
    Column("status", Integer),
    Column("headers", Text),
    Column("body", LargeBinary),
    _needed("created_at", TIME),
    _needed("final", Boolean, server_default=text("true")),
    Index("idempotency_by_age", "created_at"),
)

# `secret_before` signs too until `secret_before_until`. An empty list of events means all of them.
webhooks = Table(
    "webhooks",
    metadata,
    _key("id"),
    _of("app_id", "apps"),
    _needed("url", Text),
    _needed("events", ARRAY(Text)),
    _needed("secret", LargeBinary),
    Column("secret_before", LargeBinary),
    Column("secret_before_until", TIME),
    _needed("created_at", TIME),
    Column("failing_since", TIME),
    Column("disabled_at", TIME),
    Index("webhooks_of_app", "app_id", "id"),
    *_labels("webhooks"),
)

# What is told to whom. `number` is the order; `next_at` is null once there is nothing more to try.
deliveries = Table(
    "deliveries",
    metadata,
    _needed("number", BigInteger, Identity(always=True)),
    _key("id"),
    _of("webhook_id", "webhooks", ondelete="CASCADE"),
    _of("game_id", "games", needed=False),
    _needed("event", Text),
    _needed("payload", Text),
    _needed("created_at", TIME),
    _needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    Column("delivered_at", TIME),
    _needed("attempts", Text, server_default=text("'[]'")),
    _needed("in_order", Boolean, server_default=text("true")),
    Column("trace", Text),
    Column("skipped_at", TIME),
    Index("deliveries_of_event", "webhook_id", "event", "id"),
    Index(
        "deliveries_not_made",
        *("webhook_id", "id"),
        postgresql_where=text("next_at IS NULL AND delivered_at IS NULL"),
    ),
    Index(
        "deliveries_due_of_webhook",
        *("webhook_id", "next_at", "number"),
        postgresql_where=text("next_at IS NOT NULL"),
    ),
    Index("deliveries_of_webhook", "webhook_id", "id"),
    Index("deliveries_due", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    Index(
        "deliveries_in_order",
        *("webhook_id", "game_id", "number"),
        postgresql_where=text("next_at IS NOT NULL"),
    ),
    Index("deliveries_by_age", "created_at", postgresql_where=text("next_at IS NULL")),
)

# How a player is reached, and how often. Who is `awaited` has a mail to come, or one since the last visit.
contacts = Table(
    "contacts",
    metadata,
    _of("player_id", "players", key=True),
    _of("app_id", "apps"),
    _needed("key", LargeBinary),
    Column("email", LargeBinary),
    Column("confirmed_at", TIME),
    Column("refused_at", TIME),
    _needed("preferences", Text, server_default=text("'{}'")),
    _needed("awaited", Boolean, server_default=text("false")),
    Column("mailed_at", TIME),
    Column("calendar", Integer),
    Index("contacts_of_app", "app_id"),
)

push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    _key("id"),
    _of("app_id", "apps"),
    _of("player_id", "players"),
    _needed("subscription", LargeBinary),
    _needed("created_at", TIME),
    Index("push_subscriptions_of_player", "player_id", "id"),
)

# What a player is told, as `deliveries` are for apps; `held`: there was no more need to.
notices = Table(
    "notices",
    metadata,
    _needed("number", BigInteger, Identity(always=True)),
    _key("id"),
    _of("app_id", "apps"),
    _of("player_id", "players"),
    _of("game_id", "games", needed=False),
    _needed("channel", Text),
    _needed("event", Text),
    _needed("payload", Text),
    _needed("urgent", Boolean),
    _needed("created_at", TIME),
    _needed("tries", Integer, server_default=text("0")),
    Column("next_at", TIME),
    Column("delivered_at", TIME),
    _needed("held", Boolean, server_default=text("false")),
    _needed("attempts", Text, server_default=text("'[]'")),
    Index("notices_of_player", "player_id", "id"),
    Index("notices_due", "channel", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    Index("notices_waiting", "player_id", "number", postgresql_where=text("next_at IS NOT NULL")),
    Index("notices_by_age", "created_at", postgresql_where=text("next_at IS NULL")),
)

# The log of all games: what waits to become a leaf, the leaves, the hashes above them, the roots.
tree_queue = Table(
    "tree_queue",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    _of("game_id", "games"),
    _needed("ended", Boolean),
)

tree_leaves = Table(
    "tree_leaves",
    metadata,
    _key("number", BigInteger),
    _of("game_id", "games"),
    _needed("ended", Boolean),
    _needed("commitment", LargeBinary),
    _needed("data", LargeBinary),
    _needed("added_at", TIME),
    Index("tree_leaves_of_game", "commitment", "number"),
    Index("tree_leaves_by_time", "added_at"),
)

tree_tiles = Table(
    "tree_tiles",
    metadata,
    _key("level", Integer),
    _key("number", BigInteger),
    _needed("hashes", LargeBinary),
)

tree_heads = Table(
    "tree_heads",
    metadata,
    _key("size", BigInteger),
    _needed("root", LargeBinary),
    _needed("made_at", TIME),
)

# What receipts are signed with; that of a retired key is gone.
log_keys = Table(
    "log_keys",
    metadata,
    _key("public_key", LargeBinary),
    _needed("name", Text),
    Column("private_key", LargeBinary),
    _needed("valid_from", TIME),
    Column("valid_until", TIME),
    CheckConstraint("length(public_key) = 32", name="public_key"),
    CheckConstraint("valid_until >= valid_from", name="valid_until"),
    Index(
        "log_keys_current",
        text("(valid_until IS NULL)"),
        unique=True,
        postgresql_where=text("valid_until IS NULL"),
    ),
)

# With which key everything is sealed: its first bytes, not the key. No row: with none.
encryption = Table(
    "encryption",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    _needed("prefix", LargeBinary),
    CheckConstraint("single", name="single"),
)


def among(column: ColumnElement[Any], values: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of these values; however many, it is one statement."""
    return column == any_(literal(list(values), ARRAY(column.type)))


def newest_first(statement: Select[Any], key: Column[UUID], before: UUID | None, limit: int) -> Select[Any]:
    """Return a page of what a statement selects: the newest first, from beyond `before`."""
    if before is not None:
        statement = statement.where(key < before)
    return statement.order_by(key.desc()).limit(limit)
