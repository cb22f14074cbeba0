"""No forks."""

from __future__ import annotations

from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove where a fork went on from."""
    op.execute("ALTER TABLE games DROP COLUMN forked_from")


def downgrade() -> None:
    """Add it."""
    op.execute("ALTER TABLE games ADD COLUMN forked_from text")
