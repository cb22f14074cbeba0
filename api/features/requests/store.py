"""Requests of apps that were refused."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select

from api.features.requests.tables import refused_requests
from api.store import removal
from api.store.database.session import Session
from api.store.tables.columns import newest_first

t = refused_requests.c


class Refusal(NamedTuple):
    """A refused request; without its body, its query and its token."""

    id: UUID
    app_id: UUID
    at: datetime
    request_id: str
    method: str
    path: str
    status: int
    problem: str
    detail: str | None
    credential_id: UUID
    player_id: UUID | None


COLUMNS = tuple(t[name] for name in Refusal._fields)


def insert(session: Session, refusal: Refusal) -> None:
    """Store a refused request."""
    session.execute(refused_requests.insert().values(refusal._asdict()))


def page(
    session: Session, app_id: UUID, filters: dict[str, str | UUID], before: UUID | None, limit: int
) -> list[Refusal]:
    """List an app's refused requests whose columns have the `filters` values, newest first."""
    conditions = [t[name] == value for name, value in filters.items()]
    statement = select(*COLUMNS).where(t.app_id == app_id, *conditions)
    return [Refusal(*row) for row in session.execute(newest_first(statement, t.id, before, limit))]


def prune(session: Session, before: datetime) -> int:
    """Delete what was refused before this time; return how many."""
    return removal.prune(session, refused_requests, t.at, t.at < before)
