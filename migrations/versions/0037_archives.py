"""Store where the logs of old games are archived: the files, and each game's place in its file."""

from __future__ import annotations

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

ARCHIVES = """
CREATE TABLE archives (file text PRIMARY KEY, part text NOT NULL, archived_at timestamptz);
CREATE TABLE archived_games (
    game_id uuid PRIMARY KEY, app_id uuid NOT NULL, file text NOT NULL REFERENCES archives,
    place bigint NOT NULL, size integer NOT NULL, digest bytea NOT NULL,
    version integer NOT NULL, tick bigint NOT NULL);
CREATE INDEX archived_in_order ON archived_games (app_id, tick, game_id, version);
"""

# Without these rows the archived logs could not be found.
NONE = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM archives WHERE archived_at IS NOT NULL) THEN
        RAISE EXCEPTION 'logs are archived, which an earlier release cannot read';
    END IF;
END $$
"""


def upgrade() -> None:
    op.execute(ARCHIVES)


def downgrade() -> None:
    op.execute(NONE)
    op.execute("DROP TABLE archived_games")
    op.execute("DROP TABLE archives")
