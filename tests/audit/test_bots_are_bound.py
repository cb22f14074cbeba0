"""Nobody can choose a bot's moves: they follow from the game's key and the entry's number."""

from __future__ import annotations

import copy
import hmac
from typing import Any

import pytest

import referee
import referee.verification
from tests.support.callers import Caller, Clock, first_move
from tests.support.forging import chained_anew


def game_key(record: dict[str, Any]) -> bytes:
    """Compute the game's key as the contract defines it."""
    given = b"".join(bytes([len(text.encode())]) + text.encode() for text in record["entropy"])
    return hmac.digest(bytes.fromhex(record["seed"]), b"card-referee/1" + given, "sha256")


def number(key: bytes, word: bytes, *places: int) -> int:
    message = word + b"".join(place.to_bytes(4, "big") for place in places)
    return int.from_bytes(hmac.digest(key, message, "sha256"), "big")


def played(host: Caller, *bots: str, ruleset: str = "cats_and_dogs") -> dict[str, Any]:
    """Return a game of these bots, finished or, if it would take long, cancelled."""
    game = host.post("/v1/games", {"ruleset": ruleset, "seats": [{"bot": bot} for bot in bots]}).json
    if game["status"] == "running":
        assert host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    return host.get(f"/v1/games/{game['id']}/record").json


def replayed(record: dict[str, Any]) -> Any:
    """Yield each `moved` entry of a log without take-backs, with the position before it."""
    log = iter([entry for entry in record["entries"] if entry["type"] == "moved"])
    walk = referee.steps(referee.read_record(record))
    state = next(walk).state
    for entry in log:
        yield entry, state
        next(walk)


@pytest.mark.parametrize(("ruleset", "seats"), [("cats_and_dogs", 3), ("bisca", 2)])
def test_random_bots_choose_the_move_that_the_key_determines(host: Caller, ruleset: str, seats: int) -> None:
    record = played(host, *["random"] * seats, ruleset=ruleset)
    key, seen = game_key(record), 0
    for entry, state in replayed(record):
        moves = referee.legal_moves(state, entry["seat"])
        assert entry["bot"] == "random"
        assert record["moves"][seen]["move"] == moves[number(key, b"bot", entry["seq"], 0) % len(moves)]
        seen += 1
    assert seen > 20


def test_a_bots_move_that_somebody_chose_is_found(host: Caller) -> None:
    """The operator makes another legal move for a bot and rebuilds all later hashes."""
    record = played(host, "random", "random", "random")
    assert referee.verify(record).ok
    found = 0
    for n, (entry, state) in enumerate(replayed(record)):
        moves = list(referee.legal_moves(state, entry["seat"]))
        others = [move for move in moves if move != record["moves"][n]["move"]]
        if not others:
            continue
        other = copy.deepcopy(record)
        other["entries"][entry["seq"] - 1]["move"] = other["moves"][n]["move"] = others[0]
        checks = {check.name: check for check in referee.verify(chained_anew(other)).checks}
        assert (checks["bots"].ok, checks["bots"].seq) == (False, entry["seq"])
        found += 1
    assert found > 20


def test_a_thinking_bot_is_bound_as_well(host: Caller) -> None:
    game = host.post("/v1/games", {"ruleset": "bisca", "seats": [{"bot": "cautious"}] * 2}).json
    assert game["version"] > 6
    host.post(f"/v1/games/{game['id']}/cancellation")
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert {check.name for check in referee.verify(record).checks if check.ok} >= {"bots", "verdicts"}
    for n, (entry, state) in enumerate(replayed(record)):
        moves = list(referee.legal_moves(state, entry["seat"]))
        if len(moves) < 2:
            continue
        other = copy.deepcopy(record)
        move = next(move for move in moves if move != record["moves"][n]["move"])
        other["entries"][entry["seq"] - 1]["move"] = other["moves"][n]["move"] = move
        del other["moves"][n + 1 :]
        other["entries"][entry["seq"] :] = []
        failed = [check.name for check in referee.verify(chained_anew(other)).checks if not check.ok]
        assert "bots" in failed
        break


def test_the_service_verifies_its_bots(host: Caller) -> None:
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}).json
    checks = host.get(f"/v1/games/{game['id']}/verification").json["checks"]
    assert {"name": "bots", "ok": True, "detail": referee.verification.CHECKS["bots"], "seq": None} in checks


def test_a_bot_of_another_service_is_not_judged(host: Caller) -> None:
    record = played(host, "random", "random", "random")
    for entry in record["entries"]:
        if entry.get("bot"):
            entry["bot"] = "clever"
    report = referee.verify(chained_anew(record))
    assert report.ok
    assert "bots" in report.unchecked


def test_the_move_for_a_late_seat_follows_from_the_key_too(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    pace = {"per_move": "PT1H", "on_timeout": "random_move"}
    seats = [{"player": player.player} for player in four[:3]]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": pace}).json
    path = f"/v1/games/{game['id']}"
    for _ in range(8):
        clock.move(hours=2)
        host.post(f"{path}/messages", {"text": "Tick."})  # acting settles the clocks
    game = host.get(path).json
    mover = four[game["to_act"][0]]
    mover.post(f"{path}/moves", {"move": first_move(mover, game)})
    host.post(f"{path}/cancellation")
    record = host.get(f"{path}/record").json
    key, forced = game_key(record), 0
    for n, (entry, state) in enumerate(replayed(record)):
        if not entry.get("random"):
            continue
        moves = referee.legal_moves(state, entry["seat"])
        assert record["moves"][n]["move"] == moves[number(key, b"timeout", entry["seq"]) % len(moves)]
        forced += 1
    assert forced >= 8


def test_a_move_marked_as_forced_for_a_seat_that_has_none_is_found(host: Caller) -> None:
    """No verifier crashes because of it."""
    record = played(host, "random", "random", "random")
    for entry in record["entries"]:
        if entry["type"] == "moved":
            entry["random"] = True
            entry["seat"] = (entry["seat"] + 1) % 3
    assert "clocks" in {check.name for check in referee.verify(chained_anew(record)).checks if not check.ok}
