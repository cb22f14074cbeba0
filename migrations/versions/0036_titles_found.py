"""Games found by their titles, which no move changes."""

from __future__ import annotations

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

# `visibility` is what row-level security asks for: with it the index alone tells which games there are.
UPGRADE = """
CREATE INDEX games_titled ON games (app_id, title, id, visibility) WHERE title IS NOT NULL;
CREATE INDEX games_titled_public ON games (title, id) WHERE visibility = 'public' AND title IS NOT NULL;
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("DROP INDEX games_titled, games_titled_public")
