"""Store in each delivery the trace of its cause."""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE deliveries ADD COLUMN trace text")


def downgrade() -> None:
    op.execute("ALTER TABLE deliveries DROP COLUMN trace")
