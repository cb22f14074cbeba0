"""Advisory locks: what one process does at a time does not keep others from something else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from uuid import UUID

import psycopg

from api.context import Context
from api.features.proofs import store as tree
from api.features.statistics import results
from api.store.database.session import Database, Session
from tests.servers.receiver import eventually
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
            rebuilt = threads.submit(results.rebuild_some, rebuilding, UUID(int=0))
            done, _ = wait([rebuilt], timeout=10)
        assert done, "it waited for the leaves"
        assert rebuilt.result() == (UUID(over["id"]), 1, 0)
    other.close()


WAITING = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"


def test_two_webhooks_are_deleted_at_the_same_moment(host: Caller, sql: psycopg.Connection) -> None:
    """Each deletion queues a notice for the other webhook."""
    made = [host.post("/v1/webhooks", {"url": "https://example.com/in"}).json for _ in range(2)]
    paths = [f"/v1/webhooks/{webhook['id']}" for webhook in made]
    for path in paths:
        assert host.post(f"{path}/test").status_code == 202
    with ThreadPoolExecutor() as threads:
        with sql.transaction():
            sql.execute("SELECT FROM outbox FOR UPDATE")  # until both have begun
            deleted = [threads.submit(host.delete, path) for path in paths]
            assert eventually(lambda: sql.execute(WAITING).fetchone() == (2,), 60)
        assert [answer.result().status_code for answer in deleted] == [204, 204]
