"""Games and seats analysed only once there are some hundreds of games.

A plan that is made from the statistics of a handful of games reads whole tables, under row security with
several look-ups a row, and every connection that prepared it keeps it until the next analysis. Without
statistics PostgreSQL takes a table for a larger one, and goes by the key.
"""

from __future__ import annotations

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

TABLES = ("games", "game_seats")
CHANGES = 20_000  # of rows; a move changes one of a game and two of its seats
OPTIONS = ("autovacuum_analyze_threshold", "autovacuum_vacuum_threshold")


def upgrade() -> None:
    options = ", ".join(f"{name} = {CHANGES}" for name in OPTIONS)
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} SET ({options})")


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} RESET ({', '.join(OPTIONS)})")
