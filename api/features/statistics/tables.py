"""The table of this feature."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Index, Integer, Table, Text

from api.store.tables.columns import OF_APP, access, metadata, needed, of

# The result of a player in a game that was finished here. Without `seats`: the player ran out of time and was
# replaced.
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
    info=access(service="SELECT, INSERT", worker="SELECT, INSERT", own=OF_APP, citus="game_id"),
)
