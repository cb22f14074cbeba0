"""Whether everything is encrypted with the newest key: an interrupted rotation is continued."""

from __future__ import annotations

from alembic import op

revision = "0044"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE encryption ADD COLUMN complete boolean NOT NULL DEFAULT true")


def downgrade() -> None:
    op.execute("ALTER TABLE encryption DROP COLUMN complete")
