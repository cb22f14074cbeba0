"""Exports an app, and deletes it, for operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import Column, Table, func, or_, select

from api.context import Context
from api.core.config import Settings, StartError
from api.features import opened
from api.features.months import files
from api.features.notices import positions
from api.features.proofs import tree
from api.features.proofs.keys import Signer
from api.features.test_clocks.tables import test_clocks
from api.features.webhooks.tables import webhooks
from api.games.export import record_of
from api.games.game import OPEN, RUNNING
from api.games.loading import load
from api.games.views import Visibility
from api.store import removal
from api.store.credentials import GUESTS
from api.store.database.session import Session
from api.store.tables.accounts import apps, credentials, players
from api.store.tables.columns import among
from api.store.tables.games import games

PIECE = 100  # rows that are read together
PASSES = 5  # what others begin meanwhile needs another one
Report = Callable[[str], object]


def _named(table: Table, names: str) -> tuple[Column[Any], ...]:
    return tuple(table.c[name] for name in names.split())


# What the export shows, as its app sees it: no hash of a key, and no secret of a webhook.
KEY = _named(credentials, "id name prefix scopes created_at expires_at revoked_at")
PLAYER = _named(players, "id name external_id metadata created_at deleted_at")
SETTINGS = {
    "keys": KEY,
    "webhooks": _named(
        webhooks,
        "id url events include created_at disabled_at external_id metadata",
    ),
    "test_clocks": _named(test_clocks, "id name time created_at deleted_at"),
}


def find(session: Session, app: str) -> tuple[UUID, str]:
    """Return the id and the name of an app, by either of them. Raises StartError."""
    named = or_(apps.c.name == app, apps.c.id == _id(app)) if _id(app) else apps.c.name == app
    rows = session.execute(select(apps.c.id, apps.c.name).where(named)).fetchall()
    if not rows:
        raise StartError(f"There is no app {app}.")
    if len(rows) > 1:
        others = " and ".join(f"{name} ({app_id})" for app_id, name in sorted(rows))
        raise StartError(f"{app} is the id of one app and the name of another: {others}.")
    return rows[0][0], rows[0][1]


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def export(settings: Settings, app: str, file: Path, report: Report) -> None:
    """Write an app's settings, players and games to a new file. Raises StartError.

    Games that cannot be read are named and left out; the StartError at the end counts them.
    """
    counts = Counter[str]()
    # The owner sees every app, and only a web process has the key to sign with.
    with opened(settings.for_owner()) as context, opened(settings.for_web()) as web:
        context.signer = Signer(web.session)
        files.write(file, _lines(context, find(context.session, app)[0], counts, report))
    report(f"{counts['game']} games and {counts['player']} players")
    if counts["unreadable"]:
        raise StartError(f"{counts['unreadable']} of its games cannot be read, and the file is without them.")


def _lines(context: Context, app_id: UUID, counts: Counter[str], report: Report) -> Iterator[dict[str, Any]]:
    """Yield all lines, and count them by kind."""
    session = context.session
    settings = {name: [*_rows(session, shown, app_id)] for name, shown in SETTINGS.items()}
    own = session.execute(select(apps.c.id, apps.c.name, apps.c.created_at).where(apps.c.id == app_id))
    (app,) = own.fetchall()
    yield {"app": {"id": app[0], "name": app[1], "created_at": app[2], **settings}}
    for line in chain(
        ({"player": player} for player in _rows(session, PLAYER, app_id)), _games(context, app_id, report)
    ):
        counts[next(iter(line), "unreadable")] += 1
        if line:
            yield line


def _rows(session: Session, columns: Sequence[Column[Any]], app_id: UUID) -> Iterator[dict[str, Any]]:
    """Yield these columns of an app's rows, the first of which is the id; KEY means keys, not tokens."""
    t, after, names = columns[0].table.c, UUID(int=0), [f"{column.name}" for column in columns]
    own = select(*columns).where(t.app_id == app_id).order_by(t.id).limit(PIECE)
    if columns is KEY:
        own = own.where(t.player_id.is_(None))
    while rows := session.execute(own.where(t.id > after)).fetchall():
        yield from (dict(zip(names, row, strict=True)) for row in rows)
        after = rows[-1][0]


def _games(context: Context, app_id: UUID, report: Report) -> Iterator[dict[str, Any]]:
    """Yield a line for each game, an empty one for those that cannot be read, which are reported."""
    for game in _rows(context.session, (games.c.id, games.c.chat), app_id):
        try:
            record = record_of(context, load(context, game["id"]), Visibility(own=True))
        except (psycopg.Error, OSError):  # a later call may succeed
            raise
        except Exception as error:  # whatever a damaged row or a missing ruleset leads to
            report(f"game {game['id']} cannot be read: {type(error).__name__}: {error}")
            yield {}
        else:
            yield {"game": game["id"], "chat": game["chat"] or [], "record": record}


def delete(
    settings: Settings, app: str, abandon: bool, confirm: Callable[[str], None], report: Report
) -> None:
    """Delete an app with everything that is its own, if `confirm`, which gets its name, returns.

    Raises StartError.
    """
    with opened(settings.for_owner()) as context:
        session = context.session
        app_id, name = find(session, app)
        if name == GUESTS:
            raise StartError(f"{GUESTS} is the app of this server's own guests and accounts; it stays.")
        _require_over(session, app_id, name, abandon)
        confirm(name)
        number = _count(session, app_id)
        _end(session, app_id)
        tree.integrate_all(context)  # receipts promise the leaves that wait
        _delete(session, app_id)
    report(f"{name} is deleted, with {number} games")


def _require_over(session: Session, app_id: UUID, name: str, abandon: bool) -> None:
    """Raise StartError if games are not over, and are not abandoned."""
    open_ = among(games.c.status, [OPEN, RUNNING])
    going = select(func.count()).select_from(games).where(games.c.app_id == app_id, open_)
    number = session.execute(going).fetchall()[0][0]
    if number and not abandon:
        raise StartError(
            f"{number} games of {name} are not over: cancel them first (referee-api games cancel-idle), or"
            " say --abandon to delete them as they are."
        )


def _count(session: Session, app_id: UUID) -> int:
    counted = select(func.count()).select_from(games).where(games.c.app_id == app_id)
    return int(session.execute(counted).fetchall()[0][0])


def _end(session: Session, app_id: UUID) -> None:
    """Revoke every key and token, and announce nothing more, so that nothing new begins."""
    own = (credentials.c.app_id == app_id, credentials.c.revoked_at.is_(None))
    session.execute(credentials.update().where(*own).values(revoked_at=func.now()))
    with session.transaction():
        positions.take(session, app_id, wait=True)
        positions.end(session, app_id)


def _delete(session: Session, app_id: UUID) -> None:
    for left in reversed(range(PASSES)):
        try:
            removal.delete(session, app_id)
            if session.distributed:  # no foreign key tells what was added meanwhile
                removal.delete(session, app_id)
            return
        except (psycopg.errors.ForeignKeyViolation, psycopg.errors.DeadlockDetected):
            if not left:
                raise
