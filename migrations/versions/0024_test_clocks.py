"""Add test clocks: apps set the time of such games, which are found by their clock, not by the real time."""

from __future__ import annotations

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE test_clocks (
            id uuid PRIMARY KEY,
            app_id uuid NOT NULL REFERENCES apps (id),
            name text,
            "time" timestamptz NOT NULL,
            created_at timestamptz NOT NULL,
            deleted_at timestamptz
        );
        CREATE INDEX test_clocks_of_app ON test_clocks (app_id, id) WHERE deleted_at IS NULL;
        ALTER TABLE games ADD COLUMN test_clock uuid REFERENCES test_clocks (id);
        ALTER TABLE game_seats ADD COLUMN test_clock uuid;
        CREATE INDEX games_of_test_clock ON games (test_clock, id) WHERE test_clock IS NOT NULL;
        DROP INDEX deadlines;
        DROP INDEX warnings;
        CREATE INDEX deadlines ON game_seats (deadline) WHERE deadline IS NOT NULL AND test_clock IS NULL;
        CREATE INDEX warnings ON game_seats (warn_at) WHERE warn_at IS NOT NULL AND test_clock IS NULL;
        CREATE INDEX turns_by_test_clock ON game_seats (test_clock, deadline)
            WHERE test_clock IS NOT NULL AND since IS NOT NULL;
        """
    )


def downgrade() -> None:
    op.execute(
        """
        DROP INDEX deadlines;
        DROP INDEX warnings;
        ALTER TABLE game_seats DROP COLUMN test_clock;
        ALTER TABLE games DROP COLUMN test_clock;
        DROP TABLE test_clocks;
        CREATE INDEX deadlines ON game_seats (deadline) WHERE deadline IS NOT NULL;
        CREATE INDEX warnings ON game_seats (warn_at) WHERE warn_at IS NOT NULL;
        """
    )
