"""No deals that wait for a public beacon."""

from __future__ import annotations

from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove when to ask for the round of the beacon, and its index."""
    op.execute("ALTER TABLE games DROP COLUMN draw_at")


def downgrade() -> None:
    """Add both."""
    op.execute("ALTER TABLE games ADD COLUMN draw_at timestamptz")
    op.execute("CREATE INDEX games_to_draw ON games (draw_at) WHERE draw_at IS NOT NULL")
