"""Which processes are up, and the schema of the database."""

from __future__ import annotations

from uuid import UUID, uuid4

import psycopg
from sqlalchemy import column, select, table

from api.core.release import newest as newest
from api.core.release import release
from api.store.database.session import Session, scalar

SEEN = """
    INSERT INTO processes (id, kind, release, keys, started_at, seen_at)
    VALUES (%s, %s, %s, %s, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
"""
"""By the database's clock, as it is read: the clocks of servers may differ."""
OLD = "DELETE FROM processes WHERE seen_at < now() - interval '1 hour'"
WEB, WORKER = "web", "worker"
OWN_ID = uuid4()  # of this process; one that was forked needs another


def record_process(session: Session, kind: str, process: UUID = OWN_ID) -> None:
    """Write that a process is up, and forget those that have not been for long."""
    keys = [prefix.hex() for prefix in session.cipher.prefixes]
    session.execute(SEEN, (process, kind, release(), keys))
    session.execute(OLD)


def forget_process(session: Session, process: UUID = OWN_ID) -> None:
    """Forget a process that ends."""
    session.execute("DELETE FROM processes WHERE id = %s", (process,))


def without_key(connection: psycopg.Connection, prefix: bytes) -> list[str]:
    """Return the kinds of the processes that are up and do not have an encryption key."""
    found = connection.execute(
        "SELECT kind FROM processes WHERE seen_at > now() - interval '15 seconds' AND %s <> ALL (keys)"
        " ORDER BY kind",
        (prefix.hex(),),
    )
    return [kind for (kind,) in found]


def oldest_code(session: Session) -> str:
    """Return the newest revision that code has to know to work with the database."""
    return str(scalar(session, "SELECT oldest_code()"))


def revision(session: Session) -> str | None:
    """Return the revision of the database, or None if it has none."""
    row = session.execute(select(column("version_num")).select_from(table("alembic_version"))).fetchone()
    return str(row[0]) if row else None
