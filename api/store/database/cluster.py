"""What is done by other statements where the tables are distributed over the machines of a Citus cluster.

On a plain PostgreSQL, one statement writes a move, and triggers complete it. Citus plans only statements that
change one table, and a trigger on a machine knows nothing of the other ones: `api.run.distribution` leaves
those triggers out. `docs/citus.md` lists what else differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from uuid import UUID

from psycopg.types.json import Jsonb

from api.store.database.locks import Lock
from api.store.database.session import Session

if TYPE_CHECKING:
    from api.store.game.seating import TurnChanges
    from api.store.game.write import Change

PASS_TURN = """
    UPDATE turns SET seat = %s, since = %s, deadline = %s, warn_at = %s, player_id = %s, bot = %s
    WHERE game_id = %s AND seat = %s
"""
END_TURNS = "DELETE FROM turns WHERE game_id = %s AND seat = ANY (%s)"
BEGIN_TURN = """
    INSERT INTO turns (game_id, app_id, test_clock, seat, since, deadline, warn_at, player_id, bot)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
ENTRY = "(%s::uuid, %s::int, %s::text, %s::bytea, %s::bytea, %s::text, %s::uuid, %s::bigint)"
ANSWER = """
    INSERT INTO idempotency (owner, key, fingerprint, created_at, headers, body, signature, final)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""


def advance(
    session: Session,
    update: str,
    values: Sequence[Any],
    change: Change,
    entries: Sequence[Sequence[Any]],
    answer: Sequence[Any] = (),
) -> tuple[Any, ...] | None:
    """Write a game's next state in the open transaction; return what `update` returns, or None.

    `update` changes the game's row, if it is the expected one; it ends with its RETURNING. `entries` and
    `answer` are the stored columns of the new entries and of a kept answer. Everything but the answer, which
    is its owner's, goes to the game's machine.
    """
    game_id, app_id = change.row.id, change.row.app_id
    ticked = session.execute("SELECT feed_tick()")
    # A game's ticks never decrease.
    previous = ", (SELECT p.tick FROM entries p WHERE p.game_id = %s AND p.seq = %s)"
    updated = session.execute(update + previous, [*values, game_id, change.expected])
    (tick,), row = ticked.fetchall()[0], updated.fetchone()
    if row is None:
        return None
    *returned, last = row
    tick = max(tick, last or 0)
    _change_turns(session, game_id, (app_id, change.row.test_clock), change.turns)
    if answer:
        session.execute(ANSWER, answer)
    session.execute(
        "INSERT INTO entries (game_id, seq, public, private, hash, notice, app_id, tick) VALUES "
        + ", ".join([ENTRY] * len(entries)),
        [*chain.from_iterable((game_id, *entry, app_id, tick) for entry in entries)],
    )
    return tuple(returned)


def _change_turns(session: Session, game_id: UUID, of_game: Sequence[Any], turns: TurnChanges) -> None:
    for seat, turn in turns.passed:
        session.execute(PASS_TURN, (*turn, game_id, seat))
    if turns.ended:
        session.execute(END_TURNS, (game_id, list(turns.ended)))
    for turn in turns.begun:
        session.execute(BEGIN_TURN, (game_id, *of_game, *turn))


def horizon(session: Session) -> int | None:
    """Return the horizon of feeds, if the coordinator has to be asked for it before the shards are read."""
    if not session.distributed:
        return None
    row = session.execute("SELECT feed_horizon()").fetchone()
    assert row is not None
    return int(row[0])


def queue_leaf(session: Session, game_id: UUID, ended: bool) -> None:
    """Queue the leaf of a game that was created or has ended, for the log of all games."""
    if session.distributed:
        session.execute("INSERT INTO tree_queue (game_id, ended) VALUES (%s, %s)", (game_id, ended))


def follow_metadata(
    session: Session, app_id: UUID, kind: str, id_: UUID, metadata: Mapping[str, str]
) -> None:
    """Write the pairs by which an object is found by its metadata; `kind` is its table."""
    if not session.distributed:
        return
    session.execute("DELETE FROM metadata_pairs WHERE kind = %s AND id = %s", (kind, id_))
    if metadata:
        session.execute(
            "INSERT INTO metadata_pairs (app_id, kind, key, value, id)"
            " SELECT %s::uuid, %s::text, m.key, m.value, %s::uuid FROM jsonb_each_text(%s::jsonb) AS m",
            (app_id, kind, id_, Jsonb({**metadata})),
        )


# Claims are rows of the coordinator, because a machine does not know the games of the others. A repeated
# claim of the same game does nothing; that of another game violates the unique key without the game.
RELEASE = "DELETE FROM claimed_external_ids WHERE game_id = %s AND external_id IS DISTINCT FROM %s"
CLAIM_ID = """
    INSERT INTO claimed_external_ids (app_id, external_id, game_id) VALUES (%s, %s, %s)
    ON CONFLICT (app_id, external_id, game_id) DO NOTHING
"""
CLAIM_PLACE = """
    INSERT INTO claimed_places (series_id, number, game_id) VALUES (%s, %s, %s)
    ON CONFLICT (series_id, number, game_id) DO NOTHING
"""


def claim_external_id(session: Session, app_id: UUID, game_id: UUID, external_id: str | None) -> None:
    """Make an external id that of an app's game alone, in the open transaction. Raises UniqueViolation."""
    if session.distributed:
        session.execute(RELEASE, (game_id, external_id))
        if external_id is not None:
            session.execute(CLAIM_ID, (app_id, external_id, game_id))


def claim_place(session: Session, series_id: UUID | None, number: int | None, game_id: UUID) -> None:
    """Make a place in a series that of a game alone, in the open transaction. Raises UniqueViolation."""
    if session.distributed and series_id is not None:
        session.execute(CLAIM_PLACE, (series_id, number, game_id))


# In the form of two numbers, which nothing else here uses.
HOLD = f"""
    SELECT count(pg_advisory_xact_lock_shared({Lock.IDS.value}, hashtext(id)))
    FROM (SELECT DISTINCT id FROM unnest(%s::text[]) AS given (id) ORDER BY id) AS ordered
"""
HOLD_ALONE = f"SELECT pg_advisory_xact_lock({Lock.IDS.value}, hashtext(%s::text))"


def hold(session: Session, *ids: UUID) -> bool:
    """Keep what has these ids from being deleted during this transaction; return False on one PostgreSQL.

    There the rows themselves are locked. A locked row of a table that is on every machine is locked on each,
    and two transactions that do this at the same time can wait for each other.
    """
    if session.distributed:
        session.execute(HOLD, ([str(id_) for id_ in ids],))
    return session.distributed


def hold_alone(session: Session, id_: UUID) -> None:
    """Wait until nobody holds this id, and keep others from it, before it is deleted in this transaction."""
    if session.distributed:
        session.execute(HOLD_ALONE, (id_,))
