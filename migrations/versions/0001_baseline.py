"""The schema of the first release."""

from __future__ import annotations

from pathlib import Path

from alembic import op

import migrations

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    script = Path(migrations.__file__).with_name("baseline.sql").read_text()
    op.get_bind().connection.cursor().execute(script)


def downgrade() -> None:
    """Refuse."""
    raise NotImplementedError("there is nothing before the first schema")
