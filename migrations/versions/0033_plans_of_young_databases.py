"""Analyse games and seats only when there are some hundreds of games.

A plan based on the statistics of a few games reads whole tables, with several look-ups per row because of
row-level security, and every connection that prepared it keeps it until the next analysis. Without
statistics, PostgreSQL assumes a larger table and uses the key.
"""

from __future__ import annotations

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

TABLES = ("games", "game_seats")
CHANGES = 20_000  # rows; a move changes one row of `games` and two of `game_seats`
OPTIONS = ("autovacuum_analyze_threshold", "autovacuum_vacuum_threshold")


def upgrade() -> None:
    options = ", ".join(f"{name} = {CHANGES}" for name in OPTIONS)
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} SET ({options})")


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} RESET ({', '.join(OPTIONS)})")
