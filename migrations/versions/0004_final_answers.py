"""Mark kept answers that may still be replaced: bots move after the commit, and the answer includes it."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE idempotency ADD final boolean NOT NULL DEFAULT true")
    op.execute("CREATE INDEX orders_left ON standing_orders (game_id, seat) WHERE moves <> '[]'")


def downgrade() -> None:
    op.execute("DROP INDEX orders_left")
    op.execute("ALTER TABLE idempotency DROP final")
