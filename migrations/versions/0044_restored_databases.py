"""Cursors of feeds that tell nothing, restorations of backups, and interrupted rotations of keys."""

from __future__ import annotations

from alembic import op

revision = "0044"
down_revision = "0041"
branch_labels = None
depends_on = None

UP = """
ALTER TABLE encryption ADD COLUMN complete boolean NOT NULL DEFAULT true;
ALTER TABLE log_keys ADD COLUMN restored boolean NOT NULL DEFAULT false;
CREATE TABLE cursor_key (
    single boolean PRIMARY KEY DEFAULT true CONSTRAINT cursor_key_single_check CHECK (single),
    secret bytea NOT NULL,
    database text NOT NULL
);
CREATE TABLE restorations (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    epoch bigint NOT NULL,
    tick bigint NOT NULL,
    at timestamptz NOT NULL
)
"""


def upgrade() -> None:
    op.execute(UP)


def downgrade() -> None:
    op.execute("DROP TABLE cursor_key, restorations")
    op.execute("ALTER TABLE encryption DROP COLUMN complete; ALTER TABLE log_keys DROP COLUMN restored")
