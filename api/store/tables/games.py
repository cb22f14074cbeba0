"""Games: their state, seats, logs and looks."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from api.store.database import encryption
from api.store.tables.columns import (
    LABELS,
    OF_APP,
    OF_OWN_GAME,
    OF_SEEN_GAME,
    SEEN,
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

# Every index for lists contains the columns of all filters behind its order, so that the index alone tells
# which rows to read. None of them changes with a move, so a move writes to no index.
CHOSEN = ("status", "ruleset", "visibility", "imported", "reason")
CHOSEN_PUBLIC = ("status", "ruleset", "imported", "reason")
PUBLIC = "visibility = 'public'"

# The columns of a game that its log changes, and others that may change.
MOVED = (
    "status, version, seats, head, drawn, position, result, updated_at, sitting, ended_at, reason, dealing,"
    " reveal_by"
)
KEPT = "title, chat, asked, rematch"

# The state of a game, including its position. A running game has `ended_at` infinity. `seats` has the clocks,
# `sitting` the players, which no move changes. The columns that moves change are together, because
# everything between the first and the last changed byte of a row is logged.
games = Table(
    "games",
    metadata,
    key("id"),
    of("app_id", "apps"),
    needed("ruleset", Text),
    needed("ruleset_version", Integer),
    needed("options", Text),
    needed("visibility", Text),
    Column("pace", Text),
    needed("status", Text),
    needed("version", Integer),
    needed("seats", Text),
    needed("head", LargeBinary),
    needed("drawn", Integer),
    Column("position", LargeBinary),
    Column("result", Text),
    needed("created_at", TIME),
    needed("updated_at", TIME),
    Column("imported_by", Text),
    Column("commitment", LargeBinary),
    Column("title", Text),
    needed("seats_private", Boolean, server_default=text("false")),
    needed("distinct_players", Boolean, server_default=text("false")),
    Column("rematch_of", Uuid),
    Column("rematch", Uuid),
    Column("dealing", Text),
    Column("reveal_by", TIME),
    of("test_clock", "test_clocks", needed=False),
    needed("ended_at", TIME, server_default=text("'infinity'")),
    Column("reason", Text),
    needed("imported", Boolean, server_default=text("false")),
    needed("sitting", Text),
    needed("seed", LargeBinary),
    Column("chat", JSONB),
    Column("asked", JSONB),  # who would like to watch
    # Keyed hashes of who made it: of a guest the networks, then the player. Limits count these games.
    Column("made_by", LargeBinary),
    index_where("made_by IS NOT NULL AND ended_at = 'infinity'", "games_of_maker", "made_by"),
    index_where("test_clock IS NOT NULL", "games_of_test_clock", "test_clock", "id"),
    *labels("games"),
    CheckConstraint("visibility IN ('public', 'unlisted', 'private')", name="visibility"),
    CheckConstraint("status IN ('open', 'running', 'finished', 'cancelled')", name="status"),
    Index("games_of_app", "app_id", "id", *CHOSEN, "ended_at", "created_at"),
    Index("games_by_creation", "app_id", "created_at", "id", *CHOSEN, "ended_at"),
    Index("games_by_end", "app_id", "ended_at", "id", *CHOSEN, "created_at"),
    index_where(PUBLIC, "games_public", "id", *CHOSEN_PUBLIC, "ended_at", "created_at"),
    index_where(PUBLIC, "games_public_by_creation", "created_at", "id", *CHOSEN_PUBLIC, "ended_at"),
    index_where(PUBLIC, "games_public_by_end", "ended_at", "id", *CHOSEN_PUBLIC, "created_at"),
    index_where("reveal_by IS NOT NULL", "games_to_reveal", "reveal_by"),
    Index("games_of_commitment", "commitment"),
    info=access(
        service=f"SELECT, INSERT, UPDATE ({MOVED}, {KEPT}, {LABELS})",
        worker=f"SELECT, UPDATE ({MOVED}, chat)",
        own=OF_APP,
        seen=SEEN,
        sealed=(
            Sealed(("seed",), lambda game: encryption.GAME_SEED),
            Sealed(("position",), lambda game, at: encryption.position_place(at), ("version",)),
        ),
        citus="id",
    ),
)

# Who has which seat. No move changes this. `player_id` is no foreign key: without an index, the
# whole table would be read for each player that is deleted with its app.
game_seats = Table(
    "game_seats",
    metadata,
    of("game_id", "games", key=True),
    key("seat", Integer),
    Column("player_id", Uuid),
    Column("bot", Text),
    info=access(
        service="SELECT, UPDATE (player_id, bot), INSERT",
        worker="SELECT, UPDATE (player_id, bot)",
        own=OF_OWN_GAME,
        seen=OF_SEEN_GAME,
        citus="game_id",
    ),
)

# The seats that games wait for, found by player and by time. When a turn passes to another seat, its row is
# changed, so that a move writes one row. `player_id` is no foreign key, because each move would look the
# player up. With `app_id`, row-level security need not read the game. Only games with a pace write to the
# indexes of times. What is due by a test clock is found only by that clock.
turns = Table(
    "turns",
    metadata,
    of("game_id", "games", key=True),
    needed("app_id", Uuid),
    Column("test_clock", Uuid),
    Column("player_id", Uuid),
    key("seat", Integer),
    needed("automatic", Boolean),
    needed("since", TIME),
    Column("deadline", TIME),
    Column("warn_at", TIME),
    Index(
        "turns_of_player",
        *("player_id", "deadline", "since", "game_id"),  # seats of the same time and game are sorted
        postgresql_where=text("player_id IS NOT NULL"),
    ),
    index_where("automatic", "turns_by_itself", "game_id"),
    index_where("deadline IS NOT NULL AND test_clock IS NULL", "deadlines", "deadline"),
    index_where("warn_at IS NOT NULL AND test_clock IS NULL", "warnings", "warn_at"),
    index_where("test_clock IS NOT NULL", "turns_by_test_clock", "test_clock", "deadline"),
    info=access(
        service="SELECT, INSERT, UPDATE (seat, player_id, automatic, since, deadline, warn_at), DELETE",
        worker="SELECT, INSERT, UPDATE (seat, player_id, automatic, since, deadline, warn_at), DELETE",
        own=OF_APP,
        seen=f"{OF_APP} OR {OF_SEEN_GAME}",
        deletes=True,
        citus="game_id",
    ),
)

# The games of each player, written when somebody joins or leaves, and when a game starts or ends.
player_games = Table(
    "player_games",
    metadata,
    of("game_id", "games", key=True),
    of("player_id", "players", key=True),
    of("app_id", "apps"),
    needed("status", Text),
    needed("ruleset", Text),
    needed("visibility", Text),
    needed("imported", Boolean),
    Column("reason", Text),
    needed("created_at", TIME),
    needed("ended_at", TIME),
    needed("won", Boolean),
    # Row-level security needs `app_id`: with it, the index alone tells which games there are.
    Index(
        "player_games_of_player", "player_id", "game_id", *CHOSEN, "won", "ended_at", "created_at", "app_id"
    ),
    Index(
        "player_games_by_creation",
        *("player_id", "created_at", "game_id", *CHOSEN, "won", "ended_at", "app_id"),
    ),
    Index(
        "player_games_by_end", *("player_id", "ended_at", "game_id", *CHOSEN, "won", "created_at", "app_id")
    ),
    info=access(
        service="SELECT, INSERT, UPDATE (status, reason, ended_at, won), DELETE",
        worker="SELECT, INSERT, UPDATE (status, reason, ended_at, won), DELETE",
        own=OF_APP,
        seen=SEEN,
        deletes=True,
        citus="game_id",
    ),
)

# The log. Everybody sees `public`; `private` maps a seat to its share; `hash` chains the entries. `request`
# says which request with an Idempotency-Key has caused an entry. A trigger refuses gaps, and sets `app_id`
# and `tick`, the order of feeds. It takes the app of a first entry from the game, so no entry exists without
# a game; a foreign key would lock the row that a move has just written. Game ids are UUIDv7: each part of
# the table, PARTS_OF_LOG and a month, has the games of that month.
PARTS_OF_LOG = "entries_"
entries = Table(
    "entries",
    metadata,
    key("game_id"),
    key("seq", Integer),
    needed("public", Text),
    Column("private", LargeBinary),
    needed("hash", LargeBinary),
    needed("app_id", Uuid),
    needed("tick", BigInteger),
    Column("notice", Text),
    Column("request", Uuid),
    Column("fingerprint", LargeBinary),
    Index("entries_in_order", "app_id", "tick", "game_id", "seq"),
    Index(
        "entries_by_request", "game_id", "request", unique=True, postgresql_where=text("request IS NOT NULL")
    ),
    postgresql_partition_by="RANGE (game_id)",
    # A trigger sets the app.
    info=access(
        service="SELECT, INSERT",
        worker="SELECT, INSERT",
        own=OF_APP,
        seen=f"{OF_APP} OR {OF_SEEN_GAME}",
        sealed=(Sealed(("private",), lambda game, seq: encryption.private_place(seq)),),
        citus="game_id",
        goes_with={"games": "game_id"},
    ),
)

# What people are called and say in the log: names and texts, each with a salt. Entries have only their
# hashes. They are deleted with the person whose they are. `player_id` is no foreign key, as above.
words = Table(
    "words",
    metadata,
    of("game_id", "games", key=True),
    key("seq", Integer),
    needed("app_id", Uuid),
    Column("player_id", Uuid),
    needed("share", Text),
    index_where("player_id IS NOT NULL", "words_of_player", "player_id", "game_id"),
    info=access(
        service="SELECT, INSERT, DELETE",
        worker="SELECT, INSERT, DELETE",
        own=OF_APP,
        seen=f"{OF_APP} OR {OF_SEEN_GAME}",
        deletes=True,
        citus="game_id",
    ),
)

# Games at some of their versions. `form` says how to read `state`.
snapshots = Table(
    "snapshots",
    metadata,
    of("game_id", "games", key=True),
    key("form", Integer),
    key("version", Integer),
    needed("state", LargeBinary),
    # Reading an old version stores the snapshot that was made for it. Those with a name that was erased go.
    info=access(
        service="SELECT, INSERT, DELETE",
        worker="SELECT, INSERT, DELETE",
        own=OF_SEEN_GAME,
        sealed=(Sealed(("state",), lambda game, form, version: encryption.snapshot_place(form, version)),),
        citus="game_id",
    ),
)

# First looks at private cards of running games; seat -1 means all seats.
looks = Table(
    "looks",
    metadata,
    of("game_id", "games", key=True),
    key("what", Text),
    key("seat", Integer),
    key("credential_id"),
    needed("by", Text),
    needed("at", TIME),
    info=access(service="SELECT, INSERT", worker="SELECT, INSERT", own=OF_OWN_GAME, citus="game_id"),
)
