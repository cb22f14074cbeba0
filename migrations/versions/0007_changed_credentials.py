"""Notify every process that streams to a key or token when that is revoked or otherwise changed."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# Sent in the transaction, unlike notifications of games, so that it arrives before those of anything that is
# committed later.
TRIGGER = """
CREATE FUNCTION tell_of_credential() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('games', 'credential ' || NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER credential_changed AFTER UPDATE ON credentials
    FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tell_of_credential();
"""


def upgrade() -> None:
    op.execute(TRIGGER.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("DROP TRIGGER credential_changed ON credentials")
    op.execute("DROP FUNCTION tell_of_credential")
