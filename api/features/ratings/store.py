"""The stored ratings of players, and the games that wait for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, func, select, tuple_
from sqlalchemy.dialects.postgresql import insert

from api.features.proofs.tables import tree_leaves
from api.features.ratings.tables import ratings, ratings_read
from api.store.database.locks import Lock
from api.store.database.session import Session
from api.store.tables.accounts import players
from api.store.tables.columns import among
from referee.ratings import Rating

t, leaves = ratings.c, tree_leaves.c
READ = select(ratings_read.c.leaf)
ENDED = (
    select(leaves.number, leaves.game_id)
    .where(leaves.ended, leaves.number > bindparam("after"))
    .order_by(leaves.number)
    .limit(bindparam("limit"))
)


FINISHED = """
    SELECT g.id, g.app_id, g.ruleset, g.result,
        array_agg(s.player_id ORDER BY s.seat)
    FROM games g JOIN game_seats s ON s.game_id = g.id
    WHERE g.id = ANY (%(games)s) AND g.status = 'finished' AND g.visibility = 'public'
        AND g.imported_by IS NULL AND g.test_clock IS NULL AND g.result IS NOT NULL
    GROUP BY g.id
"""


class Rated(NamedTuple):
    """The rating of a player for a ruleset."""

    player_id: UUID
    name: str
    ruleset: str
    rating: Rating


def ended_games(session: Session, limit: int) -> list[tuple[int, UUID | None]]:
    """List the next games to be rated with the numbers of their leaves; None: a game that was deleted.

    Nobody else rates games before this transaction ends.
    """
    session.execute(select(func.pg_advisory_xact_lock(Lock.RATINGS.value)))
    row = session.execute(READ).fetchone()
    rows = session.execute(ENDED, {"after": row[0] if row else -1, "limit": limit})
    return [(number, game_id) for number, game_id in rows]


class Finished(NamedTuple):
    """A game that counts unless a seat was a bot's: what it changes ratings by."""

    id: UUID
    app_id: UUID
    ruleset: str
    result: str
    """In JSON."""
    holders: list[UUID | None]
    """By seat; None: a bot."""


def finished(session: Session, ids: Collection[UUID]) -> dict[UUID, Finished]:
    """Read the public games among these that finished, were dealt here, and ran in real time."""
    return {row[0]: Finished(*row) for row in session.execute(FINISHED, {"games": [*ids]})}


def record_read(session: Session, leaf: int) -> None:
    """Write up to which leaf games were looked at."""
    new = insert(ratings_read).values(one=True, leaf=leaf)
    session.execute(new.on_conflict_do_update(index_elements=["one"], set_={"leaf": leaf}))


def of_ruleset(session: Session, ruleset: str, player_ids: Collection[UUID]) -> dict[UUID, Rating]:
    """Return the ratings that players have for a ruleset."""
    statement = select(t.player_id, t.mu, t.sigma, t.games)
    rows = session.execute(statement.where(among(t.player_id, [*player_ids]), t.ruleset == ruleset))
    return {player: Rating(*rating) for player, *rating in rows}


def keep(session: Session, app_id: UUID, ruleset: str, new: Mapping[UUID, Rating]) -> None:
    """Store ratings of players of an app; those of a deleted player are no longer shown."""
    for player_id, rating in new.items():
        numbers = rating._asdict()
        row = insert(ratings).values(player_id=player_id, ruleset=ruleset, app_id=app_id, **numbers)
        session.execute(row.on_conflict_do_update(index_elements=["player_id", "ruleset"], set_=numbers))


_rated = (
    select(t.player_id, players.c.name, t.ruleset, t.mu, t.sigma, t.games)
    .join_from(ratings, players, t.player_id == players.c.id)
    .where(players.c.deleted_at.is_(None))
)


def of_player(session: Session, player_id: UUID) -> list[Rated]:
    """Return a player's ratings, by ruleset."""
    return [
        _read(*row) for row in session.execute(_rated.where(t.player_id == player_id).order_by(t.ruleset))
    ]


def best(session: Session, app_id: UUID, ruleset: str, after: UUID | None, limit: int) -> Sequence[Rated]:
    """List an app's players by their rating for a ruleset, the best first, beginning after a player."""
    statement = _rated.where(t.app_id == app_id, t.ruleset == ruleset)
    if after is not None:
        other = ratings.alias()
        place = select(other.c.worse).where(
            other.c.player_id == after, other.c.ruleset == ruleset, other.c.app_id == app_id
        )
        statement = statement.where(tuple_(t.worse, t.player_id) > tuple_(place.scalar_subquery(), after))
    return [_read(*row) for row in session.execute(statement.order_by(t.worse, t.player_id).limit(limit))]


def is_rated(session: Session, app_id: UUID, ruleset: str, player_id: UUID) -> bool:
    """Return whether a player of an app has a rating for a ruleset."""
    wanted = _rated.where(t.app_id == app_id, t.ruleset == ruleset, t.player_id == player_id)
    return session.execute(wanted).fetchone() is not None


def _read(player_id: UUID, name: str, ruleset: str, *rating: float) -> Rated:
    mu, sigma, games = rating
    return Rated(player_id, name, ruleset, Rating(mu, sigma, int(games)))
