"""The witness's side of C2SP's protocol (`c2sp.org/tlog-witness`): its request `add-checkpoint`.

`add-keys` is our addition: it tells a witness which keys have followed those that it was given.
"""

from __future__ import annotations

import base64
import fcntl
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import referee
import referee.proofs
from referee.proofs.succession import trusted
from witness import state
from witness.state import Signer

MOST_HASHES = 63  # of a proof
UNTRUSTED = (
    "No key of this log that is trusted here has signed the checkpoint: add the new key to the policy,"
    " or let a trusted one endorse it.\n"
)
SIZE = "text/x.tlog.size"
NOTE = "text/plain; charset=utf-8"
_old = re.compile(r"old (0|[1-9][0-9]{0,14})").fullmatch


class Answer(NamedTuple):
    """What a witness answers: the status, the body and its type."""

    status: int
    body: str
    kind: str = NOTE


class Asked(NamedTuple):
    """A request that was read."""

    old: int
    proof: list[bytes]
    checkpoint: referee.proofs.Receipt


def read_request(body: bytes) -> Asked:
    """Read a request. Raises Malformed."""
    head, _, note = body.decode("utf-8", errors="replace").partition("\n\n")
    first, *lines = head.split("\n")
    found = _old(first)
    if found is None or len(lines) > MOST_HASHES:
        raise referee.Malformed("old", "must be a size, followed by at most 63 hashes")
    try:
        proof = [base64.b64decode(line, validate=True) for line in lines]
    except ValueError:
        raise referee.Malformed("proof", "must be hashes in base64") from None
    if any(len(hash_) != sha256().digest_size for hash_ in proof):
        raise referee.Malformed("proof", "must be hashes of 32 bytes")
    return Asked(int(found[1]), proof, referee.proofs.read_receipt(note))


class WitnessOfLogs:
    """A witness of some logs, whose keys it was given. Its state is one file for each log."""

    def __init__(self, folder: Path, signer: Signer, logs: Sequence[referee.proofs.Key]) -> None:
        self._folder, self._signer, self._pinned = folder, signer, logs

    def add_keys(self, body: bytes) -> Answer:
        """Remember the keys that a trusted one has endorsed: the answer of a server's /v1/log-keys."""
        try:
            listed = referee.proofs.read_keys(body.decode("utf-8", errors="replace"))
        except referee.Malformed as error:
            return Answer(400, f"{error}\n")
        with _locked(self._folder):
            known = self._logs()
            new = [key for key in trusted(known, listed) if key.vkey not in {one.vkey for one in known}]
            if new:
                state.write_json(self._keys, [key.vkey for key in (*known, *new)])
        return Answer(200, f"{len(new)} keys are new.\n")

    @property
    def _keys(self) -> Path:
        return self._folder / "endorsed-keys.json"

    def _logs(self) -> list[referee.proofs.Key]:
        """Return the keys of the policy, and those that they have endorsed since."""
        later = json.loads(self._keys.read_text("utf-8")) if self._keys.exists() else []
        vkeys = {one.vkey for one in self._pinned}
        return [*self._pinned, *(referee.proofs.read_vkey(vkey) for vkey in later if vkey not in vkeys)]

    def add_checkpoint(self, body: bytes, now: Callable[[], float]) -> Answer:
        """Check a new checkpoint, remember it and return the cosignature, or say why not."""
        try:
            asked = read_request(body)
        except referee.Malformed as error:
            return Answer(400, f"{error}\n")
        new = asked.checkpoint
        # Not every origin that a key may sign: receipts of single games are no trees.
        keys = [key for key in self._logs() if new.origin in (key.name, f"{key.name}/games")]
        if not keys:
            return Answer(404, "This log is unknown here.\n")
        if referee.proofs.signer(new, keys) is None:
            return Answer(403, UNTRUSTED)
        if asked.old > new.size:
            return Answer(400, "The old size is greater than the new one.\n")
        path = self._folder / f"{sha256(new.origin.encode()).hexdigest()[:16]}.json"
        with _locked(self._folder):
            return self._advance(path, asked, int(now()))

    def _advance(self, path: Path, asked: Asked, now: int) -> Answer:
        new, old = asked.checkpoint, _last(path)
        size, root = (old.size, old.root) if old else (0, referee.proofs.EMPTY_TREE)
        if old and new.size == size and new.root != root:
            state.keep(path, f"{old.note}\n{new.note}")  # two trees of one size, both signed: a proof
            return Answer(409, f"{size}\n", SIZE)
        if asked.old != size:
            return Answer(409, f"{size}\n", SIZE)
        if not referee.proofs.is_consistent(size, new.size, root, new.root, asked.proof):
            return Answer(422, "The proof does not lead from the old tree to the new one.\n")
        state.write_json(path, {"checkpoint": new.note})
        return Answer(200, self._signer.cosign(new.note, now))


def _last(path: Path) -> referee.proofs.Receipt | None:
    if not path.exists():
        return None
    return referee.proofs.read_receipt(json.loads(path.read_text("utf-8"))["checkpoint"])


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time compare and change what was seen last."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
