"""Store who imported a game, and each game's commitment, which no other game has."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE games ADD COLUMN imported_by text, ADD COLUMN commitment bytea;

UPDATE games g SET commitment = decode(e.public::jsonb ->> 'commitment', 'hex')
FROM entries e WHERE e.game_id = g.id AND e.seq = 1;

-- Not unique, because earlier versions let every app import the same game again.
CREATE INDEX games_of_commitment ON games (commitment);

UPDATE games g SET imported_by = json_build_object('id', a.id, 'name', a.name)::text
FROM apps a WHERE a.id = g.app_id AND g.id IN (SELECT game_id FROM imports);
"""

# A player of another app than the one that imported a finished game is stored only as a name.
PLAIN_NAMES = """
WITH strangers AS (
    SELECT g.id, seat.number, seat.value -> 'player' ->> 'name' AS name
    FROM games g
    CROSS JOIN LATERAL jsonb_array_elements(g.seats::jsonb) WITH ORDINALITY AS seat(value, number)
    LEFT JOIN players p ON p.id::text = seat.value -> 'player' ->> 'id' AND p.app_id = g.app_id
    WHERE g.imported_by IS NOT NULL AND g.status IN ('finished', 'cancelled')
        AND jsonb_typeof(seat.value -> 'player') = 'object' AND p.id IS NULL
), renamed AS (
    SELECT g.id, jsonb_agg(
        CASE WHEN s.id IS NULL THEN seat.value
        ELSE seat.value || jsonb_build_object('player', NULL, 'name', s.name) END ORDER BY seat.number
    )::text AS seats
    FROM games g
    CROSS JOIN LATERAL jsonb_array_elements(g.seats::jsonb) WITH ORDINALITY AS seat(value, number)
    LEFT JOIN strangers s ON s.id = g.id AND s.number = seat.number
    WHERE g.id IN (SELECT id FROM strangers)
    GROUP BY g.id
)
UPDATE games g SET seats = renamed.seats FROM renamed WHERE renamed.id = g.id;
"""


def upgrade() -> None:
    op.execute(COLUMNS)
    op.execute(PLAIN_NAMES)


def downgrade() -> None:
    op.execute("ALTER TABLE games DROP COLUMN imported_by, DROP COLUMN commitment")
