"""Add the keys that sign receipts. The newest has no end."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

LOG_KEYS = """
CREATE TABLE log_keys (
    public_key bytea PRIMARY KEY,
    name text NOT NULL,
    private_key bytea,
    valid_from timestamptz NOT NULL,
    valid_until timestamptz,
    CONSTRAINT log_keys_public_key_check CHECK (length(public_key) = 32),
    CONSTRAINT log_keys_valid_until_check CHECK (valid_until >= valid_from)
);
-- Encrypted values do not shrink.
ALTER TABLE log_keys ALTER COLUMN private_key SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX log_keys_current ON log_keys ((valid_until IS NULL)) WHERE valid_until IS NULL;
"""


def upgrade() -> None:
    op.execute(LOG_KEYS)


def downgrade() -> None:
    op.execute("DROP TABLE log_keys")
