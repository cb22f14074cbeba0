"""Add standing orders: moves that players have left with the server."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ORDERS = """
CREATE TABLE standing_orders (
    game_id uuid NOT NULL REFERENCES games,
    seat integer NOT NULL,
    player_id uuid NOT NULL REFERENCES players,
    moves text NOT NULL,
    cancelled text,
    PRIMARY KEY (game_id, seat)
)
"""


def upgrade() -> None:
    op.execute(ORDERS)


def downgrade() -> None:
    op.execute("DROP TABLE standing_orders")
