"""Partition the log by the month in which games began, so that old partitions can be archived and dropped.

A game's id is a UUIDv7, which contains the time of its creation. The existing table becomes the first
partition and keeps its rows and indexes: it is read once, and only ids after its month are moved.
"""

from __future__ import annotations

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

COLUMNS = "game_id, seq, public, private, hash, app_id, tick"

# `first_id` is the lowest possible id of a game created at a time; `first_of_month` is the start of a month,
# counted from the current one.
TIMES = """
CREATE FUNCTION first_id(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
CREATE FUNCTION first_of_month(ahead integer) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead)) AT TIME ZONE 'UTC'
$$;
"""

RENAMED = """
DROP TRIGGER no_gap ON entries;
ALTER TABLE entries RENAME TO entries_before;
ALTER TABLE entries_before RENAME CONSTRAINT entries_pkey TO entries_before_pkey;
ALTER INDEX entries_in_order RENAME TO entries_before_in_order;
"""

SPLIT = """
CREATE TABLE entries (LIKE entries_before INCLUDING STORAGE) PARTITION BY RANGE (game_id);
ALTER TABLE entries ADD PRIMARY KEY (game_id, seq);
CREATE INDEX entries_in_order ON entries (app_id, tick, game_id, seq);
"""

# Each partition has its own function that compares an entry with its predecessor and reads only that
# partition. The plan of one function for all would lock every partition, and moves would wait while an old
# one is copied. It runs as the owner, since the roles have no rights on partitions; row-level security checks
# the entry afterwards.
NO_GAP = """
CREATE OR REPLACE FUNCTION public.{1} RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $body$
DECLARE
    last record;
BEGIN
    SELECT app_id, tick INTO last FROM {0} WHERE game_id = NEW.game_id AND seq = NEW.seq - 1;
    IF NOT FOUND AND NEW.seq <> 1 THEN
        RAISE EXCEPTION 'the next entry is %, not %',
            (SELECT coalesce(max(seq), 0) + 1 FROM {0} WHERE game_id = NEW.game_id), NEW.seq
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    NEW.app_id := coalesce(last.app_id, (SELECT app_id FROM games WHERE id = NEW.game_id));
    NEW.tick := greatest(feed_tick(), last.tick);
    RETURN NEW;
END $body$;
REVOKE ALL ON FUNCTION public.{1} FROM PUBLIC;
CREATE TRIGGER no_gap BEFORE INSERT ON {0} FOR EACH ROW EXECUTE FUNCTION public.{1};
"""
NO_GAP_BEFORE = "CREATE TRIGGER no_gap BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION refuse_gap()"

# A statement-level trigger fires only for the table that the statement names: the whole log or a partition.
APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OF game_id, seq, public, hash, app_id, tick OR DELETE OR TRUNCATE
    ON {0} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_unless_resealed BEFORE UPDATE ON {0} FOR EACH STATEMENT
    WHEN (current_setting('card_referee.resealing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse_change();
"""
NO_GAP_IN_PART = NO_GAP.replace("%", "%%").format("%1$I", "%2$I()")
GUARD = f"""
CREATE FUNCTION guard_part_of_log(part text) RETURNS void LANGUAGE plpgsql AS $guard$
BEGIN
    EXECUTE format($$ {NO_GAP_IN_PART} $$, part, 'no_gap_in_' || part);
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = part::regclass AND tgname = 'append_only') THEN
        EXECUTE format($$ {APPEND_ONLY.format("%1$I")} $$, part);
    END IF;
END $guard$;
REVOKE ALL ON FUNCTION guard_part_of_log FROM PUBLIC;
"""

# The default partition, for months without one of their own, so that a move never fails because a partition
# is missing.
REST = f"""
CREATE TABLE entries_rest (LIKE entries INCLUDING STORAGE);
ALTER TABLE entries_before DISABLE TRIGGER append_only;
WITH beyond AS (DELETE FROM entries_before WHERE game_id >= first_id(first_of_month(1)) RETURNING *)
INSERT INTO entries_rest SELECT {COLUMNS} FROM beyond;
ALTER TABLE entries_before ENABLE TRIGGER append_only;
ALTER TABLE entries ATTACH PARTITION entries_rest DEFAULT;
DO $$
DECLARE
    name text := 'entries_' || to_char(first_of_month(0) AT TIME ZONE 'UTC', 'YYYY_MM');
BEGIN
    EXECUTE format('ALTER TABLE entries ATTACH PARTITION entries_before FOR VALUES FROM (MINVALUE) TO (%L)',
        first_id(first_of_month(1)));
    EXECUTE format('ALTER TABLE entries_before RENAME TO %I', name);
    PERFORM guard_part_of_log(name), guard_part_of_log('entries_rest');
END $$;
"""

# The worker (every hour) and every `migrate` create the partitions of the next months. Checking the default
# partition needs a lock that blocks feeds; if it cannot be had soon, the next attempt will do it.
AHEAD = """
CREATE FUNCTION make_parts_of_log() RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    ahead integer;
    name text;
    made integer := 0;
BEGIN
    FOR ahead IN 0..2 LOOP
        name := 'entries_' || to_char(first_of_month(ahead) AT TIME ZONE 'UTC', 'YYYY_MM');
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE public.%I (LIKE entries INCLUDING STORAGE)', name);
            EXECUTE format('ALTER TABLE entries ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                name, first_id(first_of_month(ahead)), first_id(first_of_month(ahead + 1)));
            PERFORM guard_part_of_log(name);
            made := made + 1;
        EXCEPTION WHEN lock_not_available OR check_violation OR duplicate_table THEN
            NULL;  -- of a month whose entries are among the rest already: they stay there
        END;
    END LOOP;
    RETURN made;
END $$;
REVOKE ALL ON FUNCTION make_parts_of_log FROM PUBLIC;
"""
# The downgrade: one table that contains everything.
WHOLE = f"""
CREATE TABLE entries_whole (LIKE entries INCLUDING STORAGE);
INSERT INTO entries_whole SELECT {COLUMNS} FROM entries;
DROP TABLE entries;
ALTER TABLE entries_whole RENAME TO entries;
ALTER TABLE entries ADD PRIMARY KEY (game_id, seq);
CREATE INDEX entries_in_order ON entries (app_id, tick, game_id, seq);
"""


FUNCTIONS_OF_PARTS = """
DO $$
DECLARE
    function regprocedure;
BEGIN
    FOR function IN SELECT oid FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'no\\_gap\\_in\\_entries\\_%' LOOP
        EXECUTE 'DROP FUNCTION ' || function;
    END LOOP;
END $$;
"""


def upgrade() -> None:
    whole = APPEND_ONLY.format("entries")
    for script in (TIMES, RENAMED, SPLIT, whole, GUARD, REST, AHEAD, "SELECT make_parts_of_log()"):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    for script in (WHOLE, FUNCTIONS_OF_PARTS, NO_GAP_BEFORE, APPEND_ONLY.format("entries")):
        op.execute(script.replace(":", r"\:"))
    op.execute("DROP FUNCTION make_parts_of_log, guard_part_of_log, first_of_month, first_id")
