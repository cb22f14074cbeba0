"""`referee witness`, the only commands of `referee` that need the network and a clock."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

import referee
import referee.proofs
from referee.cli import main
from referee.engine.jsontext import compact
from referee.proofs.promises import is_left_out, omission, promise_of
from referee.proofs.receipts import read_receipts
from referee.proofs.succession import trusted
from referee.proofs.timestamps import Unstamped, check_stamp, read_certificates
from witness import relay, serving, state
from witness.stamping import request_stamp
from witness.state import State, Unreadable
from witness.watching import Broken, Forked, Log, counted

__all__ = ["main", "relay", "serving"]
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@main.command("witness")
@click.argument("url")
@click.option(
    "--state",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    default="witness.json",
    show_default=True,
)
@click.option("--name", default="witness", show_default=True, help="of a new witness's key")
@click.option("--count", is_flag=True, help="read every entry, and count how games ended")
@click.option("--key", "accepted", multiple=True, metavar="VKEY", help="a server key to trust from now on")
@click.option("--publish", is_flag=True, help="send the cosignature to the server, which shows it to others")
@click.option("--promises", type=FILE, help="receipts whose games must be in the log by the promised time")
@click.option("--timestamp-authority", metavar="URL", help="have this authority (RFC 3161) stamp it too")
@click.option("--timestamp-roots", type=FILE, help="the authority's certificates, in PEM, with their root")
def witness(
    url: str,
    path: Path,
    name: str,
    count: bool,
    accepted: tuple[str, ...],
    publish: bool,
    promises: Path | None,
    timestamp_authority: str | None,
    timestamp_roots: Path | None,
) -> None:
    """Check that the log of all games at URL has only grown since the last time, and cosign it.

    Prints the cosigned checkpoint. The witness's key, the server's key and what it saw last are kept in a
    file that nobody else may read. Exits with 1 if the log is not the one seen before, or is signed with
    another key, and keeps the evidence next to that file; evidence is never overwritten. A new key of the
    server is trusted if the one before it has signed that it follows.

    A time-stamp is also kept next to that file, together with its cosigned checkpoint: `referee timestamp`
    checks it.
    """
    if (timestamp_authority is None) != (timestamp_roots is None):
        raise click.UsageError("--timestamp-authority and --timestamp-roots go together")
    try:
        known = state.read(path, name)
        more = [referee.proofs.read_vkey(text) for text in accepted]
        promised = [] if promises is None else read_receipts(promises.read_text("utf-8"))
    except (Unreadable, referee.Malformed) as error:
        raise click.UsageError(str(error)) from None
    log = Log(url)
    try:
        new, listed = log.checkpoint()
        old = referee.proofs.read_receipt(known.checkpoint) if known.checkpoint else None
        pinned = _pinned(known.keys, old, new, listed, more)
        if old:
            log.require_grown(old, new, pinned)
        numbers = counted(log.count(new)) if count else None
        state.write(path, State(known.signer, new.note, [key.vkey for key in pinned]))
        now = int(time.time())
        cosigned = new.note + known.signer.cosign(new.note, now)
        kept = _require_promised(log, promised, referee.proofs.read_receipt(cosigned), pinned, path, now)
        if publish:
            log.publish(referee.proofs.read_receipt(cosigned))
    except Broken as error:
        _fail(error, path)
    finally:
        log.close()
    click.echo(cosigned, nl=False)
    if numbers is not None:
        click.echo(json.dumps(numbers), err=True)
    if timestamp_authority is not None and timestamp_roots is not None:
        _stamp(cosigned, path.with_name(f"{path.stem}-{new.size}"), timestamp_authority, timestamp_roots)
    if not kept:
        sys.exit(1)


def _fail(error: Broken, path: Path) -> NoReturn:
    """Keep the evidence of an inconsistent log, and exit with 1."""
    kept = state.keep(path, "\n".join(error.notes)) if error.notes else None
    what = "which proves it" if isinstance(error, Forked) else "which is evidence, and no proof for others"
    click.echo(f"FAIL  {error}" + (f" See {kept}, {what}." if kept else ""), err=True)
    sys.exit(1)


def _require_promised(
    log: Log,
    receipts: Sequence[referee.proofs.Receipt],
    checkpoint: referee.proofs.Receipt,
    keys: Sequence[referee.proofs.Key],
    path: Path,
    now: int,
) -> bool:
    """Check that the log has every game that was promised by now; keep the proof of each that it lacks."""
    due = []
    for receipt in receipts:
        promise = promise_of(receipt)
        if promise and promise.by.timestamp() < now and referee.proofs.signer(receipt, keys):
            due.append((receipt, promise))
    leaves: list[str] = []
    if due:
        log.read(checkpoint, lambda leaf: leaves.append(leaf.decode(errors="replace")))
    broken = [receipt for receipt, promise in due if is_left_out(promise, leaves)]
    for receipt in broken:
        kept = state.keep(path, compact(omission(receipt, checkpoint, leaves)) + "\n")
        click.echo(
            f"FAIL  {receipt.origin} is not in the log of all games. See {kept}, which proves it"
            " (`referee verify-omission`).",
            err=True,
        )
    return not broken


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
        found = referee.proofs.read_receipt(text.decode())
        stamp = check_stamp(text, answer.read_bytes(), read_certificates(roots))
    except (Unstamped, referee.Malformed, UnicodeDecodeError) as error:
        click.echo(f"FAIL  {error}", err=True)
        sys.exit(1)
    click.echo(f"ok    the log {found.origin} had {found.size} leaves at {stamp.at.isoformat()}")


def _pinned(
    vkeys: Sequence[str] | None,
    old: referee.proofs.Receipt | None,
    new: referee.proofs.Receipt,
    listed: Sequence[referee.proofs.Key],
    accepted: Sequence[referee.proofs.Key],
) -> list[referee.proofs.Key]:
    """Return the server's keys to trust from now on. Raises Broken if another key has signed the checkpoint.

    The first time, and without keys in the state of an earlier release, it is the key that has signed.
    """
    if vkeys is None:
        known = [key for key in listed if referee.proofs.signer(old or new, [key])]
    else:
        known = [referee.proofs.read_vkey(text) for text in vkeys]
    known = trusted([*known, *accepted], listed)
    if referee.proofs.signer(new, known) is None:
        other = referee.proofs.signer(new, listed)
        raise Broken(
            f"The checkpoint is signed with a key that was not trusted before: {other and other.vkey}. If the"
            " operator has announced it, give it with --key.",
            *([old.note] if old else []),
            new.note,
        )
    return known


if __name__ == "__main__":
    main()
