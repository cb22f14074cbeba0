"""`referee-api check`: whether everything that a server needs works, one line of JSON for each thing."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from api.core.clock import utc_now
from api.core.config import Settings, StartError, changed, libpq
from api.core.release import build, newest
from api.feature import Check, Failed
from api.features import load_features
from api.features.metrics import watched
from api.run import encryption_keys, migrate, rights, row_security
from api.run.reaching import TIMEOUT, words
from api.store.database.session import Database, Session
from api.store.watch import revision

SKEW = timedelta(seconds=2)
LEAST_FREE = 500 << 20  # bytes
DAY = 24 * 3600.0
BACKUP_AGE, RESTORE_AGE = 26 * 3600.0, 9 * DAY  # seconds
LEAST_DAYS = 14  # of a certificate
POSTGRES = Path("/var/lib/postgresql")
Report = Callable[[str], None]


def run(settings: Settings, report: Report) -> bool:
    """Report on each thing, without secrets; return whether all of them work."""
    features = load_features(*settings.features)
    answers = _report(DATABASE, settings, report)
    checks = [*CHECKS, *(check for each in features.chosen for check in each.checks)]
    found = [_report(check, settings, report, answers) for check in checks]  # all, also after a failure
    return all([answers, *found])


def _report(check: Check, settings: Settings, report: Report, answers: bool = True) -> bool:
    try:
        used = not check.setting or getattr(settings, check.setting)
        if used and check.needs_database and not answers:
            raise Failed("Not looked at: the database does not work.")
        detail = check.find(settings) if used else None
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
    return f"release {build()}; {names or 'all are defaults'}"


def _addresses(settings: Settings) -> list[str]:
    addresses = (settings.database_url, settings.for_worker().database_url, settings.owner_database_url)
    return [*dict.fromkeys(filter(None, addresses))]


def _database(settings: Settings) -> str:
    addresses = _addresses(settings)
    with ThreadPoolExecutor(len(addresses)) as pool:  # a network that is dead is so for all of them
        for each in [pool.submit(migrate.check_server, address) for address in addresses]:
            each.result()
    return f"{len(addresses)} logins answer"


def _schema(settings: Settings) -> str:
    with closing(Database(settings)) as database, closing(Session(database)) as session:
        found = revision(session)
    if found != newest():
        raise Failed(f"The database has schema {found}, this release {newest()}: run referee-api migrate.")
    return found


def _rights(settings: Settings) -> str:
    for address in (settings.database_url, settings.for_worker().database_url):
        rights.require(address)
    row_security.require_worker(settings.for_worker().database_url)
    rights.require_direct(settings)
    return "as declared"


def _keys(settings: Settings) -> str:
    encryption_keys.require(settings)
    return f"{len(settings.encryption_keys)} known"


def _clock(settings: Settings) -> str:
    with psycopg.connect(libpq(settings.database_url), connect_timeout=TIMEOUT) as connection:
        ((there,),) = connection.execute("SELECT clock_timestamp()").fetchall()
    apart = abs(there - utc_now())
    if apart > SKEW:
        raise Failed(f"The database's clock differs by {apart.total_seconds():.0f} s.")
    return f"differs by {apart.total_seconds():.3f} s"


def _disk(settings: Settings) -> str | None:
    directory = settings.data_dir
    if directory == Path() or not directory.exists():
        return None
    free = shutil.disk_usage(directory).free
    if free < LEAST_FREE:
        raise Failed(f"Little space is left: {directory}: {free >> 20} MiB.")
    return f"{directory}: {free >> 20} MiB free"


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


def _backup(settings: Settings) -> str:
    age = _watched(settings).backup_age
    if age is None:
        raise Failed("No backup was ever made: referee-api backup, or the timer card-referee-backup.")
    if age > BACKUP_AGE:
        raise Failed(f"The last backup is {age / 3600:.0f} hours old.")
    return f"{age / 3600:.0f} hours old"


def _restore(settings: Settings) -> str:
    age = _watched(settings).restore_age
    if age is None:
        raise Failed("Nobody has tried to restore a backup: referee-api restore --try FILE.")
    if age > RESTORE_AGE:
        raise Failed(f"Restoring a backup was last tried {age / DAY:.0f} days ago.")
    return f"tried {age / DAY:.0f} days ago"


def _alerts(settings: Settings) -> str:
    if not settings.metrics_token or "metrics" not in (settings.features or ["metrics"]):
        raise Failed("Nobody can be alerted: METRICS_TOKEN is not set, or FEATURES leaves metrics out.")
    if not settings.worker_health_port:
        raise Failed("The worker is not watched: WORKER_HEALTH_PORT is not set.")
    return "Prometheus can read /metrics; whether it does, it alone knows"


def _certificate(settings: Settings) -> str | None:
    url = urlsplit(settings.public_url)
    if url.scheme != "https" or not url.hostname:
        return None
    try:
        with (
            socket.create_connection((url.hostname, url.port or 443), TIMEOUT) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=url.hostname) as secure,
        ):
            named = secure.getpeercert() or {}
    except OSError as error:
        raise Failed(f"{settings.public_url} cannot be reached safely: {error}.") from None
    days = (ssl.cert_time_to_seconds(str(named["notAfter"])) - utc_now().timestamp()) / DAY
    if days < LEAST_DAYS:
        raise Failed(f"The certificate of {url.hostname} ends in {days:.0f} days.")
    return f"ends in {days:.0f} days"


def _disk_of_database(settings: Settings) -> str:
    """Look at the disk of a database of one's own, which only its own machine can see."""
    with psycopg.connect(libpq(settings.database_url), connect_timeout=TIMEOUT) as connection:
        ((size,),) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
        host = connection.info.host
    used = f"The database has {size >> 20} MiB"
    places = [place for place in (settings.data_dir / "postgres", POSTGRES) if place.is_dir()]
    if not places or not (host.startswith(("/", "127.")) or host in ("localhost", "::1")):
        return f"{used}; from here nobody sees the disk of {host}: watch it there (node_exporter)"
    free = min(shutil.disk_usage(place).free for place in places)
    if free < max(LEAST_FREE, size // 10):
        raise Failed(f"{used}, and its disk has only {free >> 20} MiB left.")
    return f"{used}; {free >> 20} MiB are free"


DATABASE = Check("database", _database)
CHECKS = (
    Check("settings", _settings),
    Check("schema", _schema, needs_database=True),
    Check("rights", _rights, needs_database=True),
    Check("keys", _keys, needs_database=True),
    Check("clock", _clock, needs_database=True),
    Check("disk", _disk),
    Check("disk of the database", _disk_of_database, needs_database=True),
    Check("worker", _worker, needs_database=True),
    Check("partitions", _partitions, needs_database=True),
    Check("backup", _backup, needs_database=True),
    Check("restore", _restore, needs_database=True),
    Check("alerts", _alerts),
    Check("certificate", _certificate),
)
