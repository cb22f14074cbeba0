"""Advisory locks: what one process does at a time does not keep others from something else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg

from tests.servers.receiver import eventually
from tests.support.callers import Caller

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
