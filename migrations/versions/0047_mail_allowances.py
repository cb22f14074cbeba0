"""Count the mails that strangers may cause, and tell players who is replaced."""

from __future__ import annotations

from alembic import op

revision = "0047"
down_revision = "0044"
branch_labels = None
depends_on = None

# Players who have chosen events, and want to know how a game ends, also want to know that they are replaced.
UPGRADE = """
CREATE TABLE allowances (bucket bytea PRIMARY KEY, used_until timestamptz NOT NULL);
CREATE INDEX allowances_by_age ON allowances (used_until);
UPDATE contacts SET preferences = replace(preferences, '"game.finished"', '"game.finished","game.replaced"')
    WHERE preferences LIKE '%"game.finished"%' AND preferences NOT LIKE '%"game.replaced"%';
"""


def upgrade() -> None:
    op.execute(UPGRADE)


def downgrade() -> None:
    op.execute("UPDATE contacts SET preferences = replace(preferences, ',\"game.replaced\"', '')")
    op.execute("DROP TABLE allowances")
