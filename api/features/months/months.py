"""The months of the log: each has the games that were created in it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from api.store.database.session import Session, scalar
from api.store.tables.games import PARTS_OF_LOG

PIECE = 100  # games that are read together
FIRST = "SELECT id FROM games ORDER BY id LIMIT 1"
IN_MONTH = "id >= %(first)s AND id < %(beyond)s"
OF_GAMES = f"SELECT count(*), min(id::text) FROM games WHERE {IN_MONTH}"
# A test clock says nothing about when a game ended. Talk stays open for a day.
OPEN = f"{OF_GAMES} AND status NOT IN ('finished', 'cancelled')"
YOUNG = f"{OF_GAMES} AND updated_at >= %(now)s - interval '2 days' AND test_clock IS NULL"
QUEUED = (
    "SELECT count(*), min(game_id::text) FROM tree_queue WHERE game_id >= %(first)s AND game_id < %(beyond)s"
)
WAITS = (
    (OPEN, "{} of its games are not over, such as {}"),
    (YOUNG, "{} of its games were changed in the last two days, such as {}"),
    (QUEUED, "{} leaves are not in the log of all games yet, such as that of {}; is the worker running?"),
)
NEXT = f"SELECT id FROM games WHERE {IN_MONTH} AND id > %(after)s ORDER BY id LIMIT {PIECE}"


class Month(NamedTuple):
    """A month such as 2026-03, and the bounds of its games' ids."""

    name: str
    first: UUID
    beyond: UUID

    @property
    def part(self) -> str:
        """Return the name of its part of the log."""
        return PARTS_OF_LOG + self.name.replace("-", "_")


def month_of(moment: datetime) -> Month:
    """Return the month of a time."""
    first = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return Month(f"{first:%Y-%m}", _first_id(first), _first_id(_next(first)))


def _next(first: datetime) -> datetime:
    return (first + timedelta(days=31)).replace(day=1)


def _first_id(moment: datetime) -> UUID:
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def over(session: Session, now: datetime) -> Iterator[Month]:
    """Yield the months before the current one, from that of the oldest game on."""
    oldest = scalar(session, FIRST)
    if oldest is None:
        return
    moment = datetime.fromtimestamp((oldest.int >> 80) / 1000, UTC)
    while (month := month_of(moment)).beyond <= month_of(now).first:
        yield month
        moment = _next(moment.replace(day=1))


def games_of(session: Session, month: Month) -> Iterator[UUID]:
    """Yield the games of a month, in their order."""
    after = UUID(int=0)
    while rows := session.execute(NEXT, {**month._asdict(), "after": after}).fetchall():
        yield from (row[0] for row in rows)
        after = rows[-1][0]


def unfinished(session: Session, month: Month, now: datetime) -> str:
    """Return why something may still be added to a month; "" if nothing can be."""
    values = {**month._asdict(), "now": now}
    rows = [(session.execute(question, values).fetchone() or (0, None), why) for question, why in WAITS]
    return "; ".join(why.format(*row) for row, why in rows if row[0])
