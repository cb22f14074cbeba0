"""Remove what only databases from before the baseline still have."""

from __future__ import annotations

from alembic import op

revision = "0049"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP FUNCTION IF EXISTS refuse_gap")


def downgrade() -> None:
    pass
