"""Count the mails to an address that bounced, and say why no mail is sent to it any more."""

from __future__ import annotations

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

UPGRADE = """
ALTER TABLE contacts
    ADD COLUMN bounces integer NOT NULL DEFAULT 0,
    ADD COLUMN bounced_at timestamptz,
    ADD COLUMN refused_because text;
UPDATE contacts SET refused_because = 'no_mailbox' WHERE refused_at IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute(
        "ALTER TABLE contacts DROP COLUMN bounces, DROP COLUMN bounced_at, DROP COLUMN refused_because"
    )
