"""What is said after the end of a game."""

from __future__ import annotations

from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE games ADD COLUMN chat jsonb")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE games DROP COLUMN chat")
