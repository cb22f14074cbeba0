"""Reads the entries of the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, cast, or_, select
from sqlalchemy.dialects.postgresql import JSONB

import referee.records
from api.core.json import Json
from api.store.database.connections import written_out
from api.store.database.session import Session, scalar
from api.store.games import opened_private
from api.store.tables.columns import TIME, among
from api.store.tables.games import entries, words
from api.store.words import WITH_WORDS

CHUNK = 500


class StoredEntry(NamedTuple):
    """A stored entry of the log; `public`, `private` and `words` are JSON."""

    seq: int
    public: str
    private: str | None
    hash: bytes
    words: str | None = None
    """What everybody is shown until it is erased."""


COLUMNS = (*[entries.c[name] for name in StoredEntry._fields[:-1]], words.c.share)
PAGE = (
    select(*COLUMNS)
    .select_from(WITH_WORDS)
    .where(entries.c.game_id == bindparam("game"), entries.c.seq > bindparam("after"))
    .order_by(entries.c.seq)
    .limit(bindparam("limit"))
)


OF_REQUEST = (
    select(*COLUMNS, entries.c.fingerprint)
    .select_from(WITH_WORDS)
    .where(entries.c.game_id == bindparam("game"), entries.c.request == bindparam("request"))
)


class Chosen(NamedTuple):
    """Which entries of a log to read; None: no filter."""

    types: Sequence[str] | None = None
    seat: int | None = None
    since: datetime | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions to add to a statement."""
        public, conditions = cast(entries.c.public, JSONB), []
        if self.types is not None:
            conditions.append(among(public["type"].astext, self.types))
        if self.seat is not None:
            conditions.append(public["seat"].astext == str(self.seat))
        if self.since is not None:
            conditions.append(cast(public["at"].astext, TIME) >= self.since)
        return conditions

    def take(self, public: referee.records.Members) -> bool:
        """Return whether an entry matches, given its public part."""
        return (
            (self.types is None or public["type"] in self.types)
            and (self.seat is None or public.get("seat") == self.seat)
            and (self.since is None or datetime.fromisoformat(public["at"]) >= self.since)
        )


EVERYTHING = Chosen()


def page(
    session: Session, game_id: UUID, after: int, limit: int, chosen: Chosen = EVERYTHING
) -> list[StoredEntry]:
    """Read the matching entries after `after`, oldest first."""
    values: Json = {"game": game_id, "after": after, "limit": limit}
    if chosen == EVERYTHING:
        rows = session.execute(PAGE, values)
    else:
        statement, own = written_out(PAGE.where(*chosen.conditions()))
        rows = session.execute(statement, {**own, **values})
    return [
        StoredEntry(seq, public, opened_private(session.cipher, game_id, seq, private), digest, said)
        for seq, public, private, digest, said in rows
    ]


def of_request(session: Session, game_id: UUID, request: UUID) -> tuple[StoredEntry, bytes] | None:
    """Return the entry that a request has caused, and the request's fingerprint; None if there is none."""
    row = session.execute(OF_REQUEST, {"game": game_id, "request": request}).fetchone()
    if row is None:
        return None
    seq, public, private, digest, said, fingerprint = row
    entry = StoredEntry(seq, public, opened_private(session.cipher, game_id, seq, private), digest, said)
    return entry, bytes(fingerprint)


def hash_of(session: Session, game_id: UUID, seq: int) -> bytes | None:
    """Return an entry's hash, or None if there is no such entry."""
    t = entries.c
    statement = select(t.hash).where(t.game_id == game_id, t.seq == seq)
    row = session.execute(statement).fetchone()
    return bytes(row[0]) if row else None


def all_entries(session: Session, game_id: UUID, until: int, after: int = 0) -> Iterator[StoredEntry]:
    """Read the entries after `after`, up to and including `until`, oldest first, a chunk at a time."""
    while after < until:
        some = page(session, game_id, after, min(CHUNK, until - after))
        if not some:
            return
        yield from some
        after = some[-1].seq


def make_parts_ahead(session: Session) -> int:
    """Create the missing parts of the log for this month and the next two; return how many.

    A part that cannot be created immediately, because others hold locks, is created the next time.
    """
    return int(scalar(session, "SELECT make_parts_of_log()"))


def last_of_person(session: Session, game_id: UUID) -> int:
    """Return the last entry of a player or of the app for one; 0 if there is none.

    A quotation mark in a text is escaped.
    """
    e = entries.c
    by = or_(*[e.public.contains(f'"by":"{who}"') for who in ("player", "app")])
    wanted = and_(e.public.contains('"player":{'), by)
    statement = select(e.seq).where(e.game_id == game_id, wanted).order_by(e.seq.desc()).limit(1)
    row = session.execute(statement).fetchone()
    return row[0] if row else 0
