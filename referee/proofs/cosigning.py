"""Cosignatures of C2SP (`c2sp.org/tlog-cosignature`): what a witness has seen of a log, and when."""

import base64
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from referee.engine.verdicts import Malformed
from referee.proofs.receipts import DASH, KEY_ID, Receipt, decoded, is_server_name

KIND = b"\x04"  # the type of a timestamped Ed25519 cosignature in signed notes
TIME = 8  # bytes


class Witness(NamedTuple):
    """A witness's public key."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """Return the key's id in notes."""
        return sha256(self.name.encode() + b"\n" + KIND + self.public).digest()[:KEY_ID]

    @property
    def vkey(self) -> str:
        """Return the key as verifiers of notes read it."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(KIND + self.public).decode()}"


def read_witness(text: str) -> Witness:
    """Read a witness's key in C2SP's form. Raises Malformed."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    value = decoded(encoded)
    if not is_server_name(name) or value[:1] != KIND or len(value) != 33:
        raise Malformed("vkey", "must be the name, id and key of a witness (type 4), joined by plus signs")
    witness = Witness(name, value[1:])
    if witness.id.hex() != key_id:
        raise Malformed("vkey", "has another id than its name and key give")
    return witness


def cosignature(note: str, witness: Witness, sign: Callable[[bytes], bytes], at: int) -> str:
    """Return the line with which a witness cosigns a checkpoint; `at` is in seconds since 1970."""
    value = witness.id + at.to_bytes(TIME, "big") + sign(_message(note, at))
    return f"{DASH}{witness.name} {base64.b64encode(value).decode()}\n"


def cosigned(receipt: Receipt, witness: Witness) -> tuple[int, str] | None:
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
