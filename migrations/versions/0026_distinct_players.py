"""Add games in which nobody may hold two seats."""

from __future__ import annotations

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE games ADD COLUMN distinct_players boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE games DROP COLUMN distinct_players")
