"""Measure how many bytes a move adds to the database's log, by table and index, without and with a key.

It is counted with the extension pg_walinspect, without full-page images: these follow checkpoints, and depend
on how long ago the last one was. The result does not depend on the load of the machine. Whole games are
counted, so it includes the moves that end a game, and the job worker's work about them.

    python -m bench.wal [GAMES]

GAMES is the number of games that each of four clients plays.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain

from bench.append import RULESET, SEATS, stocked
from bench.http import load, served
from bench.http.served import Api

CLIENTS = 4
FIRST = 2  # games of each client that are not counted; afterwards, pages are in their usual state
HOUR = 3600.0

WRITTEN = """
    SELECT coalesce(c.relname, 'commits, and what belongs to no table'),
        r.resource_manager || ' ' || r.record_type, count(*),
        sum(r.record_length - coalesce(r.fpi_length, 0))::int
    FROM pg_get_wal_records_info(%s, %s) r
    LEFT JOIN pg_class c ON pg_relation_filenode(c.oid)
        = substring(r.block_ref FROM 'rel [0-9]+/[0-9]+/([0-9]+)')::oid
    GROUP BY 1, 2 ORDER BY 4 DESC
"""
Written = list[tuple[str, str, int, int]]


def measure(api: Api, players: list[str], games: int, keyed: bool) -> tuple[int, Written]:
    """Let clients play; return the number of moves, and what was written: where, what, how often, bytes."""
    for count in (FIRST, games):
        moves = [stocked(api, players, count, keyed) for _ in range(CLIENTS)]
        begin = position(api)
        found = load.run(served.address(api.url), moves, HOUR)
    return len(found.latencies), api.sql.execute(WRITTEN, (begin, position(api))).fetchall()


def position(api: Api) -> str:
    """Return the position in the database's log, after flushing it to disk."""
    api.sql.execute("SELECT pg_switch_wal()")
    row = api.sql.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
    assert row is not None
    return str(row[0])


def lines(moves: int, written: Written) -> Iterator[str]:
    """Return lines to print: the bytes per move for each table and index, and the kinds of records."""
    sums: Counter[str] = Counter()
    for where, _, _, size in written:
        sums[where] += size
    yield f"{sum(sums.values()) / moves:8.0f}  all ({moves} moves)"
    for where, size in sums.most_common():
        parts = (
            f"{what} {size / moves:.0f} ({count / moves:.2f})"
            for place, what, count, size in written
            if place == where and size >= moves
        )
        if size >= moves:
            yield f"{size / moves:8.0f}  {where}: {', '.join(parts)}"


def main() -> None:
    """Measure, and print both tables."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with served.api() as api:
        api.sql.execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect")
        players = api.players(SEATS)
        for keyed in (False, True):
            found = lines(*measure(api, players, games, keyed))
            head = f"{'keyed' if keyed else 'unkeyed'} ({RULESET}, {CLIENTS} clients): bytes a move (records)"
            print("\n".join(chain((head,), found)), flush=True)


if __name__ == "__main__":
    main()
