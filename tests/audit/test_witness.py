"""`referee witness` against a real server: it cosigns a log that only grows, and no other."""

from __future__ import annotations

import base64
import json
import stat
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.proofs
from referee.proofs.cosigning import cosigned, read_witness
from referee.proofs.receipts import read_receipt
from tests.servers.serving import Server
from tests.support.witnesses import make_games
from witness.cli import main
from witness.watching import _place


def witness(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `referee witness WORDS` in this process and return its output and status."""
    done = CliRunner().invoke(main, ["witness", *map(str, words)], prog_name="referee")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def test_a_log_that_grows_is_cosigned(server: Server, tmp_path: Path) -> None:
    state = tmp_path / "witness.json"
    sizes = []
    for _ in range(3):
        before = int(time.time())
        make_games(server, 3)
        done = witness(server.url, "--state", state, "--name", "example.org/witness")
        assert done.returncode == 0, done.stderr
        known = json.loads(state.read_text())
        assert done.stdout.startswith(known["checkpoint"])
        found = cosigned(read_receipt(done.stdout), read_witness(known["vkey"]))
        assert found is not None
        at = found[0]
        assert before <= at <= time.time()
        assert known["vkey"].startswith("example.org/witness+")
        sizes.append(read_receipt(done.stdout).size)
    assert sizes == sorted(set(sizes))
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    changed = done.stdout.replace(f"\n{sizes[-1]}\n", f"\n{sizes[-1] + 1}\n")
    assert cosigned(read_receipt(changed), read_witness(known["vkey"])) is None


def test_everything_is_counted(server: Server, tmp_path: Path) -> None:
    make_games(server, 2)
    found = [json.loads(witness(server.url, "--state", tmp_path / "w", "--count").stderr)]
    make_games(server, 5)
    found.append(json.loads(witness(server.url, "--state", tmp_path / "w", "--count").stderr))
    grown = Counter(found[1])
    grown.subtract(found[0])
    assert grown == {"created": 5, "cancelled": 1, "finished": 0, "unfinished": 4}


@pytest.mark.parametrize("change", ["root", "size", "origin"])
def test_a_log_that_contradicts_the_known_one_is_not_cosigned(
    server: Server, tmp_path: Path, change: str
) -> None:
    make_games(server, 2)
    state = tmp_path / "witness.json"
    assert witness(server.url, "--state", state).returncode == 0
    known: dict[str, Any] = json.loads(state.read_text())
    lines = known["checkpoint"].split("\n")
    if change == "root":  # as if another tree of that size had been signed before
        lines[2] = base64.b64encode(referee.proofs.leaf_hash(b"other")).decode()
    elif change == "size":
        lines[1] = str(int(lines[1]) + 1_000_000)
    else:
        lines[0] = "elsewhere/games"
    state.write_text(json.dumps({**known, "checkpoint": "\n".join(lines)}))
    before = state.read_text()
    if change == "root":
        make_games(server, 1)
    done = witness(server.url, "--state", state)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("FAIL")
    assert "Traceback" not in done.stderr
    assert state.read_text() == before
    assert "\n".join(lines) in (tmp_path / "witness.json.conflict").read_text()


def test_an_invalid_log_is_reported_in_one_sentence(tmp_path: Path) -> None:
    done = witness("http://127.0.0.1:1", "--state", tmp_path / "w")
    assert done.returncode == 1
    assert "cannot be fetched" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "w").write_text("[]")
    assert witness("http://127.0.0.1:1", "--state", tmp_path / "w").returncode == 2


def test_paths_of_tiles_with_large_numbers() -> None:
    assert [_place(n) for n in (0, 67, 999, 1000, 1234067)] == [
        "000",
        "067",
        "999",
        "x001/000",
        "x001/x234/067",
    ]


# --- against a log that lies ------------------------------------------------------------------------


class Liar:
    """A log of all games, served from memory, that can be changed at will."""

    def __init__(self) -> None:
        self.private = Ed25519PrivateKey.generate()
        self.leaves = [b'{"type":"created"}']
        self.proof: bytes | None = None
        liar = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = liar.answer(self.path)
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def key(self) -> referee.proofs.Key:
        return referee.proofs.Key("liar", self.private.public_key().public_bytes_raw())

    def node(self, level: int, index: int) -> bytes:
        if level == 0:
            return referee.proofs.leaf_hash(self.leaves[index])
        return referee.proofs.node_hash(self.node(level - 1, 2 * index), self.node(level - 1, 2 * index + 1))

    def answer(self, path: str) -> bytes:
        size = len(self.leaves)
        if path == "/v1/log/checkpoint":
            text = referee.proofs.checkpoint("liar/games", size, referee.proofs.tree_root(size, self.node))
            return referee.proofs.signed_note(text, self.key, self.private.sign(text.encode())).encode()
        if path == "/v1/log-keys":
            return json.dumps({"items": [{"vkey": self.key.vkey}]}).encode()
        if path.startswith("/v1/log/tile/entries"):
            return b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in self.leaves)
        if self.proof is not None:
            return self.proof
        first, second = (int(part.partition("=")[2]) for part in path.partition("?")[2].split("&"))
        proof = referee.proofs.prove_consistency(first, second, self.node)
        return json.dumps({"proof": [hash_.hex() for hash_ in proof]}).encode()


@pytest.fixture
def liar() -> Iterator[Liar]:
    found = Liar()
    yield found
    found.server.shutdown()
    found.server.server_close()


def test_evidence_is_never_overwritten(liar: Liar, tmp_path: Path) -> None:
    state = tmp_path / "w"
    assert witness(liar.url, "--state", state).returncode == 0
    for n in range(2):
        liar.leaves = [b'{"type":"other %d"}' % n]
        for _ in range(2):  # the same evidence is kept once
            assert witness(liar.url, "--state", state).returncode == 1
    kept = [(tmp_path / name).read_text() for name in ("w.conflict", "w.conflict-2")]
    assert len(set(kept)) == 2
    assert not (tmp_path / "w.conflict-3").exists()


def test_only_two_trees_of_one_size_are_called_a_proof(liar: Liar, tmp_path: Path) -> None:
    state = tmp_path / "w"
    liar.leaves *= 2
    assert witness(liar.url, "--state", state).returncode == 0
    liar.leaves = [b'{"type":"other"}'] * 2
    assert "proves it" in witness(liar.url, "--state", state).stderr
    for leaves in ([b'{"type":"other"}'] * 3, [b'{"type":"other"}']):
        liar.leaves = leaves
        done = witness(liar.url, "--state", state)
        assert done.returncode == 1
        assert "no proof for others" in done.stderr


def test_another_key_of_the_same_name_is_noticed(liar: Liar, tmp_path: Path) -> None:
    state = tmp_path / "w"
    assert witness(liar.url, "--state", state).returncode == 0
    first = json.loads(state.read_text())
    assert first["keys"] == [liar.key.vkey]
    liar.private = Ed25519PrivateKey.generate()
    liar.leaves += [b'{"type":"created"}']
    done = witness(liar.url, "--state", state)
    assert (done.returncode, done.stdout) == (1, "")
    assert liar.key.vkey in done.stderr
    assert json.loads(state.read_text()) == first
    assert witness(liar.url, "--state", state, "--key", liar.key.vkey).returncode == 0
    assert witness(liar.url, "--state", state).returncode == 0
    assert json.loads(state.read_text())["keys"] == [*first["keys"], liar.key.vkey]
    assert witness(liar.url, "--state", state, "--key", "nonsense").returncode == 2


def test_the_state_of_an_earlier_release_is_pinned_to_the_key_that_it_knew(
    liar: Liar, tmp_path: Path
) -> None:
    state = tmp_path / "w"
    assert witness(liar.url, "--state", state).returncode == 0
    known = json.loads(state.read_text())
    del known["keys"]
    state.write_text(json.dumps(known))
    private, liar.private = liar.private, Ed25519PrivateKey.generate()
    assert witness(liar.url, "--state", state).returncode == 1
    liar.private = private
    assert witness(liar.url, "--state", state).returncode == 0
    assert json.loads(state.read_text())["keys"] == [liar.key.vkey]


@pytest.mark.parametrize("leaf", [b"", b"nonsense", b"[]", b"{}", b'"text"', b"\xff"])
def test_garbage_in_the_log_is_a_sentence(liar: Liar, tmp_path: Path, leaf: bytes) -> None:
    liar.leaves.append(leaf)
    done = witness(liar.url, "--state", tmp_path / "w", "--count")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("FAIL")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("proof", [b"nonsense", b"[]", b"{}", b'{"proof": [1]}', b'{"proof": ["zz"]}'])
def test_a_proof_that_cannot_be_read_is_a_sentence(liar: Liar, tmp_path: Path, proof: bytes) -> None:
    assert witness(liar.url, "--state", tmp_path / "w").returncode == 0
    liar.leaves += liar.leaves
    liar.proof = proof
    done = witness(liar.url, "--state", tmp_path / "w")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


@pytest.mark.long  # reads as much as a witness is willing to
def test_an_answer_without_an_end_is_not_read_to_its_end(liar: Liar, tmp_path: Path) -> None:
    assert witness(liar.url, "--state", tmp_path / "w").returncode == 0
    liar.leaves += liar.leaves
    liar.proof = b" " * (1 << 26)
    done = witness(liar.url, "--state", tmp_path / "w")
    assert done.returncode == 1
    assert "longer than" in done.stderr
