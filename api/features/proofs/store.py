"""The log of all games as a Merkle tree: its queue, leaves, hashes in tiles, and roots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from api.store.database.locks import Lock
from api.store.database.session import Session, scalar

WAITING = "SELECT id, game_id, ended FROM tree_queue WHERE id > %s ORDER BY id LIMIT %s"
# The first entry of games, and the one that ended them; messages may follow that. A statement of its own,
# because games may be on other machines than the queue.
LOGS = """
    SELECT g.id, g.imported_by IS NOT NULL, c.public, c.hash, e.public, e.hash
    FROM games g JOIN entries c ON c.game_id = g.id AND c.seq = 1
    LEFT JOIN LATERAL (
        SELECT n.public, n.hash FROM entries n
        WHERE n.game_id = g.id AND n.public::json ->> 'type' IN ('finished', 'cancelled')
        ORDER BY n.seq DESC LIMIT 1
    ) AS e ON g.status IN ('finished', 'cancelled')
    WHERE g.id = ANY (%s)
"""


class Queued(NamedTuple):
    """A game's beginning or end that is not a leaf yet; `created` and `public` are entries in JSON."""

    id: int
    game_id: UUID
    ended: bool
    imported: bool
    created: str
    public: str
    hash: bytes


class Leaf(NamedTuple):
    """A leaf of the tree."""

    number: int
    game_id: UUID
    ended: bool
    commitment: bytes
    data: bytes


Tiles = Mapping[tuple[int, int], bytes]


def queued(session: Session, most: int) -> list[Queued]:
    """Read the queue in its order; nobody else adds leaves before this transaction ends.

    What the log of a game does not show yet stays in the queue, and nothing waits for it.
    """
    lock(session)
    leaves: list[Queued] = []
    after, more = 0, True
    while more and len(leaves) < most:
        rows = session.execute(WAITING, (after, most)).fetchall()
        leaves += _in_logs(session, rows)
        after, more = (rows[-1][0], len(rows) == most) if rows else (after, False)
    return leaves[:most]


def lock(session: Session) -> None:
    """Wait until nobody else adds leaves, before this transaction ends."""
    session.execute("SELECT pg_advisory_xact_lock(%s)", (Lock.TREE.value,))


def _in_logs(session: Session, rows: Sequence[tuple[int, UUID, bool]]) -> Iterator[Queued]:
    """Yield the items of the queue that the logs of their games show."""
    games = list({game_id for _, game_id, _ in rows})
    logs = {game_id: log for game_id, *log in session.execute(LOGS, (games,))}
    for id_, game_id, ended in rows:
        if game_id in logs:
            imported, created, first, last, end = logs[game_id]
            public, hash_ = (last, end) if ended else (created, first)
            if hash_ is not None:
                yield Queued(id_, game_id, ended, imported, created, public, hash_)


def is_queued(session: Session) -> bool:
    """Return whether the queue has anything."""
    return session.execute("SELECT FROM tree_queue LIMIT 1").fetchone() is not None


def append(
    session: Session, leaves: Sequence[Leaf], done: Sequence[int], tiles: Tiles, root: bytes, at: datetime
) -> None:
    """Add leaves, the changed tiles and the new root, and remove the leaves' items from the queue."""
    session.execute(
        "INSERT INTO tree_leaves (number, game_id, ended, commitment, data)"
        " SELECT * FROM unnest(%s::bigint[], %s::uuid[], %s::boolean[], %s::bytea[], %s::bytea[])",
        [list(column) for column in zip(*leaves, strict=True)],
    )
    session.execute(
        "INSERT INTO tree_tiles (level, number, hashes)"
        " SELECT * FROM unnest(%s::int[], %s::bigint[], %s::bytea[])"
        " ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes",
        ([level for level, _ in tiles], [number for _, number in tiles], list(tiles.values())),
    )
    session.execute(
        "INSERT INTO tree_heads (size, root, made_at) VALUES (%s, %s, %s)", (leaves[-1].number + 1, root, at)
    )
    session.execute("DELETE FROM tree_queue WHERE id = ANY(%s)", (list(done),))


def head(session: Session) -> tuple[int, bytes] | None:
    """Return the newest size and root, or None without leaves."""
    row = session.execute("SELECT size, root FROM tree_heads ORDER BY size DESC LIMIT 1").fetchone()
    return (row[0], bytes(row[1])) if row else None


def root_of(session: Session, size: int) -> bytes | None:
    """Return the root of the tree when it had this size, or None if it never was a head."""
    root: bytes | None = scalar(session, "SELECT root FROM tree_heads WHERE size = %s", (size,))
    return root


class Cosignature(NamedTuple):
    """A witness's line under a checkpoint, and its time."""

    witness: str
    line: str
    at: datetime


def add_cosignatures(session: Session, size: int, cosignatures: Sequence[Cosignature]) -> None:
    """Keep cosignatures of a head; of each witness the first one counts."""
    with session.transaction():
        for one in cosignatures:
            session.execute(
                "INSERT INTO tree_cosignatures (size, witness, line, at) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                (size, *one),
            )


def cosignatures(session: Session, size: int) -> list[str]:
    """Return the cosignatures of a head, as lines."""
    rows = session.execute("SELECT line FROM tree_cosignatures WHERE size = %s ORDER BY at, witness", (size,))
    return [row[0] for row in rows]


def newest_cosigned(session: Session, number: int) -> int | None:
    """Return the size of the newest head that so many witnesses have cosigned, or None."""
    size: int | None = scalar(
        session,
        "SELECT size FROM tree_cosignatures GROUP BY size HAVING count(*) >= %s ORDER BY size DESC LIMIT 1",
        (number,),
    )
    return size


def size_since(session: Session, age: timedelta) -> int:
    """Return the size of the newest head that is so old; 0 if there is none."""
    found = scalar(session, "SELECT max(size) FROM tree_heads WHERE made_at < now() - %s", (age,))
    return int(found or 0)


def best_cosigned(session: Session, leaves: int, heads: int) -> int | None:
    """Return the size of the head with the most cosignatures that has at least so many leaves, or None.

    Only the first `heads` are considered, and the first of several counts, as it proves the earliest time.
    """
    row = session.execute(
        "WITH next AS (SELECT DISTINCT size FROM tree_cosignatures WHERE size >= %s ORDER BY size LIMIT %s)"
        " SELECT size FROM tree_cosignatures JOIN next USING (size)"
        " GROUP BY size ORDER BY count(*) DESC, size LIMIT 1",
        (leaves, heads),
    ).fetchone()
    return row[0] if row else None


def tile(session: Session, level: int, number: int) -> bytes:
    """Return the hashes of a tile; empty if it does not exist yet."""
    statement = "SELECT hashes FROM tree_tiles WHERE level = %s AND number = %s"
    return scalar(session, statement, (level, number)) or b""


def entries(session: Session, first: int, count: int) -> list[bytes]:
    """Return the content of leaves, in their order."""
    rows = session.execute(
        "SELECT data FROM tree_leaves WHERE number >= %s AND number < %s ORDER BY number",
        (first, first + count),
    )
    return [bytes(data) for (data,) in rows]


def leaves_of(session: Session, commitment: bytes) -> list[tuple[int, bytes]]:
    """Find the leaves of the game with this commitment: their numbers and contents."""
    rows = session.execute(
        "SELECT number, data FROM tree_leaves WHERE commitment = %s ORDER BY number", (commitment,)
    )
    return [(number, bytes(data)) for number, data in rows]
