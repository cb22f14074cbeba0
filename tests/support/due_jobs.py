"""What the job worker does by itself, done at once by a test, and workers that share what is due."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.features import load_features
from api.features.notices import projection, warnings
from api.features.proofs import tree
from api.features.ratings import ratings
from api.games import bots, outages
from api.run import worker
from api.store import due_work
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, new_game

PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": "PT12H"}


def share_what_is_due(host: Caller, four: list[Caller], clock: Clock, database: Database) -> None:
    """Two workers take the games that have been due longest; neither waits for what the other has locked."""
    games = []
    for _ in range(5):
        games.append(UUID(new_game(host, four[:2], pace=PACE)["id"]))
        clock.move(minutes=1)
    clock.move(days=9)
    one, other = Session(database), Session(database)
    with one.transaction():
        assert due_work.take_due(one, due_work.DEADLINES, clock(), [], 2) == games[:2]
        with other.transaction():
            assert due_work.take_due(other, due_work.DEADLINES, clock(), [], 2) == games[2:4]
        assert due_work.next_due(other, due_work.WARNINGS, clock(), [games[2]]) == games[3]
    assert due_work.take_due(other, due_work.DEADLINES, clock(), [games[0]], 9) == games[1:]
    with one.transaction():  # all that were found first are locked by somebody else
        first = games[: due_work.AHEAD]
        assert due_work.take_due(one, due_work.DEADLINES, clock(), [], len(first)) == first
        with other.transaction():
            assert due_work.next_due(other, due_work.DEADLINES, clock(), []) == games[len(first)]
    one.close()
    other.close()


def play_on(host: Caller, database: Database, limit: int, rounds: int) -> None:
    """Run the worker's job for bots."""
    site = host.app.extensions["card_referee"]
    session = Session(database)
    context = Context(site.settings, session, load_features().hooks, site.clock, site.random_bytes)
    for _ in range(rounds):
        for found in (*bots.games_due(context), *bots.games_due(context, people=False)):
            bots.play_due(context, found, limit)
    session.close()


def keep_time(context: Context) -> None:
    """Do everything that is due now, except what needs other servers."""
    for job in (
        outages.give_all_back,
        worker.enforce,
        worker.forfeit,
        warnings.warn_all,
        worker.play,
        worker.play_alone,
        tree.integrate_all,
        ratings.rate_all,
        projection.announce_all,
    ):
        job(context)
