"""Store when the service was last up, and its outages."""

from __future__ import annotations

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

OUTAGES = """
CREATE TABLE heartbeat (single boolean PRIMARY KEY DEFAULT true, at timestamptz NOT NULL,
    CONSTRAINT heartbeat_single_check CHECK (single));
CREATE TABLE outages (ended_at timestamptz PRIMARY KEY, began_at timestamptz NOT NULL,
    settled boolean NOT NULL DEFAULT false,
    CONSTRAINT outages_ended_at_check CHECK (ended_at > began_at));
"""


def upgrade() -> None:
    op.execute(OUTAGES)


def downgrade() -> None:
    op.execute("DROP TABLE heartbeat")
    op.execute("DROP TABLE outages")
