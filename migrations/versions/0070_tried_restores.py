"""When restoring a backup was tried, beside when backups were written: what operators watch."""

from __future__ import annotations

from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; only backups were noted until now."""
    op.execute("ALTER TABLE backups ADD COLUMN kind text NOT NULL DEFAULT 'backup'")


def downgrade() -> None:
    """Remove it, and what the release before does not know."""
    op.execute("DELETE FROM backups WHERE kind <> 'backup'")
    op.execute("ALTER TABLE backups DROP COLUMN kind")
