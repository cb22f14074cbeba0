-- Run last, and only on a Citus cluster: what other functions are there (`api.store.distribution`).

-- A change of a credential is made on every machine, and announced by the coordinator alone.
CREATE OR REPLACE FUNCTION tell_of_credential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT groupid FROM pg_dist_local_group) = 0 THEN
        PERFORM pg_notify('games', 'credential ' || NEW.id);
    END IF;
    RETURN NULL;
END $$;

-- Citus does not plan a query without columns in a function.
CREATE OR REPLACE FUNCTION knows_commitment(wanted bytea) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM games g WHERE g.commitment = wanted);
END $$;

-- A transaction that the coordinator has committed may still be prepared on a worker. Citus keeps a row of
-- each such transaction until it has made sure that it is committed everywhere, and a while longer: so
-- workers are asked.
CREATE OR REPLACE FUNCTION feed_horizon() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    snapshot CONSTANT pg_snapshot := pg_current_snapshot();
    beyond CONSTANT bigint := pg_snapshot_xmax(snapshot)::text::bigint;
    horizon CONSTANT bigint := pg_snapshot_xmin(snapshot)::text::bigint + feed_offset();
    prepared bigint;
BEGIN
    WITH begun AS MATERIALIZED (
        SELECT gid, beyond - ((beyond - xmin::text::bigint) & 4294967295) + feed_offset() AS tick
        FROM pg_dist_transaction
    ), workers AS MATERIALIZED (
        SELECT success, result FROM run_command_on_workers(
            'SELECT coalesce(array_agg(gid), ARRAY[]::text[]) FROM pg_prepared_xacts')
    )
    SELECT min(b.tick) INTO prepared FROM begun b
    WHERE b.tick < horizon AND EXISTS (
        SELECT FROM workers w
        WHERE CASE WHEN w.success THEN b.gid = ANY (w.result::text[]) ELSE true END);
    RETURN least(horizon, prepared);
END $$;

-- Citus looks up no newest entry for each app, so all shards are read: only after a restoration.
CREATE OR REPLACE FUNCTION newest_tick() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN greatest((SELECT max(e.tick) FROM entries e), (SELECT max(d.tick) FROM detached d));
END $$;

-- Each shard is a part of the log already.
CREATE OR REPLACE FUNCTION make_parts_of_log() RETURNS integer LANGUAGE sql AS 'SELECT 0';
