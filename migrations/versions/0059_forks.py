"""Forks: where a test game goes on from."""

from __future__ import annotations

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE games ADD COLUMN forked_from text")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE games DROP COLUMN forked_from")
