"""Verifies batches in this process, in one process for each core, or on the workers of a Dask cluster."""

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from referee.audit.archives import Batch
from referee.audit.tally import Found, Terms, verify_batch
from referee.engine.extras import require
from referee.engine.verdicts import Malformed

AHEAD = 4  # batches in progress for each process, so that none waits for the reader
RETRIES = 10  # in a batch whose machines die
CONNECT, WAIT = 10, 60  # seconds to wait for a scheduler, and for its first worker


class Engine:
    """Verifies batches; `executor` is None if this process does so itself."""

    def __init__(self, executor: Executor | None, processes: int) -> None:
        self._executor = executor
        self._ahead = AHEAD * processes

    def verify(self, batches: Iterator[Batch], terms: Terms) -> Iterator[tuple[Batch, Found]]:
        """Verify batches and yield the findings of each, in their order.

        Only a limited number is in progress, so memory does not grow with the archive.
        """
        if self._executor is None:
            for batch in batches:
                yield batch, verify_batch(batch.records, terms)
            return
        under_way: deque[tuple[Batch, Future[Found]]] = deque()
        try:
            for batch in batches:
                found = self._executor.submit(verify_batch, batch.records, terms)
                under_way.append((batch, found))
                if len(under_way) >= self._ahead:
                    yield _first(under_way)
            while under_way:
                yield _first(under_way)
        finally:
            for _, future in under_way:
                future.cancel()


def _first(under_way: deque[tuple[Batch, Future[Found]]]) -> tuple[Batch, Found]:
    batch, future = under_way.popleft()
    try:
        return batch, future.result()
    except BrokenProcessPool:
        raise Malformed("", "cannot be verified: a process of ours was ended from outside") from None


@contextmanager
def local(jobs: int | None) -> Iterator[Engine]:
    """Verify with this many processes; by default, one for each core."""
    processes = jobs or multiprocessing.cpu_count()
    if processes == 1:
        yield Engine(None, 1)
        return
    with ProcessPoolExecutor(processes, initializer=_follow_parent) as executor:
        yield Engine(executor, processes)


def _follow_parent() -> None:
    """End this process when the one that started it has ended, even if that was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def cluster(scheduler: str) -> Iterator[Engine]:
    """Verify on the workers of a Dask cluster. Raises Malformed if it does not answer.

    If a worker dies, nothing is lost: the scheduler gives its batches to others.
    """
    distributed = require("distributed", "cluster")
    try:
        client = distributed.Client(scheduler, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise Malformed("", f"no scheduler answers at {scheduler}: {error}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise Malformed("", f"the scheduler at {scheduler} has no workers") from None
        with client.get_executor(pure=False, retries=RETRIES) as executor:
            yield Engine(executor, sum(client.nthreads().values()))
