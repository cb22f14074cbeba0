"""Which app key has chosen a player's mail address, so that mails with cards are recorded as looks."""

from __future__ import annotations

from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE contacts ADD COLUMN set_by uuid")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE contacts DROP COLUMN set_by")
