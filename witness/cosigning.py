"""Cosignatures of C2SP (`c2sp.org/tlog-cosignature`): what a witness has seen of a log, and when."""

from __future__ import annotations

import base64
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KIND = b"\x04"  # the type of a timestamped Ed25519 cosignature in signed notes
DASH = "\N{EM DASH} "
KEY_ID, TIME = 4, 8  # bytes


def key_id(name: str, public: bytes) -> bytes:
    """Return the id of a witness's key in notes."""
    return sha256(name.encode() + b"\n" + KIND + public).digest()[:KEY_ID]


def vkey(name: str, public: bytes) -> str:
    """Return a witness's key as verifiers of notes read it."""
    return f"{name}+{key_id(name, public).hex()}+{base64.b64encode(KIND + public).decode()}"


def cosign(note: str, name: str, private: Ed25519PrivateKey, at: int) -> str:
    """Return a signed checkpoint with a cosignature; `at` is in seconds since 1970."""
    signature = private.sign(_message(note, at))
    public = private.public_key().public_bytes_raw()
    value = key_id(name, public) + at.to_bytes(TIME, "big") + signature
    return f"{note}{DASH}{name} {base64.b64encode(value).decode()}\n"


def cosigned_at(note: str, key: str) -> int | None:
    """Return when the witness with this vkey cosigned a checkpoint, or None if it did not."""
    name, id_, encoded = key.split("+", 2)
    public = base64.b64decode(encoded)[1:]
    for line in note.rpartition("\n\n")[2].splitlines():
        if not line.startswith(f"{DASH}{name} "):
            continue
        value = base64.b64decode(line.rpartition(" ")[2])
        at = int.from_bytes(value[KEY_ID : KEY_ID + TIME], "big")
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(value[KEY_ID + TIME :], _message(note, at))
        except InvalidSignature:
            continue
        if value[:KEY_ID].hex() == id_:
            return at
    return None


def _message(note: str, at: int) -> bytes:
    text = note.rpartition("\n\n")[0] + "\n"
    return f"cosignature/v1\ntime {at}\n{text}".encode()
