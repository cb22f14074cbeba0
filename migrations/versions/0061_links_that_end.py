"""Links in mails that end, undoing a change of address, and which token asked for push messages."""

from __future__ import annotations

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.execute("ALTER TABLE contacts ADD COLUMN mailbox integer")
    op.execute("ALTER TABLE sign_ins ADD COLUMN restores uuid")
    op.execute("ALTER TABLE push_subscriptions ADD COLUMN credential_id uuid")


def downgrade() -> None:
    """Remove the columns."""
    op.execute("ALTER TABLE push_subscriptions DROP COLUMN credential_id")
    op.execute("ALTER TABLE sign_ins DROP COLUMN restores")
    op.execute("ALTER TABLE contacts DROP COLUMN mailbox")
