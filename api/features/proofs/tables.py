"""The tables of this feature."""

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

from api.store.tables.columns import MANAGED, TIME, Sealed, access, key, metadata, needed, of

LOG_KEY = b"log_keys.private_key"  # the place of a sealed key

# The log of all games: the queue of leaves, the leaves, the hashes above them, the roots.
tree_queue = Table(
    "tree_queue",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    of("game_id", "games"),
    needed("ended", Boolean),
    # A trigger queues leaves, and only the job worker adds them.
    info=access(worker="SELECT, DELETE", citus=MANAGED),
)

# The leaves of a deleted game stay, without it: everybody's proofs need their hashes.
tree_leaves = Table(
    "tree_leaves",
    metadata,
    key("number", BigInteger),
    Column("game_id", Uuid),
    needed("ended", Boolean),
    needed("commitment", LargeBinary),
    needed("data", LargeBinary),
    Index("tree_leaves_of_game", "commitment", "number"),
    info=access(
        service="SELECT (number, commitment, data)",
        worker="SELECT, INSERT",
        forgets="UPDATE tree_leaves SET game_id = NULL WHERE game_id = ANY(%(games)s) AND commitment IN"
        " (SELECT commitment FROM games WHERE id = ANY(%(games)s))",  # there is an index of commitments
    ),
)

tree_tiles = Table(
    "tree_tiles",
    metadata,
    key("level", Integer),
    key("number", BigInteger),
    needed("hashes", LargeBinary),
    info=access(service="SELECT", worker="SELECT, INSERT, UPDATE (hashes)"),
)

tree_heads = Table(
    "tree_heads",
    metadata,
    key("size", BigInteger),
    needed("root", LargeBinary),
    needed("made_at", TIME),
    info=access(service="SELECT", worker="SELECT, INSERT"),
)

# What witnesses have said of roots: the lines of their cosignatures.
tree_cosignatures = Table(
    "tree_cosignatures",
    metadata,
    Column("size", BigInteger, ForeignKey("tree_heads.size"), primary_key=True, autoincrement=False),
    key("witness", Text),
    needed("line", Text),
    needed("at", TIME),
    # Web processes accept what witnesses publish.
    info=access(service="SELECT, INSERT", worker="SELECT"),
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
    # Web processes sign receipts. Workers export records, which list the public keys.
    info=access(
        service="SELECT",
        worker="SELECT (public_key, name, valid_from, valid_until, restored, endorsement)",
        sealed=(Sealed(("private_key",), lambda public: LOG_KEY, row=lambda public: bytes(public)),),
    ),
)
