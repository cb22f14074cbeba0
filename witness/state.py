"""What a witness keeps in files: its key, the last checkpoint of each log, and evidence."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.proofs
from referee.proofs.cosigning import cosignature
from referee.proofs.receipts import COSIGNING, Key


class Unreadable(Exception):
    """A file is not the state of a witness; the message names it."""


class Signer(NamedTuple):
    """A witness's name and private key."""

    name: str
    private: Ed25519PrivateKey

    @property
    def witness(self) -> Key:
        """The public key."""
        return Key(self.name, self.private.public_key().public_bytes_raw(), kind=COSIGNING)

    def cosign(self, note: str, at: int) -> str:
        """Return the line with which the witness cosigns a checkpoint; `at` is in seconds since 1970."""
        return cosignature(note, self.witness, self.private.sign, at)


class State(NamedTuple):
    """A witness of one log: its key, the keys of the server that it trusts, and the last checkpoint."""

    signer: Signer
    checkpoint: str | None = None
    keys: Sequence[str] | None = None  # None in the state of an earlier release


def read(path: Path, name: str) -> State:
    """Read the state of a witness; a new witness creates a key. Raises Unreadable."""
    if not path.exists():
        if not referee.proofs.is_server_name(name):
            raise Unreadable("a key's name has no spaces and no plus signs")
        return State(Signer(name, Ed25519PrivateKey.generate()))
    try:
        known: dict[str, Any] = json.loads(path.read_text("utf-8"))
        for vkey in known.get("keys") or ():
            referee.proofs.read_vkey(vkey)
        private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(known["private_key"]))
        signer = Signer(known["name"], private)
        if signer.witness.vkey != known["vkey"]:
            raise ValueError
        return State(signer, known["checkpoint"], known.get("keys"))
    except (ValueError, KeyError, TypeError, AttributeError, referee.Malformed):
        raise Unreadable(f"{path} is not the state of a witness") from None


def write(path: Path, state: State) -> None:
    """Write the state of a witness atomically, before it signs."""
    private = base64.b64encode(state.signer.private.private_bytes_raw()).decode()
    known = {"name": state.signer.name, "vkey": state.signer.witness.vkey, "private_key": private}
    write_json(path, {**known, "checkpoint": state.checkpoint, "keys": state.keys})


def write_json(path: Path, content: Any) -> None:
    """Write a file that nobody else may read, durably and atomically."""
    new = path.with_name(f"{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)


def keep(state: Path, text: str) -> Path:
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
