"""For how long apps keep their finished games; a record whose game is gone can be imported again."""

from __future__ import annotations

from alembic import op

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, and an index by which a game's import is found."""
    op.execute("CREATE TABLE retentions (app_id uuid PRIMARY KEY REFERENCES apps, days integer NOT NULL)")
    op.execute("CREATE INDEX imports_of_game ON imports (game_id)")


def downgrade() -> None:
    """Remove both."""
    op.execute("DROP INDEX imports_of_game")
    op.execute("DROP TABLE retentions")
