"""Advisory locks: what one process does at a time does not keep others from something else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from uuid import UUID

from api.context import Context
from api.game import results
from api.store.audit import tree
from api.store.database.session import Database, Session
from tests.support.callers import Caller, new_game


def test_results_are_rebuilt_while_leaves_are_added(
    host: Caller, four: list[Caller], context: Context, workers_database: Database
) -> None:
    over = new_game(host, four[:2], "bisca")
    four[0].post(f"/v1/games/{over['id']}/resignation")
    other = Session(workers_database)
    rebuilding = replace(context, session=other)
    with ThreadPoolExecutor() as threads:
        with context.session.transaction():
            assert tree.queued(context.session, 100)
            rebuilt = threads.submit(results.rebuild, rebuilding, UUID(int=0))
            done, _ = wait([rebuilt], timeout=10)
        assert done, "it waited for the leaves"
        assert rebuilt.result() == (UUID(over["id"]), 1, 0)
    other.close()
