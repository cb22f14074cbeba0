"""Games: their state, seats, logs, orders, imports and looks."""

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

from api.store.tables.columns import TIME, index_where, key, labels, metadata, needed, of

# Test clocks: the time of games whose app sets it.
test_clocks = Table(
    "test_clocks",
    metadata,
    key("id"),
    of("app_id", "apps"),
    Column("name", Text),
    needed("time", TIME),
    needed("created_at", TIME),
    Column("deleted_at", TIME),
    index_where("deleted_at IS NULL", "test_clocks_of_app", "app_id", "id"),
)

# Every index for lists contains the columns of all filters behind its order, so that the index alone tells
# which rows to read. None of them changes with a move, so a move writes to no index.
CHOSEN = ("status", "ruleset", "visibility", "imported", "reason")
CHOSEN_PUBLIC = ("status", "ruleset", "imported", "reason")
PUBLIC = "visibility = 'public'"
TITLED_PUBLIC = "visibility = 'public' AND title IS NOT NULL"

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
    Column("series_id", Uuid),
    Column("series_number", Integer),
    Column("series_games", Integer),
    Column("dealing", Text),
    Column("reveal_by", TIME),
    Column("draw_at", TIME),
    of("test_clock", "test_clocks", needed=False),
    needed("ended_at", TIME, server_default=text("'infinity'")),
    Column("reason", Text),
    needed("imported", Boolean, server_default=text("false")),
    needed("sitting", Text),
    needed("seed", LargeBinary),
    Column("forked_from", Text),
    Column("chat", JSONB),
    Column("asked", JSONB),  # who would like to watch
    # The player who made it, and a keyed hash of the network of a guest who did. Limits count these games.
    Column("made_by", Uuid),
    Column("made_in", LargeBinary),
    index_where("made_by IS NOT NULL AND ended_at = 'infinity'", "games_of_maker", "made_by"),
    index_where("made_in IS NOT NULL AND ended_at = 'infinity'", "games_of_network", "made_in"),
    index_where("test_clock IS NOT NULL", "games_of_test_clock", "test_clock", "id"),
    index_where("series_id IS NOT NULL", "games_of_series", "series_id", "series_number", unique=True),
    *labels("games"),
    CheckConstraint("visibility IN ('public', 'unlisted', 'private')", name="visibility"),
    CheckConstraint("status IN ('open', 'running', 'finished', 'cancelled')", name="status"),
    Index("games_of_app", "app_id", "id", *CHOSEN, "ended_at", "created_at"),
    Index("games_by_creation", "app_id", "created_at", "id", *CHOSEN, "ended_at"),
    Index("games_by_end", "app_id", "ended_at", "id", *CHOSEN, "created_at"),
    index_where(PUBLIC, "games_public", "id", *CHOSEN_PUBLIC, "ended_at", "created_at"),
    index_where(PUBLIC, "games_public_by_creation", "created_at", "id", *CHOSEN_PUBLIC, "ended_at"),
    index_where(PUBLIC, "games_public_by_end", "ended_at", "id", *CHOSEN_PUBLIC, "created_at"),
    # For finding games by title; row-level security needs `app_id` and `visibility`.
    index_where("title IS NOT NULL", "games_titled", "app_id", "title", "id", "visibility"),
    index_where(TITLED_PUBLIC, "games_titled_public", "title", "id", "app_id", "visibility"),
    index_where("reveal_by IS NOT NULL", "games_to_reveal", "reveal_by"),
    index_where("draw_at IS NOT NULL", "games_to_draw", "draw_at"),
    Index("games_of_commitment", "commitment"),  # not unique: earlier, every app could import the same game
)

# Who has which seat. No move changes this.
game_seats = Table(
    "game_seats",
    metadata,
    of("game_id", "games", key=True),
    key("seat", Integer),
    of("player_id", "players", needed=False),
    Column("bot", Text),
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
    needed("bot", Boolean),
    needed("since", TIME),
    Column("deadline", TIME),
    Column("warn_at", TIME),
    Index(
        "turns_of_player",
        *("player_id", "deadline", "since", "game_id"),  # seats of the same time and game are sorted
        postgresql_where=text("player_id IS NOT NULL"),
    ),
    index_where("bot", "turns_of_bots", "game_id"),
    index_where("deadline IS NOT NULL AND test_clock IS NULL", "deadlines", "deadline"),
    index_where("warn_at IS NOT NULL AND test_clock IS NULL", "warnings", "warn_at"),
    index_where("test_clock IS NOT NULL", "turns_by_test_clock", "test_clock", "deadline"),
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
)

# Players whose seat was handed over; the game's row says up to which version they see it.
former_players = Table(
    "former_players",
    metadata,
    of("game_id", "games", key=True),
    of("player_id", "players", key=True),
    of("app_id", "apps"),
    Index("former_games_of_player", "player_id", "game_id"),
)

# The result of a player in a game that was finished here; `api.game.results` can compute it again from
# the game. Without `seats`: the player ran out of time and was replaced.
player_results = Table(
    "player_results",
    metadata,
    of("game_id", "games", key=True),
    of("player_id", "players", key=True),
    of("app_id", "apps"),
    needed("ruleset", Text),
    needed("seats", Integer),
    needed("won", Boolean),
    needed("points", BigInteger),
    needed("timeouts", Integer),
    Index(
        "player_results_of_player",
        *("player_id", "game_id"),
        postgresql_include=["ruleset", "seats", "won", "points", "timeouts"],
    ),
)

# The log. Everybody sees `public`; `private` maps a seat to its share; `hash` chains the entries. A trigger
# sets `app_id`, and `tick`, the order of feeds. It takes the app from the game, so no entry exists without a
# game; a foreign key would lock the row that a move has just written. Game ids are UUIDv7: each part
# of the table, PARTS_OF_LOG and a month, has the games of that month.
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
    Index("entries_in_order", "app_id", "tick", "game_id", "seq"),
    postgresql_partition_by="RANGE (game_id)",
)

# Games at some of their versions. `form` says how to read `state`.
snapshots = Table(
    "snapshots",
    metadata,
    of("game_id", "games", key=True),
    key("form", Integer),
    key("version", Integer),
    needed("state", LargeBinary),
)

standing_orders = Table(
    "standing_orders",
    metadata,
    of("game_id", "games", key=True),
    key("seat", Integer),
    of("player_id", "players"),
    needed("moves", LargeBinary),
    Column("cancelled", LargeBinary),
    needed("remaining", Boolean),
    index_where("remaining", "orders_left", "game_id", "seat"),
)

# Players who look for others. `terms` is the fingerprint of what must be equal; `game_id` what came of it.
seeks = Table(
    "seeks",
    metadata,
    key("id"),
    of("app_id", "apps"),
    of("player_id", "players"),
    needed("terms", LargeBinary),
    needed("request", Text),
    needed("ruleset", Text),
    Column("pool", Text),
    needed("created_at", TIME),
    needed("expires_at", TIME),
    Column("game_id", Uuid),
    index_where("game_id IS NULL", "seeks_of_app", "app_id", "id"),
    index_where("game_id IS NULL", "seeks_by_terms", "app_id", "terms", "player_id", unique=True),
    Index("seeks_of_player", "player_id"),
    Index("seeks_by_end", "expires_at"),
)

# Imported records by their identity, so that each is imported only once.
imports = Table(
    "imports",
    metadata,
    of("app_id", "apps", key=True),
    key("fingerprint", LargeBinary),
    of("game_id", "games"),
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
)
