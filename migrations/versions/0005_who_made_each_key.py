"""Store which key created a key or player token, so that revoking a key also revokes what it created.

Until now, keys with `write` could create and revoke keys. They keep that right as the scope `keys`.
"""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

PARENTS = """
ALTER TABLE credentials ADD COLUMN parent_id uuid REFERENCES credentials;
CREATE INDEX credentials_of_parent ON credentials (parent_id) WHERE parent_id IS NOT NULL;
UPDATE credentials SET scopes = scopes || '{keys}'::text[]
    WHERE player_id IS NULL AND 'write' = ANY(scopes) AND NOT 'keys' = ANY(scopes);
"""


def upgrade() -> None:
    op.execute(PARENTS.replace(":", r"\:"))


def downgrade() -> None:
    op.execute("UPDATE credentials SET scopes = array_remove(scopes, 'keys')")
    op.execute("ALTER TABLE credentials DROP COLUMN parent_id")
