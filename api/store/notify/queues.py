"""The lengths of the job worker's queues."""

from __future__ import annotations

from sqlalchemy import func, select

from api.store.database.session import Session

NAMES = ("deliveries", "deliveries_due", "deadlines_due")
LOG_ENTRIES = "log_entries"  # that are not in the part of their month; at most 10,000


def depths(session: Session) -> dict[str, int]:
    """Count waiting and due deliveries, deadlines that have passed, and entries to move, of all apps."""
    table = func.queue_depths().table_valued(*NAMES)
    row = session.execute(select(*table.c, func.rest_of_log())).fetchone()
    assert row is not None
    return dict(zip((*NAMES, LOG_ENTRIES), row, strict=True))
