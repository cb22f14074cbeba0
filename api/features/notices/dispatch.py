"""Sends what is queued: claims it as far as there are slots, sends many at once, stores results in batches.

A channel (webhooks, mail, push messages) knows how its jobs are claimed, sent and noted; this module decides
how many at once. Jobs are leased: if a worker dies, others claim them after the lease, and a worker that
returns later with an answer finds that the job is no longer its own.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import psycopg

from api.context import Context
from api.core.shares import Party, Resource, Shares
from api.feature import Contexts, Due

log = logging.getLogger("card_referee.jobs")

PAUSE_AFTER_ERROR = 1.0  # seconds
PAUSE = 0.01  # seconds between two looks at the queue while there is work; results are saved in such batches


class Slots:
    """What a worker sends at once by a channel, shared out to several kinds of parties: apps and hosts."""

    def __init__(self, size: int, *resources: Resource) -> None:
        self._shares = [Shares(each, size) for each in resources]

    @property
    def free(self) -> int:
        """Return how many are free."""
        return self._shares[0].free

    def crowded(self) -> list[list[Hashable]]:
        """Return of each kind which parties have no room for one more."""
        return [shares.crowded() for shares in self._shares]

    def enter(self, parties: Sequence[Party]) -> bool:
        """Take one for a party of each kind, if all of them have room; return whether they have."""
        room = all(shares.has_room(party) for shares, party in zip(self._shares, parties, strict=True))
        if room:
            self.take(parties)
        return room

    def take(self, parties: Sequence[Party], number: int = 1) -> None:
        """Take one; with -1 give one back."""
        for shares, party in zip(self._shares, parties, strict=True):
            shares.take(party, number)


class Claimed(Protocol):
    """What is claimed to be sent."""

    @property
    def parties(self) -> Sequence[Party]:
        """Return whose slot it takes, of each kind."""


Job = TypeVar("Job", bound=Claimed)
Done = TypeVar("Done")


class Outlet(Protocol[Job, Done]):
    """How jobs of a channel are claimed, sent and noted."""

    def claim(self, context: Context, slots: Slots) -> Sequence[Job]:
        """Take what is due, as far as there are slots, which are taken here from a copy."""

    async def send(self, job: Job) -> Done:
        """Send a job."""

    def record(self, context: Context, done: Sequence[Done]) -> None:
        """Store outcomes, in one transaction."""

    async def close(self) -> None:
        """Close what is open."""


class Dispatcher(Generic[Job, Done]):
    """Sends jobs in an event loop, whenever it is woken; another thread uses the database."""

    def __init__(
        self, due: Due, slots: Slots, outlet: Callable[[], Outlet[Job, Done]], contexts: Contexts
    ) -> None:
        self.due: Due | None = due
        self._slots = slots
        self._make_outlet = outlet
        self._contexts = contexts
        self._done: list[Done] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._stopping = False

    def run(self) -> None:
        """Send what is due until `stop`; then finish the current jobs and return."""
        while not self._stopping:
            try:
                asyncio.run(self._run())
            except Exception:
                log.exception("deliveries begin anew")
                time.sleep(PAUSE_AFTER_ERROR)

    def hear(self, app: UUID | None) -> None:
        """Look at the queue now, if something was queued."""
        if app is None:
            self.wake()

    def wake(self) -> None:
        """Look at the queue now; may be called from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._woken.set)

    def stop(self) -> None:
        """Claim nothing more; may be called from any thread."""
        self._stopping = True
        self.wake()

    async def _run(self) -> None:
        self._woken = asyncio.Event()  # one of this loop
        self._loop = asyncio.get_running_loop()
        outlet = self._make_outlet()
        tasks: set[asyncio.Task[None]] = set()
        with ThreadPoolExecutor(1, "deliveries") as database:
            while not self._stopping or tasks or self._done:
                self._woken.clear()
                done, self._done = self._done, []
                slots = deepcopy(self._slots)
                jobs = await self._loop.run_in_executor(database, self._exchange, outlet, done, slots)
                for job in jobs:
                    self._slots.take(job.parties)
                    task = asyncio.create_task(self._send(outlet, job))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                if jobs or done:
                    await asyncio.sleep(PAUSE)
                elif tasks or not self._stopping:  # nobody wakes us after the last
                    await self._woken.wait()
        await outlet.close()

    async def _send(self, outlet: Outlet[Job, Done], job: Job) -> None:
        """Send a job, and have its outcome stored. After an error here, its lease just ends."""
        try:
            with _reported():
                outcome = await outlet.send(job)
                self._done.append(outcome)  # only now: the list is another one after each exchange
        finally:
            self._slots.take(job.parties, -1)
            self._woken.set()

    def _exchange(self, outlet: Outlet[Job, Done], done: Sequence[Done], slots: Slots) -> Sequence[Job]:
        """Store outcomes and claim the next jobs. Runs in the thread for the database."""
        with _reported():
            if done:
                self._record(outlet, done)
            if slots.free and not self._stopping:
                with self._contexts() as context:
                    return outlet.claim(context, slots)
        return ()

    def _record(self, outlet: Outlet[Job, Done], done: Sequence[Done]) -> None:
        """Store outcomes. If that fails for one, the others are stored nevertheless.

        A job without a stored outcome is sent again after its lease. Raises OperationalError.
        """
        try:
            with self._contexts() as context:
                outlet.record(context, done)
        except psycopg.OperationalError:
            raise
        except Exception:
            if len(done) == 1:
                log.exception("an outcome could not be noted")
            else:
                for outcome in done:
                    self._record(outlet, [outcome])


@contextmanager
def _reported() -> Iterator[None]:
    """Log errors, which must end nothing else."""
    try:
        yield
    except psycopg.OperationalError as error:
        log.warning("the database does not answer: %s", type(error).__name__)
    except Exception:
        log.exception("something could not be claimed or sent")
