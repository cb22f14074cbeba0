"""The current state of games: reads, locks, and what few changes write beside the log; snapshots.

Snapshots are games at some of their versions, so that they need not be replayed from the deal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import ARRAY, LargeBinary, Uuid, any_, bindparam, cast, delete, func, null, select
from sqlalchemy.dialects import postgresql

from api.core.json import loads
from api.core.names import Labels
from api.store.database.encryption import (
    GAME_SEED,
    UNREADABLE,
    Cipher,
    Undecipherable,
    pack,
    position_place,
    private_place,
    snapshot_place,
    unpack,
)
from api.store.database.session import Session, scalar
from api.store.layout import layout_of
from api.store.tables.columns import among
from api.store.tables.games import games, snapshots


class GameRow(NamedTuple):
    """A game's row. Columns with members of their own are JSON, except `metadata`."""

    id: UUID
    app_id: UUID
    ruleset: str
    ruleset_version: int
    options: str
    visibility: str
    pace: str | None
    status: str
    version: int
    seats: str
    seed: bytes
    head: bytes
    drawn: int
    position: str | None
    result: str | None
    created_at: datetime
    updated_at: datetime
    imported_by: str | None
    title: str | None
    external_id: str | None
    metadata: Mapping[str, str]
    seats_private: bool
    rematch_of: UUID | None
    rematch: UUID | None
    test_clock: UUID | None
    distinct_players: bool
    dealing: str | None
    sitting: str


COLUMNS = [games.c[name] for name in GameRow._fields]
SUMMARY = [cast(null(), LargeBinary) if column.name == "position" else column for column in COLUMNS]
GET = select(*COLUMNS).where(games.c.id == bindparam("game"))
GET_LOCKED = GET.with_for_update()


class NewEntry(NamedTuple):
    """A log entry to append; `public` and `private` are JSON.

    `notice` is what notices of the entry say beside its public form (JSON, or empty); None: there are none.
    """

    seq: int
    public: str
    private: str | None
    hash: bytes
    notice: str | None = None


def sealed(
    cipher: Cipher, game_id: UUID, entry: NewEntry
) -> tuple[int, str, bytes | None, bytes, str | None]:
    """Return the stored columns of an entry."""
    private, place = entry.private, private_place(entry.seq)
    sealed = None if private is None else cipher.seal(pack(private), game_id.bytes, place)
    return entry.seq, entry.public, sealed, entry.hash, entry.notice


def opened_private(cipher: Cipher, game_id: UUID, seq: int, stored: bytes | None) -> str | None:
    """Return the private part of a stored entry (JSON), or UNREADABLE if it cannot be decrypted."""
    try:
        return None if stored is None else unpack(cipher.open(stored, game_id.bytes, private_place(seq)))
    except (Undecipherable, ValueError):
        return UNREADABLE


def stored(session: Session, game_id: UUID, *, lock: bool = False) -> GameRow | None:
    """Read a game in its stored form; with `lock`, nobody else changes it before this transaction ends.

    A visible game of another app is never locked, because this app cannot change it.
    """
    values = {"game": game_id}
    row = session.execute(GET_LOCKED if lock else GET, values).fetchone()
    if row is None and lock:
        row = session.execute(GET, values).fetchone()
    return GameRow(*row) if row else None


def get(session: Session, game_id: UUID) -> GameRow | None:
    """Read a game. Raises Undecipherable."""
    row = stored(session, game_id)
    return opened(session, row) if row else None


ALL = select(*COLUMNS).where(games.c.id == any_(bindparam("games", type_=ARRAY(Uuid)))).order_by(games.c.id)


def get_all(session: Session, ids: Sequence[UUID]) -> list[GameRow]:
    """Read games in their stored form: sealed parts are not `opened`."""
    return [GameRow(*row) for row in session.execute(ALL, {"games": list(ids)})]


def several(session: Session, ids: Collection[UUID]) -> list[GameRow]:
    """Read games without their positions; their seeds are not `opened`."""
    rows = session.execute(select(*SUMMARY).where(among(games.c.id, list(ids)))) if ids else ()
    return [GameRow(*row) for row in rows]


def commitment(session: Session, game_id: UUID) -> str:
    """Return the commitment to the seed of a game that is there, in hex."""
    stored: bytes = scalar(session, select(games.c.commitment).where(games.c.id == game_id))
    return bytes(stored).hex()


def rulesets(session: Session) -> list[tuple[str, int]]:
    """List the rulesets of all games, with their versions; this reads the whole table."""
    return [(*row,) for row in session.execute(select(games.c.ruleset, games.c.ruleset_version).distinct())]


def app_of(session: Session, game_id: UUID) -> UUID | None:
    """Find the app of a game, without checking who may see it."""
    app_id: UUID | None = scalar(session, select(func.app_of_game(game_id)))
    return app_id


def opened(session: Session, row: GameRow) -> GameRow:
    """Return a row with its sealed parts opened. Raises Undecipherable for its seed."""
    sealed: Any = row.position
    return row._replace(
        seed=session.cipher.open(row.seed, row.id.bytes, GAME_SEED),
        position=_open_position(session.cipher, row, sealed),
    )


def sealed_position(cipher: Cipher, row: GameRow) -> bytes | None:
    """Return the stored form of a row's position."""
    place = position_place(row.version)
    return None if row.position is None else cipher.seal(pack(row.position), row.id.bytes, place)


def _open_position(cipher: Cipher, row: GameRow, sealed: bytes | None) -> str | None:
    """Return a stored position, or UNREADABLE if it cannot be decrypted."""
    try:
        opened = sealed and cipher.open(sealed, row.id.bytes, position_place(row.version))
        return unpack(opened) if opened else None
    except (Undecipherable, ValueError):
        return UNREADABLE


def ended(row: GameRow) -> tuple[datetime | None, str | None]:
    """Return when a game ended and the reason in its result, by which it is found."""
    if row.status not in ("finished", "cancelled"):
        return None, None
    return row.updated_at, loads(row.result)["reason"] if row.result else None


def insert(
    session: Session,
    row: GameRow,
    commitment: str,
    made_by: bytes | None = None,
) -> None:
    """Store a new game, at the version in `row`; `commitment` is in hex, `made_by` a path (see quotas)."""
    values: dict[str, Any] = {**row._asdict(), "made_by": made_by}
    values["seed"] = session.cipher.seal(row.seed, row.id.bytes, GAME_SEED)
    values["metadata"] = Jsonb(row.metadata)
    values["position"] = sealed_position(session.cipher, row)
    values["commitment"] = bytes.fromhex(commitment)
    values["imported"] = bool(row.imported_by)
    at, reason = ended(row)
    values |= {"ended_at": at, "reason": reason} if at else {}
    session.execute(games.insert().values(values))
    layout_of(session).claim_external_id(session, row.app_id, row.id, row.external_id)
    layout_of(session).queue_leaf(session, row.id, False)


def set_dealing(session: Session, game_id: UUID, dealing: str, reveal_by: datetime | None) -> None:
    """Store what the deal of a game waits for (JSON), and when it must be continued."""
    values = {"dealing": dealing, "reveal_by": reveal_by}
    session.execute(games.update().where(games.c.id == game_id).values(values))


def set_labels(session: Session, app_id: UUID, game_id: UUID, title: str | None, labels: Labels) -> None:
    """Store the labels of an app's game, which are not in its log."""
    written = {"title": title, "external_id": labels.external_id, "metadata": Jsonb(labels.metadata)}
    session.execute(games.update().where(games.c.id == game_id).values(written))
    layout_of(session).claim_external_id(session, app_id, game_id, labels.external_id)


class Snapshot(NamedTuple):
    """The state of a game after an entry; `state` is JSON."""

    version: int
    state: str


def newest_snapshot(session: Session, game_id: UUID, until: int, form: int) -> Snapshot | None:
    """Return the newest snapshot up to and including a version."""
    t = snapshots.c
    statement = select(t.version, t.state).where(t.game_id == game_id, t.version <= until, t.form == form)
    row = session.execute(statement.order_by(t.version.desc()).limit(1)).fetchone()
    if row is None:
        return None
    version, state = row
    try:
        opened = session.cipher.open(state, game_id.bytes, snapshot_place(form, version)).decode()
    except Undecipherable:  # not needed: the log has the same information
        return None
    return Snapshot(version, opened)


def keep_snapshot(session: Session, game_id: UUID, form: int, snapshots_: Sequence[Snapshot]) -> None:
    """Store snapshots; existing ones are not changed."""
    seal, game = session.cipher.seal, game_id.bytes
    rows = [
        {
            "game_id": game_id,
            "form": form,
            "version": one.version,
            "state": seal(one.state.encode(), game, snapshot_place(form, one.version)),
        }
        for one in snapshots_
    ]
    session.execute(postgresql.insert(snapshots).values(rows).on_conflict_do_nothing())


def delete_snapshots(session: Session, game_ids: Sequence[UUID]) -> None:
    """Delete the snapshots of games: they have names."""
    session.execute(delete(snapshots).where(among(snapshots.c.game_id, game_ids)))
