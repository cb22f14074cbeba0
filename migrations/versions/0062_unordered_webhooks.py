"""Webhooks whose notices need no order."""

from __future__ import annotations

from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE webhooks ADD COLUMN ordered boolean NOT NULL DEFAULT true")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE webhooks DROP COLUMN ordered")
