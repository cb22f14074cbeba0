"""Add push messages to players, and calendars of their deadlines."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

CHANGE = """
-- Browsers in which a player allowed push messages: the encrypted address and keys of each.
CREATE TABLE push_subscriptions (
    id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps,
    player_id uuid NOT NULL REFERENCES players,
    subscription bytea NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX push_subscriptions_of_player ON push_subscriptions (player_id, id);

-- The number of the player's valid calendar address, or null if there is none.
ALTER TABLE contacts ADD calendar integer;
"""


def upgrade() -> None:
    op.execute(CHANGE)


def downgrade() -> None:
    op.execute("ALTER TABLE contacts DROP calendar")
    op.execute("DROP TABLE push_subscriptions")
