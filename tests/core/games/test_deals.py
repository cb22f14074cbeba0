"""Deals that nobody can choose: seats commit to their entropy before they know that of the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import referee
from tests.support.callers import Caller, Clock, log, play_on
from tests.support.draws import WORDS, checked, committed, hashed, kinds, made, reveal
from tests.support.draws import worker as worker


def test_seats_commit_and_reveal_before_the_deal(host: Caller, four: list[Caller]) -> None:
    game = made(host, [*committed(four[:2]), {"open": True}], entropy="commit", reveal_within="PT10M")
    assert (game["status"], game["dealing"]["reveal_by"], game["dealing"]["seats_to_reveal"]) == (
        "open",
        None,
        [],
    )
    assert reveal(four[0], game, WORDS[0]).status_code == 409, "a seat is still open"
    body = {"invite": game["seats"][2]["invite"], "commitment": hashed(WORDS[2])}
    full = four[2].put(f"/v1/games/{game['id']}/seats/2", body).json
    assert (full["status"], full["view"]) == ("open", None)
    assert full["dealing"]["seats_to_reveal"] == [0, 1, 2]
    assert full["dealing"]["reveal_by"] == "2026-03-01T12:10:00.000000Z"
    for n in (2, 0):
        done = reveal(four[n], game, WORDS[n])
        assert (done.status_code, done.json["entry"]["type"], done.json["game"]["status"]) == (
            201,
            "revealed",
            "open",
        )
    done = reveal(four[1], game, WORDS[1]).json
    assert (done["game"]["status"], done["entry"]["entropy"]) == ("running", WORDS[1])
    assert kinds(host, game) == ["created", *["joined"] * 3, *["revealed"] * 3, "started"]
    play_on(four, done["game"], 2)
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = checked(host, game, page=True)
    assert record["entropy"] == WORDS[:3]
    assert [entry.get("commitment") for entry in record["entries"][1:4]] == list(map(hashed, WORDS[:3]))
    found = {check.name: check.detail for check in referee.verify(record).checks}
    assert "committed" in found["entropy"]
    early = host.get(f"/v1/games/{game['id']}?version=5").json
    assert early["dealing"]["entropy"] == "commit"
    assert early["view"] is None


def test_the_deal_follows_from_what_was_revealed(host: Caller, four: list[Caller]) -> None:
    """The key is computed as in the contract, from the revealed entropy."""
    game = made(host, committed(four[:2]), entropy="commit")
    for n in (0, 1):
        reveal(four[n], game, WORDS[n])
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = checked(host, game)
    key = referee.game_key(bytes.fromhex(record["seed"]), WORDS[:2])
    noted = referee.Noted(key)
    referee.deal("cats_and_dogs", 2, record["options"], noted)
    assert noted.outcomes == record["chance"]


@pytest.mark.parametrize(
    ("seat", "field"),
    [
        ({}, "commitment"),
        ({"entropy": "abc"}, "entropy"),
        ({"commitment": "AB" * 32}, "commitment"),
        ({"commitment": hashed(WORDS[0])}, "commitment"),
    ],
)
def test_an_invalid_commitment_is_refused(
    host: Caller, four: list[Caller], seat: dict[str, Any], field: str
) -> None:
    """Refused are no commitment, entropy itself, other formats, and the commitment of another seat."""
    seats = [*committed(four[:1]), {"player": four[1].player, **seat}]
    answer = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "entropy": "commit"})
    assert answer.status_code == 400
    assert field in json.dumps(answer.json["errors"])
    game = made(host, [*committed(four[:1]), {"open": True}], entropy="commit")
    body = {"invite": game["seats"][1]["invite"], **seat}
    assert four[1].put(f"/v1/games/{game['id']}/seats/1", body).status_code == 400
    guest = {"name": "Gast", **body}
    assert host.post(f"/v1/games/{game['id']}/seats/1/guest", guest).status_code == 400


def test_other_games_take_no_commitment(host: Caller, four: list[Caller]) -> None:
    wanted = {"ruleset": "cats_and_dogs", "seats": [*committed(four[:1]), {"open": True}]}
    assert host.post("/v1/games", wanted).status_code == 400
    assert host.post("/v1/games", {**wanted, "reveal_within": "PT1H"}).status_code == 400
    game = made(host, [{"player": four[0].player}, {"open": True}])
    assert game["dealing"] is None
    assert reveal(four[0], game, "abc").status_code == 409


def test_only_what_was_committed_to_can_be_revealed_once(host: Caller, four: list[Caller]) -> None:
    game = made(host, committed(four[:2]), entropy="commit")
    assert reveal(four[0], game, WORDS[1]).status_code == 400
    assert reveal(four[2], game, WORDS[0]).status_code == 404, "the caller does not play"
    assert reveal(host, game, WORDS[0]).status_code == 400, "an app has to name the seat"
    key = {"Idempotency-Key": "a"}
    path, body = f"/v1/games/{game['id']}/entropy", {"entropy": WORDS[0]}
    first = four[0].post(path, body, headers=key)
    again = four[0].post(path, body, headers=key)
    assert (first.status_code, again.json) == (201, first.json)
    assert reveal(four[0], game, WORDS[0]).status_code == 409
    assert reveal(host, game, WORDS[1], seat=1).json["game"]["status"] == "running", "only for its own seat"
    assert reveal(four[0], game, WORDS[0]).status_code == 409


def test_nobody_can_leave_when_all_seats_are_taken(host: Caller, four: list[Caller]) -> None:
    game = made(host, [*committed(four[:1]), {"open": True}], entropy="commit")
    path = f"/v1/games/{game['id']}/seats"
    body = {"invite": game["seats"][1]["invite"], "commitment": hashed(WORDS[1])}
    assert four[0].delete(f"{path}/0").status_code == 204
    invite = host.get(f"/v1/games/{game['id']}").json["seats"][0]["invite"]
    back = {"invite": invite, "commitment": hashed(WORDS[2])}
    assert four[0].put(f"{path}/0", back).status_code == 200
    assert four[1].put(f"{path}/1", body).status_code == 200
    for caller in (four[0], host):
        assert caller.delete(f"{path}/0").status_code == 409
    for n, words in ((0, WORDS[2]), (1, WORDS[1])):
        assert reveal(four[n], game, words).status_code == 201
    four[0].post(f"/v1/games/{game['id']}/resignation")
    checked(host, game)


@pytest.mark.parametrize("late", ["the worker", "who comes too late", "nobody"])
def test_a_player_who_does_not_reveal_ends_the_game(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], bool], late: str
) -> None:
    """A new seat could choose the deal, so the game is cancelled; the log names who has not revealed."""
    game = made(host, committed(four[:3]), entropy="commit", reveal_within="PT5M")
    reveal(four[1], game, WORDS[1])
    clock.move(minutes=4, seconds=59)
    worker()
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "open"
    if late == "nobody":
        for n in (0, 2):
            assert reveal(four[n], game, WORDS[n]).status_code == 201
        clock.move(minutes=1)
        worker()
        assert host.get(f"/v1/games/{game['id']}").json["status"] == "running"
        return
    clock.move(seconds=1)
    if late == "the worker":
        worker()
    assert reveal(four[0], game, WORDS[0]).status_code == 409
    assert kinds(host, game)[4:] == ["revealed", "forfeited", "forfeited", "cancelled"]
    assert [entry["seat"] for entry in log(host, game)[-3:-1]] == [0, 2]
    worker()
    assert len(log(host, game)) == 8
    shown = host.get(f"/v1/games/{game['id']}").json
    assert (shown["status"], shown["dealing"]["reveal_by"]) == ("cancelled", None)
    checked(host, game, page=True)


def test_bots_have_nothing_to_reveal(host: Caller, four: list[Caller]) -> None:
    game = made(host, [*committed(four[:1]), {"bot": "random"}, {"bot": "random"}], entropy="commit")
    assert game["dealing"]["seats_to_reveal"] == [0]
    assert reveal(four[0], game, WORDS[0]).json["game"]["status"] == "running"
    play_on([four[0]] * 3, host.get(f"/v1/games/{game['id']}").json, 1)
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = checked(host, game)
    assert record["entropy"] == [WORDS[0], "", ""]
    assert made(host, [{"bot": "random"}] * 2, entropy="commit")["status"] == "finished", "only bots"


def test_a_guest_commits_too(host: Caller, four: list[Caller]) -> None:
    game = made(host, [*committed(four[:1]), {"open": True}], entropy="commit")
    body = {"invite": game["seats"][1]["invite"], "name": "Gast", "commitment": hashed(WORDS[1])}
    done = host.post(f"/v1/games/{game['id']}/seats/1/guest", body).json
    assert done["game"]["dealing"]["seats_to_reveal"] == [0, 1]
    guest = Caller(host.app, done["token"])
    reveal(four[0], game, WORDS[0])
    assert reveal(guest, game, WORDS[1]).json["game"]["status"] == "running"


def test_no_rematch_where_seats_commit(host: Caller, four: list[Caller]) -> None:
    game = made(host, committed(four[:2]), entropy="commit")
    for n in (0, 1):
        reveal(four[n], game, WORDS[n])
    four[0].post(f"/v1/games/{game['id']}/resignation")
    assert host.post(f"/v1/games/{game['id']}/rematch").status_code == 409


def test_webhooks_name_who_has_to_reveal(host: Caller, four: list[Caller], clock: Clock, worker: Any) -> None:
    hook = host.post("/v1/webhooks", {"url": "https://192.0.2.7/hook"})
    assert hook.status_code in (201, 400)  # without the reserved addresses for documentation
    if hook.status_code == 400:
        hook = host.post("/v1/webhooks", {"url": "https://93.184.215.14/hook"})
    made(host, [*committed(four[:1]), {"bot": "random"}], entropy="commit", reveal_within="PT5M")
    clock.move(minutes=6)
    worker()
    items = host.get(f"/v1/webhooks/{hook.json['id']}/deliveries").json["items"]
    events = [(one["event"], one["payload"]["data"].get("seat")) for one in reversed(items)]
    assert events == [
        ("game.created", None),
        ("game.joined", 0),
        ("game.joined", 1),
        ("reveal.due", 0),
        ("game.forfeited", 0),
        ("game.cancelled", None),
    ]
    due = next(one["payload"]["data"] for one in items if one["event"] == "reveal.due")
    assert (due["player"], due["deadline"][:19]) == (four[0].player, "2026-03-01T12:05:00")
