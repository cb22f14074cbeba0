"""The worker: deadlines, warnings, deliveries, and bots that a request left unfinished.

The tables are the queue. A deadline, a warning or a delivery is a row that the move's own transaction wrote;
a worker locks it, does it, and marks it in one transaction. So nothing is done twice or lost, whichever
process dies, and any number of workers may run.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from uuid import UUID

import psycopg

import referee
from api.context import Context
from api.core import tracing
from api.core.config import Settings
from api.core.errors import RulesetNotInstalled
from api.feature import HOUR, SECOND, Features, Job
from api.features import load_features
from api.ops import logs
from api.play.automatic import bots, deadlines, outages
from api.run import encryption_keys, reaching, rights, row_security, watchdog
from api.store import idempotency_keys
from api.store.database.encryption import WrongKeys
from api.store.database.session import Database, Session
from api.store.game import games
from api.store.game import log as entries

log = logging.getLogger("card_referee.jobs")

POLL = 1.0  # seconds; commits of deliveries wake us sooner
SHUTDOWN_GRACE = 20.0  # seconds for deliveries in progress when we stop
MOVED_BATCH = 20_000  # entries that are copied in one transaction, to the part of their month

ENFORCERS = 3  # threads that enforce deadlines

Step = Callable[[Context, list[UUID]], UUID | None]


def run_worker(settings: Settings) -> None:
    """Work until SIGTERM or SIGINT; then finish the current jobs and return. Raises StartError."""
    reaching.say_if_not(settings.for_worker().database_url, settings.for_worker().direct_database_url)
    row_security.require_worker(settings.for_worker().database_url)
    rights.require(settings.for_worker().database_url)
    rights.require_direct(settings.for_worker())
    encryption_keys.require(settings.for_worker())
    ends = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    logs.configure(settings.log_level)
    tracing.configure()
    worker = Worker(settings)
    watchdog.start()
    worker.start()
    signal.sigwait(ends)
    worker.stop()


class Worker:
    """The threads of a worker: one for each kind of job, so that none waits for another.

    Deadlines get several threads, because very many may pass at once: while one waits for the disk, another
    works.
    """

    def __init__(self, settings: Settings, features: Features | None = None) -> None:
        features = load_features(*settings.features) if features is None else features
        jobs = [*CLOCKWORK, *features.jobs]
        own = settings.for_worker()
        threads = sum(job.threads for job in jobs)
        self._settings = replace(own, pool_size=max(own.pool_size, threads + 10))
        self._hooks = features.hooks
        self._database = Database(self._settings)
        self._stopping = threading.Event()
        self._runners = features.runners(self._settings, self._job)
        targets: list[Callable[[], None]] = [
            *(partial(self._repeat, job.work, job.pause) for job in jobs for _ in range(job.threads)),
            *(each.run for each in self._runners),
        ]
        self._threads = [threading.Thread(target=target, daemon=True) for target in targets]
        self._listener = threading.Thread(target=self._listen, daemon=True)

    def start(self) -> None:
        """Start the threads."""
        with self._context() as context:
            warn_of_missing_rulesets(context)
        for thread in (*self._threads, self._listener):
            thread.start()

    def stop(self) -> None:
        """Finish the current jobs; the listener, which may wait for a second, just ends with the process."""
        self._stopping.set()
        for runner in self._runners:
            runner.stop()
        end = time.monotonic() + SHUTDOWN_GRACE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        self._database.close()

    def _repeat(self, job: Callable[[Context], object], pause: float) -> None:
        while not self._stopping.is_set():
            with self._context() as context:
                job(context)
            self._stopping.wait(pause)

    def _listen(self) -> None:
        """Wake the sending threads when something was queued; without a connection they look every second."""
        while not self._stopping.is_set():
            with contextlib.suppress(psycopg.Error):
                self._wake_on_notices()
            self._stopping.wait(POLL)

    def _wake_on_notices(self) -> None:
        with self._database.connect() as connection:
            connection.execute("LISTEN deliveries")
            while not self._stopping.is_set():
                for notice in connection.notifies(timeout=POLL, stop_after=1):
                    for runner in self._runners:
                        runner.hear(UUID(notice.payload) if notice.payload else None)

    @contextlib.contextmanager
    def _context(self) -> Iterator[Context]:
        """Open the context of one job. A failure does not end the worker: the job stays due."""
        try:
            with self._job() as context:
                yield context
        except WrongKeys as error:
            log.error("%s", error)
        except psycopg.Error as error:
            log.warning("the database does not answer: %s", type(error).__name__)
        except Exception:
            log.exception("a job failed")

    @contextlib.contextmanager
    def _job(self) -> Iterator[Context]:
        """Open the context of one job, and raise its errors."""
        session = Session(self._database)
        try:
            yield Context(self._settings, session, self._hooks)
        finally:
            with contextlib.suppress(Exception):
                session.close()


def warn_of_missing_rulesets(context: Context) -> None:
    """Log each ruleset of a stored game that is not installed."""
    for ruleset, version in games.rulesets(context.session):
        if version not in referee.versions(ruleset):
            log.warning(
                "the ruleset %s, version %s, is not installed: its games can be read but not played",
                ruleset,
                version,
            )


def enforce(context: Context) -> None:
    """Enforce every deadline that has passed, unless players cannot move because no web process is up."""
    if not outages.may_enforce(context):
        log.warning("no web process is up: deadlines are not enforced")
        return
    failed: list[UUID] = []
    while deadlines.enforce_some(context, failed):
        pass


def forfeit(context: Context) -> None:
    """Cancel the games whose seats have not revealed their entropy in time."""
    do_all(context, deadlines.forfeit_next)


def warn(context: Context) -> None:
    """Warn every seat whose warning is due, after the notices of its turn are queued."""
    deadlines.before_warnings(context)
    do_all(context, deadlines.warn_next)


def play(context: Context) -> None:
    """Make the moves of bots and of standing orders that games wait for."""
    done: list[UUID] = []
    while due := bots.games_due(context, done, bots.BATCH):
        for game_id in due:
            _play_due(context, game_id)
        if len(due) < bots.BATCH:
            break
        done += due  # games that could not continue must not delay others


def _play_due(context: Context, game_id: UUID) -> None:
    try:
        bots.play_due(context, game_id)
    except RulesetNotInstalled:
        pass  # the start has warned of it
    except Exception:
        if context.session.connection.closed:  # not the game's fault
            raise
        log.exception("game %s: the bots could not continue", game_id)


def do_all(context: Context, step: Step) -> int:
    """Repeat a step until nothing is left to do; failures are left for the next round. Return how many."""
    done, failed = 0, list[UUID]()
    while step(context, failed) is not None:
        done += 1
    return done - len(failed)


def prune_answers(context: Context) -> None:
    """Delete old kept responses."""
    idempotency_keys.prune(
        context.session, context.now() - timedelta(hours=context.settings.idempotency_hours)
    )


def split_log(context: Context) -> None:
    """Create the parts of the log for the next months, and move entries to them that came before."""
    entries.make_parts_ahead(context.session)
    while (moved := entries.move_rest(context.session, MOVED_BATCH)) is not None:
        log.warning(
            "%s had no partition when it was needed: %d entries were copied to it, and it is %s",
            moved.part,
            moved.copied,
            "attached" if moved.attached else "not attached yet",
        )
        if not moved.attached and moved.copied < MOVED_BATCH:
            log.warning("the log is too busy to attach %s: that is tried again later", moved.part)
            break


CLOCKWORK = (
    Job(enforce, SECOND, threads=ENFORCERS),
    Job(outages.give_all_back, SECOND),
    Job(forfeit, SECOND),
    Job(warn, SECOND),
    Job(play, SECOND),
    Job(prune_answers, HOUR),
    Job(split_log, HOUR),
)
"""The core's jobs; those of features are declared by them."""
