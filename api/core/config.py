"""Settings: the environment and the flags become one frozen value, checked before anything starts.

Only the standard library is imported here: the web server's master process reads its settings
before gevent has patched its workers, so nothing that opens sockets or locks may come along.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

KIB = 1024
LOG_LEVELS = ("debug", "info", "warning", "error")


class StartError(Exception):
    """The program cannot start; the message is one sentence for whoever typed the command."""


class ConfigError(StartError):
    """A setting is wrong; the sentence names it."""


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Where the embedded database lives unless told otherwise.

    Never inside the checkout: root's PostgreSQL runs as `nobody`, who cannot enter a home such as /root.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/card-referee")
    base = environ.get("XDG_DATA_HOME") or os.path.join(environ.get("HOME") or "~", ".local", "share")
    return Path(base).expanduser() / "card-referee"


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ConfigError(f"must be a whole number, not {text!r}") from None
        if not low <= number <= high:
            raise ConfigError(f"must be from {low} to {high}, not {number}")
        return number

    return read


def _switch(text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False}
    known["off"] = False
    if text.lower() not in known:
        raise ConfigError(f"must be true or false, not {text!r}")
    return known[text.lower()]


def _database(text: str) -> str:
    """Any PostgreSQL address in SQLAlchemy's spelling; never repeated, since it may hold a password."""
    scheme, mark, rest = text.partition("://")
    if not mark or scheme not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise ConfigError("must be an address such as postgresql://user:password@host:5432/name")
    try:
        port = urlsplit(text).port
    except ValueError:
        port = -1
    if port is not None and not 1 <= port <= 65535:
        raise ConfigError("has a port that is not a number from 1 to 65535")
    return f"postgresql+psycopg://{rest}"


def libpq(url: str) -> str:
    """SQLAlchemy's address in libpq's spelling, for connections that psycopg makes itself."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def _host(text: str) -> str:
    if not text or any(c.isspace() or c == "/" for c in text):
        raise ConfigError(f"must be a host name or an address, not {text!r}")
    return text


def _directory(text: str) -> Path:
    if not text.isprintable():
        raise ConfigError(f"must be a directory's path in printable characters, not {text!r}")
    return Path(os.path.abspath(Path(text).expanduser()))


def _token(text: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]{16,200}", text):
        raise ConfigError("must be a token of 16 to 200 visible ASCII characters")
    return text


def _level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise ConfigError(f"must be one of {', '.join(LOG_LEVELS)}, not {text!r}")
    return text.lower()


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(text.replace(",", " ").split())
    for origin in origins:
        if origin != "*" and not origin.startswith(("http://", "https://")):
            raise ConfigError(f"must list origins such as https://example.org, not {origin!r}")
    return origins


def _ports(text: str) -> tuple[int, ...] | None:
    """Port numbers; `any` (in our own children's environment: None) allows all."""
    if text.lower() in ("any", "none"):
        return None
    return tuple(map(_whole(1, 65535), text.replace(",", " ").split()))


PERIODS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
RATE = re.compile(rf"([1-9][0-9]{{0,8}}) ?(?:per|/) ?({'|'.join(PERIODS)})")


def rate(text: str) -> tuple[int, int]:
    """Read a rate limit such as `600 per minute`: so many requests in so many seconds."""
    found = RATE.fullmatch(text)
    if found is None:
        raise ConfigError(f"must be a rate such as 600 per minute, or none, not {text!r}")
    return int(found[1]), PERIODS[found[2]]


def _rate(text: str) -> str | None:
    """A rate limit; `none` switches it off."""
    if text.lower() in ("none", "off"):
        return None
    rate(text)
    return text


STORAGES = {"redis": "redis", "rediss": "redis", "valkey": "valkey"}


def _storage(text: str) -> str:
    """An address for the library `limits`; never repeated, since it may hold a password."""
    kind = text.partition("://")[0]
    if kind in STORAGES and find_spec(STORAGES[kind]) is None:
        raise ConfigError(f"needs the Python package {STORAGES[kind]}, which is not installed")
    if kind not in STORAGES:
        raise ConfigError(f"must be an address that begins with one of {', '.join(STORAGES)} and ://")
    return text


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is the environment variable of the same name in capitals.

    `owner_database_url` alone is spelt MIGRATION_DATABASE_URL. The addresses are empty as long as the
    embedded database is meant and has not been found or started (see `api.run.embedded.postgres.database`).
    """

    database_url: str = ""
    """The service's own address: a role that may read and append, no more."""
    owner_database_url: str = ""
    """Migrations and the commands of the operator run here, as the owner of the tables."""
    worker_database_url: str = ""
    """The job worker's own address: a role that works for every app."""
    encryption_keys: tuple[str, ...] = field(default=(), repr=False)
    """What hidden cards, seeds and secrets are encrypted with in the database, the newest first."""
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    data_dir: Path = Path()
    pool_size: int = 8
    """Database connections of one web process."""
    max_body: int = 256 * KIB
    max_record_body: int = 16 * KIB * KIB
    body_timeout: int = 60
    """Seconds within which a request's body has to arrive."""
    compute_workers: int = 2
    """Processes for requests that take long; with 0 the web processes do it themselves."""
    compute_timeout: int = 30
    """Seconds that such a request may take."""
    compute_queue: int = 16
    """Such requests that one web process lets wait; half of them at most for one caller."""
    rate_limit: str | None = "600000 per minute"
    """Requests of one key or token, weighted by their cost; high: who calls all day is meant to."""
    address_rate_limit: str | None = "600000 per minute"
    """Requests from one address, weighted by their cost."""
    rate_limit_storage: str = ""
    """Where several hosts count together: redis://… or valkey://…."""
    max_streams: int = 1000
    """Streams and long polls that a caller may have open, in all web processes of a server."""
    trusted_proxies: int = 0
    """So many proxies in front of us tell the caller's address in X-Forwarded-For."""
    cors_origins: tuple[str, ...] = ()
    embed_origins: tuple[str, ...] = ()
    """Sites whose pages may show tables of ours, in frames or by our element."""
    guests: bool | None = None
    """Whether anybody may become a guest and create games; where not said, `serve` on loopback lets them."""
    guest_rate_limit: str | None = "60 per minute"
    """Guests made for one address by one web process."""
    idempotency_hours: int = 24
    max_wait: int = 60
    """Seconds that a long poll may take."""
    allow_private_webhooks: bool = False
    """Webhooks may lead to addresses that are not public, this machine's own among them."""
    webhook_ports: tuple[int, ...] | None = (80, 443)
    """The ports that webhooks may lead to; None is any, which is also what private webhooks begin with."""
    metrics_token: str = ""
    """Whoever sends it as a bearer token may read /metrics; nobody may as long as it is empty."""
    log_level: str = "info"

    @classmethod
    def from_env(cls, environ: Mapping[str, str], **flags: Any) -> Settings:
        """Read the environment; a flag that is not None wins. Raises ConfigError naming the wrong setting."""
        values: dict[str, Any] = {
            "data_dir": default_data_dir(environ),
            "workers": max(1, min(4, os.cpu_count() or 1)),
        }
        for name in (each.name for each in fields(cls)):
            variable = VARIABLES.get(name, name.upper())
            flag = flags.get(name)
            text = str(flag) if flag is not None else environ.get(variable, "")
            if not text:
                continue
            try:
                values[name] = READERS[name](text.strip())
            except ConfigError as error:
                label = variable if flag is None else f"--{name.replace('_', '-')}"
                raise ConfigError(f"{label} {error}.") from None
        if values.get("allow_private_webhooks"):
            values.setdefault("webhook_ports", None)
        for name in ("owner_database_url", "worker_database_url"):
            values.setdefault(name, values.get("database_url", ""))
        return cls(**values)

    def encryption_secrets(self) -> list[bytes]:
        """Return the encryption keys themselves."""
        return [base64.b64decode(key, altchars=b"-_") for key in self.encryption_keys]

    def for_web(self) -> Settings:
        """Return what a web process may know: no address but the service's own."""
        return replace(self, owner_database_url="", worker_database_url="")

    def for_worker(self) -> Settings:
        """Return what the job worker may know: no address but its own."""
        own = self.worker_database_url or self.database_url
        return replace(self, database_url=own, owner_database_url="", worker_database_url="")

    def environment(self) -> dict[str, str]:
        """Return these settings as environment variables: how `serve` hands them to its children."""
        result = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value is None and each.default is None:  # not said: there is no word for that
                continue
            text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            result[VARIABLES.get(each.name, each.name.upper())] = text
        return result


VARIABLES = {"owner_database_url": "MIGRATION_DATABASE_URL"}

KEY_BYTES = 32


def _encryption_keys(text: str) -> tuple[str, ...]:
    """Keys, the newest first; never repeated, since they are secrets."""
    keys = tuple(text.replace(",", " ").split())
    for key in keys:
        try:
            decoded = base64.b64decode(key, altchars=b"-_", validate=True)
        except ValueError:
            decoded = b""
        if len(decoded) != KEY_BYTES:
            raise ConfigError(f"must list keys of {KEY_BYTES} bytes in base64, the newest first")
    return keys


READERS: dict[str, Callable[[str], Any]] = {
    "database_url": _database,
    "owner_database_url": _database,
    "worker_database_url": _database,
    "encryption_keys": _encryption_keys,
    "host": _host,
    "port": _whole(0, 65535),
    "workers": _whole(1, 64),
    "data_dir": _directory,
    "pool_size": _whole(1, 100),
    "max_body": _whole(KIB, 64 * KIB * KIB),
    "max_record_body": _whole(KIB, 256 * KIB * KIB),
    "body_timeout": _whole(1, 3600),
    "compute_workers": _whole(0, 64),
    "compute_timeout": _whole(1, 3600),
    "compute_queue": _whole(1, 10_000),
    "rate_limit": _rate,
    "address_rate_limit": _rate,
    "rate_limit_storage": _storage,
    "max_streams": _whole(1, 1_000_000),
    "trusted_proxies": _whole(0, 10),
    "cors_origins": _origins,
    "embed_origins": _origins,
    "guests": _switch,
    "guest_rate_limit": _rate,
    "idempotency_hours": _whole(24, 24 * 365),
    "max_wait": _whole(0, 600),
    "allow_private_webhooks": _switch,
    "webhook_ports": _ports,
    "metrics_token": _token,
    "log_level": _level,
}
