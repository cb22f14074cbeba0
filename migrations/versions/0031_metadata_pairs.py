"""Find objects by their metadata with an index that can be used under row-level security.

PostgreSQL evaluates a policy before any operator that could leak its arguments, and `@>` on JSON is one of
these. So the service never used the indexes on metadata. Comparing two texts is allowed before the policy.
"""

from __future__ import annotations

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

LABELLED = ("games", "players", "webhooks")

TABLE = """
CREATE TABLE metadata_pairs (
    app_id uuid NOT NULL REFERENCES apps (id),
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (app_id, kind, key, value, id)
);
"""

# The service writes only metadata. A trigger derives the pairs, with the owner's rights.
FOLLOW = """
CREATE FUNCTION follow_metadata() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM metadata_pairs p USING jsonb_each_text(OLD.metadata) AS o
        WHERE p.app_id = OLD.app_id AND p.kind = TG_TABLE_NAME AND p.key = o.key AND p.value = o.value
            AND p.id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO metadata_pairs
        SELECT NEW.app_id, TG_TABLE_NAME, n.key, n.value, NEW.id FROM jsonb_each_text(NEW.metadata) AS n;
    END IF;
    RETURN NULL;
END $$;
"""

TRIGGERS = """
CREATE TRIGGER metadata_of_new AFTER INSERT ON {table} FOR EACH ROW
    WHEN (NEW.metadata <> '{{}}') EXECUTE FUNCTION follow_metadata();
CREATE TRIGGER metadata_changed AFTER UPDATE OF metadata ON {table} FOR EACH ROW
    WHEN (OLD.metadata <> NEW.metadata) EXECUTE FUNCTION follow_metadata();
CREATE TRIGGER metadata_of_deleted AFTER DELETE ON {table} FOR EACH ROW
    WHEN (OLD.metadata <> '{{}}') EXECUTE FUNCTION follow_metadata();
INSERT INTO metadata_pairs
    SELECT t.app_id, '{table}', p.key, p.value, t.id FROM {table} t, jsonb_each_text(t.metadata) AS p;
"""


def upgrade() -> None:
    for script in (TABLE, FOLLOW, *(TRIGGERS.format(table=table) for table in LABELLED)):
        op.execute(script.replace(":", r"\:"))
    op.execute("DROP INDEX games_metadata, players_metadata")
    op.execute("ANALYZE metadata_pairs")


def downgrade() -> None:
    for table in LABELLED:
        for trigger in ("metadata_of_new", "metadata_changed", "metadata_of_deleted"):
            op.execute(f"DROP TRIGGER {trigger} ON {table}")
    op.execute("DROP FUNCTION follow_metadata")
    op.execute("DROP TABLE metadata_pairs")
    op.execute("CREATE INDEX games_metadata ON games USING gin (metadata jsonb_path_ops)")
    op.execute("CREATE INDEX players_metadata ON players USING gin (metadata jsonb_path_ops)")
