"""Order all entries of an app by the transactions that wrote them. Feeds are read in this order.

An entry's `tick` is the number of its transaction, or the tick of its predecessor in the game if that is
greater. Transactions are numbered in the order in which they begin to write. `feed_horizon()` is at most the
number of the oldest transaction that has not ended. So a reader that stays below the horizon misses nothing,
however late a transaction commits, and reads the entries of each game in their order.
"""

from __future__ import annotations

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

# After a restore in another cluster, transactions are numbered differently. `migrate` then sets the offset so
# that ticks continue where they stopped (api.store.game.feed).
FUNCTIONS = """
CREATE FUNCTION feed_offset() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 0::bigint';
CREATE FUNCTION feed_tick() RETURNS bigint LANGUAGE sql STABLE AS
    'SELECT pg_current_xact_id()::text::bigint + feed_offset()';
CREATE FUNCTION feed_horizon() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_offset()';
"""

# Entries of earlier releases come first, ordered by game.
COLUMNS = """
ALTER TABLE entries ADD COLUMN app_id uuid, ADD COLUMN tick bigint NOT NULL DEFAULT 0;
ALTER TABLE entries ALTER COLUMN tick DROP DEFAULT;
ALTER TABLE entries DISABLE TRIGGER append_only_unless_resealed;
UPDATE entries e SET app_id = g.app_id FROM games g WHERE g.id = e.game_id;
ALTER TABLE entries ENABLE TRIGGER append_only_unless_resealed;
ALTER TABLE entries ALTER COLUMN app_id SET NOT NULL;
DROP TRIGGER append_only ON entries;
CREATE TRIGGER append_only BEFORE UPDATE OF game_id, seq, public, hash, app_id, tick OR DELETE OR TRUNCATE
    ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX entries_in_order ON entries (app_id, tick, game_id, seq);
"""

# The trigger sets the app and the tick of an entry; the statement that inserts it does not name them.
PLACED = """
CREATE OR REPLACE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    SELECT app_id, tick INTO last FROM entries WHERE game_id = NEW.game_id AND seq = NEW.seq - 1;
    IF NOT FOUND AND NEW.seq <> 1 THEN
        RAISE EXCEPTION 'the next entry is %, not %',
            (SELECT coalesce(max(seq), 0) + 1 FROM entries WHERE game_id = NEW.game_id), NEW.seq
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    NEW.app_id := coalesce(last.app_id, (SELECT app_id FROM games WHERE id = NEW.game_id));
    NEW.tick := greatest(feed_tick(), last.tick);
    RETURN NEW;
END $$;
"""

TRIGGER_BEFORE = """
CREATE TRIGGER append_only BEFORE UPDATE OF game_id, seq, public, hash OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
"""
PLACED_BEFORE = """
CREATE OR REPLACE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq = 1 OR EXISTS (SELECT FROM entries WHERE game_id = NEW.game_id AND seq = NEW.seq - 1) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the next entry is %, not %',
        (SELECT coalesce(max(seq), 0) + 1 FROM entries WHERE game_id = NEW.game_id), NEW.seq
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
"""


def upgrade() -> None:
    for script in (FUNCTIONS, COLUMNS, PLACED):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    op.execute(PLACED_BEFORE.replace(":", r"\:"))
    op.execute("DROP TRIGGER append_only ON entries")
    op.execute("ALTER TABLE entries DROP COLUMN tick, DROP COLUMN app_id")
    op.execute(TRIGGER_BEFORE)
    op.execute("DROP FUNCTION feed_tick, feed_horizon, feed_offset")
