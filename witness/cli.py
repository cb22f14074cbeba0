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
from witness import relay, serving, state
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
def witness(
    url: str,
    path: Path,
    name: str,
    count: bool,
    accepted: tuple[str, ...],
    publish: bool,
    promises: Path | None,
) -> None:
    """Check that the log of all games at URL has only grown since the last time, and cosign it.

    Prints the cosigned checkpoint. The witness's key, the server's key and what it saw last are kept in a
    file that nobody else may read. Exits with 1 if the log is not the one seen before, or is signed with
    another key, and keeps the evidence next to that file; evidence is never overwritten. A new key of the
    server is trusted if the one before it has signed that it follows.
    """
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
            " (`referee verify PROOF --policy POLICY`).",
            err=True,
        )
    return not broken


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
