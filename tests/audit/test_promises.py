"""Promises of inclusion: with one receipt, everybody can prove that a server has left a game out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.proofs
from api.games.receipts import DELAY
from referee.proofs.policy import read_policy
from referee.proofs.promises import check_omission, omission, promise_of
from referee.verification.forks import compare
from tests.servers.commands import run
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.honest import honest
from tests.support.witnesses import Tree, cosigned_by, policy_text

GAME = "0195f000-0000-7000-8000-000000000001"
MINE, OTHER = "ab" * 32, "cd" * 32
BY = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_receipt_of_a_new_game_promises_its_leaf(
    host: Caller, anyone: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2])
    receipt = referee.proofs.read_receipt(game["receipt"])
    keys = referee.proofs.read_keys(anyone.get("/v1/log-keys").text)
    assert referee.proofs.signer(receipt, keys)
    promise = promise_of(receipt)
    assert promise is not None
    assert promise.commitment == game["commitment"]
    created = host.get(f"/v1/games/{game['id']}/events?limit=1").json["items"][0]
    assert promise.by == datetime.fromisoformat(created["at"]) + DELAY
    mover = four[game["to_act"][0]]
    moved = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}).json
    assert promise_of(referee.proofs.read_receipt(moved["receipt"])) is None  # moves are many


def leaf(commitment: str) -> bytes:
    entry = {"at": "2025-12-31T00:00:00.000000Z", "type": "created", "seq": 1}
    return referee.proofs.leaf(entry, commitment, "00" * 32)


@pytest.fixture
def tree() -> Tree:
    made = Tree()
    made.leaves = [leaf(OTHER)] * 3
    return made


def proof_of(tree: Tree, at: datetime = BY + timedelta(hours=1), by: datetime = BY) -> dict[str, Any]:
    """Return the proof that a game is not among the leaves of a tree that two witnesses saw at a time."""
    line = referee.proofs.promise_line(MINE, by)
    receipt = tree.sign(referee.proofs.checkpoint(f"{tree.key.name}/{GAME}", 1, bytes(32), line))
    note = cosigned_by(tree.note(len(tree.leaves)), 1, 2, at=int(at.timestamp()))
    leaves = [data.decode() for data in tree.leaves]
    return omission(referee.proofs.read_receipt(receipt), referee.proofs.read_receipt(note), leaves)


def test_an_omitted_game_is_proved(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "proof.json").write_text(json.dumps(proof_of(tree)))
    (tmp_path / "policy").write_text(policy_text(tree.key.vkey))
    done = run("verify", str(tmp_path / "proof.json"), "--policy", str(tmp_path / "policy"))
    assert done.returncode == 0, done.stderr
    assert "witnesses saw the log without it" in done.stdout
    assert GAME in done.stdout


def test_a_promise_must_be_of_the_game_and_of_the_day(tree: Tree) -> None:
    record = honest(1, most=3)
    created = record["entries"][0]
    at = datetime.fromisoformat(created["at"])
    assert record["origin"] == "dealt"
    assert "test_clock" not in record

    def verdict(commitment: str, by: datetime) -> bool | None:
        line = referee.proofs.promise_line(commitment, by)
        origin = f"{tree.key.name}/{record['game']}"
        note = tree.sign(referee.proofs.checkpoint(origin, 1, bytes.fromhex(created["hash"]), line))
        ((_, ok, _),) = compare(record, [referee.proofs.read_receipt(note)], [tree.key])
        return ok

    assert verdict(created["commitment"], at + DELAY)
    assert verdict(OTHER, at + DELAY) is False
    assert verdict(created["commitment"], at + DELAY + timedelta(hours=1)) is False


def test_nothing_less_accuses_a_server(tree: Tree) -> None:
    policy = read_policy(policy_text(tree.key.vkey))
    assert check_omission(proof_of(tree), policy)
    kept = Tree()
    kept.leaves = [*tree.leaves, leaf(MINE)]
    early = proof_of(tree, at=BY - timedelta(hours=1))
    just = proof_of(tree, at=BY - timedelta(seconds=2))  # the second witness signs two seconds after that
    fewer = {**proof_of(tree), "leaves": proof_of(tree)["leaves"][1:]}
    another = {**proof_of(kept), "leaves": [*proof_of(tree)["leaves"], leaf("ef" * 32).decode()]}
    unpromised = {**proof_of(tree)}
    unpromised["receipt"] = tree.sign(referee.proofs.checkpoint(f"{tree.key.name}/{GAME}", 1, bytes(32)))
    unwitnessed = {**proof_of(tree), "checkpoint": tree.note(3)}
    for wrong in (proof_of(kept), early, just, fewer, another, unpromised, unwitnessed, None, {}):
        with pytest.raises(referee.Malformed):
            check_omission(wrong, policy)
    stranger = Tree(seed=8)
    stranger.leaves = tree.leaves
    with pytest.raises(referee.Malformed):
        check_omission(proof_of(stranger), policy)
    with pytest.raises(referee.Malformed):
        check_omission(proof_of(tree), read_policy(f"log {tree.key.vkey}\nquorum none"))
