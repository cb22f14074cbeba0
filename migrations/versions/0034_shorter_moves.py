"""Separate what a move writes from what it does not change, and store nothing twice.

`sitting` of a game says who sits where; `seats` contains only the clocks. Rows that have not changed since
contain both in `seats`. From here on, positions are packed (`api.store.database.packing`).

The seats of a player are found in `player_games`, so no move writes to an index for them. Entries need no
foreign key, which locked the row that the same statement had written: the trigger `no_gap` takes the app from
the entry before, or from the game, and fails for a log without a game.
"""

from __future__ import annotations

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

UPGRADE = """
ALTER TABLE games ADD COLUMN sitting text;
DROP INDEX game_seats_of_player;
ALTER TABLE entries DROP CONSTRAINT entries_game_id_fkey;
CREATE FUNCTION refuse_to_lose_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM entries WHERE game_id = OLD.id) THEN
        RAISE EXCEPTION 'the game % has a log, which is append-only', OLD.id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER log_stays BEFORE DELETE ON games FOR EACH ROW EXECUTE FUNCTION refuse_to_lose_log();
"""


def upgrade() -> None:
    op.execute(UPGRADE.replace(":", r"\:"))


def downgrade() -> None:
    raise NotImplementedError("releases before this one cannot read packed positions")
