"""Exports an app, and deletes it, for operators."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import psycopg
from sqlalchemy import func, or_, select

from api.commands.opening import of_owner, opened
from api.core.config import Settings, StartError
from api.game.game import OPEN, RUNNING
from api.store import removal
from api.store.accounts.credentials import GUESTS
from api.store.database.session import Session
from api.store.distributed import distribution
from api.store.tables.accounts import apps, credentials
from api.store.tables.audit import archived_games
from api.store.tables.columns import among
from api.store.tables.games import games

PASSES = 5  # what others begin meanwhile needs another one
Report = Callable[[str], object]


def find(session: Session, app: str) -> tuple[UUID, str]:
    """Return the id and the name of an app, by either of them. Raises StartError."""
    named = or_(apps.c.name == app, apps.c.id == _id(app)) if _id(app) else apps.c.name == app
    row = session.execute(select(apps.c.id, apps.c.name).where(named)).fetchone()
    if row is None:
        raise StartError(f"There is no app {app}.")
    return row[0], row[1]


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def delete(
    settings: Settings, app: str, abandon: bool, confirm: Callable[[str], None], report: Report
) -> None:
    """Delete an app with everything that is its own, if `confirm`, which gets its name, returns.

    Raises StartError.
    """
    distribution.refuse(settings, "apps delete")
    with opened(of_owner(settings)) as context:
        session = context.session
        app_id, name = find(session, app)
        if name == GUESTS:
            raise StartError(f"{GUESTS} is the app of this server's own guests and accounts; it stays.")
        _require_over(session, app_id, name, abandon)
        confirm(name)
        number = _count(session, app_id)
        files = _files(session, app_id)
        _end_keys(session, app_id)
        _delete(session, app_id)
    report(f"{name} is deleted, with {number} games")
    if files:
        report(
            "Archives of months are shared by all apps and never change; these still have games of it: "
            + ", ".join(files)
        )


def _require_over(session: Session, app_id: UUID, name: str, abandon: bool) -> None:
    """Raise StartError if games are not over, and are not abandoned."""
    open_ = among(games.c.status, [OPEN, RUNNING])
    going = select(func.count()).select_from(games).where(games.c.app_id == app_id, open_)
    number = session.execute(going).fetchall()[0][0]
    if number and not abandon:
        raise StartError(
            f"{number} games of {name} are not over: cancel them first (referee-api games cancel), or say"
            " --abandon to delete them as they are."
        )


def _count(session: Session, app_id: UUID) -> int:
    counted = select(func.count()).select_from(games).where(games.c.app_id == app_id)
    return int(session.execute(counted).fetchall()[0][0])


def _files(session: Session, app_id: UUID) -> list[str]:
    """Return the archives that have games of an app."""
    named = select(archived_games.c.file).where(archived_games.c.app_id == app_id).distinct()
    return sorted(row[0] for row in session.execute(named))


def _end_keys(session: Session, app_id: UUID) -> None:
    """Revoke every key and token, so that nothing new begins."""
    own = (credentials.c.app_id == app_id, credentials.c.revoked_at.is_(None))
    session.execute(credentials.update().where(*own).values(revoked_at=func.now()))


def _delete(session: Session, app_id: UUID) -> None:
    for left in reversed(range(PASSES)):
        try:
            removal.delete(session, app_id)
            return
        except (psycopg.errors.ForeignKeyViolation, psycopg.errors.DeadlockDetected):
            if not left:
                raise
