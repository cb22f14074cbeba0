"""The worker: deadlines, warnings, deliveries, and bots that a request left unfinished.

The tables are the queue. A deadline is a row that the move's own transaction wrote; a worker locks it,
enforces it and writes the outcome in one transaction. So it is done once, whichever process dies, and any
number of workers may run. What is sent to others is leased before, and marked afterwards: it is sent at least
once.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from uuid import UUID

import psycopg
import structlog

import referee
from api.context import Context
from api.core import logs, metrics, tracing
from api.core.config import Settings, started
from api.core.errors import RulesetNotInstalled
from api.core.metrics import DATABASE
from api.feature import HOUR, SECOND, Due, Features, Job
from api.features import load_features
from api.games import bots, deadlines, outages
from api.run import encryption_keys, reaching, rights, row_security, vitals, watchdog
from api.store import due_work, games, idempotency_keys, watch
from api.store import log as entries
from api.store.database.encryption import WrongKeys
from api.store.database.publishing import listen_as_worker
from api.store.database.session import Database, Session

log = logging.getLogger("card_referee.jobs")

NOTE_LIFE = 5.0  # seconds
ILL = 15.0  # seconds without a look for what is due after which the worker is not healthy
POLL = 1.0  # seconds between two looks for what is due; what was queued wakes runners sooner
SHUTDOWN_GRACE = 20.0  # seconds for deliveries in progress when we stop

ENFORCERS = 3  # threads that enforce deadlines


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
    vitals.start(settings, worker.why_ill)
    watchdog.start()
    worker.start()
    structlog.get_logger().info(started("job worker", settings))
    signal.sigwait(ends)
    worker.stop()
    structlog.get_logger().info("job worker stopped")


class Worker:
    """One scheduler for all jobs, and the runners of features.

    The scheduler asks once a second, in one statement, which jobs have something to do. Each of those runs
    in threads of its own until it is done, so that none waits for another; an idle worker has none of them.
    """

    def __init__(self, settings: Settings, features: Features | None = None) -> None:
        features = load_features(*settings.features) if features is None else features
        own = settings.for_worker()
        self._jobs = [*CLOCKWORK, *features.jobs]
        threads = sum(job.threads for job in self._jobs)
        self._settings = replace(own, pool_size=max(own.pool_size, threads + 10))
        self._hooks = features.hooks
        self._database = Database(self._settings)
        self._stopping = threading.Event()
        self._runners = features.runners(self._settings, self._job)
        self._next = [0.0] * len(self._jobs)
        self._looked_at = time.monotonic()
        self._running: list[set[threading.Thread]] = [set() for _ in self._jobs]
        runs = ("_schedule", self._schedule), *((type(each).__name__, each.run) for each in self._runners)
        self._lasting = [threading.Thread(target=run, name=name, daemon=True) for name, run in runs]

    def start(self) -> None:
        """Start the threads."""
        with self._context() as context:
            warn_of_missing_rulesets(context)
        for thread in self._lasting:
            thread.start()

    def stop(self) -> None:
        """Finish what is begun, for some seconds at most; what is not finished stays due."""
        self._stopping.set()
        for runner in self._runners:
            runner.stop()
        end = time.monotonic() + SHUTDOWN_GRACE
        for thread in (*self._lasting, *chain.from_iterable(map(list, self._running))):
            thread.join(max(0.0, end - time.monotonic()))
        with contextlib.suppress(psycopg.Error), self._job() as context:
            watch.forget_process(context.session)
        self._database.close()

    def _schedule(self) -> None:
        """Begin what is due until `stop`; after a failure of the database, begin anew."""
        while not self._stopping.is_set():
            try:
                with self._database.connect() as connection:
                    self._follow(connection)
            except psycopg.Error as error:
                DATABASE.failed(reaching.words(error))
            except Exception:
                log.exception("jobs could not be scheduled")
            self._stopping.wait(POLL)

    def _follow(self, connection: psycopg.Connection) -> None:
        """Look for what is due every second, and wake runners when something was queued or happened."""
        with contextlib.closing(Session(self._database)) as session:
            distributed = session.distributed
        dues = [*(job.due for job in self._jobs), *(runner.due for runner in self._runners)]
        query = query_of([None if due and distributed and not due.cluster else due for due in dues])
        listen_as_worker(connection)
        look_at = 0.0
        while not self._stopping.is_set():
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + POLL
                self._begin_due(connection, query)
            for notice in connection.notifies(timeout=max(0.0, look_at - time.monotonic()), stop_after=1):
                for runner in self._runners:
                    runner.hear(UUID(notice.payload) if notice.payload else None)

    def _begin_due(self, connection: psycopg.Connection, query: str) -> None:
        """Begin the jobs that have something to do and whose pauses are over; wake such runners."""
        due = {number for (number,) in connection.execute(query)}
        self._looked_at = time.monotonic()
        DATABASE.worked()
        for number, job in enumerate(self._jobs):
            if time.monotonic() >= self._next[number] and (number in due or not job.due):
                self._next[number] = time.monotonic() + job.pause
                self._begin(number, job)
        for number, runner in enumerate(self._runners, len(self._jobs)):
            if number in due:
                runner.hear(None)

    def _begin(self, number: int, job: Job) -> None:
        """Start the threads of a job that do not run yet."""
        running = self._running[number]
        running -= {thread for thread in running if not thread.is_alive()}
        for _ in range(job.threads - len(running)):
            thread = threading.Thread(target=self._do, args=(job,), name=name_of(job), daemon=True)
            running.add(thread)
            thread.start()

    def why_ill(self) -> str:
        """Return why something is not done, or "" if all threads live and what is due was looked for."""
        ended = [thread.name for thread in self._lasting if thread.ident and not thread.is_alive()]
        if ended:
            return f"The thread {ended[0]} has ended."
        silence = time.monotonic() - self._looked_at
        if silence < ILL:
            return ""
        return DATABASE.reason or f"Nothing was looked for in {silence:.0f} s."

    def _do(self, job: Job) -> None:
        name = name_of(job)
        with self._context() as context:
            metrics.jobs.labels(name, "failed").inc(0)
            try:
                job.work(context)
            except Exception:
                metrics.jobs.labels(name, "failed").inc()
                raise
            metrics.jobs.labels(name, "done").inc()

    @contextlib.contextmanager
    def _context(self) -> Iterator[Context]:
        """Open the context of one job. A failure does not end the worker: the job stays due."""
        try:
            with self._job() as context:
                yield context
        except WrongKeys as error:
            log.error("%s", error)
        except psycopg.Error as error:
            log.warning("a job failed, and stays due: %s", type(error).__name__)
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


def name_of(job: Job) -> str:
    """Return the name of a job in metrics, such as `projection.announce_all`."""
    return f"{job.work.__module__.rpartition('.')[2]}.{job.work.__name__}"


def query_of(dues: Sequence[Due | None]) -> str:
    """Return the query for the numbers of those of which rows are due; None: without asking.

    The order keeps PostgreSQL from reading a whole table because its statistics know of more due rows.
    """
    asked = ((number, due) for number, due in enumerate(dues))
    return " UNION ALL ".join(
        f"(SELECT {number} FROM {due.rows} ORDER BY {due.since} LIMIT 1)" if due else f"SELECT {number}"
        for number, due in asked
    )


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
    _enforce(context, due_work.DEADLINES)


def forfeit(context: Context) -> None:
    """Cancel the games whose seats have not revealed their entropy in time, while a web process is up."""
    _enforce(context, due_work.TO_REVEAL)


def _enforce(context: Context, what: str) -> None:
    if not outages.may_enforce(context):
        log.warning("no web process is up: deadlines are not enforced")
        return
    failed: list[UUID] = []
    while deadlines.enforce_some(context, what, failed):
        pass


def play(context: Context) -> None:
    """Make the moves of bots and of standing orders that games with people wait for."""
    _play_all(context, people=True)


def play_alone(context: Context) -> None:
    """Make the moves in games that only bots play, so slowly that there is room for the others."""
    _play_all(context, people=False)


def _play_all(context: Context, *, people: bool) -> None:
    done: list[UUID] = []
    while due := bots.games_due(context, done, bots.BATCH, people=people):
        for game_id in due:
            begun = time.monotonic()
            _play_due(context, game_id)
            if not people:
                time.sleep(min(bots.LONGEST_PAUSE, bots.PAUSES * (time.monotonic() - begun)))
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


def prune_answers(context: Context) -> None:
    """Delete old kept responses."""
    idempotency_keys.prune(
        context.session, context.now() - timedelta(hours=context.settings.idempotency_hours)
    )


def make_parts_of_log(context: Context) -> None:
    """Create the parts of the log for the next months."""
    entries.make_parts_ahead(context.session)


def note_life(context: Context) -> None:
    """Write that this worker is up."""
    watch.record_process(context.session, watch.WORKER)


CLOCKWORK = (
    Job(note_life, NOTE_LIFE),
    Job(enforce, SECOND, Due("deadlines", due_work.OF_SEATS.format("deadline"), "deadline"), ENFORCERS),
    Job(outages.give_all_back, SECOND, Due("outages", "outages WHERE NOT settled", "ended_at")),
    Job(forfeit, SECOND, Due("reveals", "games WHERE reveal_by <= now()", "reveal_by")),
    Job(play, SECOND, Due("bots", due_work.BOTS, "since")),
    Job(play_alone, SECOND, Due("games of bots alone", due_work.BOTS_ALONE, "since")),
    Job(prune_answers, HOUR),
    Job(make_parts_of_log, HOUR),
)
"""The core's jobs; those of features are declared by them."""
