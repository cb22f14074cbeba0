"""Players who sign with their own keys."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
from tests.support.callers import Caller, first_move
from tests.support.forging import chained_anew
from tests.support.node import ask, failures


class Signer:
    """A player who signs, written only from docs/reference/log-format.md."""

    def __init__(self, caller: Caller, number: int = 0) -> None:
        self.caller = caller
        self.key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        self.public = self.key.public_key().public_bytes_raw().hex()

    def sign(self, game: dict[str, Any], kind: str, seat: int, **chosen: Any) -> dict[str, str]:
        action = {"type": kind, "seat": seat, **chosen}
        message = {"action": action, "game": game["commitment"], "previous": game["head"]}
        return {"previous": game["head"], "signature": self.key.sign(rfc8785.dumps(message)).hex()}

    def move(self, game: dict[str, Any], seat: int, move: dict[str, Any] | None = None) -> Any:
        move = move or first_move(self.caller, game)
        body = {"seat": seat, "move": move, "signed": self.sign(game, "moved", seat, move=move)}
        return self.caller.post(f"/v1/games/{game['id']}/moves", body)


@pytest.fixture
def signers(four: list[Caller]) -> list[Signer]:
    return [Signer(caller, number) for number, caller in enumerate(four, 1)]


def keyed(host: Caller, signers: list[Signer], ruleset: str, **more: Any) -> Any:
    """Return a game in which everybody has a key."""
    seats = [{"player": one.caller.player, "public_key": one.public} for one in signers]
    made = host.post("/v1/games", {"ruleset": ruleset, "seats": seats, **more})
    assert made.status_code == 201, made.text
    return made.json


def play(signers: list[Signer], game: dict[str, Any], moves: int) -> Any:
    for _ in range(moves):
        if game["status"] != "running":
            break
        done = signers[game["to_act"][0]].move(game, game["to_act"][0])
        assert done.status_code == 201, done.text
        game = done.json["game"]
    return game


def record_of(caller: Caller, game: dict[str, Any]) -> Any:
    return caller.get(f"/v1/games/{game['id']}/record").json


def holds(record: dict[str, Any], signed: int) -> None:
    """Check that both verifiers accept this number of signatures."""
    report = referee.verify(record)
    assert report.ok, report
    checks = {check.name: check.detail for check in report.checks}
    assert checks["signatures"].startswith(f"{signed} acts of players with keys are signed")
    (answer,) = ask([record])
    assert failures(answer) == {}
    there = {check["name"]: check["detail"] for check in answer["checks"]}
    assert there["signatures"].startswith(f"{signed} acts are signed")


def refused(done: Any, status: int, problem: str) -> bool:
    return (done.status_code, done.json["type"]) == (status, f"/problems/{problem}")


def without(record: dict[str, Any], seq: int, name: str) -> dict[str, Any]:
    other = json.loads(json.dumps(record))
    del other["entries"][seq - 1][name]
    return chained_anew(other)
