"""All that only a Citus cluster needs, behind an interface that one PostgreSQL implements too (`layout`).

`layout_of(session)` is the only place that asks which of both a database is. `docs/citus.md` says what
differs.
"""

from __future__ import annotations

from api.store.citus import CITUS
from api.store.database.session import Session
from api.store.layout import PLAIN, Layout


def layout_of(session: Session) -> Layout:
    """Return how the tables of the session's database are laid out."""
    return CITUS if session.distributed else PLAIN
