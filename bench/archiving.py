"""Games a second that `referee-api archive` writes, checks and drops, and reads of a log before and after.

The games are random ones of cats_and_dogs, imported as records of moves. Archiving works as the command
does: it writes every game to a file, reads it again, compares each entry with the database, verifies the
game, and drops the part of the log. A read is `GET /v1/games/{id}/events`, in this process.

    python -m bench.archiving [GAMES]
"""

from __future__ import annotations

import logging
import random
import statistics
import sys
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import structlog

import referee
from api.context import Context
from api.features import load_features
from api.features.archives import archiving as archive
from api.run.embedded.postgres import supervise
from api.store.database.session import Database, Session
from bench.growth import Service, service
from tests.serving import free_directory
from tests.support.keeping_time import keep_time

GAMES, READS = 2_000, 200
RULESET, SEATS = "cats_and_dogs", 3
NEXT_MONTH = (datetime.now(UTC).replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0)


def whole_game(number: int) -> dict[str, Any]:
    """Return the record of a random game that is over; another `number` is another game."""
    seed, entropy = sha256(b"archived %d" % number).digest(), [""] * SEATS
    chance = referee.Seeded.from_seed(seed, entropy)
    below = referee.Seeded.from_seed(seed, ["choices"]).pick
    state, _ = referee.deal(RULESET, SEATS, {}, chance)
    made = []
    while state.result is None:
        seat = state.to_act[below(len(state.to_act))]
        options = referee.legal_moves(state, seat)
        made.append({"seat": seat, "move": dict(options[below(len(options))])})
        referee.advance(state, seat, made[-1]["move"], chance)
    return referee.write_record(state, seed, entropy, made)


def reads(made: Service, games: list[str]) -> float:
    """Return the median milliseconds of reading the log of one of these games."""
    chosen = random.Random(1).choices(games, k=READS)
    return statistics.median(made.timed("GET", f"/v1/games/{game}/events?limit=200") for game in chosen)


def add_leaves(made: Service) -> None:
    """Add the leaves of all games to the log of all games, as the worker does: only then may they go."""
    database = Database(made.settings.for_worker())
    session = Session(database)
    while made.sql.execute("SELECT EXISTS (SELECT FROM tree_queue)").fetchone() == (True,):
        keep_time(Context(made.settings, session, load_features().hooks))
    session.close()
    database.close()


def main() -> None:
    """Measure, and print what was found."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        with service(server, "bench") as made:
            games = [made.call("POST", "/v1/records", whole_game(n))["id"] for n in range(count)]
            add_leaves(made)
            made.sql.execute("VACUUM ANALYZE")
            row = made.sql.execute("SELECT count(*) FROM entries").fetchone()
            size = made.sql.execute(
                "SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits"
                " WHERE inhparent = 'entries'::regclass"
            ).fetchone()
            assert row
            assert size
            before = reads(made, games)

            begun, used = time.perf_counter(), time.process_time()
            archive.archive(made.settings, NEXT_MONTH, print, now=NEXT_MONTH)
            seconds, used = time.perf_counter() - begun, time.process_time() - used
            assert made.settings.archive_dir
            (file,) = made.settings.archive_dir.glob("*.zst")
            after = reads(made, games)
        print(f"{count} games, {row[0]} entries, {size[0] / 2**20:.1f} MiB in the database,", end=" ")
        print(f"{file.stat().st_size / 2**20:.1f} MiB in the file")
        print(f"{count / seconds:.0f} games and {row[0] / seconds:.0f} entries a second;", end=" ")
        print(f"{used / count * 1000:.1f} ms of processor time for each game, without the database")
        print(f"a read: {before:.2f} ms from the database, {after:.2f} ms from the file")


if __name__ == "__main__":
    main()
