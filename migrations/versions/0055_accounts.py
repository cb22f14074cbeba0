"""Accounts of this server: requests to sign in by mail, the addresses of accounts, and names of devices."""

from __future__ import annotations

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

UPGRADE = """
CREATE TABLE sign_ins (
    id uuid PRIMARY KEY,
    address bytea NOT NULL,
    codes bytea[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    tries integer NOT NULL DEFAULT 0,
    next_at timestamptz
);
CREATE INDEX sign_ins_due ON sign_ins (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX sign_ins_by_age ON sign_ins (expires_at);
ALTER TABLE contacts ADD COLUMN account bytea;
CREATE UNIQUE INDEX contacts_account ON contacts (account) WHERE account IS NOT NULL;
ALTER TABLE credentials ADD COLUMN device text;
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("ALTER TABLE credentials DROP COLUMN device")
    op.execute("ALTER TABLE contacts DROP COLUMN account")
    op.execute("DROP TABLE sign_ins")
