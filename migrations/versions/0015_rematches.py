"""Add rematches, linked in both directions, and the series that they form."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE games
            ADD COLUMN rematch_of uuid,
            ADD COLUMN rematch uuid,
            ADD COLUMN series_id uuid,
            ADD COLUMN series_number integer,
            ADD COLUMN series_games integer;
        CREATE UNIQUE INDEX games_of_series ON games (series_id, series_number) WHERE series_id IS NOT NULL;
        """
    )


def downgrade() -> None:
    columns = ("rematch_of", "rematch", "series_id", "series_number", "series_games")
    op.execute(f"ALTER TABLE games {', '.join(f'DROP COLUMN {name}' for name in columns)}")
