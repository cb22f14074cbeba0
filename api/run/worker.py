"""The worker: deadlines, warnings, deliveries, and bots that a request left unfinished.

The tables are the queue. A deadline, a warning or a delivery that is due is a row which the move's own
transaction wrote; a worker locks it, does it, and marks it in one transaction. So nothing can be due
twice or be lost, whatever dies when, and any number of workers may run side by side.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from uuid import UUID

import psycopg
import sqlalchemy.exc

from api.core.config import Settings, libpq
from api.core.context import Context
from api.ops import logs
from api.outbox import deliveries
from api.play.automatic import bots, deadlines
from api.run import row_security
from api.store import kept_answers as idempotency
from api.store.database.session import Database, Session

log = logging.getLogger("card_referee.jobs")

POLL = 1.0  # seconds; commits of deliveries wake us sooner
SHUTDOWN_GRACE = 20.0  # seconds for deliveries under way when we stop
DELIVERERS = 6
TIDY_EVERY = 3600  # polls
DATABASE_ERRORS = (psycopg.Error, sqlalchemy.exc.DBAPIError, sqlalchemy.exc.TimeoutError)

Step = Callable[[Context, list[UUID]], UUID | None]


def run_worker(settings: Settings) -> None:
    """Work until SIGTERM or SIGINT; then finish what is under way and return. Raises StartError."""
    row_security.require_worker(settings.for_worker().database_url)
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    logs.configure(settings.log_level)
    worker = Worker(settings)
    worker.start()
    signal.sigwait(ends)
    worker.stop()


class Worker:
    """The threads of a worker: one for the clock, a few that deliver, one that listens."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.for_worker()
        self._database = Database(self._settings)
        self._stopping = threading.Event()
        self._queued = threading.Condition()
        self._crowd = deliveries.Busy()
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._keep_time, self._listen, *[self._deliver] * DELIVERERS)
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish what is under way."""
        self._stopping.set()
        with self._queued:
            self._queued.notify_all()
        for thread in self._threads:
            thread.join(SHUTDOWN_GRACE)
        self._database.close()

    def _keep_time(self) -> None:
        polls = 0
        while not self._stopping.is_set():
            with self._context() as context:
                keep_time(context)
                if polls % TIDY_EVERY == 0:
                    tidy(context)
            polls += 1
            self._stopping.wait(POLL)

    def _deliver(self) -> None:
        while not self._stopping.is_set():
            busy = False
            with self._context() as context:
                busy = deliveries.deliver_next(context, self._crowd)
            if not busy:
                with self._queued:
                    self._queued.wait(POLL)

    def _listen(self) -> None:
        """Wake the deliverers when something was queued; without a connection they look every second."""
        while not self._stopping.is_set():
            with contextlib.suppress(*DATABASE_ERRORS):
                self._wake_on_notices()
            self._stopping.wait(POLL)

    def _wake_on_notices(self) -> None:
        with psycopg.connect(libpq(self._settings.database_url), autocommit=True) as connection:
            connection.execute("LISTEN deliveries")
            while not self._stopping.is_set():
                for _ in connection.notifies(timeout=POLL, stop_after=1):
                    with self._queued:
                        self._queued.notify_all()

    @contextlib.contextmanager
    def _context(self) -> Iterator[Context]:
        """One job's context. No job's failure ends the worker: what is due stays due."""
        session = Session(self._database)
        try:
            yield Context(self._settings, session)
        except DATABASE_ERRORS as error:
            log.warning("the database does not answer: %s", type(error).__name__)
            self._database.forget_connections()
        except Exception:
            log.exception("a job failed")
        finally:
            with contextlib.suppress(Exception):
                session.close()


def keep_time(context: Context) -> None:
    """Do everything that is due now: deadlines, warnings, the moves of bots."""
    do_all(context, deadlines.enforce_next)
    do_all(context, deadlines.warn_next)
    for game_id in bots.games_due(context):
        try:
            bots.play_due(context, game_id)
        except DATABASE_ERRORS:
            raise
        except Exception:
            log.exception("game %s: the bots could not continue", game_id)


def do_all(context: Context, step: Step) -> int:
    """Repeat a step until nothing is left to do; what fails is left for the next round. Returns how many."""
    done, failed = 0, list[UUID]()
    while step(context, failed) is not None:
        done += 1
    return done - len(failed)


def tidy(context: Context) -> None:
    """Delete what is kept for a time only."""
    idempotency.prune(context.session, context.now() - timedelta(hours=context.settings.idempotency_hours))
    deliveries.prune(context)
