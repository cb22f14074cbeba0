"""Names and prefixes of app keys, and when each was last used."""

from __future__ import annotations

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

UPGRADE = """
ALTER TABLE credentials ADD COLUMN name text;
ALTER TABLE credentials ADD COLUMN prefix text;
CREATE TABLE key_uses (
    credential_id uuid PRIMARY KEY,
    at timestamptz NOT NULL
);
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("DROP TABLE key_uses")
    op.execute("ALTER TABLE credentials DROP COLUMN name, DROP COLUMN prefix")
