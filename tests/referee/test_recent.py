"""What a fold keeps of a table's past, after it was stored and read again."""

from __future__ import annotations

import json
from typing import Any

from referee.table import Recent


def entry(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "at": "2026-03-01T12:00:00.000000Z", **more}


def forced() -> Recent:
    """Return the past after three time-outs for which moves were made that showed nothing."""
    past = Recent()
    past.read(1, entry("created", log=1), None)
    for turn, seat in enumerate((0, 1, 0)):
        past.read(2 * turn + 2, entry("timed_out", seat=seat), None)
        past.read(2 * turn + 3, entry("moved", seat=seat, random=True), None)
    return past


def test_time_outs_can_be_undone_one_after_the_other_beyond_a_snapshot() -> None:
    past = Recent.of(json.loads(json.dumps(forced().to_json())), None)
    assert past.consent.moves == [(3, 0), (5, 1), (7, 0)]
    assert sorted(past.consent.forced) == [3, 5, 7]
