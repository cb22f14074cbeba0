-- The results of players in these games, from their logs. Only finished games count that were dealt here and
-- played in real time.
CREATE OR REPLACE FUNCTION results_of(ids uuid[]) RETURNS SETOF player_results LANGUAGE sql STABLE AS $$
    WITH chosen AS (
        SELECT id, app_id, ruleset FROM games
        WHERE id = ANY (ids) AND status = 'finished' AND NOT imported AND test_clock IS NULL
    ), log AS MATERIALIZED (
        SELECT game_id, seq, public::jsonb AS entry FROM entries
        WHERE game_id = ANY (ids) AND public LIKE ANY (ARRAY[
            '%"joined"%', '%"left"%', '%"scores"%', '%"taken_back"%', '%"timed_out"%', '%"timeout_undone"%',
            '%"finished"%'])
    ), seated AS (
        SELECT DISTINCT ON (game_id, entry -> 'seat') game_id, entry -> 'seat' AS seat,
            CASE entry ->> 'type' WHEN 'joined' THEN (entry #>> '{player,id}')::uuid END AS player_id
        FROM log WHERE entry ->> 'type' IN ('joined', 'left')
        ORDER BY game_id, entry -> 'seat', seq DESC
    ), scored AS (
        SELECT DISTINCT ON (game_id) game_id, entry -> 'scores' AS scores FROM log
        WHERE entry ? 'scores' AND NOT EXISTS (
            SELECT FROM log back WHERE back.game_id = log.game_id AND back.entry ->> 'type' IN ('taken_back', 'timeout_undone')
                AND log.seq BETWEEN (back.entry ->> 'of')::integer AND back.seq)
        ORDER BY game_id, seq DESC
    ), ended AS (
        SELECT game_id, entry -> 'result' -> 'winners' AS winners FROM log
        WHERE entry ->> 'type' = 'finished'
    ), played AS (
        SELECT game_id, player_id, count(*) AS seats, bool_or(winners @> seat) AS won,
            sum(coalesce((scores ->> (seat::integer))::bigint, 0)) AS points
        FROM seated JOIN ended USING (game_id) LEFT JOIN scored USING (game_id)
        WHERE player_id IS NOT NULL GROUP BY game_id, player_id
    ), late AS (
        SELECT game_id, (entry #>> '{player,id}')::uuid AS player_id, count(*) AS timeouts FROM log
        WHERE entry ->> 'type' = 'timed_out' AND entry #>> '{player,id}' IS NOT NULL AND NOT EXISTS (
            SELECT FROM log back WHERE back.game_id = log.game_id
                AND (back.entry #>> '{undone,timed_out}')::integer = log.seq)
        GROUP BY 1, 2
    )
    SELECT game_id, player_id, g.app_id, g.ruleset, coalesce(p.seats, 0)::integer, coalesce(p.won, false),
        coalesce(p.points, 0)::bigint, coalesce(l.timeouts, 0)::integer
    FROM (played p FULL JOIN late l USING (game_id, player_id)) JOIN chosen g ON g.id = game_id
$$;
