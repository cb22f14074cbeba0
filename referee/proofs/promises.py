"""Promises in receipts: by when a game must be in its server's log of all games.

A receipt with such a promise, a checkpoint that witnesses have seen later, and all leaves of that checkpoint
prove to everybody that the server has left a game out.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from referee.engine.jsontext import parse
from referee.engine.verdicts import Malformed
from referee.log.times import read_time, timestamp
from referee.proofs.cosigning import cosigned
from referee.proofs.leaves import CREATED, GAMES
from referee.proofs.merkle import leaf_hash, root_of_leaves
from referee.proofs.policy import Policy
from referee.proofs.receipts import Key, Receipt, read_receipt, signer

FORMAT = "card-referee-omission/1"
DELAY = timedelta(hours=24)  # within which a game is promised to be in the log of all games
GRACE = timedelta(seconds=1)  # between reading the clock and writing
_line = re.compile(r"leaf ([0-9a-f]{64}) by (\S{20,30})").fullmatch


class Promise(NamedTuple):
    """The `created` leaf with this commitment is in the log by this time."""

    commitment: str
    by: datetime


def promise_line(commitment: str, by: datetime) -> str:
    """Return the line of a receipt that promises a leaf."""
    return f"leaf {commitment} by {timestamp(by)}"


def promise_of(receipt: Receipt) -> Promise | None:
    """Return what a receipt promises, or None."""
    for line in receipt.extensions:
        if (parts := _line(line)) and (by := read_time(parts[2])):
            return Promise(parts[1], by)
    return None


def cosigners(checkpoint: Receipt, policy: Policy) -> dict[str, int]:
    """Return which witnesses of a policy have cosigned a checkpoint, and when, in seconds since 1970."""
    return {
        name: at[0]
        for name, (witness, _) in policy.witnesses.items()
        if (at := cosigned(checkpoint, witness)) is not None
    }


def witnessed_at(checkpoint: Receipt, policy: Policy) -> datetime | None:
    """Return the time by which enough witnesses had seen a checkpoint, or None.

    It is the earliest at which those who had cosigned by then were a quorum.
    """
    times = cosigners(checkpoint, policy)
    for at in sorted(times.values()):
        if policy.is_met([name for name, time in times.items() if time <= at]):
            return datetime.fromtimestamp(at, UTC)
    return None


def is_left_out(promise: Promise, leaves: Iterable[str | bytes]) -> bool:
    """Return whether no `created` leaf has the commitment of a promise. Raises Malformed."""
    for text in leaves:
        leaf = parse(text if type(text) is bytes else str(text).encode())
        if type(leaf) is dict and (leaf.get("type"), leaf.get("commitment")) == (CREATED, promise.commitment):
            return False
    return True


def omission(receipt: Receipt, checkpoint: Receipt, leaves: Sequence[str]) -> dict[str, Any]:
    """Return the proof that a promise was broken, as a file."""
    return {
        "format": FORMAT,
        "receipt": receipt.note,
        "checkpoint": checkpoint.note,
        "leaves": [*leaves],
    }


def check_omission(proof: object, policy: Policy, keys: Sequence[Key] = ()) -> str:
    """Check a proof with only a policy; return what it proves, as a sentence.

    `keys` are further keys of the server that the policy's keys endorse. Raises Malformed if it proves
    nothing.
    """
    if type(proof) is not dict or proof.get("format") != FORMAT:
        raise Malformed("format", f"must be {FORMAT!r}")
    receipt, checkpoint = (read_receipt(proof.get(name)) for name in ("receipt", "checkpoint"))
    known = [*policy.logs, *keys]
    key, other = (signer(note, known) for note in (receipt, checkpoint))
    promise, at = promise_of(receipt), witnessed_at(checkpoint, policy)
    if key is None or other is None or checkpoint.origin != f"{key.name}/{GAMES}":
        raise Malformed("receipt", "and checkpoint are not signed by the keys of one server in the policy")
    if promise is None:
        raise Malformed("receipt", "promises no leaf")
    if not policy.witnesses or at is None or at <= promise.by:
        raise Malformed("checkpoint", "was not cosigned by a quorum of the policy after the promised time")
    leaves = proof.get("leaves")
    if type(leaves) is not list or any(type(leaf) is not str for leaf in leaves):
        raise Malformed("leaves", "must be a list of texts")
    if (len(leaves), root_of_leaves(leaf_hash(leaf.encode()) for leaf in leaves)) != (
        checkpoint.size,
        checkpoint.root,
    ):
        raise Malformed("leaves", "are not those of the checkpoint")
    if not is_left_out(promise, leaves):
        raise Malformed("leaves", "contain the game: the promise was kept")
    game = receipt.origin.rpartition("/")[2]
    return (
        f"{key.name} promised that game {game} would be in its log of all games by"
        f" {timestamp(promise.by)}; witnesses saw the log without it at {timestamp(at)}"
    )
