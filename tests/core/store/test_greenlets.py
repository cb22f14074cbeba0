"""What waits for the database: greenlets block nobody else, and advisory locks only the same work."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psycopg

from api.core.config import Settings, libpq
from tests.servers.receiver import eventually
from tests.support.callers import Caller

SCRIPT = """
from gevent import monkey
monkey.patch_all()
import sys
import gevent, psycopg

def connect():
    return psycopg.connect(sys.argv[1], options="-c lock_timeout=90s")

order = []
with connect() as first, connect() as second, connect() as third:
    first.execute("LOCK TABLE counters")
    def blocked():
        second.execute("LOCK TABLE counters")  # waits until the first lets go
        order.append("second")
        second.commit()
    waiting_one = gevent.spawn(blocked)
    while not third.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()[0]:
        gevent.sleep(0.01)
    third.execute("INSERT INTO free VALUES (1)")  # must not have to wait for it
    order.append("third")
    first.commit()
    waiting_one.join(90)
    big = third.execute("SELECT %s", ["x" * 5_000_000]).fetchone()[0]  # more than a socket takes at once
    assert len(big) == 5_000_000
    try:
        third.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    except psycopg.OperationalError:
        order.append("gone")
print(order)
"""


PIPELINE = """
from gevent import monkey
monkey.patch_all()
import sys
import gevent
from api.store.database.connections import BoundedConnection, pipelined_transaction

turns, rows = [], 20_000

def others():
    while True:
        turns.append(rows)
        gevent.sleep(0)

def counted():
    global rows
    while rows:
        rows -= 1
        yield [rows]

with BoundedConnection.connect(sys.argv[1], autocommit=True) as connection:
    waiting = gevent.spawn(others)
    with pipelined_transaction(connection):
        for number in range(5):
            connection.execute("SELECT %s", [number])
        print(len(turns))
        big = connection.execute("SELECT %s", ["x" * 5_000_000])  # more than a socket takes at once
        print(len(big.fetchone()[0]), len(turns) > 0)
        connection.cursor().executemany("SELECT %s", counted())
        print(any(0 < at < 20_000 for at in turns))
    waiting.kill()
"""


def test_a_pipeline_is_sent_before_others_continue_unless_it_is_long(settings: Settings) -> None:
    address = libpq(settings.owner_database_url)
    done = subprocess.run(
        [sys.executable, "-c", PIPELINE, address], capture_output=True, text=True, timeout=180
    )
    assert done.stdout.split() == ["0", "5000000", "True", "True"], done.stderr


def test_waiting_for_a_lock_blocks_no_other_greenlet(settings: Settings, sql: psycopg.Connection) -> None:
    sql.execute("CREATE TABLE counters ()")
    sql.execute("CREATE TABLE free (n integer)")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, libpq(settings.owner_database_url)],
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.stdout.strip() == "['third', 'second', 'gone']", done.stderr


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
