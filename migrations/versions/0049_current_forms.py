"""Convert rows that only earlier commits wrote to the forms of today, which alone are read from here on.

A row of a game had clocks and players of its seats in one column, orders were a list of moves, and kept
answers to moves were written in words. Nobody finds those kept answers any more (they have another owner),
so they are deleted.
"""

from __future__ import annotations

import json

from alembic import context, op

from api.store.database.encryption import Cipher, orders_place

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

CLOCK = "'{since,deadline,reserve,left,looked}'::text[]"
SEATS = f"""
UPDATE games SET (seats, sitting) = (
    SELECT jsonb_agg(coalesce(clock, '{{}}') ORDER BY number)::text,
        jsonb_agg(seat - {CLOCK} ORDER BY number)::text
    FROM jsonb_array_elements(seats::jsonb) WITH ORDINALITY AS s (seat, number) LEFT JOIN LATERAL (
        SELECT jsonb_object_agg(key, value) AS clock FROM jsonb_each(seat) AS member
        WHERE key = ANY ({CLOCK}) AND value <> 'null'
    ) AS c ON true
) WHERE sitting IS NULL;
ALTER TABLE games ALTER COLUMN sitting SET NOT NULL;
"""
ANSWERS = """
DELETE FROM idempotency WHERE sealed_by <> '' OR length(body) = 0 AND headers LIKE '{"shown":{%';
ALTER TABLE idempotency DROP COLUMN sealed_by;
"""
PLAN = {"orders": [], "always_pass": False, "only_move": False, "repeated": 0}


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for script in (SEATS, ANSWERS.replace("%", "%%"), "DROP FUNCTION IF EXISTS refuse_gap"):
        run(script)
    _convert_orders(context.config.attributes.get("cipher") or Cipher([]))


def _convert_orders(cipher: Cipher) -> None:
    run = op.get_bind().exec_driver_sql
    for game, seat, sealed in run("SELECT game_id, seat, moves FROM standing_orders").all():
        row, place = game.bytes, orders_place(seat)
        plan = json.loads(cipher.open(bytes(sealed), row, place))
        if isinstance(plan, list):
            text = json.dumps({**PLAN, "orders": [{"move": move} for move in plan]})
            changed = (cipher.seal(text.encode(), row, place), game, seat)
            run("UPDATE standing_orders SET moves = %s WHERE game_id = %s AND seat = %s", changed)


def downgrade() -> None:
    op.execute("ALTER TABLE games ALTER COLUMN sitting DROP NOT NULL")
    op.execute("ALTER TABLE idempotency ADD COLUMN sealed_by text NOT NULL DEFAULT ''")
