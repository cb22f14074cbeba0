"""Add the transparency log: a Merkle tree with a leaf for each game that is created and for each end."""

from __future__ import annotations

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TABLES = """
-- Future leaves, queued by any transaction that creates or ends a game.
CREATE TABLE tree_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id uuid NOT NULL REFERENCES games,
    ended boolean NOT NULL
);

-- The leaves in their order. Everybody may read them, but only the worker knows the game of each.
CREATE TABLE tree_leaves (
    number bigint PRIMARY KEY,
    game_id uuid NOT NULL REFERENCES games,
    ended boolean NOT NULL,
    commitment bytea NOT NULL,
    data bytea NOT NULL,
    added_at timestamptz NOT NULL
);
CREATE INDEX tree_leaves_of_game ON tree_leaves (commitment, number);
CREATE INDEX tree_leaves_by_time ON tree_leaves (added_at);

-- Their hashes, and those of complete subtrees of 256, 65536, … leaves, 256 to a row (fewer in the last).
CREATE TABLE tree_tiles (
    level integer NOT NULL,
    number bigint NOT NULL,
    hashes bytea NOT NULL,
    PRIMARY KEY (level, number)
);

-- The root of the tree at each published size.
CREATE TABLE tree_heads (
    size bigint PRIMARY KEY,
    root bytea NOT NULL,
    made_at timestamptz NOT NULL
);
"""

APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tree_leaves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tree_heads
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON tree_tiles
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION refuse_other_hashes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only: hashes may be added to a tile, not changed'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER add_only BEFORE UPDATE ON tree_tiles FOR EACH ROW
    WHEN (OLD.level <> NEW.level OR OLD.number <> NEW.number
        OR substring(NEW.hashes FOR length(OLD.hashes)) <> OLD.hashes)
    EXECUTE FUNCTION refuse_other_hashes();
"""

QUEUE = """
CREATE FUNCTION queue_leaf() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO tree_queue (game_id, ended) VALUES (NEW.id, false);
    END IF;
    IF NEW.status IN ('finished', 'cancelled') THEN
        INSERT INTO tree_queue (game_id, ended) VALUES (NEW.id, true);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER leaf_of_new_game AFTER INSERT ON games FOR EACH ROW EXECUTE FUNCTION queue_leaf();
CREATE TRIGGER leaf_of_ended_game AFTER UPDATE OF status ON games FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('finished', 'cancelled'))
    EXECUTE FUNCTION queue_leaf();
"""

# Games of earlier releases.
KNOWN = """
INSERT INTO tree_queue (game_id, ended)
SELECT id, ended FROM (
    SELECT id, false AS ended, created_at AS at FROM games
    UNION ALL SELECT id, true, updated_at FROM games WHERE status IN ('finished', 'cancelled')
) AS known ORDER BY at, ended, id
"""


def upgrade() -> None:
    for script in (TABLES, APPEND_ONLY, QUEUE, KNOWN):
        op.execute(script.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP TRIGGER leaf_of_new_game ON games")
    op.execute("DROP TRIGGER leaf_of_ended_game ON games")
    op.execute("DROP TABLE tree_queue, tree_leaves, tree_tiles, tree_heads")
    op.execute("DROP FUNCTION queue_leaf, refuse_other_hashes")
