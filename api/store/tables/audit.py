"""Tables for proofs of the logs: the tree of all games, the keys of receipts, and the encryption keys."""

from __future__ import annotations

from sqlalchemy import (
    ARRAY,
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

from api.store.database.encryption import CURSOR_KEY
from api.store.tables.columns import OF_SEEN_GAME, TIME, Sealed, access, key, metadata, needed

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
    # The owner writes archives; everybody reads them.
    info=access(service="SELECT", worker="SELECT"),
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
    # The owner writes archives; everybody reads them.
    # A caller who sees a game reads its log.
    info=access(service="SELECT", worker="SELECT", own=OF_SEEN_GAME, goes_with={"games": "game_id"}),
)

# What makes cursors of feeds (`store/cursors.py`), and the database that `migrate` saw last.
cursor_key = Table(
    "cursor_key",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("secret", LargeBinary),
    needed("database", Text),
    CheckConstraint("single", name="single"),
    info=access(
        service="SELECT",
        worker="SELECT",
        sealed=(Sealed(("secret",), lambda single: CURSOR_KEY, row=lambda single: CURSOR_KEY),),
    ),
)

# Each time at which the database was restored, and the tick of the last entry that was restored.
restorations = Table(
    "restorations",
    metadata,
    Column("number", Integer, Identity(always=True), primary_key=True),
    needed("epoch", BigInteger),
    needed("tick", BigInteger),
    needed("at", TIME),
    info=access(service="SELECT", worker="SELECT"),
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
    # Every process checks that it has the key, and that it is still the same database.
    info=access(service="SELECT", worker="SELECT"),
)

# When a web process was last up, by its own clock; no row before the first one has started.
heartbeat = Table(
    "heartbeat",
    metadata,
    Column("single", Boolean, primary_key=True, server_default=text("true")),
    needed("at", TIME),
    CheckConstraint("single", name="single"),
    # Web processes say that they are up.
    info=access(service="SELECT, INSERT, UPDATE (at)", worker="SELECT"),
)

# When no web process was up. One is settled when all games have their time back.
outages = Table(
    "outages",
    metadata,
    key("ended_at", TIME),
    needed("began_at", TIME),
    Column("settled", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("ended_at > began_at", name="ended_at"),
    # Web processes say that they are up.
    # Workers give games the time of outages back.
    info=access(service="SELECT, INSERT", worker="SELECT, UPDATE (settled)"),
)

# The web processes and job workers, each as long as it is up: those that were killed are seen no more. `keys`
# are the names of the encryption keys that they have.
processes = Table(
    "processes",
    metadata,
    key("id"),
    needed("kind", Text),
    needed("release", Text),
    needed("keys", ARRAY(Text)),
    needed("started_at", TIME),
    needed("seen_at", TIME),
    info=access(
        service="SELECT, INSERT, DELETE, UPDATE (seen_at)", worker="SELECT, INSERT, DELETE, UPDATE (seen_at)"
    ),
)

# When `backup` wrote a whole file, and when restoring one was tried and worked: `backup`, `restore`.
backups = Table(
    "backups",
    metadata,
    key("written_at", TIME),
    needed("bytes", BigInteger),
    needed("kind", Text, server_default=text("'backup'")),
    info=access(service="SELECT", worker="SELECT"),
)
