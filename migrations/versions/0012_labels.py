"""Add labels that apps set on players, games and webhooks: an external id, a title, key-value pairs."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = ("players", "games", "webhooks")


def upgrade() -> None:
    # After all other columns, so that a move, which updates a game's row, writes no more because of them.
    op.execute("ALTER TABLE games ADD COLUMN title text")
    for table in TABLES:
        op.execute(
            f"""
            ALTER TABLE {table} ADD COLUMN external_id text,
                ADD COLUMN metadata jsonb NOT NULL DEFAULT '{{}}';
            CREATE UNIQUE INDEX {table}_external_id ON {table} (app_id, external_id)
                WHERE external_id IS NOT NULL;
            """
        )
    op.execute("CREATE INDEX games_metadata ON games USING gin (metadata jsonb_path_ops)")
    op.execute("CREATE INDEX players_metadata ON players USING gin (metadata jsonb_path_ops)")


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} DROP COLUMN external_id, DROP COLUMN metadata")
    op.execute("ALTER TABLE games DROP COLUMN title")
