"""Add what a deal can wait for: entropy that seats have committed to, and a round of a public beacon."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE games
            ADD COLUMN dealing text,
            ADD COLUMN reveal_by timestamptz,
            ADD COLUMN draw_at timestamptz;
        CREATE INDEX games_to_reveal ON games (reveal_by) WHERE reveal_by IS NOT NULL;
        CREATE INDEX games_to_draw ON games (draw_at) WHERE draw_at IS NOT NULL;
        """
    )


def downgrade() -> None:
    op.execute("ALTER TABLE games DROP COLUMN dealing, DROP COLUMN reveal_by, DROP COLUMN draw_at")
