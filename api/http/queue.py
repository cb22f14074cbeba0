"""A fair queue: requests wait in the line of their app, so that nobody waits for the load of somebody else.

A process works on a few requests at once. The others wait, and the parties (apps, callers without a token,
tokens that nobody has looked up yet) take turns; within a party its credentials or addresses do. While more
than one party is there, each may have only a share of the places, so that a newcomer finds one free. If there
is no more room to wait, newcomers take that of whoever has most.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from api.core import metrics
from api.core.errors import LineFull
from api.core.resources import WAITING
from api.core.shares import Recallable, Resource

NOBODY, UNVERIFIED = "nobody", "unverified"  # parties of callers who belong to no app
LINE = "card_referee.line"  # where a WSGI environment has the line of its request
MOST_KNOWN = 20_000  # tokens
PRESENCE = 1.0  # seconds for which a party counts as present after its last request
FULL = "Too many requests of this app, or of this address, are waiting already."
LONGEST = 10.0  # seconds; also while the database answers nobody
TOO_LATE = f"The requests of this app, or of this address, wait for more than {LONGEST:.0f} seconds."
PORTION = 8  # items of a list
IDLE = 1  # a priority above that of connections, which could otherwise keep others waiting for ever
DELAY = 1.0  # seconds before a refusal: otherwise refusals would be the work that delays others
REFUSALS, LONGEST_DELAY = 100, 30.0  # so many a second leave a process, unless one would wait for longer


Item = TypeVar("Item")


class Line(NamedTuple):
    """Where a request waits: its party, and within it its credential or address."""

    party: Hashable
    member: Hashable


class Known:
    """The lines of tokens that were looked up recently, by their hashes.

    A token says nothing before it is looked up, so until then its requests wait by address.
    """

    def __init__(self) -> None:
        self._lines: dict[bytes, Line | None] = {}

    def line(self, token: bytes | None, address: str) -> Line:
        """Return the line of a request with this token's hash."""
        if token is None:
            return Line(NOBODY, address)
        try:
            return self._lines[token] or Line(NOBODY, address)
        except KeyError:
            return Line(UNVERIFIED, address)

    def remember(self, token: bytes, line: Line | None) -> None:
        """Remember the line of a token that was just looked up; None: that of its address, as for guests."""
        if token not in self._lines and len(self._lines) >= MOST_KNOWN:
            del self._lines[next(iter(self._lines))]
        self._lines[token] = line

    def forget(self, token: bytes) -> None:
        """Forget a token that is not valid."""
        self._lines.pop(token, None)


class Waiter(threading.Event):
    """A request that waits in a line of a queue."""

    def __init__(self, line: Line, queue: FairQueue) -> None:
        super().__init__()
        self.line = line
        self.refused = False
        self._queue = queue

    def refuse(self) -> None:
        """Wait no longer, because another request needs the room."""
        self._queue.remove(self)
        self.refused = True
        self.set()


class Party:
    """The requests of a party: how many are worked on, and those that wait."""

    __slots__ = ("active", "lines", "waiting")

    def __init__(self) -> None:
        self.active = 0
        self.waiting = 0
        self.lines: OrderedDict[Hashable, deque[Waiter]] = OrderedDict()

    def add(self, waiter: Waiter) -> None:
        """Let a request wait."""
        self.lines.setdefault(waiter.line.member, deque()).append(waiter)
        self.waiting += 1

    def next(self) -> Waiter:
        """Return the next request that waits; the party's members take turns."""
        member, line = self.lines.popitem(last=False)
        waiter = line.popleft()
        if line:
            self.lines[member] = line
        self.waiting -= 1
        return waiter

    def remove(self, waiter: Waiter) -> None:
        """Let a request wait no longer."""
        line = self.lines[waiter.line.member]
        line.remove(waiter)
        if not line:
            del self.lines[waiter.line.member]
        self.waiting -= 1


def _full(words: str) -> LineFull:
    metrics.refused.inc()
    return LineFull(words)


class FairQueue:
    """Gives `places` to requests, of which a party has only its share while others are there; `most` wait."""

    def __init__(self, resource: Resource, places: int, most: int) -> None:
        self._resource = resource
        self._places = places
        self._room = Recallable(WAITING, most)
        self._active = 0
        self._lock = threading.Lock()
        self._parties: dict[Hashable, Party] = {}
        self._waiting: deque[Party] = deque()  # those with requests that wait, in the order of their turns
        self._latest: Hashable = None
        self._alternated = -PRESENCE  # when a request of another party than the one before came last
        self._round: int | None = None  # of the loop, in which a place was given back at once

    def enter(self, line: Line, timeout: float | None = None, again: bool = False) -> bool:
        """Wait for a place; return False after `timeout` seconds without one.

        Raises LineFull if there is no room to wait, unless this one was here before.
        """
        with self._lock:
            party = self._parties.get(line.party)
            if party is None:
                party = self._parties[line.party] = Party()
            self._note(line.party)
            if not party.waiting and self._active < self._places and self._may_begin(party):
                party.active += 1
                self._active += 1
                return True
            waiter = Waiter(line, self)
            if not again and not self._room.enter(line, waiter.refuse):
                self._forget(line.party, party)
                raise _full(FULL)
            party.add(waiter)
            if party not in self._waiting:
                self._waiting.append(party)
        return self._wait(waiter, timeout)

    @property
    def waiting(self) -> int:
        """Return how many requests wait that were not worked on before."""
        return self._room.used

    def leave(self, line: Line) -> None:
        """Give a place back. Nobody gets it before this process has looked at its connections.

        The first of each round of the loop is given back at once, which costs less, if nobody waits for it.
        """
        now = _round()
        if self._waiting or now == self._round:
            _soon(partial(self._leave, line))
        else:
            self._round = now
            self._leave(line)

    def _leave(self, line: Line) -> None:
        with self._lock:
            self._give_back(line, self._parties[line.party])

    def _wait(self, waiter: Waiter, timeout: float | None) -> bool:
        try:
            waiter.wait(timeout)
        except BaseException:  # the greenlet was killed
            if not self._give_up(waiter) and not waiter.refused:
                self.leave(waiter.line)
            raise
        if waiter.is_set() or not self._give_up(waiter):
            if waiter.refused:
                raise _full(FULL)
            return True
        return False

    def _give_up(self, waiter: Waiter) -> bool:
        """Wait no longer; return False if there is a place by now."""
        with self._lock:
            if waiter.is_set():
                return False
            self.remove(waiter)
            self._room.exit(waiter.line, waiter.refuse)
        return True

    def remove(self, waiter: Waiter) -> None:
        """Take a request out of its line; for who has locked the queue."""
        party = self._parties[waiter.line.party]
        party.remove(waiter)
        if not party.waiting:
            self._waiting.remove(party)
        self._forget(waiter.line.party, party)

    def _give_back(self, line: Line, party: Party) -> None:
        party.active -= 1
        self._active -= 1
        while self._active < self._places:
            following = self._following()
            if following is None:
                break
            following.active += 1
            self._active += 1
            waiter = following.next()
            self._room.exit(waiter.line, waiter.refuse)
            waiter.set()
            if following.waiting:
                self._waiting.append(following)
        self._forget(line.party, party)

    def _following(self) -> Party | None:
        """Take the party out of those that wait whose turn it is; None if none of them may begin."""
        for _ in range(len(self._waiting)):
            party = self._waiting.popleft()
            if self._may_begin(party):
                return party
            self._waiting.append(party)
        return None

    def _may_begin(self, party: Party) -> bool:
        share = self._resource.has_room(self._places, self._active, (party.active,))
        return share or not self._is_shared(party)

    def _is_shared(self, party: Party) -> bool:
        """Return whether other parties are here, or were a moment ago."""
        if self._active > party.active or any(other is not party for other in self._waiting):
            return True
        return time.monotonic() - self._alternated < PRESENCE

    def _note(self, party: Hashable) -> None:
        if party != self._latest:
            self._latest, self._alternated = party, time.monotonic()

    def _forget(self, name: Hashable, party: Party) -> None:
        if not party.active and not party.waiting:
            del self._parties[name]


class QueuePlace:
    """The place of a request in a process's queue, as a context; it may leave it while it only waits."""

    __slots__ = ("_held", "_line", "_queue")

    def __init__(self, queue: FairQueue, line: Line) -> None:
        self._queue, self._line, self._held = queue, line, False

    def __enter__(self) -> None:
        """Wait for a place. Raises LineFull."""
        if not self._queue.enter(self._line, LONGEST):
            raise _full(TOO_LATE)
        self._held = True
        _here.place = self

    def __exit__(self, *error: object) -> None:
        """Give the place back."""
        _here.place = None
        self.pause()

    def pause(self) -> None:
        """Let others work."""
        if self._held:
            self._held = False
            self._queue.leave(self._line)

    def resume(self) -> None:
        """Wait for a place again."""
        if not self._held:
            self._queue.enter(self._line, again=True)
            self._held = True


class _Here(threading.local):
    place: QueuePlace | None = None


_here = _Here()  # of this thread or greenlet


class Delays:
    """Delays refusals. However many there are, only few leave a process in a second."""

    def __init__(self) -> None:
        self._next = 0.0  # when the next one may leave, by the monotonic clock

    def delay(self) -> None:
        """Wait before this refusal is sent."""
        now = time.monotonic()
        self._next = max(now + DELAY, min(self._next + DELAY / REFUSALS, now + LONGEST_DELAY))
        time.sleep(self._next - now)


def leave() -> None:
    """Hold no place for the rest of this request, which only waits for others."""
    if _here.place is not None:
        _here.place.pause()


@contextmanager
def waiting() -> Iterator[None]:
    """Hold no place in the block, in which this request only waits."""
    place = _here.place
    if place is None:
        yield
        return
    place.pause()
    try:
        yield
    finally:
        place.resume()


def let_others_work() -> None:
    """Let requests of others begin now, if any wait, before this one goes on."""
    with waiting():
        pass


def _has_gevent() -> bool:
    return time.sleep.__module__ == "gevent.hub"  # only web processes import gevent


def _round() -> int | None:
    """Return how often the loop has looked at the connections; None where there is no loop."""
    if not _has_gevent():
        return None
    from gevent import get_hub

    return int(get_hub().loop.iteration)


_acts: list[Callable[[], None]] = []  # when the loop has run once more


def _soon(act: Callable[[], None]) -> None:
    """Act when the loop has run once more, where there is one.

    Otherwise all connections with a request would be served, one after the other, before others are seen.
    """
    if not _has_gevent():
        act()
        return
    _acts.append(act)
    if len(_acts) == 1:
        from gevent import get_hub

        # Not `run_callback`: callbacks that others follow run for milliseconds before connections are seen.
        timer = get_hub().loop.timer(0)
        timer.start(_act_and_close, timer, update=False)


def _act_and_close(timer: Any) -> None:
    timer.close()
    acts, _acts[:] = [*_acts], []
    for act in acts:
        act()


def let_others_continue() -> None:
    """Let requests of this process continue for which something has arrived.

    `sleep(0)` would not do: gevent goes on with whoever can, and for milliseconds looks at no connection.
    """
    if _has_gevent():
        from gevent import idle

        idle(IDLE)


def with_pauses(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; after every few, let other requests of this process continue."""
    for number, item in enumerate(items, 1):
        yield item
        if number % PORTION == 0:
            let_others_continue()
