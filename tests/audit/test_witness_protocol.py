"""C2SP's tlog-witness: our witness answers as the protocol says, and our log gets cosignatures of others."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import referee
import referee.proofs
from referee.proofs.cosigning import cosigned
from referee.proofs.policy import read_logs
from tests.servers.serving import TIMEOUT, Server, free_port
from tests.support.witnesses import SIGNERS, VKEYS, Tree, make_games, policy_text, write_key
from witness.protocol import Answer, WitnessOfLogs

NOW = 1_800_000_000


class Submitted:
    """A log in memory and a witness of it, which is asked directly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = Tree()
        self.tree.leaves = [b"leaf %d" % number for number in range(20)]
        self.witness = WitnessOfLogs(folder, SIGNERS[0], [self.tree.key])

    def ask(self, old: int, size: int, note: str | None = None, proof: list[bytes] | None = None) -> Answer:
        """Send a checkpoint; by default with its own note and the right proof."""
        if proof is None:
            proof = referee.proofs.prove_consistency(old, size, self.tree.node) if 0 < old <= size else []
        lines = "".join(f"{base64.b64encode(hash_).decode()}\n" for hash_ in proof)
        return self.send(f"old {old}\n{lines}\n{note or self.tree.note(size)}")

    def send(self, body: str) -> Answer:
        return self.witness.add_checkpoint(body.encode(), lambda: NOW)

    @property
    def evidence(self) -> list[str]:
        return [file.read_text() for file in sorted(self.folder.glob("*.conflict*"))]


@pytest.fixture
def log(tmp_path: Path) -> Submitted:
    return Submitted(tmp_path)


def test_a_log_that_grows_is_cosigned(log: Submitted) -> None:
    old = 0
    for size in (0, 3, 3, 4, 15, 20):
        answer = log.ask(old, size)
        assert (answer.status, answer.kind) == (200, "text/plain; charset=utf-8")
        note = referee.proofs.read_receipt(log.tree.note(size) + answer.body)
        assert cosigned(note, SIGNERS[0].witness) == (NOW, answer.body)
        old = size
    assert log.evidence == []


def test_a_wrong_old_size_is_answered_with_the_right_one(log: Submitted) -> None:
    log.ask(0, 7)
    for old in (0, 5):
        assert log.ask(old, 9) == Answer(409, "7\n", "text/x.tlog.size")
    assert log.ask(7, 9).status == 200


def test_another_tree_is_never_cosigned(log: Submitted) -> None:
    log.ask(0, 7)
    log.tree.leaves[3] = b"another"
    assert log.ask(7, 9).status == 422
    assert log.ask(7, 9, proof=[]).status == 422
    assert log.ask(7, 7).status == 409
    assert log.ask(0, 7).status == 409
    (proof,) = log.evidence  # once
    assert proof.count("log.test/games\n7\n") == 2
    log.tree.leaves[4] = b"a third one"
    log.ask(7, 7)
    assert len(log.evidence) == 2  # and nothing was overwritten


def test_only_the_logs_own_keys_and_trees_count(log: Submitted) -> None:
    assert log.ask(0, 3, note=Tree("other.test").note(0)).status == 404
    stranger = Tree(seed=8)
    stranger.leaves = log.tree.leaves
    assert log.ask(0, 3, note=stranger.note(3)).status == 403
    receipt = log.tree.note(3, origin="log.test/0195f000-0000-7000-8000-000000000001")
    assert log.ask(0, 3, note=receipt).status == 404


@pytest.mark.parametrize(
    "body",
    [
        "",
        "old\n\n",
        "old 1\n\n",
        "old 01\n\n{}",
        "old -1\n\n{}",
        "old 4\n\n{}",
        "old 0\nAAAA\n\n{}",
        "old 0\n!\n\n{}",
        "old 0\n" + "A" * 43 + "=\n" * 64 + "\n{}",
        "new 0\n\n{}",
        "old 0\n{}",
    ],
)
def test_what_cannot_be_read_is_refused(log: Submitted, body: str) -> None:
    assert log.send(body.replace("{}", log.tree.note(3))).status == 400
    assert [*log.folder.glob("*.json")] == []


# --- over the network, with a real server ---


@pytest.fixture
def witness_url(server: Server, tmp_path: Path) -> Iterator[str]:
    """Run `referee witness-server` for the server's log."""
    write_key(tmp_path / "state", 1)
    vkey = httpx.get(f"{server.url}/v1/log-keys", trust_env=False).json()["items"][0]["vkey"]
    (tmp_path / "logs").write_text(f"log {vkey}\nquorum none\n")
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "witness.cli", "witness-server", "--listen", address]
    command += ["--state", str(tmp_path / "state"), "--policy", str(tmp_path / "logs")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield _ready(f"http://{address}")
        finally:
            process.terminate()


def _ready(url: str) -> str:
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        try:
            assert httpx.post(f"{url}/add-checkpoint", content=b"", trust_env=False).status_code == 400
            return url
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("the witness does not start")


def test_a_servers_checkpoint_gets_the_cosignature_of_a_witness(
    server: Server, witness_url: str, tmp_path: Path
) -> None:
    vkey = httpx.get(f"{server.url}/v1/log-keys", trust_env=False).json()["items"][0]["vkey"]
    make_games(server, 1)
    (tmp_path / "policy").write_text(policy_text(vkey, quorum=1, urls={1: witness_url}))
    command = [sys.executable, "-m", "witness.cli", "cosign", server.url]
    command += ["--policy", str(tmp_path / "policy")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    shown = httpx.get(f"{server.url}/v1/log/checkpoint?cosigned=1", trust_env=False).text
    assert cosigned(referee.proofs.read_receipt(shown), SIGNERS[0].witness) is not None
    (tmp_path / "policy").write_text(policy_text(vkey, quorum=2, urls={1: witness_url}))
    assert subprocess.run(command, capture_output=True, timeout=TIMEOUT).returncode == 1
    assert VKEYS[0].startswith("witness-1.test+")


def test_a_witness_follows_an_endorsed_key_and_no_other(log: Submitted) -> None:
    assert log.ask(0, 3).status == 200
    old, log.tree.private = log.tree, Tree(seed=10).private
    new = old.key._replace(public=log.tree.private.public_key().public_bytes_raw())
    endorsement = old.sign(
        referee.proofs.succession(old.key, new)
    )  # by the new key: nobody trusted endorses it
    old.key, pinned = new, old.key
    refused = log.ask(3, 7)
    assert refused.status == 403
    assert "add the new key to the policy" in refused.body

    def listed(note: str) -> bytes:
        return json.dumps([{"vkey": new.vkey, "endorsement": note}, {"vkey": pinned.vkey}]).encode()

    assert log.witness.add_keys(listed(endorsement)).body.startswith("0 ")
    assert log.ask(3, 7).status == 403
    text = referee.proofs.succession(pinned, new)
    good = referee.proofs.signed_note(text, pinned, Tree().private.sign(text.encode()))
    assert log.witness.add_keys(listed(good)).body.startswith("1 ")
    assert log.ask(3, 7).status == 200
    assert WitnessOfLogs(log.folder, SIGNERS[0], [pinned]).add_keys(listed(good)).body.startswith("0 ")
    assert log.witness.add_keys(b"nonsense").status == 400


def test_a_witness_needs_only_the_keys_of_logs() -> None:
    text = f"# ours\nlog {Tree().key.vkey} https://cards.example.org\n"
    assert read_logs(text) == (Tree().key,)
    assert read_logs(policy_text(Tree().key.vkey)) == (Tree().key,)
