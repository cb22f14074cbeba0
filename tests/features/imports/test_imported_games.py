"""Imported games are marked wherever they are shown, and never look as if they were dealt here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest

import referee
from api.core.config import Settings
from api.features import opened
from api.store import removal
from referee.computer.playout import playout
from tests.support.callers import Caller, new_game, play_on
from tests.support.forging import chained_anew
from tests.support.honest import honest
from tests.support.imports import forged
from tests.support.node import ask, failures


def record_of(caller: Caller, game: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = caller.get(f"/v1/games/{game['id']}/record").json
    return found


def failed(caller: Caller, game: dict[str, Any]) -> list[str]:
    checks = caller.get(f"/v1/games/{game['id']}/verification").json["checks"]
    return [check["name"] for check in checks if not check["ok"]]


@pytest.fixture
def elsewhere(new_key: Callable[..., Caller]) -> Caller:
    return new_key("elsewhere", "read", "write")


def test_an_import_is_marked_wherever_it_is_shown(
    elsewhere: Caller, four: list[Caller], anyone: Caller
) -> None:
    record = forged(four)
    done = elsewhere.post("/v1/records?visibility=public", record)
    assert done.status_code == 201, done.text
    game, path = done.json, f"/v1/games/{done.json['id']}"
    by = {"id": elsewhere.get("/v1/me").json["app"]["id"], "name": "elsewhere"}
    mark = {"origin": "imported", "imported_by": by}
    for caller in (elsewhere, four[0], anyone):
        shown = [
            caller.get(path).json,
            caller.get(f"{path}?version=6").json,
            caller.get("/v1/games?visibility=public").json["items"][0],
            caller.get(f"{path}/events").json,
            caller.get(f"{path}/record").json,
            caller.get(f"{path}/verification").json,
        ]
        for answer in [game, *shown]:
            assert {name: answer[name] for name in mark} == mark
        assert caller.get(f"{path}/events").headers["Game-Origin"] == "imported"
    assert record_of(anyone, game)["entries"] == record["entries"], "the log is unchanged"
    assert referee.verify(record_of(anyone, game)).ok
    verified = anyone.get(f"{path}/verification").json
    assert verified["ok"]
    details = {check["name"]: check["detail"] for check in verified["checks"]}
    assert "was not dealt here" in details["commitment"]
    assert elsewhere.get("/v1/games?visibility=public&origin=dealt").json["items"] == []


def test_a_game_dealt_here_says_so(host: Caller, four: list[Caller]) -> None:
    game = play_on(four, new_game(host, four[:2]), 3)
    path = f"/v1/games/{game['id']}"
    for answer in (
        game,
        *(host.get(path + tail).json for tail in ("", "/record", "/verification")),
    ):
        assert (answer["origin"], answer["imported_by"]) == ("dealt", None)
    assert host.get(f"{path}/events").headers["Game-Origin"] == "dealt"


def test_players_of_other_apps_are_only_names(elsewhere: Caller, four: list[Caller], host: Caller) -> None:
    """In a false resignation, invented by another app, players are not linked, and nobody acts as them."""
    game = elsewhere.post("/v1/records", forged(four)).json
    path = f"/v1/games/{game['id']}"
    for shown in (game, elsewhere.get(path).json, elsewhere.get(f"{path}?version=6").json):
        assert [(seat["player"], seat.get("name")) for seat in shown["seats"]] == [
            (None, "Anna"),
            (None, "Ben"),
            (None, "Cleo"),
        ]
        assert not any(seat["open"] for seat in shown["seats"])
    said = elsewhere.post(f"{path}/messages", {"text": "I give up", "seat": 1})
    assert said.status_code == 403
    assert four[1].get(path).status_code == 404, "private by default"
    assert four[1].get("/v1/games").json["items"] == []
    assert host.get(f"/v1/games?player={four[1].player}").json["items"] == []
    assert elsewhere.get(f"/v1/games?player={four[1].player}").json["items"] == []
    assert failed(elsewhere, game) == []


def test_nobody_learns_the_id_of_a_stranger_who_held_a_seat_before(elsewhere: Caller) -> None:
    """In the app of the game it is told who held a seat; elsewhere that player is nobody."""
    handed_over = 0
    for number in range(60):
        record = honest(number, "cats_and_dogs")
        left = [
            entry["player"]["id"]
            for entry in record["entries"]
            if entry["type"] == "left" and entry["player"]
        ]
        if not left or record["seed"] is None:
            continue
        game = elsewhere.post("/v1/records", record)
        if game.status_code != 201:
            continue
        handed_over += 1
        path = f"/v1/games/{game.json['id']}"
        for shown in (game.json, elsewhere.get(path).json, elsewhere.get(f"{path}?version=12").json):
            assert not [player for player in left if player in str(shown["seats"])]
    assert handed_over > 2


def test_a_player_of_the_importing_app_stays_a_player(host: Caller, four: list[Caller]) -> None:
    game = host.post("/v1/records", forged(four)).json
    assert [seat["player"]["id"] for seat in game["seats"]] == [player.player for player in four[:3]]
    mine = four[1].get("/v1/games").json["items"]
    assert [(found["id"], found["origin"]) for found in mine] == [(game["id"], "imported")]


def test_who_was_erased_does_not_come_back_with_an_old_record(
    host: Caller, four: list[Caller], settings: Settings
) -> None:
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    for player in four[:2]:
        assert player.post(f"{path}/messages", {"text": f"I am {player.player}"}).status_code == 201
    four[0].post(f"{path}/resignation")
    old = record_of(host, game)
    assert host.delete(f"/v1/players/{four[0].player}").status_code == 204
    with opened(settings.for_owner()) as context:
        removal.delete_games(context.session, [UUID(game["id"])])
    done = host.post("/v1/records", old)
    assert done.status_code == 201, done.text
    back = record_of(host, done.json)
    assert [seat["player"] and seat["player"]["id"] for seat in done.json["seats"]] == [
        None, four[1].player, four[2].player,
    ]  # fmt: skip
    assert done.json["seats"][0]["name"] == "erased person"
    texts = [entry.get("private") for entry in back["entries"] if entry["type"] == "said"]
    assert f"I am {four[0].player}" not in str(texts)
    assert f"I am {four[1].player}" in str(texts)
    assert set(old["names"]) - set(back["names"]) == {"2"}
    assert failed(host, done.json) == []
    assert referee.verify(back).ok


def test_an_import_is_private_by_default(elsewhere: Caller, four: list[Caller], anyone: Caller) -> None:
    record = forged(four)
    assert record["entries"][0]["visibility"] == "public"
    game = elsewhere.post("/v1/records", record).json
    assert game["visibility"] == "private"
    assert anyone.get(f"/v1/games/{game['id']}").status_code == 404
    assert elsewhere.post("/v1/records?visibility=everyone", record).status_code == 400


def test_a_commitment_is_imported_once(
    host: Caller, four: list[Caller], elsewhere: Caller, sql: psycopg.Connection
) -> None:
    """A game that was dealt here or imported already cannot be imported again or changed."""
    dealt = record_of(host, play_on(four, new_game(host, four[:3])))
    without = {
        name: value for name, value in dealt.items() if name not in ("entries", "chance", "commitment")
    }
    off = {"type": "cancelled"}
    shorter = {**without, "moves": without["moves"][:-2], "result": None, "ended": off}
    for caller in (host, elsewhere):
        for record in (dealt, without, shorter):
            refused = caller.post("/v1/records", record)
            assert (refused.status_code, refused.json["type"]) == (409, "/problems/commitment-known"), (
                refused.text
            )
            in_the_way = dealt["game"] if caller is host else None  # another app's game stays unknown
            assert refused.json["conflicts_with"] == in_the_way
    brought = {**playout("cats_and_dogs", 3, {}, b"\x01" * 32, 10), "ended": off}
    first = elsewhere.post("/v1/records", brought)
    assert first.status_code == 201
    assert host.post("/v1/records", brought).status_code == 409
    assert elsewhere.post("/v1/records", {**brought, "moves": brought["moves"][:-1]}).status_code == 409
    again = elsewhere.post("/v1/records", brought)
    assert (again.status_code, again.json["id"]) == (200, first.json["id"])
    waiting = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}).json
    seed = sql.execute("SELECT encode(seed, 'hex') FROM games WHERE id = %s", (waiting["id"],)).fetchone()
    assert seed is not None
    if referee.commitment(bytes.fromhex(seed[0])) == waiting["commitment"]:
        stolen = {**playout("cats_and_dogs", 2, {}, bytes.fromhex(seed[0]), 5), "ended": off}
        assert elsewhere.post("/v1/records", stolen).status_code == 409


def test_nobody_acts_for_an_open_seat(host: Caller, four: list[Caller]) -> None:
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 3}).json
    path = f"/v1/games/{game['id']}"
    assert host.post(f"{path}/messages", {"text": "Hello", "seat": 1}).status_code == 403
    assert host.post(f"{path}/messages", {"text": "Hello"}).status_code == 201
    assert host.put(f"{path}/seats/1", {"player": four[0].player}).status_code == 200
    assert host.post(f"{path}/messages", {"text": "Hello", "seat": 1}).status_code == 201
    assert failed(host, game) == []


def test_a_running_game_is_not_imported(elsewhere: Caller, four: list[Caller]) -> None:
    """Neither with its log nor without: another server could not tell its players."""
    for record in (forged(four, most=4, end=None), playout("cats_and_dogs", 3, {}, b"\x01" * 32, 4)):
        refused = elsewhere.post("/v1/records", record)
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/invalid-record")
        assert "only finished and cancelled games" in refused.json["detail"]
    assert elsewhere.get("/v1/games").json["items"] == []


@pytest.mark.parametrize("end", ["resigned", "timed_out"])
def test_an_imported_game_names_its_importer(elsewhere: Caller, end: str) -> None:
    record = {**playout("cats_and_dogs", 3, {}, b"\x01" * 32, 4), "ended": {"type": end, "seat": 1}}
    record["result"] = {"winners": [0, 2], "losers": [1], "reason": end}
    game = elsewhere.post("/v1/records", record).json
    assert (game["status"], game["result"]) == ("finished", record["result"])
    out = record_of(elsewhere, game)
    me = elsewhere.get("/v1/me").json["app"]
    assert out["entries"][0]["imported_by"] == {"id": me["id"], "name": "elsewhere"}
    assert failed(elsewhere, game) == []
    assert referee.verify(out).ok, referee.verify(out)
    assert failures(ask([out])[0]) == {}
    for origin in ({"origin": "dealt", "imported_by": None}, {"origin": "dealt"}, {"origin": "x"}, {}):
        other = {name: out[name] for name in out if name not in ("origin", "imported_by")} | origin
        assert not referee.verify(other).ok, origin
        assert "terms" in failures(ask([other])[0]), origin


def test_members_that_nobody_checks_are_refused(host: Caller, four: list[Caller]) -> None:
    """Unknown members of a record are refused, but a log is stored as it is."""
    record = forged(four)
    record["entries"][3]["rating"] = 2200
    refused = host.post("/v1/records", chained_anew(record))
    assert refused.status_code == 422
    assert [check["name"] for check in refused.json["checks"]] == ["members"]


def test_a_record_that_is_here_already_is_not_new_in_a_repeat_either(
    elsewhere: Caller, four: list[Caller]
) -> None:
    record, key = forged(four), {"Idempotency-Key": "one"}
    new = [elsewhere.post("/v1/records", record, headers=key) for _ in range(2)]
    assert [each.status_code for each in new] == [201, 201]
    assert new[1].headers["Idempotency-Replayed"] == "true"
    known = [elsewhere.post("/v1/records", record, headers={"Idempotency-Key": "two"}) for _ in range(2)]
    assert [each.status_code for each in known] == [200, 200]
    assert {each.json["id"] for each in (*new, *known)} == {new[0].json["id"]}
    used = elsewhere.post("/v1/records?visibility=public", record, headers=key)
    assert (used.status_code, used.json["type"]) == (422, "/problems/idempotency-key-reused")
