"""Logins of the embedded database: three roles, each with a password of its own.

The passwords are in one file that only the data directory's owner can read; web and worker get only their
own. Only the standard library is used, as in `api.run.embedded.postgres`.
"""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path

from api.core.config import StartError
from api.run.embedded import data_dir
from api.run.embedded.accounts import Account, run_as
from api.run.embedded.data_dir import write_private

OWNER = "card_referee"
SERVICE = "card_referee_app"
WORKER = "card_referee_worker"
DATABASE = "card_referee"

FILE = data_dir.PASSWORDS
RULES = (
    "# Written by card-referee at its start: everybody has to know a password.\nlocal all all scram-sha-256\n"
)
LEFTOVER_TIMEOUT = 30.0  # seconds for the last processes of a killed server to end


def passwords(path: Path) -> dict[str, str]:
    """Return the password of every role of a data directory. Raises StartError if they cannot be read."""
    try:
        stored: dict[str, str] = json.loads((path / FILE).read_text())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise StartError(f"The database's passwords in {path / FILE} cannot be read: {reason}.") from None
    return stored


def secure(path: Path, cluster: Path, programs: Path, account: Account | None) -> None:
    """Set the password of every role and require it for every login, unless that is done already.

    The cluster may be new, or of a release that trusted every local user; its server is not running. The
    rules are written last, so that the next start makes up for an interrupted one. Raises StartError.
    """
    rules = cluster / "pg_hba.conf"
    if (path / FILE).exists() and rules.read_text() == RULES:
        return
    chosen = {role: secrets.token_urlsafe(32) for role in (OWNER, SERVICE, WORKER)}
    write_private(path / FILE, json.dumps(chosen) + "\n", None)
    _in_single_user_mode(cluster, programs, account, _statements(chosen))
    write_private(rules, RULES, account)


def _statements(chosen: dict[str, str]) -> str:
    """Return the statements, one a line, as a single-user server reads them. A password has no quotes.

    It has 256 random bits, so hashing it 4096 times at each login would protect nothing.
    """
    known = "SELECT FROM pg_roles WHERE rolname ="
    lines = ["SET scram_iterations = 1;"]
    for role, password in chosen.items():
        lines.append(f"DO $$ BEGIN IF NOT EXISTS ({known} '{role}') THEN CREATE ROLE {role}; END IF; END $$;")
        lines.append(f"ALTER ROLE {role} LOGIN PASSWORD '{password}';")
    return "\n".join(lines) + "\n"


def _in_single_user_mode(cluster: Path, programs: Path, account: Account | None, statements: str) -> None:
    """Run statements while nobody can connect; on standard input, they do not appear in process lists."""
    command: list[str | Path] = [programs / "postgres", "--single", "-D", cluster, "postgres"]
    deadline = time.monotonic() + LEFTOVER_TIMEOUT
    while True:
        status, output = run_as(account, command, stdin=statements)
        if status == 0 and "ERROR" not in output:
            return
        # The processes of a killed server end a moment later; until then its memory counts as in use.
        if "is still in use" not in output or time.monotonic() > deadline:
            raise StartError(f"PostgreSQL in {cluster} could not be given its roles: {reason(output)}")
        time.sleep(0.2)


def reason(output: str) -> str:
    """Return the line with the reason, from PostgreSQL's log or initdb's output; always one sentence."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    reasons = [line for line in lines if "FATAL" in line or "error:" in line or "PANIC" in line]
    for line in [*reasons, *lines[-1:]]:
        return line.rsplit("FATAL:", 1)[-1].rsplit("error:", 1)[-1].strip().rstrip(".") + "."
    return "it said nothing."
