"""A key or token that is revoked or otherwise changed is told to every process that streams to it."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# Within the transaction, unlike the notices of games: so it comes before those of what is committed later.
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
