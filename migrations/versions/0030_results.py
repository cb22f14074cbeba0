"""Find games by how and when they ended, and store each player's results, derived from the log.

The columns by which games are found change when a game begins or ends, but never with a move. So a move still
updates the game's row in place, without writing to an index.
"""

from __future__ import annotations

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

# A running game sorts after every game that has ended.
COLUMNS = """
ALTER TABLE games
    ADD COLUMN ended_at timestamptz NOT NULL DEFAULT 'infinity',
    ADD COLUMN reason text,
    ADD COLUMN imported boolean NOT NULL DEFAULT false;
UPDATE games SET ended_at = updated_at, reason = result::jsonb ->> 'reason'
    WHERE status IN ('finished', 'cancelled');
UPDATE games SET imported = true WHERE imported_by IS NOT NULL;

CREATE TABLE player_games (
    game_id uuid NOT NULL REFERENCES games (id),
    player_id uuid NOT NULL REFERENCES players (id),
    app_id uuid NOT NULL REFERENCES apps (id),
    status text NOT NULL,
    ruleset text NOT NULL,
    visibility text NOT NULL,
    imported boolean NOT NULL,
    reason text,
    created_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    won boolean NOT NULL,
    PRIMARY KEY (game_id, player_id)
);
INSERT INTO player_games
SELECT g.id, s.player_id, g.app_id, g.status, g.ruleset, g.visibility, g.imported, g.reason, g.created_at,
    g.ended_at, bool_or(g.status = 'finished' AND g.result::jsonb -> 'winners' @> to_jsonb(s.seat))
FROM games g JOIN game_seats s ON s.game_id = g.id WHERE s.player_id IS NOT NULL GROUP BY g.id, s.player_id;
"""

# Behind what a list is read by stands whatever games are chosen by: so an index alone tells which to fetch.
INDEXES = """
DROP INDEX games_of_app, games_public;
CREATE INDEX games_of_app ON games
    (app_id, id, status, ruleset, visibility, imported, reason, ended_at, created_at);
CREATE INDEX games_by_creation ON games
    (app_id, created_at, id, status, ruleset, visibility, imported, reason, ended_at);
CREATE INDEX games_by_end ON games
    (app_id, ended_at, id, status, ruleset, visibility, imported, reason, created_at);
CREATE INDEX games_public ON games (id, status, ruleset, imported, reason, ended_at, created_at)
    WHERE visibility = 'public';
CREATE INDEX games_public_by_creation ON games
    (created_at, id, status, ruleset, imported, reason, ended_at) WHERE visibility = 'public';
CREATE INDEX games_public_by_end ON games (ended_at, id, status, ruleset, imported, reason, created_at)
    WHERE visibility = 'public';
CREATE INDEX player_games_of_player ON player_games
    (player_id, game_id, status, ruleset, visibility, imported, reason, won, ended_at, created_at);
CREATE INDEX player_games_by_creation ON player_games
    (player_id, created_at, game_id, status, ruleset, visibility, imported, reason, won, ended_at);
CREATE INDEX player_games_by_end ON player_games
    (player_id, ended_at, game_id, status, ruleset, visibility, imported, reason, won, created_at);
"""

# `seats`: how many the player held at the end; 0 for one who ran out of time and was replaced.
RESULTS = """
CREATE TABLE player_results (
    game_id uuid NOT NULL REFERENCES games (id),
    player_id uuid NOT NULL REFERENCES players (id),
    app_id uuid NOT NULL REFERENCES apps (id),
    ruleset text NOT NULL,
    seats integer NOT NULL,
    won boolean NOT NULL,
    points bigint NOT NULL,
    timeouts integer NOT NULL,
    PRIMARY KEY (game_id, player_id)
);
CREATE INDEX player_results_of_player ON player_results (player_id, game_id)
    INCLUDE (ruleset, seats, won, points, timeouts);

-- The results of players in these games, from their logs. Only finished games count that were dealt here and
-- played in real time.
CREATE FUNCTION results_of(ids uuid[]) RETURNS SETOF player_results LANGUAGE sql STABLE AS $$
    WITH chosen AS (
        SELECT id, app_id, ruleset FROM games
        WHERE id = ANY (ids) AND status = 'finished' AND NOT imported AND test_clock IS NULL
    ), log AS MATERIALIZED (
        SELECT game_id, seq, public::jsonb AS entry FROM entries
        WHERE game_id = ANY (ids) AND public LIKE ANY (ARRAY[
            '%"joined"%', '%"left"%', '%"scores"%', '%"taken_back"%', '%"timed_out"%', '%"finished"%'])
    ), seated AS (
        SELECT DISTINCT ON (game_id, entry -> 'seat') game_id, entry -> 'seat' AS seat,
            CASE entry ->> 'type' WHEN 'joined' THEN (entry #>> '{player,id}')::uuid END AS player_id
        FROM log WHERE entry ->> 'type' IN ('joined', 'left')
        ORDER BY game_id, entry -> 'seat', seq DESC
    ), scored AS (
        SELECT DISTINCT ON (game_id) game_id, entry -> 'scores' AS scores FROM log
        WHERE entry ? 'scores' AND NOT EXISTS (
            SELECT FROM log back WHERE back.game_id = log.game_id AND back.entry ->> 'type' = 'taken_back'
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
        WHERE entry ->> 'type' = 'timed_out' AND entry #>> '{player,id}' IS NOT NULL GROUP BY 1, 2
    )
    SELECT game_id, player_id, g.app_id, g.ruleset, coalesce(p.seats, 0)::integer, coalesce(p.won, false),
        coalesce(p.points, 0)::bigint, coalesce(l.timeouts, 0)::integer
    FROM (played p FULL JOIN late l USING (game_id, player_id)) JOIN chosen g ON g.id = game_id
$$;

-- Some games at a time, to limit how much of their logs is read at once.
INSERT INTO player_results SELECT r.* FROM (
    SELECT array_agg(id) AS ids FROM (
        SELECT id, row_number() OVER (ORDER BY id) / 500 AS part FROM games
        WHERE status = 'finished') AS numbered
    GROUP BY part
) AS parts CROSS JOIN LATERAL results_of(parts.ids) AS r;
"""


def upgrade() -> None:
    for script in (COLUMNS, INDEXES, RESULTS):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP FUNCTION results_of(uuid[])")
    op.execute("DROP TABLE player_results")
    op.execute("DROP TABLE player_games")
    op.execute("ALTER TABLE games DROP COLUMN ended_at, DROP COLUMN reason, DROP COLUMN imported")
    op.execute("CREATE INDEX games_of_app ON games (app_id, id)")
    op.execute("CREATE INDEX games_public ON games (id) WHERE visibility = 'public'")
