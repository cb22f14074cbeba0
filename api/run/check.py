"""`referee-api check`: whether everything that a server needs works, one line of JSON for each thing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg

from api.core.clock import utc_now
from api.core.config import Settings, StartError, changed, libpq
from api.core.release import newest, release
from api.feature import Check, Failed
from api.features import load_features
from api.features.metrics import watched
from api.run import encryption_keys, migrate, rights, row_security
from api.run.reaching import TIMEOUT, words
from api.store.database.session import Database, Session
from api.store.watch import revision

SKEW = timedelta(seconds=2)
LEAST_FREE = 500 << 20  # bytes
BACKUP_AGE, REPLICA_LAG = 26 * 3600.0, 60.0  # seconds
Report = Callable[[str], None]


def run(settings: Settings, report: Report) -> bool:
    """Report on each thing, without secrets; return whether all of them work."""
    checks = [*CHECKS, *(check for each in load_features(*settings.features).chosen for check in each.checks)]
    found = [_report(check, settings, report) for check in checks]  # all of them, also after a failure
    return all(found)


def _report(check: Check, settings: Settings, report: Report) -> bool:
    try:
        detail = check.find(settings)
        line: dict[str, object] = {"check": check.name, "ok": True, "detail": detail}
        if detail is None:
            line = {"check": check.name, "ok": None, "detail": "not used"}
    except (Failed, StartError) as error:
        line = {"check": check.name, "ok": False, "detail": str(error)}
    except psycopg.OperationalError as error:
        line = {"check": check.name, "ok": False, "detail": words(error)}
    except Exception as error:
        line = {"check": check.name, "ok": False, "detail": type(error).__name__}
    report(json.dumps(line, ensure_ascii=False))
    return line["ok"] is not False


def _settings(settings: Settings) -> str:
    names = ", ".join(f"{name}={value}" for name, value in changed(settings).items())
    return f"release {release()}; {names or 'all are defaults'}"


def _addresses(settings: Settings) -> list[str]:
    addresses = (settings.database_url, settings.for_worker().database_url, settings.owner_database_url)
    return [*dict.fromkeys(filter(None, addresses))]


def _database(settings: Settings) -> str:
    for address in _addresses(settings):
        migrate.check_server(address)
    return f"{len(_addresses(settings))} logins answer"


def _schema(settings: Settings) -> str:
    _database(settings)
    with closing(Database(settings)) as database, closing(Session(database)) as session:
        found = revision(session)
    if found != newest():
        raise Failed(f"The database has schema {found}, this release {newest()}: run referee-api migrate.")
    return found


def _rights(settings: Settings) -> str:
    _database(settings)  # without it, what follows says nothing
    for address in (settings.database_url, settings.for_worker().database_url):
        rights.require(address)
    row_security.require_worker(settings.for_worker().database_url)
    rights.require_direct(settings)
    return "as declared"


def _keys(settings: Settings) -> str:
    _database(settings)
    encryption_keys.require(settings)
    return f"{len(settings.encryption_keys)} known"


def _clock(settings: Settings) -> str:
    _database(settings)
    with psycopg.connect(libpq(settings.database_url), connect_timeout=TIMEOUT) as connection:
        ((there,),) = connection.execute("SELECT clock_timestamp()").fetchall()
    apart = abs(there - utc_now())
    if apart > SKEW:
        raise Failed(f"The database's clock differs by {apart.total_seconds():.0f} s.")
    return f"differs by {apart.total_seconds():.3f} s"


def _disk(settings: Settings) -> str | None:
    free = {}
    for directory in (settings.data_dir, settings.archive_dir):
        if directory and directory != Path() and directory.exists():
            free[str(directory)] = shutil.disk_usage(directory).free
    low = [f"{name}: {size >> 20} MiB" for name, size in free.items() if size < LEAST_FREE]
    if low:
        raise Failed(f"Little space is left: {', '.join(low)}.")
    return ", ".join(f"{name}: {size >> 20} MiB free" for name, size in free.items()) or None


def _replica(settings: Settings) -> str | None:
    if not settings.read_database_url:
        return None
    with psycopg.connect(libpq(settings.read_database_url), connect_timeout=TIMEOUT) as connection:
        row = connection.execute(watched.REPLICA_LAG).fetchone()
    lag = float(row[0] or 0) if row else 0.0
    if lag > REPLICA_LAG:
        raise Failed(f"The replica is {lag:.0f} s behind.")
    return f"{lag:.0f} s behind"


def _watched(settings: Settings) -> watched.Watched:
    _schema(settings)
    with closing(Database(settings)) as database, closing(Session(database)) as session:
        return watched.watched(session)


def _worker(settings: Settings) -> str:
    seen = _watched(settings)
    if not seen.workers:
        since = "ever" if seen.unseen is None else f"for {seen.unseen:.0f} s"
        raise Failed(f"No job worker was up {since}.")
    return f"{seen.workers} up"


def _partitions(settings: Settings) -> str:
    ahead = _watched(settings).months_ahead
    if not ahead:
        raise Failed("The log has no partition for the next month: a job worker makes it.")
    return f"{ahead} months ahead"


def _backup(settings: Settings) -> str | None:
    age = _watched(settings).backup_age
    if age is None:
        return None  # perhaps they are made by other means
    if age > BACKUP_AGE:
        raise Failed(f"The last backup is {age / 3600:.0f} hours old.")
    return f"{age / 3600:.0f} hours old"


CHECKS = (
    Check("settings", _settings),
    Check("database", _database),
    Check("schema", _schema),
    Check("rights", _rights),
    Check("keys", _keys),
    Check("clock", _clock),
    Check("disk", _disk),
    Check("replica", _replica),
    Check("worker", _worker),
    Check("partitions", _partitions),
    Check("backup", _backup),
)
