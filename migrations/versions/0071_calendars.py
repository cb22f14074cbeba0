"""No calendars of deadlines: mails name them."""

from __future__ import annotations

from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the number of the address of a calendar."""
    op.execute("ALTER TABLE contacts DROP COLUMN calendar")


def downgrade() -> None:
    """Add it."""
    op.execute("ALTER TABLE contacts ADD COLUMN calendar integer")
