-- The order of all entries of an app: that of the transactions that wrote them.
--
-- An entry's `tick` is the number of its transaction, or the tick of its predecessor in the game if that is
-- greater. Transactions are numbered in the order in which they begin to write, and the horizon is at most
-- the number of the oldest transaction that has not ended. So a reader that stays below the horizon misses
-- nothing, however late a transaction commits, and reads the entries of each game in their order.

CREATE OR REPLACE FUNCTION feed_tick() RETURNS bigint LANGUAGE sql STABLE AS
    'SELECT pg_current_xact_id()::text::bigint + feed_offset()';
CREATE OR REPLACE FUNCTION feed_horizon() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_offset()';

-- The newest tick of all apps, detached entries included.
CREATE OR REPLACE FUNCTION newest_tick() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(max(newest.tick), (SELECT max(tick) FROM detached))
    FROM apps a CROSS JOIN LATERAL (
        SELECT tick FROM entries e WHERE e.app_id = a.id ORDER BY tick DESC LIMIT 1) AS newest
$$;
