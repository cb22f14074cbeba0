"""Reads a server's log of all games: its checkpoint, whether it has only grown, and its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import requests
from urllib3.exceptions import HTTPError

import referee
import referee.proofs
import referee.records
from referee.proofs.merkle import root_of_leaves

BUNDLE = 256  # entries
TIMEOUT = 30  # seconds
PIECE = 1 << 16  # bytes
MOST = 1 << 25  # bytes of an answer: a bundle of entries has at most half of this
UNREADABLE = (referee.Malformed, ValueError, KeyError, TypeError)


class Broken(Exception):
    """The log is inconsistent; the message says how, and `notes` are the server's words for it."""

    def __init__(self, sentence: str, *notes: str) -> None:
        super().__init__(sentence)
        self.notes = notes


class Forked(Broken):
    """The server has signed two trees of the same size: the notes prove it to everybody who has its key."""


class Log:
    """A server's log of all games, over HTTP. Raises Broken for invalid answers."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._session = requests.Session()

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def checkpoint(self) -> tuple[referee.proofs.Receipt, list[referee.proofs.Key]]:
        """Return the newest checkpoint, signed by a key that the server lists, and all keys that it lists."""
        note, keys = (
            self._get("/v1/log/checkpoint").decode(errors="replace"),
            self._get("/v1/log-keys").decode(errors="replace"),
        )
        try:
            found = referee.proofs.read_receipt(note)
            known = referee.proofs.read_keys(keys)
        except referee.Malformed as error:
            raise Broken(f"The checkpoint cannot be read: {error}.", note) from None
        if referee.proofs.signer(found, known) is None:
            raise Broken("The checkpoint is signed by none of the server's keys.", note)
        return found, known

    def keys(self) -> bytes:
        """Return all keys that the server lists, as it lists them. Raises Broken."""
        return self._get("/v1/log-keys")

    def require_grown(
        self,
        old: referee.proofs.Receipt,
        new: referee.proofs.Receipt,
        keys: Sequence[referee.proofs.Key] = (),
    ) -> None:
        """Check that one checkpoint's log is the beginning of the other's. Raises Broken.

        Raises Forked if both are of the same size, and signed with these keys.
        """
        if old.origin != new.origin:
            raise Broken(f"This is another log: {new.origin}, not {old.origin}.", old.note, new.note)
        if new.size < old.size:
            raise Broken(f"The log has shrunk from {old.size} leaves to {new.size}.", old.note, new.note)
        proof = self.consistency(old.size, new.size) if 0 < old.size < new.size else []
        if (
            old.size == new.size
            and old.root != new.root
            and all(referee.proofs.signer(note, keys) for note in (old, new))
        ):
            raise Forked(f"Two different logs of {new.size} leaves were signed.", old.note, new.note)
        if not referee.proofs.is_consistent(old.size, new.size, old.root, new.root, proof):
            raise Broken(
                f"The log of {new.size} leaves does not begin with the {old.size} that were here before.",
                old.note,
                new.note,
                "\n".join(hash_.hex() for hash_ in proof),
            )

    def consistency(self, first: int, second: int) -> list[bytes]:
        """Return the server's proof that one tree is the beginning of another, unchecked. Raises Broken."""
        answer = self._get(f"/v1/log/proofs/consistency?first={first}&second={second}")
        try:
            return [bytes.fromhex(text) for text in referee.records.parse(answer)["proof"]]
        except UNREADABLE:
            raise Broken("The server's proof cannot be read.", answer.decode(errors="replace")) from None

    def publish(self, note: referee.proofs.Receipt) -> None:
        """Send cosignatures of a checkpoint to its server. Raises Broken if it accepts none."""
        try:
            answer = self._session.put(
                f"{self._url}/v1/log/cosignatures",
                json={"checkpoint": note.note},
                timeout=TIMEOUT,
                allow_redirects=False,
            )
            _require_success(answer)
        except requests.RequestException as error:
            raise Broken(f"The server does not accept the cosignatures: {error}") from None

    def count(self, checkpoint: referee.proofs.Receipt) -> Counter[str]:
        """Read all leaves and count them by type. Raises Broken if they lead to a different root."""
        found: Counter[str] = Counter()

        def count(data: bytes) -> None:
            try:
                found[str(referee.records.parse(data)["type"])] += 1
            except UNREADABLE:
                raise Broken(
                    f"Entry {found.total()} is no leaf of a log of games.", checkpoint.note
                ) from None

        self.read(checkpoint, count)
        return found

    def read(self, checkpoint: referee.proofs.Receipt, see: Callable[[bytes], None]) -> None:
        """Call a function with each leaf of a checkpoint. Raises Broken if they lead to a different root."""

        def hashed(data: bytes) -> bytes:
            see(data)
            return referee.proofs.leaf_hash(data)

        if root_of_leaves(map(hashed, self._entries(checkpoint.size))) != checkpoint.root:
            raise Broken("The entries are not those of the checkpoint.", checkpoint.note)

    def _entries(self, size: int) -> Iterator[bytes]:
        for number in range(-(-size // BUNDLE)):
            width = min(BUNDLE, size - number * BUNDLE)
            partial = "" if width == BUNDLE else f".p/{width}"
            rest = self._get(f"/v1/log/tile/entries/{_place(number)}{partial}")
            while rest:
                length = int.from_bytes(rest[:2], "big")
                yield rest[2 : 2 + length]
                rest = rest[2 + length :]

    def _get(self, path: str) -> bytes:
        """Return an answer's body, as far as it may be long. Raises Broken."""
        body = b""
        try:
            with self._session.get(
                self._url + path,
                headers={"Accept-Encoding": "identity"},
                timeout=TIMEOUT,
                allow_redirects=False,
                stream=True,
            ) as answer:
                _require_success(answer)
                for piece in answer.raw.stream(PIECE, decode_content=False):
                    body += piece
                    if len(body) > MOST:
                        raise Broken(f"{path} cannot be fetched: it is longer than {MOST} bytes")
        except (requests.RequestException, HTTPError) as error:
            raise Broken(f"{path} cannot be fetched: {error}") from None
        return body


def _require_success(answer: requests.Response) -> None:
    """Raise HTTPError for every status but those of success; a redirect is none."""
    answer.raise_for_status()
    if answer.status_code >= 300:
        raise requests.HTTPError(f"the answer is a redirect ({answer.status_code})")


def _place(number: int) -> str:
    """Return a tile's number in groups of three digits, as tlog-tiles defines it."""
    digits = f"{number:03}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *before, last = [digits[n : n + 3] for n in range(0, len(digits), 3)]
    return "/".join([*(f"x{group}" for group in before), last])


def counted(found: Counter[str]) -> dict[str, Any]:
    """Count the games that were created, and how they ended."""
    ends = {kind: found[kind] for kind in ("finished", "cancelled")}
    return {"created": found["created"], **ends, "unfinished": found["created"] - sum(ends.values())}
