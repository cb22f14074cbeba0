"""Each seat's share is sealed separately, so a seat can check at once that it sees what was sealed."""

from __future__ import annotations

import copy
import hmac
import json
from hashlib import sha256
from typing import Any

import pytest
import rfc8785

import referee
from tests.support.callers import Caller, first_move, new_game, play_on
from tests.support.forging import bent, chained_anew, failed, places
from tests.support.node import ask, failures


@pytest.fixture
def game(host: Caller, four: list[Caller]) -> Any:
    """Return a running game with hidden hands, cards given face down and a few moves."""
    return play_on(four, new_game(host, four, "dog_cards"), 8)


def record_of(caller: Caller, game: dict[str, Any]) -> dict[str, Any]:
    return caller.get(f"/v1/games/{game['id']}/record").json


def test_a_seat_opens_its_seals_while_the_game_runs(four: list[Caller], game: dict[str, Any]) -> None:
    for seat, player in enumerate(four):
        record = record_of(player, game)
        opened = 0
        for entry in record["entries"]:
            assert ("seals" in entry) == ("sealed" in entry)
            for whose, share in entry.get("private", {}).items():
                assert whose == str(seat)
                assert sha256(rfc8785.dumps(share)).hexdigest() == entry["seals"][whose]
                opened += 1
        assert opened > 1
        report = referee.verify(record)
        assert report.ok
        assert "sealed" not in report.unchecked
        assert failures(*ask([record])) == {}


def test_another_card_than_the_sealed_one_is_found_at_once(four: list[Caller], game: dict[str, Any]) -> None:
    """The server shows a seat other cards than the sealed ones, which the chain alone does not reveal."""
    record = record_of(four[1], game)
    tried = []
    for i, entry in enumerate(record["entries"]):
        for path in places(entry["private"]) if "private" in entry else ():
            other = bent(record, ("entries", i, "private", *path))
            assert failed(other).get("sealed") == i + 1, path
            tried.append((i, other))
    assert len(tried) > 10
    for (i, _), answer in zip(tried, ask([other for _, other in tried]), strict=True):
        assert failures(answer).get("sealed") == i + 1


def test_a_salt_opens_only_one_share(host: Caller, game: dict[str, Any]) -> None:
    """Every salt is different, and follows from the seed by a message that no other salt has."""
    host.post(f"/v1/games/{game['id']}/cancellation")
    record = record_of(host, game)
    seed, salts = bytes.fromhex(record["seed"]), []
    for entry in record["entries"]:
        for seat, share in entry.get("private", {}).items():
            message = b"salt" + entry["seq"].to_bytes(4, "big") + int(seat).to_bytes(4, "big")
            assert share["salt"] == hmac.digest(seed, message, "sha256")[:16].hex()
            salts.append(share["salt"])
    assert len(set(salts)) == len(salts) > 10


def test_spectators_see_no_salt(host: Caller, game: dict[str, Any]) -> None:
    record = record_of(host, game)
    assert any("seals" in entry for entry in record["entries"])
    assert '"salt"' not in json.dumps(record["entries"])
    assert '"salt"' not in host.get(f"/v1/games/{game['id']}/events").text


def test_the_single_seal_of_the_whole_private_part_still_verifies(host: Caller, game: dict[str, Any]) -> None:
    host.post(f"/v1/games/{game['id']}/cancellation")
    record = record_of(host, game)
    seed = bytes.fromhex(record["seed"])
    for entry in record["entries"]:
        if "private" in entry:
            salt = hmac.digest(seed, b"salt" + entry["seq"].to_bytes(4, "big"), "sha256")
            assert entry["sealed"] == sha256(salt + rfc8785.dumps(entry["private"])).hexdigest()
    assert referee.verify(record).ok
    assert failures(*ask([record])) == {}


@pytest.mark.parametrize("forge", ["salt", "seals", "seat"])
def test_forged_seals_are_found_when_the_seed_is_public(
    host: Caller, game: dict[str, Any], forge: str
) -> None:
    host.post(f"/v1/games/{game['id']}/cancellation")
    record = copy.deepcopy(record_of(host, game))
    entry = next(entry for entry in record["entries"] if "private" in entry)
    if forge == "salt":
        next(iter(entry["private"].values()))["salt"] = "00" * 16
    chained_anew(record)
    if forge != "salt":
        seat, seal = next(iter(entry["seals"].items()))
        entry["seals"] = {**entry["seals"], **({seat: "00" * 32} if forge == "seals" else {"9": seal})}
    assert failed(record).get("sealed") == entry["seq"]


def test_a_share_in_an_answer_has_its_salt(four: list[Caller], host: Caller) -> None:
    game = new_game(host, four, "dog_cards")
    mover = four[game["to_act"][0]]
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}).json
    share = done["entry"]["private"][str(game["to_act"][0])]
    seal = done["entry"]["seals"][str(game["to_act"][0])]
    assert sha256(rfc8785.dumps(share)).hexdigest() == seal


def test_nonsense_in_a_private_part_is_reported(host: Caller, game: dict[str, Any]) -> None:
    host.post(f"/v1/games/{game['id']}/cancellation")
    for private in ({"x": {"salt": 1}}, {"-1": {"salt": "00"}}, {"0": 1}, {"99999999999": {"salt": "00"}}):
        record = copy.deepcopy(record_of(host, game))
        entry = next(entry for entry in record["entries"] if "private" in entry)
        entry["private"] = private
        assert failed(record)["sealed"] == entry["seq"]
