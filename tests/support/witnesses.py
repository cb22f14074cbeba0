"""Witnesses for tests, with keys that every run of a test has again."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee.proofs
from tests.servers.serving import TIMEOUT, Server
from witness import state
from witness.state import Signer, State

SIGNERS = [
    Signer(f"witness-{number}.test", Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32))
    for number in (1, 2, 3)
]
VKEYS = [signer.witness.vkey for signer in SIGNERS]


def policy_text(log: str, quorum: int = 2, urls: dict[int, str] | None = None) -> str:
    """Return a policy that trusts the key of a log, and so many of the three witnesses."""
    lines = [
        f"witness w{number} {vkey} {(urls or {}).get(number, '')}" for number, vkey in enumerate(VKEYS, 1)
    ]
    return "\n".join([f"log {log}", *lines, f"group all-three {quorum} w1 w2 w3", "quorum all-three", ""])


def cosigned_by(note: str, *numbers: int, at: int = 1_800_000_000) -> str:
    """Return a checkpoint with the cosignatures of some of the witnesses."""
    return note + "".join(SIGNERS[number - 1].cosign(note, at + number) for number in numbers)


def write_key(folder: Path, number: int) -> None:
    """Give a witness's server its key."""
    folder.mkdir()
    state.write(folder / "key.json", State(SIGNERS[number - 1]))


class Tree:
    """A log in memory, signed with a key of its own, which can be changed at will."""

    def __init__(self, name: str = "log.test", seed: int = 9) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.key = referee.proofs.Key(name, self.private.public_key().public_bytes_raw())
        self.leaves: list[bytes] = []

    def node(self, level: int, index: int) -> bytes:
        if level == 0:
            return referee.proofs.leaf_hash(self.leaves[index])
        return referee.proofs.node_hash(self.node(level - 1, 2 * index), self.node(level - 1, 2 * index + 1))

    def note(self, size: int, origin: str | None = None) -> str:
        """Return the signed checkpoint of the first leaves."""
        text = referee.proofs.checkpoint(
            origin or f"{self.key.name}/games", size, referee.proofs.tree_root(size, self.node)
        )
        return self.sign(text)

    def sign(self, text: str) -> str:
        """Return a signed note."""
        return referee.proofs.signed_note(text, self.key, self.private.sign(text.encode()))


def size_of(server: Server) -> int:
    note = httpx.get(f"{server.url}/v1/log/checkpoint", trust_env=False, timeout=TIMEOUT).text
    return referee.proofs.read_receipt(note).size


def make_games(server: Server, number: int) -> None:
    """Create games, cancel one of them, and wait until the worker has added them to the log."""
    size = size_of(server)
    with httpx.Client(
        base_url=server.url,
        headers={"Authorization": f"Bearer {server.key}"},
        trust_env=False,
        timeout=TIMEOUT,
    ) as client:
        for _ in range(number):
            made = client.post("/v1/games", json={"ruleset": "pies", "seats": [{"open": True}] * 4})
            assert made.status_code == 201, made.text
        assert client.post(f"/v1/games/{made.json()['id']}/cancellation").status_code == 201
    until = time.monotonic() + TIMEOUT
    while size_of(server) < size + number + 1:
        assert time.monotonic() < until
        time.sleep(0.1)
