"""All entries of an app's games in one order, so that a reader who continues at a place misses none.

The order is (tick, game, seq). A tick is the number of the transaction that wrote an entry. Only entries
below the horizon are read: the number of the oldest transaction that has not ended. So entries that are
committed late come after everything that was read before. Within a game ticks never decrease, so its entries
are in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Tuple,
    bindparam,
    cast,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects.postgresql import JSONB

from api.core.json import Json
from api.store.database.session import Session
from api.store.games import opened_private
from api.store.layout import layout_of
from api.store.log import StoredEntry
from api.store.tables.audit import detached
from api.store.tables.columns import among
from api.store.tables.games import entries, game_seats, games, words
from api.store.words import WITH_WORDS

WINDOW = 10_000  # entries that are scanned for matching ones before a page ends

t = entries.c


class Place(NamedTuple):
    """The place of an entry in the order."""

    tick: int
    game_id: UUID
    seq: int


START = Place(0, UUID(int=0), 0)  # before every entry


class Placed(NamedTuple):
    """An entry of a feed."""

    place: Place
    stored: StoredEntry


class Unannounced(NamedTuple):
    """An entry of which no notices are queued yet; `notice` None: there are none. `words` are as stored."""

    place: Place
    public: str
    hash: bytes
    notice: str | None
    words: str | None


class Selection(NamedTuple):
    """Which entries of an app to read; None: no filter.

    `players`: of games in which one of these has a seat. `viewer`: of games that this player may see, or only
    of those in which it also has a seat (`seated`).
    """

    players: Sequence[UUID] | None = None
    viewer: UUID | None = None
    seated: bool = False
    rulesets: Sequence[str] | None = None
    types: Sequence[str] | None = None
    move_types: Sequence[str] | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions to add to a statement."""
        public, conditions = cast(t.public, JSONB), []
        if self.players is not None:
            conditions.append(_sits(self.players))
        if self.viewer is not None:
            sits = _sits([self.viewer])
            conditions.append(sits if self.seated else or_(sits, _of_game(games.c.visibility != "private")))
        if self.rulesets is not None:
            conditions.append(_of_game(among(games.c.ruleset, self.rulesets)))
        if self.types is not None:
            conditions.append(among(public["type"].astext, self.types))
        if self.move_types is not None:
            conditions.append(among(public["move"]["type"].astext, self.move_types))
        return conditions


class FeedPart(NamedTuple):
    """A part of a feed: its entries, the place where it ends, and whether there is more."""

    entries: list[Placed]
    reached: Place
    more: bool


# A look-up for each entry; with `exists`, the planner may read all games for a page of entries.
def _of_game(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(condition).where(games.c.id == t.game_id).scalar_subquery()


def _sits(players: Sequence[UUID]) -> ColumnElement[bool]:
    seats = select(literal(True)).where(game_seats.c.game_id == t.game_id)
    return seats.where(among(game_seats.c.player_id, players)).limit(1).scalar_subquery()


PLACE = (t.tick, t.game_id, t.seq)
_place = tuple_(*PLACE)


def _at(place: Place) -> Tuple:
    return tuple_(*(literal(value, column.type) for value, column in zip(place, PLACE, strict=True)))


def _bound(name: str) -> Tuple:
    columns = zip(Place._fields, PLACE, strict=True)
    return tuple_(*(bindparam(f"{name}_{field}", type_=column.type) for field, column in columns))


OF_APP = t.app_id == bindparam("app")
# On a cluster, the horizon is a value, because each shard would compute one of its own.
HORIZON = func.coalesce(bindparam("horizon", type_=BigInteger), func.feed_horizon(type_=BigInteger))
BELOW_HORIZON = t.tick < HORIZON
NEXT = (OF_APP, _place > _bound("after"), BELOW_HORIZON)
COLUMNS = select(*PLACE, t.public, t.private, t.hash, words.c.share).select_from(WITH_WORDS)
ON = COLUMNS.where(*NEXT).order_by(*PLACE).limit(bindparam("limit"))
UNANNOUNCED = (
    select(*PLACE, t.public, t.hash, t.notice, words.c.share)
    .select_from(WITH_WORDS)
    .where(*NEXT)
    .order_by(*PLACE)
    .limit(bindparam("limit"))
)
PLACES = select(*PLACE).where(*NEXT)
END_OF_WINDOW = PLACES.order_by(*PLACE).offset(bindparam("window")).limit(1)
NEWEST = select(*PLACE).where(OF_APP, BELOW_HORIZON).order_by(*(column.desc() for column in PLACE)).limit(1)
DETACHED = select(func.max(detached.c.tick)).where(detached.c.app_id == bindparam("app"))
KEPT = (
    select(*PLACE)
    .where(OF_APP, t.tick <= bindparam("tick"))
    .order_by(*(column.desc() for column in PLACE))
    .limit(1)
)
BEYOND = select(exists().where(OF_APP, _place > _bound("after")))


def _below_horizon(session: Session, app_id: UUID, after: Place) -> Json:
    return {**_values(app_id, after), "horizon": layout_of(session).horizon(session)}


def _values(app_id: UUID, after: Place) -> Json:
    return {"app": app_id, **{f"after_{name}": value for name, value in after._asdict().items()}}


def _entries(session: Session, statement: Select[Any], values: Json) -> list[Placed]:
    return [
        Placed(
            Place(tick, game, seq),
            StoredEntry(seq, public, opened_private(session.cipher, game, seq, private), digest, said),
        )
        for tick, game, seq, public, private, digest, said in session.execute(statement, values)
    ]


def read(session: Session, app_id: UUID, after: Place, limit: int) -> FeedPart:
    """Read all entries of an app after a place, at most this many."""
    rows = _entries(session, ON, {**_below_horizon(session, app_id, after), "limit": limit + 1})
    shown = rows[:limit]
    return FeedPart(shown, shown[-1].place if shown else after, len(rows) > limit)


def unannounced(session: Session, app_id: UUID, after: Place, limit: int) -> list[Unannounced]:
    """Read the entries of an app after a place, at most this many, without their private parts."""
    rows = session.execute(UNANNOUNCED, {**_below_horizon(session, app_id, after), "limit": limit})
    return [Unannounced(Place(*row[:3]), *row[3:]) for row in rows]


def search(session: Session, app_id: UUID, after: Place, limit: int, chosen: Selection) -> FeedPart:
    """Read the matching entries of an app after a place, at most this many.

    At most WINDOW entries are scanned, so a page may have few entries or none although there are more.
    """
    if chosen == Selection():
        return read(session, app_id, after, limit)
    row = session.execute(
        END_OF_WINDOW, {**_below_horizon(session, app_id, after), "window": WINDOW - 1}
    ).fetchone()
    more = row is not None
    end = Place(*row) if row is not None else newest(session, app_id)
    if end <= after:
        return FeedPart([], after, False)
    conditions = (t.app_id == app_id, _place > _at(after), _place <= _at(end), *chosen.conditions())
    rows = _entries(session, COLUMNS.where(*conditions).order_by(*PLACE).limit(limit + 1), {})
    if len(rows) > limit:
        return FeedPart(rows[:limit], rows[limit - 1].place, True)
    return FeedPart(rows, end, more)


def newest(session: Session, app_id: UUID) -> Place:
    """Return the place of an app's newest entry below the horizon, or START."""
    row = session.execute(NEWEST, {"app": app_id, "horizon": layout_of(session).horizon(session)}).fetchone()
    return Place(*row) if row else gone(session, app_id)


def last(session: Session, app_id: UUID, tick: int) -> Place:
    """Return the place of an app's last entry up to a tick, or START."""
    row = session.execute(KEPT, {"app": app_id, "tick": tick}).fetchone()
    return max(Place(*row) if row else START, gone(session, app_id))


def gone(session: Session, app_id: UUID) -> Place:
    """Return the place up to which an app's feed lacks entries of detached months, or START."""
    (tick,) = session.execute(DETACHED, {"app": app_id}).fetchone() or (None,)
    return START if tick is None else Place(tick, UUID(int=(1 << 128) - 1), 0)


def goes_on(session: Session, app_id: UUID, after: Place) -> bool:
    """Return whether entries were committed after a place, below the horizon or not."""
    row = session.execute(BEYOND, _values(app_id, after)).fetchone()
    return bool(row and row[0])


NEWEST_TICK = "SELECT newest_tick()"
# The newest tick of all, and the next unused transaction number, read in one statement.
RESTORED = "SELECT newest_tick(), pg_snapshot_xmax(pg_current_snapshot())::text::bigint + feed_offset()"


def continue_ticks(connection: Connection) -> None:
    """Continue the ticks in a restored database whose transaction numbers are smaller."""
    newest_tick, next_tick = connection.execute(text(RESTORED.replace(":", r"\:"))).one()
    if newest_tick is not None and newest_tick >= next_tick:
        connection.exec_driver_sql(
            "CREATE OR REPLACE FUNCTION feed_offset() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE"
            f" AS 'SELECT {int(newest_tick) + 1}::bigint'"
        )
