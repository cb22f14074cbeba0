"""Every table as SQLAlchemy metadata: what the statements of the store are written with.

The migrations make the tables, and they alone say what only PostgreSQL need know: triggers, functions, how
values are stored. `alembic check` and a test hold both against each other (`tests/api/test_tables.py`).

JSON is text or, where it is sealed, bytes: only the service reads it.
"""

from api.store.tables import accounts, audit, games, outbox
from api.store.tables.columns import metadata

__all__ = ["accounts", "audit", "games", "metadata", "outbox"]
