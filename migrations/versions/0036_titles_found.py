"""Index the titles of games, which no move changes."""

from __future__ import annotations

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

# `app_id` and `visibility` are included because row-level security checks them, so only the index is read.
UPGRADE = """
CREATE INDEX games_titled ON games (app_id, title, id, visibility) WHERE title IS NOT NULL;
CREATE INDEX games_titled_public ON games (title, id, app_id, visibility)
    WHERE visibility = 'public' AND title IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("DROP INDEX games_titled, games_titled_public")
