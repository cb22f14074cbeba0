"""Prevent the service's role from extending or restoring a key or token that ends or has ended."""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TRIGGER = """
CREATE FUNCTION refuse_longer_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a key or token that has ended, or will, does not last longer'
        USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER credential_ends BEFORE UPDATE ON credentials FOR EACH ROW WHEN (
    NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND OLD.revoked_at IS NOT NULL
    OR OLD.expires_at IS NOT NULL AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at)
) EXECUTE FUNCTION refuse_longer_life();
"""


def upgrade() -> None:
    op.execute(TRIGGER)


def downgrade() -> None:
    op.execute("DROP TRIGGER credential_ends ON credentials")
    op.execute("DROP FUNCTION refuse_longer_life")
