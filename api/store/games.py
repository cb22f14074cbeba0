"""Games as they stand, and the one statement that moves a game on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from api.store.database.encryption import GAME_SEED, Cipher, position_place, private_place
from api.store.database.session import Session

COLUMNS = (
    "id, app_id, ruleset, ruleset_version, options, visibility, pace, status, version, seats, seed, head,"
    " drawn, position, result, created_at, updated_at, imported_by"
)
SELECT = f"SELECT {COLUMNS} FROM games WHERE id = %s"
SELECT_LOCKED = f"{SELECT} FOR UPDATE"
SUMMARY = COLUMNS.replace("position", "NULL::bytea")


class GameRow(NamedTuple):
    """A game's row; `options`, `pace`, `seats`, `position`, `result` and `imported_by` are JSON."""

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


class NewEntry(NamedTuple):
    """A log entry to append; `public` and `private` are JSON."""

    seq: int
    public: str
    private: str | None
    hash: bytes


def sealed(cipher: Cipher, game_id: UUID, entry: NewEntry) -> tuple[int, str, bytes | None, bytes]:
    """Return the columns of an entry as they are stored."""
    private = cipher.seal_text(entry.private, game_id.bytes, private_place(entry.seq))
    return entry.seq, entry.public, private, entry.hash


class Turn(NamedTuple):
    """Since when the game waits for a seat (None: it does not), until when, when to warn; times as text."""

    seat: int
    since: str | None
    deadline: str | None
    warn_at: str | None = None


def get(session: Session, game_id: UUID, *, lock: bool = False) -> GameRow | None:
    """Read a game; with `lock` nobody else moves it on before this transaction ends.

    Another app's game that may be read is never locked: this one cannot change it.
    """
    row = session.execute(SELECT_LOCKED if lock else SELECT, (game_id,)).fetchone()
    if row is None and lock:
        row = session.execute(SELECT, (game_id,)).fetchone()
    return _opened(session.cipher, GameRow(*row)) if row else None


def app_of(session: Session, game_id: UUID) -> UUID | None:
    """Find the app that a game is of, whoever may see it."""
    row = session.execute("SELECT app_of_game(%s)", (game_id,)).fetchone()
    return row[0] if row else None


def _opened(cipher: Cipher, row: GameRow) -> GameRow:
    """Return a row as it was read with what is sealed in it opened. Raises Undecipherable for its seed."""
    sealed: Any = row.position
    return row._replace(
        seed=cipher.open(row.seed, row.id.bytes, GAME_SEED),
        position=cipher.open_text(sealed, row.id.bytes, position_place(row.version)),
    )


def insert(session: Session, row: GameRow, commitment: str) -> None:
    """Keep a new game, at the version that `row` has; `commitment` is in hex."""
    values: dict[str, Any] = row._asdict()
    values["seed"] = session.cipher.seal(row.seed, row.id.bytes, GAME_SEED)
    values["position"] = session.cipher.seal_text(row.position, row.id.bytes, position_place(row.version))
    session.execute(
        f"INSERT INTO games ({COLUMNS}, commitment) VALUES ({', '.join(['%s'] * (len(row) + 1))})",
        [*values.values(), bytes.fromhex(commitment)],
    )


def knows_commitment(session: Session, commitment: str) -> bool:
    """Return whether any game here was dealt from the seed of this commitment (hex), whoever may see it."""
    row = session.execute("SELECT knows_commitment(%s)", (bytes.fromhex(commitment),)).fetchone()
    return bool(row and row[0])


def insert_seats(session: Session, game_id: UUID, seats: Sequence[tuple[UUID | None, str | None]]) -> None:
    """Keep who sits where: (player, bot) a seat."""
    session.execute(
        "INSERT INTO game_seats (game_id, seat, player_id, bot)"
        " SELECT %s, s.seat - 1, s.player, s.bot"
        " FROM unnest(%s::uuid[], %s::text[]) WITH ORDINALITY AS s(player, bot, seat)",
        (game_id, [player for player, _ in seats], [bot for _, bot in seats]),
    )


def seat_player(session: Session, game_id: UUID, seat: int, player_id: UUID | None, bot: str | None) -> None:
    """Change who sits on a seat."""
    session.execute(
        "UPDATE game_seats SET player_id = %s, bot = %s WHERE game_id = %s AND seat = %s",
        (player_id, bot, game_id, seat),
    )


def _advance_statement(entries: int, with_turns: bool) -> str:
    """Everything that a move changes, and nothing unless the version is still the expected one."""
    turns = (
        """, turns AS (
            UPDATE game_seats s SET since = t.since, deadline = t.deadline, warn_at = t.warn_at
            FROM game, unnest(%s::int[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[])
                AS t(seat, since, deadline, warn_at)
            WHERE s.game_id = game.id AND s.seat = t.seat
        )"""
        if with_turns
        else ""
    )
    rows = ", ".join(["(%s::int, %s::text, %s::bytea, %s::bytea)"] * entries)
    return f"""
        WITH game AS (
            UPDATE games SET status = %s, version = %s, seats = %s, head = %s, drawn = %s, position = %s,
                result = %s, updated_at = %s
            WHERE id = %s AND version = %s RETURNING id, app_id
        ){turns}
        INSERT INTO entries (game_id, seq, public, private, hash)
        SELECT game.id, e.* FROM game, (VALUES {rows}) AS e
        RETURNING EXISTS (
            SELECT FROM webhooks w JOIN game ON w.app_id = game.app_id WHERE w.disabled_at IS NULL
        )
    """


_STATEMENTS = {(n, turns): _advance_statement(n, turns) for n in (1, 2) for turns in (False, True)}


def advance(
    session: Session, row: GameRow, expected: int, turns: Sequence[Turn], entries: Sequence[NewEntry]
) -> bool | None:
    """Write a game's new state and append its entries, where `expected` is still its version.

    Return whether its app has a webhook that is not switched off; None where nothing was written.
    """
    kind = (len(entries), bool(turns))
    values: list[Any] = [
        row.status,
        row.version,
        row.seats,
        row.head,
        row.drawn,
        session.cipher.seal_text(row.position, row.id.bytes, position_place(row.version)),
        row.result,
        row.updated_at,
        row.id,
        expected,
    ]
    if turns:
        values += zip(*turns, strict=True)
        values[-4:] = map(list, values[-4:])
    for entry in entries:
        values += sealed(session.cipher, row.id, entry)
    statement = _STATEMENTS.get(kind) or _advance_statement(*kind)
    written = session.execute(statement, values).fetchone()
    if written is None:
        return None
    session.publish(row.id, row.version)
    has_webhooks: bool = written[0]
    return has_webhooks


def set_seats(session: Session, game_id: UUID, seats: str) -> None:
    """Keep what a game's row says of its seats (JSON), where nothing happened that its log would tell."""
    session.execute("UPDATE games SET seats = %s WHERE id = %s", (seats, game_id))


def set_turns(session: Session, game_id: UUID, turns: Sequence[Turn]) -> None:
    """Set every turn of a game anew, where the rows that games are found by had gone wrong."""
    session.execute(
        "UPDATE game_seats s SET since = t.since, deadline = t.deadline, warn_at = t.warn_at"
        " FROM unnest(%s::int[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[])"
        " AS t(seat, since, deadline, warn_at) WHERE s.game_id = %s AND s.seat = t.seat",
        (*map(list, zip(*turns, strict=True)), game_id),
    )


class Search(NamedTuple):
    """What to find games by; None leaves a filter out."""

    app_id: UUID | None = None
    seated: UUID | None = None
    visibility: str | None = None
    origin: str | None = None
    status: str | None = None
    ruleset: str | None = None
    player: UUID | None = None
    to_act: UUID | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None


_SITS = "EXISTS (SELECT FROM game_seats s WHERE s.game_id = g.id AND s.player_id = %s)"
_CONDITIONS = {
    "app_id": "g.app_id = %s",
    "visibility": "g.visibility = %s",
    "origin": "CASE WHEN g.imported_by IS NULL THEN 'dealt' ELSE 'imported' END = %s",
    "status": "g.status = %s",
    "ruleset": "g.ruleset = %s",
    "player": _SITS,
    "to_act": _SITS.replace("%s)", "%s AND s.since IS NOT NULL)"),
    "created_after": "g.created_at >= %s",
    "created_before": "g.created_at < %s",
    "updated_after": "g.updated_at >= %s",
    "updated_before": "g.updated_at < %s",
}


def find(session: Session, search: Search, before: UUID | None, limit: int) -> list[GameRow]:
    """List games without their positions, newest first."""
    conditions, values = [], []
    source = "games g"
    if search.seated is not None:
        mine = "SELECT DISTINCT game_id AS id FROM game_seats WHERE player_id = %s"
        source = f"({mine}) mine JOIN games g USING (id)"
        values.append(search.seated)
    for name, condition in _CONDITIONS.items():
        wanted = getattr(search, name)
        if wanted is not None:
            conditions.append(condition)
            values.append(wanted)
    if before is not None:
        conditions.append("g.id < %s")
        values.append(before)
    columns = ", ".join(f"g.{name}" if name.isidentifier() else name for name in SUMMARY.split(", "))
    rows = session.execute(
        f"SELECT {columns} FROM {source} WHERE {' AND '.join(conditions) or 'true'}"
        " ORDER BY g.id DESC LIMIT %s",
        (*values, limit),
    )
    return [_opened(session.cipher, GameRow(*row)) for row in rows]


class Waiting(NamedTuple):
    """A seat that its player's games wait for."""

    game_id: UUID
    ruleset: str
    seat: int
    version: int
    since: datetime
    deadline: datetime | None


def turns(
    session: Session, player_id: UUID, after: tuple[datetime | None, datetime, UUID, int] | None, limit: int
) -> list[Waiting]:
    """List the seats of a player that games wait for: the soonest deadline first, none last."""
    beyond, values = "", []
    if after is not None and after[0] is None:
        beyond = " AND s.deadline IS NULL AND (s.since, s.game_id, s.seat) > (%s, %s, %s)"
        values = [*after[1:]]
    elif after is not None:
        beyond = (
            " AND (s.deadline IS NULL OR s.deadline >= %s"
            " AND (s.deadline, s.since, s.game_id, s.seat) > (%s, %s, %s, %s))"
        )
        values = [after[0], *after]
    rows = session.execute(
        "SELECT g.id, g.ruleset, s.seat, g.version, s.since, s.deadline"
        " FROM game_seats s JOIN games g ON g.id = s.game_id"
        f" WHERE s.player_id = %s AND s.since IS NOT NULL{beyond}"
        " ORDER BY s.deadline, s.since, s.game_id, s.seat LIMIT %s",
        (player_id, *values, limit),
    )
    return [Waiting(*row) for row in rows]


def with_waiting_bots(session: Session, limit: int) -> list[UUID]:
    """List games that wait for a bot, or for a seat that has left orders."""
    rows = session.execute(
        "SELECT game_id FROM game_seats WHERE bot IS NOT NULL AND since IS NOT NULL"
        " UNION SELECT o.game_id FROM standing_orders o JOIN game_seats s USING (game_id, seat)"
        " WHERE o.remaining AND s.since IS NOT NULL LIMIT %s",
        (limit,),
    )
    return [row[0] for row in rows]


DEADLINES, WARNINGS = "deadline", "warn_at"


def next_due(session: Session, due: str, now: datetime, exclude: Sequence[UUID]) -> UUID | None:
    """Find and lock the game whose deadline (or warning) has been due the longest.

    Games that somebody else has locked, or that are named in `exclude`, are passed over.
    """
    row = session.execute(
        f"SELECT g.id FROM game_seats s JOIN games g ON g.id = s.game_id WHERE s.{due} <= %s"
        f" AND s.game_id <> ALL(%s) ORDER BY s.{due} LIMIT 1 FOR UPDATE OF g SKIP LOCKED",
        (now, list(exclude)),
    ).fetchone()
    return row[0] if row else None


class Warned(NamedTuple):
    """A seat whose player is to be warned; bots have no deadlines."""

    seat: int
    player_id: UUID
    deadline: datetime
    app_id: UUID
    version: int


def take_warnings(session: Session, game_id: UUID, now: datetime) -> list[Warned]:
    """List the seats of a game whose warning is due; it is due no more."""
    rows = session.execute(
        "UPDATE game_seats s SET warn_at = NULL FROM games g"
        " WHERE s.game_id = %s AND s.warn_at <= %s AND g.id = s.game_id"
        " RETURNING s.seat, s.player_id, s.deadline, g.app_id, g.version",
        (game_id, now),
    )
    return sorted(Warned(*row) for row in rows)
