"""The schema of 0.1.0: 41 migrations in one, under the number of the last of them.

So a database of the commits before continues here without another step, and 0042 follows.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

import migrations

revision = "0041"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    script = Path(migrations.__file__).with_name("baseline.sql").read_text()
    op.get_bind().connection.cursor().execute(script)


def downgrade() -> None:
    raise NotImplementedError("there is nothing before the first release")
