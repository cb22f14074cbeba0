"""Store who held a seat of a game before.

This is needed to list those games, and is restored in the rows of games from their logs.
Earlier releases drop former players from a game's row. The log still contains them.
"""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

# The `left` entry of a seat that was handed over names the player. In imported games it may be a player of
# another server.
UPGRADE = """
CREATE TABLE former_players (
    game_id uuid NOT NULL REFERENCES games (id),
    player_id uuid NOT NULL REFERENCES players (id),
    app_id uuid NOT NULL REFERENCES apps (id),
    PRIMARY KEY (game_id, player_id)
);
CREATE TEMPORARY TABLE handed_over ON COMMIT DROP AS
SELECT e.game_id, p.id AS player_id, p.app_id, (entry ->> 'seat')::integer AS seat, max(e.seq) AS until
FROM (
    SELECT game_id, seq, public::jsonb AS entry FROM entries WHERE public LIKE '%"left"%'
) AS e JOIN games g ON g.id = e.game_id JOIN players p ON p.app_id = g.app_id
    AND p.id::text = entry #>> '{player,id}'
WHERE entry ->> 'type' = 'left' AND entry -> 'replaced' = 'true' GROUP BY 1, 2, 3, 4;
INSERT INTO former_players SELECT DISTINCT game_id, player_id, app_id FROM handed_over;
CREATE INDEX former_games_of_player ON former_players (player_id, game_id);
UPDATE games SET seats = (
    SELECT jsonb_agg(CASE WHEN former IS NULL THEN seat ELSE seat || jsonb_build_object('former', former) END
        ORDER BY number)
    FROM jsonb_array_elements(seats::jsonb) WITH ORDINALITY AS s(seat, number) LEFT JOIN LATERAL (
        SELECT jsonb_object_agg(player_id, until) AS former FROM handed_over h
        WHERE h.game_id = games.id AND h.seat = number - 1
    ) AS f ON true
)::text
WHERE id IN (SELECT game_id FROM handed_over);
"""


def upgrade() -> None:
    op.execute(UPGRADE.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP TABLE former_players")
