"""`referee witness`: the one command of `referee` that needs the network and a clock."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
from referee.cli import main
from witness.cosigning import cosign, vkey
from witness.watching import Broken, Log, counted


@main.command("witness")
@click.argument("url")
@click.option(
    "--state", type=click.Path(path_type=Path, dir_okay=False), default="witness.json", show_default=True
)
@click.option("--name", default="witness", show_default=True, help="of a new witness's key")
@click.option("--count", is_flag=True, help="read every entry, and count how games ended")
def witness(url: str, state: Path, name: str, count: bool) -> None:
    """Check that the log of all games at URL has only grown since the last time, and cosign it.

    Prints the cosigned checkpoint. The witness's key and what it saw last are kept in a file that nobody else
    may read. Exits with 1 where the log is not the one that was seen; what proves it lies beside that file.
    """
    known = _read(state, name)
    log = Log(url)
    try:
        new = log.checkpoint()
        if known["checkpoint"]:
            log.require_grown(referee.read_receipt(known["checkpoint"]), new)
        numbers = counted(log.count(new)) if count else None
    except Broken as error:
        if error.notes:
            state.with_name(f"{state.name}.conflict").write_text("\n".join(error.notes), "utf-8")
        click.echo(f"FAIL  {error}", err=True)
        sys.exit(1)
    finally:
        log.close()
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(known["private_key"]))
    _write(state, {**known, "checkpoint": new.note})
    click.echo(cosign(new.note, known["name"], private, int(time.time())), nl=False)
    if numbers is not None:
        click.echo(json.dumps(numbers), err=True)


def _read(state: Path, name: str) -> dict[str, Any]:
    """Read what the witness knows; a new one makes itself a key."""
    if state.exists():
        try:
            known: dict[str, Any] = json.loads(state.read_text("utf-8"))
            return {part: known[part] for part in ("name", "vkey", "private_key", "checkpoint")}
        except (ValueError, KeyError, TypeError):
            raise click.UsageError(f"{state} is not the state of a witness") from None
    if not referee.is_server_name(name):
        raise click.UsageError("a key's name has no spaces and no plus signs")
    made = Ed25519PrivateKey.generate()
    key = base64.b64encode(made.private_bytes_raw()).decode()
    public = made.public_key().public_bytes_raw()
    return {"name": name, "vkey": vkey(name, public), "private_key": key, "checkpoint": None}


def _write(state: Path, known: dict[str, Any]) -> None:
    """Write what the witness knows, whole or not at all, before it signs for it."""
    new = state.with_name(f"{state.name}.new")
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(known, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.rename(state)


if __name__ == "__main__":
    main()
