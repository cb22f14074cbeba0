"""Add games whose seats only their players can act for, and no app key on their behalf."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE games ADD COLUMN seats_private boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE games DROP COLUMN seats_private")
