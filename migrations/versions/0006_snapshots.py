"""Add snapshots of games at some versions, so that old versions need not be replayed from the deal."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# Rows are only added, by requests that read an old version. `form` says how to read `state` (JSON).
SNAPSHOTS = """
CREATE TABLE snapshots (
    game_id uuid NOT NULL REFERENCES games,
    form integer NOT NULL,
    version integer NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (game_id, form, version)
);
"""

LEAST_RIGHTS = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_referee_app') THEN
        REVOKE UPDATE, DELETE, TRUNCATE ON snapshots FROM card_referee_app;
    END IF;
END $$;
"""


def upgrade() -> None:
    for script in (SNAPSHOTS, LEAST_RIGHTS):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP TABLE snapshots")
