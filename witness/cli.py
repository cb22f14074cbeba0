"""`referee witness`, the only command of `referee` that needs the network and a clock."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
from referee.cli import main
from witness.cosigning import cosign, vkey
from witness.stamping import Unstamped, check_stamp, read_certificates, request_stamp
from witness.watching import Broken, Forked, Log, counted

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@main.command("witness")
@click.argument("url")
@click.option(
    "--state", type=click.Path(path_type=Path, dir_okay=False), default="witness.json", show_default=True
)
@click.option("--name", default="witness", show_default=True, help="of a new witness's key")
@click.option("--count", is_flag=True, help="read every entry, and count how games ended")
@click.option("--key", "accepted", multiple=True, metavar="VKEY", help="a server key to trust from now on")
@click.option("--timestamp-authority", metavar="URL", help="have this authority (RFC 3161) stamp it too")
@click.option("--timestamp-roots", type=FILE, help="the authority's certificates, in PEM, with their root")
def witness(
    url: str,
    state: Path,
    name: str,
    count: bool,
    accepted: tuple[str, ...],
    timestamp_authority: str | None,
    timestamp_roots: Path | None,
) -> None:
    """Check that the log of all games at URL has only grown since the last time, and cosign it.

    Prints the cosigned checkpoint. The witness's key, the server's key and what it saw last are kept in a
    file that nobody else may read. Exits with 1 if the log is not the one seen before, or is signed with
    another key, and keeps the evidence next to that file; evidence is never overwritten.

    A time-stamp is also kept next to that file, together with its cosigned checkpoint: `referee timestamp`
    checks it.
    """
    if (timestamp_authority is None) != (timestamp_roots is None):
        raise click.UsageError("--timestamp-authority and --timestamp-roots go together")
    known = _read(state, name)
    try:
        trusted = [referee.read_vkey(text) for text in accepted]
    except referee.Malformed as error:
        raise click.UsageError(f"--key: {error}") from None
    log = Log(url)
    try:
        new, listed = log.checkpoint()
        old = referee.read_receipt(known["checkpoint"]) if known["checkpoint"] else None
        pinned = _pinned(known["keys"], old, new, listed, trusted)
        if old:
            log.require_grown(old, new, pinned)
        numbers = counted(log.count(new)) if count else None
    except Broken as error:
        kept = _keep(state, "\n".join(error.notes)) if error.notes else None
        what = (
            "which proves it" if isinstance(error, Forked) else "which is evidence, and no proof for others"
        )
        click.echo(f"FAIL  {error}" + (f" See {kept}, {what}." if kept else ""), err=True)
        sys.exit(1)
    finally:
        log.close()
    private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(known["private_key"]))
    _write(state, {**known, "keys": [key.vkey for key in pinned], "checkpoint": new.note})
    cosigned = cosign(new.note, known["name"], private, int(time.time()))
    click.echo(cosigned, nl=False)
    if numbers is not None:
        click.echo(json.dumps(numbers), err=True)
    if timestamp_authority is not None and timestamp_roots is not None:
        _stamp(cosigned, state.with_name(f"{state.stem}-{new.size}"), timestamp_authority, timestamp_roots)


def _stamp(note: str, beside: Path, authority: str, roots: Path) -> None:
    """Write a cosigned checkpoint and its time-stamp next to a file; exit with 1 without a time-stamp."""
    try:
        stamp = request_stamp(authority, note.encode(), read_certificates(roots))
    except Unstamped as error:
        click.echo(f"FAIL  {error}", err=True)
        sys.exit(1)
    beside.with_suffix(".note").write_text(note, "utf-8")
    beside.with_suffix(".tsr").write_bytes(stamp.answer)
    click.echo(f"stamped at {stamp.at.isoformat()}: {beside.with_suffix('.tsr')}", err=True)


@main.command("timestamp")
@click.argument("checkpoint", type=FILE)
@click.argument("answer", type=FILE)
@click.option(
    "--roots", type=FILE, required=True, help="the authority's certificates, in PEM, with their root"
)
def timestamp(checkpoint: Path, answer: Path, roots: Path) -> None:
    """Check that a time-stamp (RFC 3161) is of a checkpoint, offline, and print when it existed.

    The certificates must have been valid at that time. Exits with 1 if the time-stamp is invalid.
    """
    try:
        text = checkpoint.read_bytes()
        found = referee.read_receipt(text.decode())
        stamp = check_stamp(text, answer.read_bytes(), read_certificates(roots))
    except (Unstamped, referee.Malformed, UnicodeDecodeError) as error:
        click.echo(f"FAIL  {error}", err=True)
        sys.exit(1)
    click.echo(f"ok    the log {found.origin} had {found.size} leaves at {stamp.at.isoformat()}")


def _pinned(
    vkeys: Sequence[str] | None,
    old: referee.Receipt | None,
    new: referee.Receipt,
    listed: Sequence[referee.Key],
    accepted: Sequence[referee.Key],
) -> list[referee.Key]:
    """Return the server's keys to trust from now on. Raises Broken if another key has signed the checkpoint.

    The first time, and without keys in the state of an earlier release, it is the key that has signed.
    """
    if vkeys is None:
        known = [key for key in listed if referee.signer(old or new, [key])]
    else:
        known = [referee.read_vkey(text) for text in vkeys]
    known += [key for key in accepted if key.vkey not in {one.vkey for one in known}]
    if referee.signer(new, known) is None:
        other = referee.signer(new, listed)
        raise Broken(
            f"The checkpoint is signed with a key that was not trusted before: {other and other.vkey}. If the"
            " operator has announced it, give it with --key.",
            *([old.note] if old else []),
            new.note,
        )
    return known


def _keep(state: Path, text: str) -> Path:
    """Write evidence to a new file next to the state, unless it is there already; return its path."""
    for number in itertools.count(1):
        path = state.with_name(f"{state.name}.conflict" + (f"-{number}" if number > 1 else ""))
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            return path
        except FileExistsError:
            if path.read_text("utf-8", errors="replace") == text:
                return path
    raise AssertionError("unreachable")


def _read(state: Path, name: str) -> dict[str, Any]:
    """Read the witness's state; a new witness creates a key."""
    if state.exists():
        try:
            known: dict[str, Any] = json.loads(state.read_text("utf-8"))
            parts = {part: known[part] for part in ("name", "vkey", "private_key", "checkpoint")}
            keys = known.get("keys")  # missing in the state of an earlier release
            for vkey_ in keys or ():
                referee.read_vkey(vkey_)
            return {**parts, "keys": keys}
        except (ValueError, KeyError, TypeError, AttributeError, referee.Malformed):
            raise click.UsageError(f"{state} is not the state of a witness") from None
    if not referee.is_server_name(name):
        raise click.UsageError("a key's name has no spaces and no plus signs")
    made = Ed25519PrivateKey.generate()
    key = base64.b64encode(made.private_bytes_raw()).decode()
    public = made.public_key().public_bytes_raw()
    return {"name": name, "vkey": vkey(name, public), "private_key": key, "checkpoint": None, "keys": None}


def _write(state: Path, known: dict[str, Any]) -> None:
    """Write the witness's state atomically, before it signs."""
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
