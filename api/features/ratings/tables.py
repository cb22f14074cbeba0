"""The tables of this feature."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Computed, Double, Index, Integer, Table, Text

from api.store.tables.columns import MANAGED, OF_APP, access, key, metadata, needed, of

# What is known of a player's skill in a game; `referee ratings` computes it again from the records.
ratings = Table(
    "ratings",
    metadata,
    of("player_id", "players", key=True),
    key("ruleset", Text),
    of("app_id", "apps"),
    needed("mu", Double),
    needed("sigma", Double),
    needed("games", Integer),
    # Points in reverse order. A column, because row-level security keeps expressions from being looked up.
    needed("worse", Double, Computed("3 * sigma - mu", persisted=True)),
    Index("ratings_best", "app_id", "ruleset", "worse", "player_id"),
    info=access(
        service="SELECT",
        worker="SELECT, INSERT, UPDATE (mu, sigma, games)",
        own=OF_APP,
        citus=MANAGED,
    ),
)

# The last leaf of the log of all games whose game was looked at; one row.
ratings_read = Table(
    "ratings_read",
    metadata,
    key("one", Boolean),
    needed("leaf", BigInteger),
    CheckConstraint("one", name="one"),
    info=access(worker="SELECT, INSERT, UPDATE (leaf)", citus=MANAGED),
)
