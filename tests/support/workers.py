"""Workers in processes that tests kill at a chosen moment."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from api.core.config import Settings
from api.run import worker as jobs
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT

WRITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND datname = current_database()"
    " AND state = 'idle in transaction' AND backend_xid IS NOT NULL"
)


class Worker:
    """A worker in a forked process, which needs no imports and so works at once."""

    def __init__(self, settings: Settings, number: int) -> None:
        self.name = f"worker-{number}"
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.environ["PGAPPNAME"] = self.name  # its connections are found by this
                jobs.run_worker(settings)
            finally:
                os._exit(0)

    def halted_at_work(self, sql: psycopg.Connection) -> bool:
        """Halt it in a transaction that has written or locked something; otherwise let it continue."""
        os.kill(self.pid, signal.SIGSTOP)
        if sql.execute(WRITING, (self.name,)).fetchone()[0]:
            return True
        os.kill(self.pid, signal.SIGCONT)
        return False

    def end(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)
        os.waitpid(self.pid, 0)


@contextmanager
def killed(
    settings: Settings, count: int, kills: int, dice: random.Random, caught: Callable[[Worker], bool]
) -> Iterator[None]:
    """Kill workers, `kills` times one of `count`, when `caught` has halted it; new ones do the rest."""
    workers = [Worker(settings, number) for number in range(count)]
    try:
        for number in range(kills):
            victim = workers.pop(dice.randrange(count))
            try:
                assert eventually(lambda victim=victim: caught(victim), TIMEOUT, pause=0.001)
            finally:
                victim.end(signal.SIGKILL)
            workers.append(Worker(settings, count + number))
        yield
    finally:
        for worker in workers:
            worker.end(signal.SIGTERM)
