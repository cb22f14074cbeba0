"""Sending what is queued, whatever the channel: claimed in batches, many at once, noted in batches.

A channel is a kind of place that notices go to: webhooks (`deliveries`), and whatever comes beside them. It
says how its jobs are claimed, sent and noted; this module says how many of them at once. What is claimed is
leased: whoever dies with it leaves it to others when the lease is over, and whoever comes back later with an
answer finds that the job is no longer theirs.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

import psycopg

from api.core.context import Context

log = logging.getLogger("card_referee.jobs")

LEASE = timedelta(seconds=20)  # a worker that took a job and is silent for so long has died
AT_ONCE = 128  # jobs under way in a process, of one channel
FIRST, MOST = 2, 32  # jobs under way for one receiver: at first, and once its answers are quick
QUICK = 1.0  # seconds; a receiver that answers sooner gets more at once
PAUSE = 0.01  # seconds between two looks at the queue while there is work; results are saved in such batches
POLL = 1.0  # seconds between two looks at the queue while there is none


class Room(NamedTuple):
    """How many jobs may be claimed: in all, for a receiver that is named, for any other."""

    in_all: int
    of: dict[UUID, int]
    of_others: int


class Job(Protocol):
    """What is sent at a time to one receiver."""

    @property
    def receiver(self) -> UUID:
        """Return who gets it; jobs of one receiver are counted."""


class Outcome(Protocol):
    """What became of a job."""

    @property
    def good(self) -> bool:
        """Return whether all of it was received."""


J = TypeVar("J", bound=Job)
R = TypeVar("R", bound=Outcome)


class Channel(Protocol[J, R]):
    """A kind of place that notices go to."""

    def claim(self, context: Context, room: Room) -> Sequence[J]:
        """Take jobs that are due, for `LEASE`; of each receiver no more than there is room for."""

    async def send(self, job: J) -> R:
        """Send a job, within `LEASE`. Whatever goes wrong is an outcome too."""

    def note(self, context: Context, done: Sequence[R]) -> None:
        """Write down what became of jobs, where they are still ours, in one transaction."""

    async def close(self) -> None:
        """Let connections go."""


class Windows:
    """How many jobs each receiver gets at once: more while its answers are quick, fewer where they are not.

    So one that hangs keeps few of us busy, and one that is quick is not kept waiting.
    """

    def __init__(self) -> None:
        self._under_way: Counter[UUID] = Counter()
        self._windows: dict[UUID, int] = {}
        self._full: set[UUID] = set()
        """Those that were given as many as they may get, since they last had none."""

    @property
    def under_way(self) -> int:
        """Return how many jobs are under way in all."""
        return self._under_way.total()

    def room(self) -> Room:
        """Return how many may be claimed now."""
        known = self._windows.keys() | self._under_way.keys()
        of = {receiver: max(0, self._size(receiver) - self._under_way[receiver]) for receiver in known}
        return Room(AT_ONCE - self.under_way, of, FIRST)

    def enter(self, receiver: UUID) -> None:
        """Count one more."""
        self._under_way[receiver] += 1
        if self._under_way[receiver] >= self._size(receiver):
            self._full.add(receiver)

    def leave(self, receiver: UUID, *, quick: bool) -> None:
        """Count one less; each quick answer where all of the room was used makes more of it."""
        size = self._size(receiver)
        if not quick:
            size = max(1, size // 2)
        elif receiver in self._full:
            size = min(MOST, size + 1)
        self._windows[receiver] = size
        self._under_way[receiver] -= 1
        if not self._under_way[receiver]:
            del self._under_way[receiver]
            self._full.discard(receiver)
            if size == FIRST:
                del self._windows[receiver]

    def _size(self, receiver: UUID) -> int:
        return self._windows.get(receiver, FIRST)


class Dispatcher(Generic[J, R]):
    """Sends the jobs of a channel in an event loop; one more thread talks with the database."""

    def __init__(
        self, channel: Callable[[], Channel[J, R]], new_context: Callable[[], AbstractContextManager[Context]]
    ) -> None:
        self._make_channel = channel
        self._new_context = new_context
        self._windows = Windows()
        self._done: list[R] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._stopping = False

    def run(self) -> None:
        """Send what is due until `stop`; then finish what is under way and return."""
        while not self._stopping:
            try:
                asyncio.run(self._run())
            except Exception:
                log.exception("deliveries begin anew")
                time.sleep(POLL)

    def wake(self) -> None:
        """Look at the queue now; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._woken.set)

    def stop(self) -> None:
        """Claim nothing more; from any thread."""
        self._stopping = True
        self.wake()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        channel = self._make_channel()
        tasks: set[asyncio.Task[None]] = set()
        with ThreadPoolExecutor(1, "deliveries") as database:
            while not self._stopping or tasks or self._done:
                self._woken.clear()
                done, self._done = self._done, []
                room = self._windows.room()
                jobs = await self._loop.run_in_executor(database, self._exchange, channel, done, room)
                for job in jobs:
                    self._windows.enter(job.receiver)
                    task = asyncio.create_task(self._send(channel, job))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                if jobs or done:
                    await asyncio.sleep(PAUSE)
                else:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._woken.wait(), POLL)
        await channel.close()

    async def _send(self, channel: Channel[J, R], job: J) -> None:
        """Send a job, and let it be noted. One that fails here is somebody's again when its lease is over."""
        begun, quick = time.monotonic(), False
        try:
            outcome = await channel.send(job)
            quick = outcome.good and time.monotonic() - begun < QUICK
            self._done.append(outcome)
        except Exception:
            log.exception("a delivery failed")
        finally:
            self._windows.leave(job.receiver, quick=quick)
            self._woken.set()

    def _exchange(self, channel: Channel[J, R], done: Sequence[R], room: Room) -> Sequence[J]:
        """Note what was done and claim what is next. Runs in the thread for the database."""
        try:
            if done:
                self._note(channel, done)
            if room.in_all > 0 and not self._stopping:
                with self._new_context() as context:
                    return channel.claim(context, room)
        except psycopg.OperationalError as error:
            log.warning("the database does not answer: %s", type(error).__name__)
        except Exception:
            log.exception("deliveries could not be claimed")
        return ()

    def _note(self, channel: Channel[J, R], done: Sequence[R]) -> None:
        """Note outcomes. Where that fails for one of them, the others are noted all the same.

        What is not noted is sent again when its lease is over. Raises OperationalError.
        """
        try:
            with self._new_context() as context:
                channel.note(context, done)
        except psycopg.OperationalError:
            raise
        except Exception:
            if len(done) == 1:
                log.exception("a delivery could not be noted")
            else:
                for outcome in done:
                    self._note(channel, [outcome])
