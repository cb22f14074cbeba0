"""Workers in processes that tests kill at a chosen moment."""

from __future__ import annotations

import os
import signal

import psycopg

from api.core.config import Settings
from api.run import worker as jobs

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
