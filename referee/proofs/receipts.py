"""Receipts: a server's signatures of the length and last hash of a log, as C2SP signed notes.

A receipt is a checkpoint (https://c2sp.org/tlog-checkpoint): the line of its origin, the number of entries,
the last entry's hash in base64, an empty line and signatures (https://c2sp.org/signed-note). With a receipt,
its owner can prove later that the server has changed the log, or shown a different one to others.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from referee.engine.jsontext import parse
from referee.engine.verdicts import Malformed
from referee.log.times import read_time

ED25519, COSIGNING = b"\x01", b"\x04"  # the types of signatures in signed notes: of a server, of a witness
KEY_ID = 4
DASH = "\N{EM DASH} "
KEYS_AT = "the server's GET /v1/log-keys, and give it with --keys"
_signature = re.compile(r"\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})").fullmatch
_name = re.compile(r"[^\s+]{1,200}").fullmatch


class Signature(NamedTuple):
    """A signature line of a note: the signer, the key, and the signature."""

    name: str
    key_id: bytes
    value: bytes


class Receipt(NamedTuple):
    """A receipt that was read, with unchecked signatures."""

    origin: str
    size: int
    root: bytes
    signatures: tuple[Signature, ...]
    note: str
    extensions: tuple[str, ...] = ()  # further lines that are signed


class Key(NamedTuple):
    """The public key of a server, and when it was in use (None: not known, or no end yet); or of a witness.

    `restored`: it was retired because a backup was restored, which may lack entries that it has signed.
    `endorsement`: a note in which the key before it says that this one follows.
    """

    name: str
    public: bytes
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    restored: bool = False
    endorsement: str | None = None
    kind: bytes = ED25519

    @property
    def id(self) -> bytes:
        """Return the key's id in notes."""
        return sha256(self.name.encode() + b"\n" + self.kind + self.public).digest()[:KEY_ID]

    @property
    def vkey(self) -> str:
        """Return the key as verifiers of notes read it."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(self.kind + self.public).decode()}"


def is_server_name(text: str) -> bool:
    """Return whether a key may have this name: no space, no plus, not too long."""
    return _name(text) is not None


# --- writing ----------------------------------------------------------------------------------------


def checkpoint(origin: str, size: int, root: bytes, *extensions: str) -> str:
    """Return the lines that are signed: three, and extensions."""
    return "".join(f"{line}\n" for line in (origin, size, base64.b64encode(root).decode(), *extensions))


def signed_note(text: str, key: Key, signature: bytes) -> str:
    """Return the text of a note with a signature."""
    return f"{text}\n{DASH}{key.name} {base64.b64encode(key.id + signature).decode()}\n"


# --- reading ----------------------------------------------------------------------------------------


def read_receipt(note: object) -> Receipt:
    """Read a receipt. Raises Malformed if it is not a signed checkpoint of a log."""
    text, signatures = read_signatures(note)
    origin, *rest = text.removesuffix("\n").split("\n")
    if len(rest) < 2 or not origin or not re.fullmatch("0|[1-9][0-9]{0,14}", rest[0]) or not signatures:
        raise Malformed("receipt", "is no signed checkpoint")
    root = decoded(rest[1])
    if len(root) != sha256().digest_size:
        raise Malformed("receipt", "has no hash of 32 bytes")
    return Receipt(origin, int(rest[0]), root, signatures, str(note), tuple(rest[2:]))


def read_signatures(note: object) -> tuple[str, tuple[Signature, ...]]:
    """Return the text that a note signs, and its signatures. Raises Malformed if it is no signed note."""
    if type(note) is not str or "\n\n" not in note or not note.endswith("\n"):
        raise Malformed("receipt", "is no signed note")
    text, _, under = note.rpartition("\n\n")
    return f"{text}\n", tuple(_signatures(under))


def _signatures(under: str) -> Iterator[Signature]:
    for line in under.removesuffix("\n").split("\n"):
        signature = _signature(line)
        if signature is None:
            raise Malformed("receipt", "has a line under it that is no signature")
        value = decoded(signature[2])
        yield Signature(signature[1], value[:KEY_ID], value[KEY_ID:])


def read_receipts(text: str) -> list[Receipt]:
    """Read a file of receipts: notes one after the other, or JSON with members named `receipt`.

    So answers of the API can be kept unchanged, a single one or one on each line. Raises Malformed if there
    is no receipt.
    """
    if text.lstrip()[:1] in ("{", "["):
        notes = [note for value in _values(text) for note in _in_json(value)]
    else:
        notes = list(_notes(text))
    if not notes:
        raise Malformed("receipt", "there is none in this file")
    return [read_receipt(note) for note in dict.fromkeys(notes)]


def _values(text: str) -> list[Any]:
    try:
        return [parse(text)]
    except Malformed:
        return [parse(line) for line in text.splitlines() if line.strip()]


def _in_json(value: Any) -> Iterator[str]:
    if type(value) is dict:
        if type(value.get("receipt")) is str:
            yield value["receipt"]
        for inner in value.values():
            yield from _in_json(inner)
    elif type(value) is list:
        for inner in value:
            yield from _in_json(inner)


def _notes(text: str) -> Iterator[str]:
    """Split consecutive notes: a note ends when another line follows its signatures."""
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if lines and lines[-1].startswith(DASH) and not line.startswith(DASH):
            yield "\n".join(lines) + "\n"
            lines = []
        if line or lines:
            lines.append(line)
    if any(lines):
        yield "\n".join(lines) + "\n"


def read_vkey(text: str, kind: bytes = ED25519) -> Key:
    """Read a key in C2SP's form: name, id and key, joined by plus signs. Raises Malformed."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    value = decoded(encoded)
    if not is_server_name(name) or value[:1] != kind or len(value) != 33:
        raise Malformed("vkey", f"must be a name, an id and a key of type {kind[0]}, joined by plus signs")
    key = Key(name, value[1:], kind=kind)
    if key.id.hex() != key_id:
        raise Malformed("vkey", "has another id than its name and key give")
    return key


def read_keys(text: str) -> list[Key]:
    """Read a server's keys: the answer of /v1/log-keys, or one vkey on each line. Raises Malformed."""
    if text.lstrip()[:1] not in ("{", "["):
        return [read_vkey(line) for line in text.splitlines() if line.strip()]
    data = parse(text.encode())
    listed = data.get("items") if type(data) is dict else data
    if type(listed) is not list or any(type(item) is not dict for item in listed):
        raise Malformed("keys", "must be the answer of /v1/log-keys")
    return [
        read_vkey(str(item.get("vkey")))._replace(
            valid_from=read_time(item.get("valid_from")),
            valid_until=read_time(item.get("valid_until")),
            restored=item.get("restored") is True,
            endorsement=item.get("endorsement") if type(item.get("endorsement")) is str else None,
        )
        for item in listed
    ]


def decoded(text: str) -> bytes:
    """Return what canonical base64 encodes. Raises Malformed."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if not raw or base64.b64encode(raw).decode() != text:  # the same bytes have several forms in base64
        raise Malformed("receipt", "has something in it that is not base64")
    return raw


# --- checking ---------------------------------------------------------------------------------------


def signer(receipt: Receipt, keys: Iterable[Key]) -> Key | None:
    """Return which of these keys has signed a receipt, or None.

    Signatures of others, such as witnesses, are ignored.
    """
    text = receipt.note.rpartition("\n\n")[0] + "\n"
    for key in keys:
        of_key = receipt.origin == key.name or receipt.origin.startswith(f"{key.name}/")
        if of_key and has_signed(key, text, receipt.signatures):
            return key
    return None


def is_bare(note: object) -> bool:
    """Return whether a note has no line of a signature: it is nobody's word, and so as good as absent."""
    _, gap, signatures = note.partition("\n\n") if type(note) is str else ("", "", "")
    return bool(gap) and not signatures.strip()


def unsigned(receipt: Receipt, keys: Iterable[Key]) -> tuple[bool | None, str]:
    """Return what it means that none of these keys has signed a receipt, and why.

    False: what is there is false. None: what would prove it is absent, or the key is not known.
    """
    of_log = [key for key in keys if receipt.origin == key.name or receipt.origin.startswith(f"{key.name}/")]
    if not of_log:
        return False, f"it is of another server, {receipt.origin.partition('/')[0]}"
    signed = {(name, key_id) for name, key_id, _ in receipt.signatures}
    if signed & {(key.name, key.id) for key in of_log}:
        return False, "it is not what the key signed that it names"
    if of_log[0].name not in {name for name, _ in signed}:
        return None, "the server's signature is missing: fetch it again"
    return None, f"it is signed with a key that no trusted one endorses: get {KEYS_AT}"


def has_signed(key: Key, text: str, signatures: Iterable[Signature]) -> bool:
    """Return whether a key has signed a text."""
    # Imported only here, because most commands check no signature and the import is slow.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    for name, key_id, value in signatures:
        if (name, key_id) != (key.name, key.id):
            continue
        try:
            Ed25519PublicKey.from_public_bytes(key.public).verify(value, text.encode())
        except InvalidSignature:
            continue
        return True
    return False
