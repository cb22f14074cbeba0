"""The turns of running games in a table of their own, so that a move writes one small row.

Before, a turn was part of its seat's row. Each move changed two of these rows, and each change was written to
all indexes of seats. Now only the seats that games wait for have rows in `turns`.
"""

from __future__ import annotations

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

QUEUE_DEPTHS = """
CREATE OR REPLACE FUNCTION queue_depths(
    OUT deliveries bigint, OUT deliveries_due bigint, OUT deadlines_due bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    SELECT (SELECT count(*) FROM deliveries d WHERE d.next_at IS NOT NULL),
           (SELECT count(*) FROM deliveries d WHERE d.next_at <= now()),
           (SELECT count(*) FROM {table} t WHERE t.deadline <= now())
    INTO deliveries, deliveries_due, deadlines_due;
END $$;
"""

# Free space in a page keeps the versions of a row together. Then only what is between the first and the last
# changed byte is logged; the columns that moves change come last. Young tables have no statistics, for the
# reason given in 0033; a move changes one row of this table.
TURNS = """
CREATE TABLE turns (
    game_id uuid NOT NULL REFERENCES games (id),
    app_id uuid NOT NULL,
    test_clock uuid,
    player_id uuid,
    seat integer NOT NULL,
    bot boolean NOT NULL,
    since timestamptz NOT NULL,
    deadline timestamptz,
    warn_at timestamptz
) WITH (fillfactor = 70, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_threshold = 20000);
INSERT INTO turns
    SELECT g.id, g.app_id, s.test_clock, s.player_id, s.seat, s.bot IS NOT NULL,
        s.since, s.deadline, s.warn_at
    FROM game_seats s JOIN games g ON g.id = s.game_id WHERE s.since IS NOT NULL;
ALTER TABLE turns ADD PRIMARY KEY (game_id, seat);
DROP INDEX turns_of_player, turns_of_bots, deadlines, warnings, turns_by_test_clock;
CREATE INDEX turns_of_player ON turns (player_id, deadline, since, game_id)
    WHERE player_id IS NOT NULL;
CREATE INDEX turns_of_bots ON turns (game_id) WHERE bot;
CREATE INDEX deadlines ON turns (deadline) WHERE deadline IS NOT NULL AND test_clock IS NULL;
CREATE INDEX warnings ON turns (warn_at) WHERE warn_at IS NOT NULL AND test_clock IS NULL;
CREATE INDEX turns_by_test_clock ON turns (test_clock, deadline) WHERE test_clock IS NOT NULL;
ALTER TABLE game_seats DROP COLUMN since, DROP COLUMN deadline, DROP COLUMN warn_at, DROP COLUMN test_clock;
"""

SEATS = """
ALTER TABLE game_seats ADD COLUMN since timestamptz, ADD COLUMN deadline timestamptz,
    ADD COLUMN warn_at timestamptz, ADD COLUMN test_clock uuid;
UPDATE game_seats s SET test_clock = g.test_clock FROM games g
    WHERE g.id = s.game_id AND g.test_clock IS NOT NULL;
UPDATE game_seats s SET since = t.since, deadline = t.deadline, warn_at = t.warn_at
    FROM turns t WHERE t.game_id = s.game_id AND t.seat = s.seat;
DROP TABLE turns;
CREATE INDEX turns_of_player ON game_seats (player_id, deadline, since, game_id, seat)
    WHERE since IS NOT NULL;
CREATE INDEX turns_of_bots ON game_seats (game_id) WHERE bot IS NOT NULL AND since IS NOT NULL;
CREATE INDEX deadlines ON game_seats (deadline) WHERE deadline IS NOT NULL AND test_clock IS NULL;
CREATE INDEX warnings ON game_seats (warn_at) WHERE warn_at IS NOT NULL AND test_clock IS NULL;
CREATE INDEX turns_by_test_clock ON game_seats (test_clock, deadline)
    WHERE test_clock IS NOT NULL AND since IS NOT NULL;
"""


def upgrade() -> None:
    for script in (TURNS, QUEUE_DEPTHS.format(table="turns")):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    for script in (SEATS, QUEUE_DEPTHS.format(table="game_seats")):
        op.execute(script.replace(":", r"\:"))
