"""Delete standing orders of games that have ended."""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

FORGET = """
DELETE FROM standing_orders o USING games g
WHERE g.id = o.game_id AND g.status NOT IN ('open', 'running')
"""


def upgrade() -> None:
    op.execute(FORGET)


def downgrade() -> None:
    pass
