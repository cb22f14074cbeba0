"""The lengths of the job worker's queues."""

from __future__ import annotations

from sqlalchemy import func, select

from api.store.database.session import Session

NAMES = ("deliveries", "deliveries_due", "deadlines_due")


def depths(session: Session) -> dict[str, int]:
    """Count waiting deliveries, due deliveries, and deadlines that have passed, of all apps."""
    found = func.queue_depths().table_valued(*NAMES)
    row = session.execute(select(*found.c)).fetchone()
    assert row is not None
    return dict(zip(NAMES, row, strict=True))
