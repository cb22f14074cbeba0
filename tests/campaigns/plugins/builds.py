"""Faulty builds of the service: module → what is changed in it.

It imports nothing of the application, because it runs in every Python process below the server, before its
task is known.
"""

import functools
import os


def shift_clock(module):
    """Shift the clock by the seconds in a file, which may change at any moment."""
    from datetime import datetime, timedelta

    file = os.environ["CLOCK_FILE"]

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            try:
                with open(file) as said:
                    off = float(said.read() or 0)
            except OSError:
                off = 0.0
            return datetime.now(tz) + timedelta(seconds=off)

    module.datetime = Clock


def unbroken(module):
    """Take no silence for an outage: the clock of a test jumps over hours in which nothing fails."""
    from datetime import timedelta

    module.SHORTEST = timedelta.max


def unlocked(module):
    """Read games without a lock."""
    module.GET_LOCKED = module.GET


def overwriting(module):
    """Write games at any version, and whatever others have written: the later of two writers overwrites.

    Say of games that were not written that they were.
    """
    written = module._statement

    def whatever_the_version(kind):
        statement = written(kind)
        for old, new in (
            ("AND g.version = %s", "AND %s IS NOT NULL"),
            ("AND g.xmin = %s::xid AND g.head = %s", "AND %s::text IS NOT NULL AND %s::bytea IS NOT NULL"),
            ("AS e\n", "AS e ON CONFLICT DO NOTHING\n"),
        ):
            assert old in statement or "xmin" in old
            statement = statement.replace(old, new)
        return statement

    module._statement = whatever_the_version
    write_all = module.write_all
    module.write_all = lambda *arguments: [True for _ in write_all(*arguments)]


def unversioned(module):
    """Ignore If-Match."""
    module.require_version = lambda game, expected: None


def cached(module):
    """Show games as they were a while ago; what changes them reads them anew."""
    import time
    from types import SimpleNamespace

    find, known = module.loading.find, {}

    def found(context, game_id):
        if known.get(game_id, (0.0, None))[0] < time.monotonic() - 0.2:
            module.loading.take(context, game_id)  # a copy goes on changing
            known[game_id] = time.monotonic(), find(context, game_id)
        return known[game_id][1]

    module.loading = SimpleNamespace(**{**vars(module.loading), "find": found})


def forgetful(module):
    """Find and store no answer for an Idempotency-Key."""
    module.claim = module.find = lambda *arguments: None
    module.keep = module.keep_new = lambda *arguments: None


def unnamed(module):
    """Write changes whose entries do not name their request."""
    alone, beside = module.write_alone, module.write_all
    module.write_alone = lambda session, change: alone(session, change._replace(request=None))
    module.write_all = lambda session, changes: beside(session, [c._replace(request=None) for c in changes])


def restless_worker(module):
    """Look for work at every poll: the database does not know the time that a test has set."""
    module.query_of = lambda dues: " UNION ALL ".join(f"SELECT {number}" for number in range(len(dues)))


def hasty(module):
    """Answer without waiting for the disk."""
    module.SET_UP = module.SET_UP.replace("'TimeZone', 'UTC'", "'synchronous_commit', 'off'")


def patient(module):
    """Let the database flush what nobody waits for only after a second, so that a crash loses some of it.

    Otherwise it may lose nothing, if a busy machine makes few changes in the fifth of a second before it.
    """
    module.OPTIONS = {**module.OPTIONS, "wal_writer_delay": "1s"}


def boasting(module):
    """Answer one in four moves of one statement without writing anything."""
    from itertools import count

    write, number = module.write_alone, count(1)
    module.write_alone = lambda session, change: (
        write(session, change) if next(number) % 4 else module.Mark("0", change.row.head)
    )


def restless(module):
    """Send a keep-alive on quiet streams five times a second."""
    module.Live = functools.partial(module.Live, keep_alive=0.2)


def constants(module):
    """Choose other values for what is no setting."""
    import json
    from dataclasses import replace

    chosen = json.loads(os.environ.get("CONSTANTS", "{}"))

    class Settings(module.Settings):
        @classmethod
        def from_env(cls, *args, **flags):
            return replace(super().from_env(*args, **flags), **chosen)

    module.Settings = Settings


GAMES = "api.store.games"
WRITE = "api.store.write"
BUILDS = {
    "clock": {"api.core.clock": shift_clock, "api.run.worker": restless_worker},
    "constants": {"api.core.config": constants},
    "unbroken": {"api.store.outages": unbroken},
    "overwriting": {GAMES: unlocked, WRITE: overwriting},
    "unversioned": {"api.games.game": unversioned},
    "cached": {"api.games.routes": cached},
    "boasting": {WRITE: boasting},
    "forgetful": {"api.store.idempotency_keys": forgetful, WRITE: unnamed},
    "restless": {"api.streams.channels": restless},
    "hasty": {"api.store.database.connections": hasty, "api.run.embedded.postgres": patient},
}
