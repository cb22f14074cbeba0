"""Which processes are up, and when backups were written: what operators watch."""

from __future__ import annotations

from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.execute(
        "CREATE TABLE processes (id uuid PRIMARY KEY, kind text NOT NULL, release text NOT NULL,"
        " keys text[] NOT NULL, started_at timestamptz NOT NULL, seen_at timestamptz NOT NULL)"
    )
    op.execute("CREATE TABLE backups (written_at timestamptz PRIMARY KEY, bytes bigint NOT NULL)")


def downgrade() -> None:
    """Remove the tables."""
    op.execute("DROP TABLE processes")
    op.execute("DROP TABLE backups")
