"""The language of a mail with a link to sign in."""

from __future__ import annotations

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE sign_ins ADD COLUMN language text NOT NULL DEFAULT 'en'")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE sign_ins DROP COLUMN language")
