"""How much waits for the job worker."""

from __future__ import annotations

from api.store.database.session import Session

DEPTHS = """
    SELECT (SELECT count(*) FROM deliveries WHERE next_at IS NOT NULL),
           (SELECT count(*) FROM deliveries WHERE next_at <= now()),
           (SELECT count(*) FROM game_seats WHERE deadline <= now())
"""
NAMES = ("deliveries", "deliveries_due", "deadlines_due")


def depths(session: Session) -> dict[str, int]:
    """Count deliveries to come, those due by now, and deadlines that have passed."""
    row = session.execute(DEPTHS).fetchone()
    assert row is not None
    return dict(zip(NAMES, row, strict=True))
