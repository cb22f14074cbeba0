"""Drop the status of kept answers: it follows from the operation that is asked for again."""

from __future__ import annotations

from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE idempotency DROP COLUMN status")


def downgrade() -> None:
    op.execute("ALTER TABLE idempotency ADD COLUMN status integer")
