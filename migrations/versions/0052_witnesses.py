"""Store cosignatures of the log of all games, the succession of keys, and what archives contain.

A leaf of an archived month belongs to no game.
"""

from __future__ import annotations

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

UPGRADE = """
CREATE TABLE tree_cosignatures (
    size bigint NOT NULL REFERENCES tree_heads,
    witness text NOT NULL,
    line text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (size, witness)
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tree_cosignatures
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE log_keys ADD COLUMN endorsement text;
ALTER TABLE archives ADD COLUMN games integer, ADD COLUMN digest bytea;
ALTER TABLE tree_leaves ALTER COLUMN game_id DROP NOT NULL;
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("DROP TABLE tree_cosignatures")
    op.execute("ALTER TABLE log_keys DROP COLUMN endorsement")
    op.execute("ALTER TABLE archives DROP COLUMN games, DROP COLUMN digest")
