"""Which migrations the database has had."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic.script import ScriptDirectory

import migrations
from api.store.db import Session


@cache
def newest() -> str | None:
    """Give the newest revision that this code knows."""
    return ScriptDirectory(str(Path(migrations.__file__).parent)).get_current_head()


def revision(session: Session) -> str | None:
    """Give the revision that the database stands at."""
    row = session.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row else None
