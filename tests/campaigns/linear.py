"""Decide whether a recorded history of one log is linearizable.

A log only grows; the answer to an append contains the number of its entry, and that to a read the length of
the log. So the append that each call follows is known, and for such histories one sweep decides what needs a
search for registers in general (Gibbons and Korach, "Testing shared memories", 1997): give each call, in the
order of versions, the earliest remaining moment, and check that it is before the call's end.
`tests/faults/test_linearizable.py` compares it with the search of Wing and Gong. There is no maintained
checker for Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

NEVER = float("inf")


@dataclass(frozen=True)
class Call:
    """A call and its answer; `version` is the length of the log after it."""

    begun: float
    ended: float
    version: int
    appended: bool = False
    expected: int | None = None
    """The version that it asked for; not `appended` then means refused, because of `version`."""
    digest: str | None = None
    """The hash of the entry `version`, where the answer has it."""


def fault(calls: Iterable[Call], base: int, log: Sequence[str]) -> str | None:
    """Return why no order of the calls explains their answers, or None.

    `base` is the length of the log before the first call; `log` has the hashes of its entries after the last
    one.
    """
    order = sorted(calls, key=lambda call: (call.version, not call.appended))
    now = -NEVER
    reached = base
    for version, group in groupby(order, lambda call: call.version):
        same = list(group)
        writes = [call for call in same if call.appended]
        if len(writes) > 1:
            return f"{len(writes)} appends were told that they are entry {version}"
        if not base <= version <= len(log):
            return f"there is no entry {version}"
        if version > base and not (writes and version == reached + 1):
            return f"nobody has appended an entry up to {version}, after {reached}"
        reached = version
        latest = now
        for call in same:
            if call.digest not in (None, log[version - 1]):
                return f"entry {version} is another one in the log"
            if call.expected is not None and call.appended != (call.expected == version - call.appended):
                return (
                    f"{call.expected} was expected: {'appended' if call.appended else 'refused'} at {version}"
                )
            moment = max(now, call.begun)
            if moment > call.ended:
                return f"version {version} was {'written' if call.appended else 'seen'} too late: {call}"
            now = moment if call.appended else now
            latest = max(latest, moment)
        now = latest
    return None if reached == len(log) else f"the log has {len(log)} entries, {reached} were answered for"
