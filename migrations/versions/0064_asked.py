"""Who asks the players of a private game to let them watch it."""

from __future__ import annotations

from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE games ADD COLUMN asked jsonb")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE games DROP COLUMN asked")
