"""Add skipped deliveries, and indexes for lists of deliveries by event and by outcome."""

from __future__ import annotations

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE deliveries ADD COLUMN skipped_at timestamptz")
    op.execute("CREATE INDEX deliveries_of_event ON deliveries (webhook_id, event, id)")
    op.execute(
        "CREATE INDEX deliveries_not_made ON deliveries (webhook_id, id)"
        " WHERE next_at IS NULL AND delivered_at IS NULL"
    )


def downgrade() -> None:
    op.execute("DROP INDEX deliveries_not_made, deliveries_of_event")
    op.execute("ALTER TABLE deliveries DROP COLUMN skipped_at")
