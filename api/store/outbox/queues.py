"""How much waits for the job worker."""

from __future__ import annotations

from sqlalchemy import func, select

from api.store.database.session import Session

NAMES = ("deliveries", "deliveries_due", "deadlines_due")


def depths(session: Session) -> dict[str, int]:
    """Count deliveries to come, those due by now, and deadlines that have passed; of all apps."""
    found = func.queue_depths().table_valued(*NAMES)
    row = session.execute(select(*found.c)).fetchone()
    assert row is not None
    return dict(zip(NAMES, row, strict=True))
