"""How settings are declared and read: a reader turns a text into a value, or raises ConfigError.

pydantic-settings would take 0.3 seconds and 27 MB in each process, and leave all but two of the readers here.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from email.utils import formataddr, parseaddr
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Reader = Callable[[str], Any]

KIB = 1024
LOG_LEVELS = ("debug", "info", "warning", "error")


class StartError(Exception):
    """The program cannot start; the message is one sentence for the user of the command."""


class ConfigError(StartError):
    """A setting is wrong; the message names it."""


FORMS: dict[Reader, str] = {}
"""What each reader accepts, as a description for operators."""


def accepts(words: str) -> Callable[[Reader], Reader]:
    """Add a description of what a reader accepts."""

    def note(reader: Reader) -> Reader:
        FORMS[reader] = words
        return reader

    return note


def setting(
    reader: Reader, default: Any, by: str, about: str, unset: str = "", *, secret: bool = False
) -> Any:
    """Declare a setting: the reader of its text, the commands that use it, and its meaning.

    `serve` is `migrate`, `web` and `worker` in one. `unset` describes what applies without the setting, if
    the default does not.
    """
    metadata = {"reader": reader, "about": about, "by": by, "unset": unset}
    return field(default=default, repr=not secret, metadata=metadata)


def whole(low: int, high: int) -> Reader:
    """Return a reader of whole numbers from `low` to `high`."""

    @accepts(f"a number from {low} to {high}")
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ConfigError(f"must be a whole number, not {text!r}") from None
        if not low <= number <= high:
            raise ConfigError(f"must be from {low} to {high}, not {number}")
        return number

    return read


@accepts("`true` or `false`")
def read_switch(text: str) -> bool:
    """Return whether a switch is on."""
    known = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False}
    known["off"] = False
    if text.lower() not in known:
        raise ConfigError(f"must be true or false, not {text!r}")
    return known[text.lower()]


HOSTS = re.compile(
    r"(?P<before>[^/?]*://(?:[^/?]*@)?)(?P<hosts>[^@/?]*,[^@/?]*)(?P<path>/[^?]*)?(?:\?(?P<query>.*))?"
)
NOT_QUOTED = re.compile(r"@|%(?![0-9A-Fa-f]{2})")
HOST = re.compile(r"(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?")


def _one_host(text: str) -> str:
    """Return an address with several hosts moved to its query, a form that SQLAlchemy reads as well."""
    host = HOSTS.fullmatch(text)
    if host is None:
        return text
    pairs = [HOST.fullmatch(each) for each in host["hosts"].split(",")]
    if not all(pair and int(pair[2] or 1) in range(1, 65536) for pair in pairs):
        raise ConfigError("has an invalid host or port")
    names = ",".join(pair[1].strip("[]") for pair in pairs if pair)
    ports = ",".join(pair[2] or "5432" for pair in pairs if pair)
    hosts = f"host={names}&port={ports}"
    query = f"&{host['query']}" if host["query"] else ""
    return f"{host['before']}{host['path'] or ''}?{hosts}{query}"


@accepts("such as `postgresql://user:password@host:5432/name`, with several `host:port` between commas too")
def read_database(text: str) -> str:
    """Return a PostgreSQL address in SQLAlchemy's form. Errors never quote it: it may contain a password."""
    scheme, mark, rest = _one_host(text).partition("://")
    if not mark or scheme not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise ConfigError("must be an address such as postgresql://user:password@host:5432/name")
    login = re.split("[/?#]", rest)[0].rpartition("@")[0]
    if NOT_QUOTED.search(login):  # libpq would show a part of it
        raise ConfigError("has a password or user in which @ or % is not written as %40 or %25")
    try:
        port = urlsplit(f"{scheme}://{rest}").port
    except ValueError:
        port = -1
    if port is not None and not 1 <= port <= 65535:
        raise ConfigError("has a port that is not a number from 1 to 65535")
    return f"postgresql+psycopg://{rest}"


@accepts("a host name or an address")
def read_host(text: str) -> str:
    """Return a host name or an address."""
    if not text or any(c.isspace() or c == "/" for c in text):
        raise ConfigError(f"must be a host name or an address, not {text!r}")
    return text


@accepts("up to 200 characters without blanks and plus signs")
def read_server_name(text: str) -> str:
    """Return the name of the server in its signatures."""
    if not re.fullmatch(r"[^\s+]{1,200}", text) or not text.isprintable():
        raise ConfigError(f"must be a name without blanks and plus signs, not {text!r}")
    return text


@accepts("keys of witnesses as C2SP writes them, separated by commas")
def read_witnesses(text: str) -> tuple[str, ...]:
    """Return the keys of witnesses."""
    import referee  # takes long, and only this setting needs it
    import referee.proofs

    try:
        return tuple(referee.proofs.read_witness(key).vkey for key in text.replace(",", " ").split())
    except referee.Malformed as error:
        raise ConfigError(f"is no list of witnesses' keys: {error}") from None


@accepts("a directory")
def read_directory(text: str) -> Path:
    """Return a directory's absolute path."""
    if not text.isprintable():
        raise ConfigError(f"must be a directory's path in printable characters, not {text!r}")
    try:
        return Path(os.path.abspath(Path(text).expanduser()))
    except RuntimeError:
        raise ConfigError(f"names the home of a user who is not known here: {text!r}") from None


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Return the default directory of the embedded database.

    It is never inside the checkout: root's PostgreSQL runs as `nobody`, who cannot enter homes such as /root.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/card-referee")
    base = environ.get("XDG_DATA_HOME") or os.path.join(environ.get("HOME") or "~", ".local", "share")
    return Path(base).expanduser() / "card-referee"


@accepts("an address such as `https://example.org`")
def read_url(text: str) -> str:
    """Return the address of a site, without a trailing slash."""
    if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", text):
        raise ConfigError(f"must be an address such as https://example.org, not {text!r}")
    return text.rstrip("/")


@accepts("such as `Card Referee <cards@example.org>`")
def read_mail_address(text: str) -> str:
    """Return the sender of mails."""
    name, address = parseaddr(text)
    if not re.fullmatch(r"[^\s@<>]+@[^\s@<>]+", address) or not address.isascii() or not text.isprintable():
        raise ConfigError(f"must be an address such as Card Referee <cards@example.org>, not {text!r}")
    return formataddr((name, address))


@accepts("such as `smtp://user:password@mail.example.org:587`; also `smtps`")
def read_smtp(text: str) -> str:
    """Return the address of a mail server. Errors never quote it: it may contain a password."""
    try:
        parts = urlsplit(text)
        wrong = parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.port == 0
        wrong = wrong or bool(parts.path.strip("/") or parts.query)
    except ValueError:
        wrong = True
    if wrong:
        raise ConfigError("must be an address such as smtp://user:password@mail.example.org:587")
    return text


@accepts("16 to 200 visible ASCII characters")
def read_token(text: str) -> str:
    """Return a token."""
    if not re.fullmatch(r"[\x21-\x7e]{16,200}", text):
        raise ConfigError("must be a token of 16 to 200 visible ASCII characters")
    return text


@accepts(", ".join(f"`{level}`" for level in LOG_LEVELS))
def read_level(text: str) -> str:
    """Return the name of a log level."""
    if text.lower() not in LOG_LEVELS:
        raise ConfigError(f"must be one of {', '.join(LOG_LEVELS)}, not {text!r}")
    return text.lower()


FEATURES = Path(__file__).parents[1] / "features"


@accepts("names of folders in api/features, separated by commas")
def read_features(text: str) -> tuple[str, ...]:
    """Read the names of features."""
    known = {folder.parent.name for folder in FEATURES.glob("*/__init__.py")}
    names = tuple(name.strip() for name in text.split(","))
    if unknown := [name for name in names if name not in known]:
        raise ConfigError(f"names {unknown[0]!r}, but the features are {', '.join(sorted(known))}")
    return names


@accepts("origins such as `https://example.org`, separated by commas or spaces; `*` is every one")
def read_origins(text: str) -> tuple[str, ...]:
    """Return origins; `*` means all of them."""
    origins = tuple(origin.removesuffix("/") for origin in text.replace(",", " ").split())
    for origin in origins:
        if origin != "*" and not re.fullmatch(r"https?://[^\s/?#@]+", origin):
            raise ConfigError(f"must list origins such as https://example.org, not {origin!r}")
    return origins


@accepts("ports, separated by commas or spaces, or `any`")
def read_ports(text: str) -> tuple[int, ...] | None:
    """Return port numbers; `any` allows all (in the environment of our own children it is written `None`)."""
    if text.lower() in ("any", "none"):
        return None
    return tuple(map(whole(1, 65535), text.replace(",", " ").split()))


PERIODS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
RATE = re.compile(rf"([1-9][0-9]{{0,8}}) ?(?:per|/) ?({'|'.join(PERIODS)})")


def requests_and_seconds(text: str) -> tuple[int, int]:
    """Read a rate limit such as `600 per minute`; return the number of requests, and of seconds."""
    match = RATE.fullmatch(text)
    if match is None:
        raise ConfigError(f"must be a rate such as 600 per minute, or none, not {text!r}")
    return int(match[1]), PERIODS[match[2]]


@accepts("such as `600/minute`, or `none`")
def read_rate(text: str) -> str | None:
    """Return a rate limit; `none` switches it off."""
    if text.lower() in ("none", "off"):
        return None
    requests_and_seconds(text)
    return text


STORAGES = {"redis": "redis", "rediss": "redis", "valkey": "valkey"}


@accepts("such as `redis://host:6379/0`; also `rediss`, `valkey`")
def read_storage(text: str) -> str:
    """Return an address for the library `limits`. Errors never quote it: it may contain a password."""
    kind = text.partition("://")[0]
    if kind in STORAGES and find_spec(STORAGES[kind]) is None:
        raise ConfigError(f"needs the Python package {STORAGES[kind]}, which is not installed")
    if kind not in STORAGES:
        raise ConfigError(f"must be an address that begins with one of {', '.join(STORAGES)} and ://")
    try:
        _ = urlsplit(text).port  # reading it checks it
    except ValueError:
        raise ConfigError("must be an address such as redis://host:6379/0") from None
    return text


KEY_BYTES = 32


@accepts("keys of 32 bytes in base64, separated by commas")
def read_encryption_keys(text: str) -> tuple[str, ...]:
    """Return the keys, the newest first. Errors never quote them: they are secrets."""
    keys = tuple(text.replace(",", " ").split())
    if not keys:  # a comma alone must not mean that nothing is encrypted
        raise ConfigError(f"must list keys of {KEY_BYTES} bytes in base64, the newest first")
    for key in keys:
        try:
            decoded = base64.b64decode(key, altchars=b"-_", validate=True)
        except ValueError:
            decoded = b""
        if len(decoded) != KEY_BYTES:
            raise ConfigError(f"must list keys of {KEY_BYTES} bytes in base64, the newest first")
    return keys
