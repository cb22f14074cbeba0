"""Cosignatures of C2SP (`c2sp.org/tlog-cosignature`): what a witness has seen of a log, and when."""

import base64
from collections.abc import Callable

from referee.proofs.receipts import COSIGNING, DASH, Key, Receipt, read_vkey

TIME = 8  # bytes


def read_witness(text: str) -> Key:
    """Read a witness's key in C2SP's form. Raises Malformed."""
    return read_vkey(text, COSIGNING)


def cosignature(note: str, witness: Key, sign: Callable[[bytes], bytes], at: int) -> str:
    """Return the line with which a witness cosigns a checkpoint; `at` is in seconds since 1970."""
    value = witness.id + at.to_bytes(TIME, "big") + sign(_message(note, at))
    return f"{DASH}{witness.name} {base64.b64encode(value).decode()}\n"


def cosigned(receipt: Receipt, witness: Key) -> tuple[int, str] | None:
    """Return when a witness cosigned a checkpoint (seconds since 1970) and the line, or None."""
    # Imported only here, because most commands check no signature and the import is slow.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    for name, key_id, value in receipt.signatures:
        if (name, key_id) != (witness.name, witness.id):
            continue
        at, signature = int.from_bytes(value[:TIME], "big"), value[TIME:]
        try:
            Ed25519PublicKey.from_public_bytes(witness.public).verify(signature, _message(receipt.note, at))
        except InvalidSignature:
            continue
        return at, f"{DASH}{name} {base64.b64encode(key_id + value).decode()}\n"
    return None


def _message(note: str, at: int) -> bytes:
    text = note.rpartition("\n\n")[0] + "\n"
    return f"cosignature/v1\ntime {at}\n{text}".encode()
