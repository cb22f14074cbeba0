"""Reads a server's log of all games: its checkpoint, whether it has only grown, and its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx

import referee

BUNDLE = 256  # entries
TIMEOUT = 30  # seconds


class Broken(Exception):
    """The log is inconsistent; the message says how, and `notes` are the proof."""

    def __init__(self, sentence: str, *notes: str) -> None:
        super().__init__(sentence)
        self.notes = notes


class Log:
    """A server's log of all games, over HTTP. Raises Broken for invalid answers."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url.rstrip("/"), timeout=TIMEOUT, follow_redirects=False)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def checkpoint(self) -> referee.Receipt:
        """Return the newest checkpoint, signed by a key that the server lists."""
        note, keys = self._get("/v1/log/checkpoint").text, self._get("/v1/log-keys").text
        try:
            found = referee.read_receipt(note)
            known = referee.read_keys(keys)
        except referee.Malformed as error:
            raise Broken(f"The checkpoint cannot be read: {error}.", note) from None
        if referee.signer(found, known) is None:
            raise Broken("The checkpoint is signed by none of the server's keys.", note)
        return found

    def require_grown(self, old: referee.Receipt, new: referee.Receipt) -> None:
        """Check that one checkpoint's log is the beginning of the other's. Raises Broken."""
        if old.origin != new.origin:
            raise Broken(f"This is another log: {new.origin}, not {old.origin}.", old.note, new.note)
        if new.size < old.size:
            raise Broken(f"The log has shrunk from {old.size} leaves to {new.size}.", old.note, new.note)
        proof: list[bytes] = []
        if 0 < old.size < new.size:
            answer = self._get(f"/v1/log/proofs/consistency?first={old.size}&second={new.size}").json()
            proof = [bytes.fromhex(text) for text in answer["proof"]]
        if not referee.is_consistent(old.size, new.size, old.root, new.root, proof):
            raise Broken(
                f"The log of {new.size} leaves does not begin with the {old.size} that were here before.",
                old.note,
                new.note,
            )

    def count(self, checkpoint: referee.Receipt) -> Counter[str]:
        """Read all leaves and count them by type. Raises Broken if they lead to a different root."""
        found: Counter[str] = Counter()
        spine: list[tuple[int, bytes]] = []  # the roots of complete subtrees, the largest first
        for data in self._entries(checkpoint.size):
            found[str(referee.parse(data)["type"])] += 1
            level, hash_ = 0, referee.leaf_hash(data)
            while spine and spine[-1][0] == level:
                level, hash_ = level + 1, referee.node_hash(spine.pop()[1], hash_)
            spine.append((level, hash_))
        root = spine.pop()[1] if spine else referee.EMPTY_TREE
        while spine:
            root = referee.node_hash(spine.pop()[1], root)
        if root != checkpoint.root:
            raise Broken("The entries are not those of the checkpoint.", checkpoint.note)
        return found

    def _entries(self, size: int) -> Iterator[bytes]:
        for number in range(-(-size // BUNDLE)):
            width = min(BUNDLE, size - number * BUNDLE)
            partial = "" if width == BUNDLE else f".p/{width}"
            rest = self._get(f"/v1/log/tile/entries/{_place(number)}{partial}").content
            while rest:
                length = int.from_bytes(rest[:2], "big")
                yield rest[2 : 2 + length]
                rest = rest[2 + length :]

    def _get(self, path: str) -> httpx.Response:
        try:
            answer = self._client.get(path)
            answer.raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Broken(f"{path} cannot be fetched: {error}") from None
        return answer


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
