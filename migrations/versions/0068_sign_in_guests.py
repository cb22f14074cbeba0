"""The guest whom a link to sign in carries along, and the code that can be typed instead of opening it."""

from __future__ import annotations

from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.execute(
        "ALTER TABLE sign_ins ADD COLUMN guest uuid, ADD COLUMN typed bytea,"
        " ADD COLUMN typed_until timestamptz, ADD COLUMN guesses integer NOT NULL DEFAULT 0"
    )


def downgrade() -> None:
    """Remove them."""
    op.execute(
        "ALTER TABLE sign_ins DROP COLUMN guest, DROP COLUMN typed, DROP COLUMN typed_until,"
        " DROP COLUMN guesses"
    )
