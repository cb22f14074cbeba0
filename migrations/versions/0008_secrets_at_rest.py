"""Turn secret columns into bytes, to be encrypted. `api.run.migrate` encrypts the existing values."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

COLUMNS = {
    "games": ["position"],
    "entries": ["private"],
    "snapshots": ["state"],
    "standing_orders": ["moves", "cancelled"],
    "webhooks": ["secret", "secret_before"],
}

# Encrypted values cannot be compressed, so do not try.
STORAGE = """
ALTER TABLE games ALTER COLUMN position SET STORAGE EXTERNAL;
ALTER TABLE entries ALTER COLUMN private SET STORAGE EXTERNAL;
ALTER TABLE snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
ALTER TABLE idempotency ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE idempotency SET (toast_tuple_target = 8160);
"""

# Which seats have orders left is asked about all games at once, so it is a column of its own.
ORDERS_LEFT = """
ALTER TABLE standing_orders ADD COLUMN remaining boolean;
UPDATE standing_orders SET remaining = moves <> '[]';
ALTER TABLE standing_orders ALTER COLUMN remaining SET NOT NULL;
DROP INDEX orders_left;
CREATE INDEX orders_left ON standing_orders (game_id, seat) WHERE remaining;
"""

# The prefix of the key that encrypts everything, not the key itself. No row means that nothing is encrypted.
ENCRYPTION = """
CREATE TABLE encryption (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    prefix bytea NOT NULL
);
"""

# Only the owner may encrypt the private part of an entry with another key. Its content is sealed by the
# public part, which nobody may change.
APPEND_ONLY = """
DROP TRIGGER append_only ON entries;
CREATE TRIGGER append_only BEFORE UPDATE OF game_id, seq, public, hash OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_unless_resealed BEFORE UPDATE ON entries FOR EACH STATEMENT
    WHEN (current_setting('card_referee.resealing', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION refuse_change();
"""


def upgrade() -> None:
    op.execute(ORDERS_LEFT)
    for table, columns in COLUMNS.items():
        changes = [f"ALTER COLUMN {name} TYPE bytea USING convert_to({name}, 'UTF8')" for name in columns]
        op.execute(f"ALTER TABLE {table} {', '.join(changes)}")
    for script in (STORAGE, ENCRYPTION, APPEND_ONLY):
        op.execute(script)


def downgrade() -> None:
    raise NotImplementedError("what is encrypted cannot become text again")
