"""Let the games and players of an app be deleted.

Each foreign key would read its whole table once more for every game or player that goes, or needs an index
that every delivery writes to. A leaf of the log of all games may lose its game, and nothing else.
"""

from __future__ import annotations

from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

LOOSE = (
    ("tree_leaves", "game_id", "games"),
    ("imports", "game_id", "games"),
    ("deliveries", "game_id", "games"),
    ("notices", "game_id", "games"),
    ("game_seats", "player_id", "players"),
    ("standing_orders", "player_id", "players"),
)
APPEND_ONLY = (
    "CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE{} OR DELETE OR TRUNCATE ON tree_leaves"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
)


def upgrade() -> None:
    """Drop the keys, and narrow the trigger."""
    for table, column, _ in LOOSE:  # none of them is there on a Citus cluster
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {table}_{column}_fkey")
    op.execute(APPEND_ONLY.format(" OF number, ended, commitment, data, added_at"))
    op.execute(
        "CREATE TRIGGER game_goes BEFORE UPDATE OF game_id ON tree_leaves FOR EACH ROW"
        " WHEN (NEW.game_id IS NOT NULL) EXECUTE FUNCTION refuse_change()"
    )


def downgrade() -> None:
    """Restore both; this fails if an app was deleted meanwhile."""
    op.execute("DROP TRIGGER game_goes ON tree_leaves")
    op.execute(APPEND_ONLY.format(""))
    for table, column, other in LOOSE:
        op.execute(f"ALTER TABLE {table} ADD FOREIGN KEY ({column}) REFERENCES {other}")
