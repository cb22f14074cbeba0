"""Let retried deliveries leave the order of their game, and find due deliveries by webhook."""

from __future__ import annotations

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE deliveries ADD COLUMN in_order boolean NOT NULL DEFAULT true")
    op.execute(
        "CREATE INDEX deliveries_due_of_webhook ON deliveries (webhook_id, next_at, number)"
        " WHERE next_at IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("DROP INDEX deliveries_due_of_webhook")
    op.execute("ALTER TABLE deliveries DROP COLUMN in_order")
