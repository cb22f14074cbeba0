"""The tables of the core as SQLAlchemy metadata, for the statements of the store.

The migrations create the tables; only they contain what just PostgreSQL needs to know: triggers, functions,
storage parameters. `alembic check` and a test compare both (`tests/core/store/test_tables.py`).

JSON is stored as text or, if sealed, as bytes, because only the service reads it.
"""

from api.store.tables import accounts, audit, games
from api.store.tables.columns import metadata

__all__ = ["accounts", "audit", "games", "metadata"]
