"""No search in the metadata of apps' objects."""

from __future__ import annotations

from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

FORMER = """
    CREATE TABLE metadata_pairs (
        app_id uuid NOT NULL REFERENCES apps,
        kind text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        value text COLLATE "C" NOT NULL,
        id uuid NOT NULL,
        PRIMARY KEY (app_id, kind, key, value, id)
    );
    CREATE FUNCTION follow_metadata() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
"""
TRIGGERS = """
    CREATE TRIGGER metadata_of_new AFTER INSERT ON {0} FOR EACH ROW
        WHEN (NEW.metadata <> '{{}}') EXECUTE FUNCTION follow_metadata();
    CREATE TRIGGER metadata_changed AFTER UPDATE OF metadata ON {0} FOR EACH ROW
        WHEN (OLD.metadata <> NEW.metadata) EXECUTE FUNCTION follow_metadata();
    CREATE TRIGGER metadata_of_deleted AFTER DELETE ON {0} FOR EACH ROW
        WHEN (OLD.metadata <> '{{}}') EXECUTE FUNCTION follow_metadata();
"""


def upgrade() -> None:
    """Remove the pairs, and the triggers that wrote them."""
    op.execute("DROP FUNCTION follow_metadata() CASCADE")
    op.execute("DROP TABLE metadata_pairs")


def downgrade() -> None:
    """Add both."""
    op.execute(FORMER + "".join(TRIGGERS.format(table) for table in ("games", "players", "webhooks")))
