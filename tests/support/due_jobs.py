"""Workers that share what is due."""

from __future__ import annotations

from uuid import UUID

from api.store import due_work
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, new_game
from tests.support.webhooks import PACE


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
