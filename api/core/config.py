"""The settings, read from the environment and the flags, and checked before anything starts."""

# Only the standard library is imported: the web server's master imports this before gevent patches workers.
from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from api.core.declared import DeclaredSettings
from api.core.readers import ConfigError as ConfigError
from api.core.readers import StartError as StartError
from api.core.readers import default_data_dir
from api.core.release import build, newest

ALMOST = 0.9  # how alike two names are, from 0 to 1


def libpq(url: str) -> str:
    """Return the libpq form of an SQLAlchemy address, for connections that psycopg opens itself."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def with_login(url: str, of: str) -> str:
    """Return an address with the login of another one, if that names one."""
    login, parts = urlsplit(of).netloc.rpartition("@")[0], urlsplit(url)
    if not (url and login):
        return url
    return urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc.rpartition('@')[2]}"))


@dataclass(frozen=True)
class Settings(DeclaredSettings):
    """All settings, and how they are read and handed on."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str], **flags: Any) -> Settings:
        """Return the settings; a flag that is not None wins. Raises ConfigError naming the wrong setting."""
        require_known(environ)
        values: dict[str, Any] = {
            "data_dir": default_data_dir(environ),
            "workers": max(1, min(4, os.cpu_count() or 1)),
        }
        for name in DECLARED:
            spelt = variable(name)
            flag = flags.get(name)
            text = str(flag) if flag is not None else environ.get(spelt, "")
            if not text:
                continue
            values[name] = read(name, text, spelt if flag is None else f"--{name.replace('_', '-')}")
        if values.get("allow_private_webhooks"):
            values.setdefault("webhook_ports", None)
        for name in ("owner_database_url", "worker_database_url"):
            values.setdefault(name, values.get("database_url", ""))
        return cls(**values)

    def encryption_secrets(self) -> list[bytes]:
        """Return the decoded encryption keys."""
        return [base64.b64decode(key, altchars=b"-_") for key in self.encryption_keys]

    def for_web(self) -> Settings:
        """Return the settings for a web process: no database but the service's own, and no mail server."""
        return replace(self, owner_database_url="", worker_database_url="", smtp_url="")

    def for_worker(self) -> Settings:
        """Return the settings for the job worker: no database address but its own, and its own login."""
        own = self.worker_database_url or self.database_url
        direct = with_login(self.direct_database_url, own)
        return replace(
            self, database_url=own, direct_database_url=direct, owner_database_url="", worker_database_url=""
        )

    def for_owner(self) -> Settings:
        """Return the settings for a command that works as the owner, because it needs to see every app."""
        return replace(self, database_url=self.owner_database_url)

    def environment(self) -> dict[str, str]:
        """Return these settings as environment variables, the form in which `serve` hands them on."""
        result = {}
        for each in DECLARED.values():
            value = getattr(self, each.name)
            if value is None and each.default is None:  # not set, which no text can express
                continue
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            result[variable(each.name)] = text
        return result


SECRET = re.compile("_url$|_keys$|token|key|storage")


def changed(settings: Settings) -> dict[str, str]:
    """Return the variables of settings that are not their defaults; of secret ones only "set"."""
    usual = Settings().environment()
    return {
        name: "set" if SECRET.search(name.lower()) and name != "PUBLIC_URL" else value
        for name, value in settings.environment().items()
        if value != usual.get(name)
    }


def started(what: str, settings: Settings) -> str:
    """Return the line with which a process logs its start."""
    shown = ", ".join(f"{name}={value}" for name, value in changed(settings).items())
    return f"{what} started: release {build()}, schema {newest()}; {shown or 'all settings are defaults'}"


def require_known(environ: Mapping[str, str]) -> None:
    """Raise ConfigError for a variable that is almost the name of a setting: it would be ignored."""
    known = [variable(name) for name in DECLARED]
    for name in sorted({*environ} - {*known}):
        meant = get_close_matches(name, known, 1, ALMOST) if "_" in name else []
        if meant:
            raise ConfigError(f"{name} is no setting; {meant[0]} is.")


VARIABLES = {"owner_database_url": "MIGRATION_DATABASE_URL"}  # the others are the field's name in capitals
DECLARED = {each.name: each for each in fields(Settings) if each.metadata}
"""The settings by their names, without what is fixed."""


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return VARIABLES.get(name, name.upper())


def read(name: str, text: str, label: str) -> Any:
    """Return the value of a setting. Raises ConfigError with this label."""
    try:
        return DECLARED[name].metadata["reader"](text.strip())
    except ConfigError as error:
        raise ConfigError(f"{label} {error}.") from None


def unset(name: str) -> str:
    """Return a description of what applies if the setting is not given."""
    declared = DECLARED[name]
    shown = str(declared.default).lower() if isinstance(declared.default, bool) else str(declared.default)
    return declared.metadata["unset"] or shown
