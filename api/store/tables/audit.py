"""Tables for proofs of the logs: the tree of all games, the keys of receipts, and the encryption keys."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    text,
)

from api.store.tables.columns import TIME, key, metadata, needed, of

# The log of all games: the queue of leaves, the leaves, the hashes above them, the roots.
tree_queue = Table(
    "tree_queue",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    of("game_id", "games"),
    needed("ended", Boolean),
)

# The leaf of an archived month has no game, and the hash of its lines as commitment.
tree_leaves = Table(
    "tree_leaves",
    metadata,
    key("number", BigInteger),
    of("game_id", "games", needed=False),
    needed("ended", Boolean),
    needed("commitment", LargeBinary),
    needed("data", LargeBinary),
    needed("added_at", TIME),
    Index("tree_leaves_of_game", "commitment", "number"),
    Index("tree_leaves_by_time", "added_at"),
)

tree_tiles = Table(
    "tree_tiles",
    metadata,
    key("level", Integer),
    key("number", BigInteger),
    needed("hashes", LargeBinary),
)

tree_heads = Table(
    "tree_heads",
    metadata,
    key("size", BigInteger),
    needed("root", LargeBinary),
    needed("made_at", TIME),
)

# What witnesses have said of roots: the lines of their cosignatures.
tree_cosignatures = Table(
    "tree_cosignatures",
    metadata,
    Column("size", BigInteger, ForeignKey("tree_heads.size"), primary_key=True, autoincrement=False),
    key("witness", Text),
    needed("line", Text),
    needed("at", TIME),
)

# Files that old parts of the log were written to; one counts, and its part is gone, since `archived_at`. Of
# each game in it where its frame lies, its version, and the tick of its last entry, which feeds go by.
archives = Table(
    "archives",
    metadata,
    key("file", Text),
    needed("part", Text),
    Column("archived_at", TIME),
    Column("games", Integer),  # in it, and the SHA-256 of their lines; null in archives of earlier releases
    Column("digest", LargeBinary),
)
archived_games = Table(
    "archived_games",
    metadata,
    key("game_id"),
    needed("app_id", Uuid),
    Column("file", Text, ForeignKey("archives.file"), nullable=False),
    needed("place", BigInteger),
    needed("size", Integer),
    needed("digest", LargeBinary),
    needed("version", Integer),
    needed("tick", BigInteger),
    Index("archived_in_order", "app_id", "tick", "game_id", "version"),
)

# The keys that sign receipts; the private part of a retired key is deleted. `restored`: it was retired when a
# backup was restored, which may lack what it has signed. `endorsement`: the note in which the key before it
# says that this one follows.
log_keys = Table(
    "log_keys",
    metadata,
    key("public_key", LargeBinary),
    needed("name", Text),
    Column("private_key", LargeBinary),
    needed("valid_from", TIME),
    Column("valid_until", TIME),
    Column("restored", Boolean, nullable=False, server_default=text("false")),
    Column("endorsement", Text),
    CheckConstraint("length(public_key) = 32", name="public_key"),
    CheckConstraint("valid_until >= valid_from", name="valid_until"),
    Index(
        "log_keys_current",
        text("(valid_until IS NULL)"),
        unique=True,
        postgresql_where=text("valid_until IS NULL"),
    ),
)

# What makes cursors of feeds (`store/game/cursors.py`), and the database that `migrate` saw last.
cursor_key = Table(
    "cursor_key",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("secret", LargeBinary),
    needed("database", Text),
    CheckConstraint("single", name="single"),
)

# Each time at which the database was restored, and the tick of the last entry that was restored.
restorations = Table(
    "restorations",
    metadata,
    Column("number", Integer, Identity(always=True), primary_key=True),
    needed("epoch", BigInteger),
    needed("tick", BigInteger),
    needed("at", TIME),
)

# The first bytes of the key that seals everything, not the key itself. No row: nothing is sealed. Until it is
# `complete`, some rows are sealed with an older key, or with none.
encryption = Table(
    "encryption",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("prefix", LargeBinary),
    Column("complete", Boolean, nullable=False, server_default=text("true")),
    CheckConstraint("single", name="single"),
)

# When a web process was last up, by its own clock; no row before the first one has started.
heartbeat = Table(
    "heartbeat",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("at", TIME),
    CheckConstraint("single", name="single"),
)
# When no web process was up. One is settled when all games have their time back.
outages = Table(
    "outages",
    metadata,
    key("ended_at", TIME),
    needed("began_at", TIME),
    Column("settled", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("ended_at > began_at", name="ended_at"),
)
