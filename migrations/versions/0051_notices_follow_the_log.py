"""Make notices from the log: an entry stores what only notices say, and each app how far it was announced.

Entries of before have been announced already: their `notice` is null.
"""

from __future__ import annotations

from alembic import op

revision = "0051"
down_revision = "0049"
branch_labels = None
depends_on = None

# A partition that is still being filled by `move_rest_of_log` is a copy, which is begun again.
UP = r"""
DO $$
DECLARE part regclass;
BEGIN
    FOR part IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname ~ '^entries_\d{4}_\d\d$' AND obj_description(oid, 'pg_class') IS NOT NULL
        AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = pg_class.oid)
    LOOP
        EXECUTE format('DROP TABLE %s', part);
    END LOOP;
END $$;
ALTER TABLE entries ADD COLUMN notice text;
ALTER TABLE webhooks ADD COLUMN tick bigint NOT NULL DEFAULT 0;
CREATE TABLE notice_positions (
    app_id uuid PRIMARY KEY REFERENCES apps,
    tick bigint NOT NULL,
    game_id uuid NOT NULL,
    seq integer NOT NULL
);
INSERT INTO notice_positions
    SELECT a.id, coalesce(e.tick, 0),
        coalesce(e.game_id, '00000000-0000-0000-0000-000000000000'), coalesce(e.seq, 0)
    FROM apps a LEFT JOIN LATERAL (SELECT tick, game_id, seq FROM entries WHERE app_id = a.id
        ORDER BY tick DESC, game_id DESC, seq DESC LIMIT 1) AS e ON true
    WHERE EXISTS (SELECT FROM webhooks w WHERE w.app_id = a.id AND w.ended_at IS NULL)
        OR EXISTS (SELECT FROM contacts c WHERE c.app_id = a.id)
"""


def upgrade() -> None:
    op.get_bind().exec_driver_sql(UP.replace("%", "%%"))


def downgrade() -> None:
    op.execute("DROP TABLE notice_positions")
    op.execute("ALTER TABLE webhooks DROP COLUMN tick")
    op.execute("ALTER TABLE entries DROP COLUMN notice")
