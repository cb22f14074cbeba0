"""Who made a game, and in which network: limits count the games of players and networks that are not over."""

from __future__ import annotations

from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and their indexes."""
    op.execute("ALTER TABLE games ADD COLUMN made_by uuid, ADD COLUMN made_in bytea")
    for column, name in (("made_by", "games_of_maker"), ("made_in", "games_of_network")):
        op.execute(
            f"CREATE INDEX {name} ON games ({column}) WHERE {column} IS NOT NULL AND ended_at = 'infinity'"
        )


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE games DROP COLUMN made_by, DROP COLUMN made_in")
