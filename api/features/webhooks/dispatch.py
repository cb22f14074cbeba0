"""Sends what is queued for webhooks: claims it in batches, sends many at once, stores results in batches.

`deliveries` knows how deliveries are claimed, sent and noted, in runs; this module decides how many at once.
Claimed runs are leased: if a worker dies, others claim them after the lease, and a worker that returns later
with an answer finds that the run is no longer its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from copy import deepcopy
from uuid import UUID

import psycopg

from api.context import Context
from api.feature import Due
from api.features.webhooks.deliveries import Run, Sent, Slots, Webhooks

log = logging.getLogger("card_referee.jobs")

CONCURRENCY = 128  # concurrent jobs in a process
PAUSE_AFTER_ERROR = 1.0  # seconds
PAUSE = 0.01  # seconds between two looks at the queue while there is work; results are saved in such batches


class Dispatcher:
    """Sends runs in an event loop, whenever it is woken; another thread uses the database."""

    due: Due | None = Due("deliveries", "deliveries WHERE next_at <= now()", "next_at")

    def __init__(
        self, channel: Callable[[], Webhooks], new_context: Callable[[], AbstractContextManager[Context]]
    ) -> None:
        self._make_channel = channel
        self._new_context = new_context
        self._slots = Slots(CONCURRENCY)
        self._done: list[Sent] = []
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
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._woken.set)

    def stop(self) -> None:
        """Claim nothing more; may be called from any thread."""
        self._stopping = True
        self.wake()

    async def _run(self) -> None:
        self._woken = asyncio.Event()  # one of this loop
        self._loop = asyncio.get_running_loop()
        channel = self._make_channel()
        tasks: set[asyncio.Task[None]] = set()
        with ThreadPoolExecutor(1, "deliveries") as database:
            while not self._stopping or tasks or self._done:
                self._woken.clear()
                done, self._done = self._done, []
                jobs = await self._loop.run_in_executor(
                    database, self._exchange, channel, done, deepcopy(self._slots)
                )
                for job in jobs:
                    self._slots.take(job.first)
                    task = asyncio.create_task(self._send(channel, job))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                if jobs or done:
                    await asyncio.sleep(PAUSE)
                elif tasks or not self._stopping:  # nobody wakes us after the last
                    await self._woken.wait()
        await channel.close()

    async def _send(self, channel: Webhooks, job: Run) -> None:
        """Send a job, and have its outcome stored. After an error here, its lease just ends."""
        try:
            outcome = await channel.send(job)
            self._done.append(outcome)  # only now: the list is another one after each exchange
        except Exception:
            log.exception("a delivery failed")
        finally:
            self._slots.take(job.first, -1)
            self._woken.set()

    def _exchange(self, channel: Webhooks, done: Sequence[Sent], slots: Slots) -> Sequence[Run]:
        """Store outcomes and claim the next jobs. Runs in the thread for the database."""
        try:
            if done:
                self._note(channel, done)
            if slots.free and not self._stopping:
                with self._new_context() as context:
                    return channel.claim(context, slots)
        except psycopg.OperationalError as error:
            log.warning("the database does not answer: %s", type(error).__name__)
        except Exception:
            log.exception("deliveries could not be claimed")
        return ()

    def _note(self, channel: Webhooks, done: Sequence[Sent]) -> None:
        """Store outcomes. If that fails for one, the others are stored nevertheless.

        A job without a stored outcome is sent again after its lease. Raises OperationalError.
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
