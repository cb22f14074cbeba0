"""Encryption of secrets in the database: seeds, hidden cards, webhook secrets, kept responses.

A value is sealed (with AES-256-GCM) for the place where it is stored: the key is derived from the row's id,
and the column and a number are authenticated, so that no value can be moved to another row or column. Values
that were written before there was a key are read as plain text, until `resealing` has sealed them.

Positions and private parts of entries are packed before: they are JSON with much the same members in all
games, so they are compressed with a fixed dictionary of such members, and moves write less WAL. The length of
a sealed value is visible, with or without packing.
"""

from __future__ import annotations

import hmac
import os
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

import psycopg
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MARK = b"\x01"  # no JSON text begins with it
KEY_ID = 4  # bytes that identify the key of a sealed value
NONCE = 12
TAG = 16
OVERHEAD = len(MARK) + KEY_ID + NONCE + TAG
UNKNOWN_KEY = "The database is encrypted with a key that is not among ENCRYPTION_KEYS"
NOT_YET = "ENCRYPTION_KEYS is set, but the database is not encrypted yet; run referee-api migrate with them"
UNREADABLE = "?"  # instead of text that cannot be opened; it is not JSON, so verification reports it


class Undecipherable(Exception):
    """None of our keys opens a value: a key is missing, or the value was moved or changed."""


class WrongKeys(psycopg.OperationalError):
    """The database is not encrypted with a key of this process, which must not use it."""


class SealingKey(NamedTuple):
    """A key, and the first bytes of everything that is sealed with it."""

    secret: bytes
    prefix: bytes


class Cipher:
    """Seals values with the newest key, opens them with any. Without a key, it leaves them as they are."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = {key.prefix: key for key in map(_key, keys)}
        self._newest = next(iter(self._keys.values()), None)

    @property
    def prefix(self) -> bytes | None:
        """Return the first bytes of everything sealed with the newest key; None without a key."""
        return self._newest.prefix if self._newest else None

    @property
    def prefixes(self) -> list[bytes]:
        """Return the names of our keys, with which what they sealed begins."""
        return [*self._keys]

    def knows(self, prefix: bytes) -> bool:
        """Return whether one of our keys made this prefix."""
        return prefix in self._keys

    def refusal(self, prefix: bytes | None) -> str | None:
        """Return why we must not use a database that is sealed with this prefix's key (None: with no key)."""
        if prefix is None:
            return None if self._newest is None else NOT_YET
        return None if self.knows(bytes(prefix)) else UNKNOWN_KEY

    def seal(self, value: bytes, row: bytes, place: bytes) -> bytes:
        """Return the stored form of a value, for this place in this row."""
        if self._newest is None:
            return value
        nonce = os.urandom(NONCE)
        return self._newest.prefix + nonce + _sealer(self._newest.secret, row).encrypt(nonce, value, place)

    def open(self, stored: bytes, row: bytes, place: bytes) -> bytes:
        """Return what was stored in this place of this row. Raises Undecipherable."""
        stored = bytes(stored)
        if not is_sealed(stored):
            return stored
        start = len(MARK) + KEY_ID
        key = self._keys.get(stored[:start])
        if key is None:
            raise Undecipherable("a key that this was sealed with is not among ENCRYPTION_KEYS")
        nonce, sealed = stored[start : start + NONCE], stored[start + NONCE :]
        try:
            return _sealer(key.secret, row).decrypt(nonce, sealed, place)
        except InvalidTag:
            raise Undecipherable("a stored value was changed or moved") from None

    def digest(self, value: bytes) -> bytes:
        """Return a hash by which a value is found again; without our newest key it cannot be guessed."""
        return hmac.digest(self._newest.secret if self._newest else b"", b"digest " + value, "sha256")

    def seal_text(self, value: str | None, row: bytes, place: bytes) -> bytes | None:
        """Return the stored form of a text; None stays None."""
        return None if value is None else self.seal(value.encode(), row, place)

    def open_text(self, stored: bytes | None, row: bytes, place: bytes) -> str | None:
        """Return a stored text, or UNREADABLE if it cannot be opened."""
        try:
            return None if stored is None else self.open(stored, row, place).decode()
        except (Undecipherable, UnicodeDecodeError):
            return UNREADABLE


def is_sealed(stored: bytes) -> bool:
    """Return whether a value is sealed: a plain seed is only 32 bytes long, and text begins differently."""
    return stored[:1] == MARK and len(stored) >= OVERHEAD


def _key(secret: bytes) -> SealingKey:
    return SealingKey(secret, MARK + hmac.digest(secret, b"card-referee key id", "sha256")[:KEY_ID])


@lru_cache(4096)
def _sealer(secret: bytes, row: bytes) -> AESGCM:
    """Return the cipher of one row: with a key for each, many rows cannot make random nonces repeat."""
    return AESGCM(hmac.digest(secret, row, "sha256"))


# Places: what is authenticated with a value besides its row. The place of a position includes the version, so
# that no older position can be put back.
GAME_SEED = b"games.seed"
ANSWER = b"idempotency.body"
INSTALLATION = b"installation.secret"
CONTACT_KEY, CONTACT_EMAIL = b"contacts.key", b"contacts.email"


def position_place(version: int) -> bytes:
    """Return the place of a game's position."""
    return b"games.position:%d" % version


def private_place(seq: int) -> bytes:
    """Return the place of an entry's private part."""
    return b"entries.private:%d" % seq


def snapshot_place(form: int, version: int) -> bytes:
    """Return the place of a game's snapshot."""
    return b"snapshots.state:%d:%d" % (form, version)


def answer_row(owner: UUID, key: UUID) -> bytes:
    """Return the bytes that identify a kept response's row."""
    return owner.bytes + key.bytes


PACKED = b"\x02"  # neither JSON text nor a sealed value begins with it
WINDOW = -12  # raw, and 4 KiB: a position is shorter, and the window is copied each time
# What is packed with this text can only be unpacked with it: another text needs another mark.
MEMBERS = (
    b'"2C","3C","4C","5C","6C","7C","8C","9C","TC","JC","QC","KC","AC","2D","3D","4D","5D","6D","7D","8D","9D",'
    b'"TD","JD","QD","KD","AD","2H","3H","4H","5H","6H","7H","8H","9H","TH","JH","QH","KH","AH","2S","3S","4S",'
    b'"5S","6S","7S","8S","9S","TS","JS","QS","KS","AS"],"C1","C2","C3","C4","C5","C6","C7","C8","C9","D1",'
    b'"D2","D3","D4","D5","D6","D7","D8","D9","options":{"target":12,"move_limit":0,"must_play":true},'
    b'"draw":["table":["played":["discard":[],"pile":[],"removed":[]},"stock":["up.0":["up.1":["up.2":["down.0":['
    b'"down.1":["down.2":["zones":{"hand.0":["hand.1":["hand.2":["hand.3":["trick":[],"won.0":[],"won.1":[],'
    b'"won.2":[],"won.3":[],"out":[]},"facts":{"dealer":0,"turn":0,"turns":1,"trump":null,"attack":null,'
    b'"round":1,"leader":0,"recent":[0,1]},"scores":[0,0,0,0],"result":null}'
    b'{"ruleset":"","version":1,"seats":3,"options":{},"phase":"play","to_act":[0],"zones":{'
)
_packer = zlib.compressobj(3, wbits=WINDOW, memLevel=5, zdict=MEMBERS)


def pack(text: str) -> bytes:
    """Return the packed form of a text."""
    packer = _packer.copy()
    return PACKED + packer.compress(text.encode()) + packer.flush()


def unpack(packed: bytes) -> str:
    """Return the text of a stored value, which may be packed or plain. Raises ValueError."""
    if packed[:1] != PACKED:
        return packed.decode()
    try:
        return zlib.decompressobj(WINDOW, zdict=MEMBERS).decompress(packed[1:]).decode()
    except zlib.error as error:
        raise ValueError("what was kept cannot be unpacked") from error
