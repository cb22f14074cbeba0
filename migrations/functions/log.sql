CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Entries go only with their app. Any login can make the setting, but no other owns the log. On a cluster,
    -- the table is a shard.
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME ~ '^entries(_\d+)?$' AND current_setting('card_referee.deleting_app', true) = 'on'
            AND (SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the log is append-only: % is refused', TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE OR REPLACE FUNCTION refuse_to_lose_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM entries WHERE game_id = OLD.id) THEN
        RAISE EXCEPTION 'the game % has a log, which is append-only', OLD.id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN OLD;
END $$;

-- The lowest possible id of a game created at a time.
CREATE OR REPLACE FUNCTION first_id(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The start of a month, counted from the current one.
CREATE OR REPLACE FUNCTION first_of_month(ahead integer) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead)) AT TIME ZONE 'UTC'
$$;

-- Give a partition its triggers.
--
-- Each partition has its own function that compares an entry with its predecessor and reads only that
-- partition. The plan of one function for all would lock every partition, and moves would wait while an old
-- one is copied. It runs as the owner, since the roles have no rights on partitions; row-level security checks
-- the entry afterwards. An entry takes its app and the least possible tick from the entry before it, the first
-- one from its game.
CREATE OR REPLACE FUNCTION guard_part_of_log(part text) RETURNS void LANGUAGE plpgsql AS $guard$
BEGIN
    EXECUTE format($$
CREATE OR REPLACE FUNCTION public.%2$I() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $body$
BEGIN
    IF NEW.seq = 1 THEN
        SELECT app_id, feed_tick() INTO NEW.app_id, NEW.tick FROM games WHERE id = NEW.game_id;
        RETURN NEW;
    END IF;
    SELECT app_id, greatest(feed_tick(), tick) INTO NEW.app_id, NEW.tick
        FROM %1$I WHERE game_id = NEW.game_id AND seq = NEW.seq - 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the next entry is %%, not %%',
            (SELECT coalesce(max(seq), 0) + 1 FROM %1$I WHERE game_id = NEW.game_id), NEW.seq
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$body$;
REVOKE ALL ON FUNCTION public.%2$I() FROM PUBLIC;
    $$, part, 'no_gap_in_' || part);
    -- A trigger that is there is left alone: creating it again would make moves wait.
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = part::regclass AND tgname = 'no_gap') THEN
        EXECUTE format('CREATE TRIGGER no_gap BEFORE INSERT ON %I FOR EACH ROW EXECUTE FUNCTION public.%I()',
            part, 'no_gap_in_' || part);
    END IF;
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = part::regclass AND tgname = 'append_only') THEN
        EXECUTE format($$
CREATE TRIGGER append_only
    BEFORE UPDATE OF game_id, seq, public, hash, app_id, tick, request, fingerprint OR DELETE OR TRUNCATE
    ON %1$I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_unless_resealed BEFORE UPDATE ON %1$I FOR EACH STATEMENT
    WHEN (current_setting('card_referee.resealing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse_change();
        $$, part);
    END IF;
END $guard$;
REVOKE ALL ON FUNCTION guard_part_of_log FROM PUBLIC;

-- The partition for the games of a month.
CREATE OR REPLACE FUNCTION part_of_log(month timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'entries_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM')
$$;

-- Create the partitions of this month and the next two; return how many were missing. The worker (every hour)
-- and every `migrate` do. Checking the default partition needs a lock that blocks feeds; if it cannot be had
-- soon, the next attempt will do it. A month of which there are entries in the default partition already, because
-- nothing made partitions for months, stays there. The first partition of all has no lower bound.
CREATE OR REPLACE FUNCTION make_parts_of_log() RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    ahead integer;
    name text;
    made integer := 0;
    bound text;
BEGIN
    FOR ahead IN 0..2 LOOP
        name := part_of_log(first_of_month(ahead));
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        SELECT CASE count(*) WHEN 1 THEN 'MINVALUE' ELSE quote_literal(first_id(first_of_month(ahead))) END
            INTO bound FROM pg_inherits WHERE inhparent = 'entries'::regclass;
        BEGIN
            EXECUTE format('CREATE TABLE public.%I (LIKE entries INCLUDING STORAGE)', name);
            EXECUTE format('ALTER TABLE entries ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)',
                name, bound, first_id(first_of_month(ahead + 1)));
            PERFORM guard_part_of_log(name);
            made := made + 1;
        EXCEPTION WHEN lock_not_available OR check_violation OR duplicate_table OR invalid_object_definition THEN
            NULL;  -- the last: an older partition includes the month, as on a clock that was put back
        END;
    END LOOP;
    RETURN made;
END $$;
REVOKE ALL ON FUNCTION make_parts_of_log FROM PUBLIC;

SELECT guard_part_of_log(c.relname)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'entries'::regclass;
