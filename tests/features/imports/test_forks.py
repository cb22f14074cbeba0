"""Forks: test games that go on from a moment of a game that is over, marked wherever they are shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

import referee
from api.app import create_app
from api.core.config import Settings
from referee.cli import main
from tests.independent.game import Referee
from tests.independent.verify import verify as verify_apart
from tests.support.bots import play_on as bots_play_on
from tests.support.callers import Caller, Clock, first_move, new_game, play_on
from tests.support.forging import chained_anew
from tests.support.forks import bots, fork, over, record_of, verified
from tests.support.imports import forged
from tests.support.packages import RELEASED
from tests.support.page_verifier import ask, failures

NINE = sorted(rules.ID for rules in referee.newest())
MARK = ("origin", "forked_from")

__all__ = ["over"]  # a fixture


def moves(record: dict[str, Any], version: int) -> list[Any]:
    return [(each["seat"], each["move"]) for each in record["moves"] if each["seq"] <= version]


@pytest.fixture
def apart() -> Iterator[Referee]:
    """The referee of the verifier that shares no code with the service."""
    with closing(Referee()) as command:
        yield command


SHORT = ("bisca", "cats_and_dogs", "dog_cards")


@pytest.mark.parametrize(
    "ruleset",
    [pytest.param(name, marks=[] if name in SHORT else pytest.mark.long) for name in NINE],
)
def test_a_fork_goes_on_to_its_end_and_every_audit_proves_it(
    ruleset: str, host: Caller, workers_database: Any, tmp_path: Path, apart: Referee
) -> None:
    def to_the_end(game: dict[str, Any]) -> dict[str, Any]:
        if ruleset not in ("dog_cards", "palace", "pies"):  # of which games of bots are long
            bots_play_on(host, workers_database, 500, rounds=20)
        else:
            host.post(f"/v1/games/{game['id']}/adjudication", {"winners": [0], "losers": [1]})
        ended: dict[str, Any] = host.get(f"/v1/games/{game['id']}").json
        assert ended["status"] == "finished"
        return ended

    seats = [{"bot": "random"}] * min(referee.find(ruleset).SEATS)
    source = to_the_end(host.post("/v1/games", {"ruleset": ruleset, "seats": seats}).json)
    record = record_of(host, source)
    started = next(entry["seq"] for entry in record["entries"] if entry["type"] == "started")
    moved = [each["seq"] for each in record["moves"]]
    edges = (started, moved[-2]) if ruleset == "cats_and_dogs" else ()  # it has the shortest games
    for version in (moved[len(moved) // 2], *edges):
        made = fork(host, {"game": source["id"]}, version, seats)
        assert made.status_code == 201, made.text
        game = to_the_end(made.json)
        assert [game[name] for name in MARK] == ["forked", {"game": source["id"], "version": version}]
        verified(host, game)
        forked = record_of(host, game)
        before = moves(record, version)
        assert moves(forked, 10_000)[: len(before)] == before
        assert len(forked["moves"]) > len(before)
        assert (forked["seed"], forked["entropy"]) == (record["seed"], record["entropy"])
        file = tmp_path / f"{version}.json"
        file.write_text(json.dumps(forked))
        done = CliRunner().invoke(main, ["verify", str(file)])
        assert done.exit_code == 0, done.output
        assert "NOTE  origin: a fork" in done.output
        assert failures(ask([forked])[0]) == {}
        if ruleset in RELEASED:  # it knows how these are dealt
            assert verify_apart(forked, apart)[0] is None


def test_a_fork_has_the_position_of_its_source(
    host: Caller, four: list[Caller], over: dict[str, Any]
) -> None:
    path, version = f"/v1/games/{over['id']}", over["version"] - 6
    seats = [{"player": four[3].player}, {"open": True}, {"bot": "random"}]
    game = fork(host, {"game": over["id"]}, version, seats, title="What if?", metadata={"a": "b"}).json
    was = four[0].get(f"{path}?version={version}").json
    assert game["to_act"] == was["to_act"]
    for name in ("ruleset", "ruleset_version", "options", "commitment"):
        assert game[name] == over[name]
    assert (game["visibility"], game["title"], game["metadata"]) == ("private", "What if?", {"a": "b"})
    mine, theirs = four[3].get(f"/v1/games/{game['id']}").json["view"], was["view"]
    assert mine["zones"] == theirs["zones"]
    assert [seat["player"] and seat["player"]["id"] for seat in game["seats"]] == [four[3].player, None, None]
    assert not any(seat["open"] or "invite" in seat for seat in game["seats"]), "its seed would tell the code"
    while game["status"] == "running":
        seat = game["to_act"][0]
        mover = four[3] if seat == 0 else host
        moves = host.get(f"/v1/games/{game['id']}/legal-moves?seat={seat}") if seat else None
        move = moves.json["moves"][0] if moves else first_move(four[3], game)
        done = mover.post(f"/v1/games/{game['id']}/moves", {"seat": seat, "move": move})
        assert done.status_code == 201, done.text
        game = done.json["game"]
    verified(host, game)


def test_a_fork_is_marked_wherever_it_is_shown(
    host: Caller, four: list[Caller], over: dict[str, Any], anyone: Caller
) -> None:
    version = over["version"] - 6
    made = fork(host, {"game": over["id"]}, version, bots(over), visibility="public")
    game, path = made.json, f"/v1/games/{made.json['id']}"
    mark = {"origin": "forked", "forked_from": {"game": over["id"], "version": version}, "imported_by": None}
    for shown in (
        game,
        anyone.get(path).json,
        anyone.get(f"{path}?version=6").json,
        anyone.get("/v1/games?visibility=public&origin=forked").json["items"][0],
        anyone.get(f"{path}/events").json,
        anyone.get(f"{path}/record").json,
        verified(anyone, game),
    ):
        assert {name: shown[name] for name in mark} == mark
    created = anyone.get(f"{path}/events").json["items"][0]
    assert {name: created[name] for name in MARK} == {name: mark[name] for name in MARK}
    lines = anyone.get(f"{path}/events", headers={"Accept": "application/x-ndjson"})
    assert lines.headers["Game-Origin"] == "forked"
    report = host.get(f"{path}/dispute-report").text
    assert f"it went on from version <bdi>{version}</bdi> of game <bdi>{over['id']}</bdi>" in report
    for origins, count in (
        ("imported", 0),
        ("dealt", 1),
        ("forked", 1),
        ("dealt,forked", 2),
        ("imported,forked", 1),
    ):
        assert len(host.get(f"/v1/games?origin={origins}").json["items"]) == count, origins
        assert "forked_from" not in host.get(f"/v1/games/{over['id']}").json
    assert len(four[0].get("/v1/games?origin=forked").json["items"]) == 0


def test_a_fork_counts_for_nobody_and_is_in_no_log_of_all_games(
    host: Caller, four: list[Caller], over: dict[str, Any], sql: psycopg.Connection
) -> None:
    before = host.get(f"/v1/players/{four[0].player}/statistics").json
    queued = sql.execute("SELECT count(*) FROM tree_queue").fetchone()
    game = fork(
        host, {"game": over["id"]}, over["version"] - 6, [{"player": p.player} for p in four[:3]]
    ).json
    assert four[0].get("/v1/games?origin=forked").json["items"][0]["id"] == game["id"]
    assert len(game["receipt"].split("\n\n")[0].split("\n")) == 3
    ended = four[0].post(f"/v1/games/{game['id']}/resignation", {"seat": 0})
    assert ended.status_code == 201, ended.text
    assert sql.execute("SELECT count(*) FROM tree_queue").fetchone() == queued
    assert host.get(f"/v1/players/{four[0].player}/statistics").json == before
    assert host.get(f"/v1/games/{game['id']}/inclusion").json["leaves"] == []
    assert "inclusion" not in record_of(host, game)
    assert host.get(f"/v1/games/{game['id']}/bundle").status_code == 200
    again = host.post(f"/v1/games/{game['id']}/rematch")
    assert again.status_code == 409
    verified(host, game)


def test_a_record_is_forked_by_anybody_who_has_it(
    host: Caller, four: list[Caller], over: dict[str, Any], new_key: Callable[..., Caller]
) -> None:
    elsewhere = new_key("elsewhere", "read", "write")
    record, version = record_of(host, over), over["version"] - 6
    assert fork(elsewhere, {"game": over["id"]}, version, bots(over)).status_code == 404, "it is private"
    made = fork(elsewhere, {"record": record}, version, [{"open": True}] * 3)
    assert made.status_code == 201, made.text
    assert made.json["forked_from"] == {"game": over["id"], "version": version}
    text = json.dumps([made.json, log_of(elsewhere, made.json)])
    for player in four[:3]:
        assert str(player.player) not in text, "players of another app are not shown"
    verified(elsewhere, made.json)
    nameless = {name: value for name, value in record.items() if name != "game"}
    assert fork(elsewhere, {"record": nameless}, version, bots(over)).json["forked_from"]["game"] is None
    assert elsewhere.post("/v1/records", record).status_code == 409, (
        "the dealt game is known, whatever was forked"
    )


def log_of(caller: Caller, game: dict[str, Any]) -> Any:
    return caller.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]


def test_a_fork_of_a_record_does_not_keep_it_from_being_imported(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller]
) -> None:
    elsewhere, record = new_key("elsewhere", "read", "write"), forged(four)
    made = fork(elsewhere, {"record": record}, 8, [{"bot": "random"}] * 3)
    assert made.status_code == 201, made.text
    assert host.post("/v1/records", record).status_code == 201
    forked = record_of(elsewhere, elsewhere.get(f"/v1/games/{made.json['id']}").json)
    if forked["seed"] is None:
        elsewhere.post(f"/v1/games/{made.json['id']}/cancellation")
        forked = record_of(elsewhere, made.json)
    refused = host.post("/v1/records", forked)
    assert (refused.status_code, refused.json["detail"]) == (
        422,
        "The game is a fork: tests are not imported.",
    )
    assert fork(elsewhere, {"record": forked}, 8, [{"bot": "random"}] * 3).status_code == 201, (
        "a fork of a fork"
    )


def test_what_cannot_be_forked(host: Caller, four: list[Caller], over: dict[str, Any]) -> None:
    of, seats, version = {"game": over["id"]}, bots(over), over["version"] - 6
    running = new_game(host, four[:3])
    refused = fork(host, {"game": running["id"]}, 5, seats)
    assert refused.status_code == 409
    assert "/v1/referee/samples" in refused.json["detail"]
    assert "What if?" in refused.json["detail"]
    record = record_of(host, running)
    assert fork(host, {"record": record}, 5, seats).status_code == 409
    for place, body in {
        "from.version": {"from": {**of, "version": over["version"]}},
        "from.version ": {"from": {**of, "version": over["version"] - 1}},
        "from.version  ": {"from": {**of, "version": 4}},
        "from.version   ": {"from": {**of, "version": 0}},
        "from.version    ": {"from": of},
        "from": {"from": {"version": 5}},
        "from ": {"from": {**of, "record": record, "version": 5}},
        "seats": {"seats": seats[:2]},
        "seats.0": {"seats": [{}, *seats[1:]]},
        "seats.1": {"seats": [seats[0], {"bot": "random", "open": True}, seats[2]]},
        "seats.0.entropy": {"seats": [{"player": four[0].player, "entropy": "x"}, *seats[1:]]},
        "test": {"test": False},
        "ruleset": {"ruleset": "pies"},
        "pace": {"pace": {"per_move": "P1D"}},
        "visibility": {"visibility": "secret"},
    }.items():
        answer = host.post("/v1/games", {"from": {**of, "version": version}, "seats": seats, **body})
        assert answer.status_code == 400, (place, answer.text)
        assert any(name.startswith(place.strip()) for name in answer.json["errors"]), (place, answer.json)
    unknown = fork(host, of, version, [{"player": "01234567-89ab-7def-8123-456789abcdef"}, *seats[1:]])
    assert (unknown.status_code, [*unknown.json["errors"]]) == (422, ["seats.0.player"])
    assert fork(host, {"game": "01234567-89ab-7def-8123-456789abcdef"}, version, seats).status_code == 404
    assert fork(host, of, version, seats, test=True).status_code == 201
    assert host.post("/v1/games/bulk", {"games": [{"from": of, "seats": seats}]}).status_code == 400


def test_records_with_faults_are_not_forked(host: Caller, over: dict[str, Any]) -> None:
    record, seats = record_of(host, over), bots(over)
    no_log = {name: value for name, value in record.items() if name != "entries"}
    refused = fork(host, {"record": no_log}, 8, seats)
    assert (refused.status_code, [*refused.json["errors"]]) == (400, ["from.record.entries"])
    other = fork(host, {"record": {**record, "ruleset": "unheard"}}, 8, seats)
    assert (other.status_code, [*other.json["errors"]]) == (400, ["from.record.ruleset"])
    false = fork(host, {"record": {**record, "seed": "00" * 32}}, 8, seats)
    assert false.status_code == 422
    unfinished = chained_anew({**record, "entries": record["entries"][:-1], "result": None})
    assert fork(host, {"record": unfinished}, 8, seats).status_code in (409, 422)


def test_an_own_key_repeats_the_same_fork(host: Caller, over: dict[str, Any]) -> None:
    body = {
        "from": {"game": over["id"], "version": over["version"] - 6},
        "seats": bots(over),
        "external_id": "f",
    }
    first, again = (host.post("/v1/games", body, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json == again.json
    assert host.post("/v1/games", body).json["conflicts_with"] == first.json["id"]


def test_moves_that_were_taken_back_are_not_played(host: Caller, four: list[Caller]) -> None:
    game = play_on(four, new_game(host, four[:2], "palace"), 12)
    path = f"/v1/games/{game['id']}"
    for _ in range(30):  # until a move can be taken back: it has shown no card
        mover = four[game["to_act"][0]]
        game = play_on(four, game, 1)
        if mover.post(f"{path}/take-back", {}).status_code == 201:
            break
    other = next(player for player in four[:2] if player != mover)
    before = game["version"] - 1
    assert other.post(f"{path}/take-back/answer", {"agree": True}).status_code == 201
    back = host.get(path).json
    assert back["status"] == "running"
    assert four[0].post(f"{path}/resignation", {}).status_code == 201
    seats = [{"open": True}] * 2
    for version in (before, back["version"]):
        made = fork(host, {"game": game["id"]}, version, seats)
        assert made.status_code == 201, made.text
        assert made.json["to_act"] == host.get(f"{path}?version={version}").json["to_act"]
        verified(host, made.json)
    assert len(moves(record_of(host, made.json), 10_000)) == len(moves(record_of(host, game), 10_000))


def test_a_guest_forks_its_game_against_bots(host: Caller, settings: Settings, clock: Clock) -> None:
    anyone = Caller(create_app(replace(settings, guests=True), clock=clock))
    made = anyone.post("/v1/guests", {"name": "Ida"}).json
    guest = Caller(anyone.app, made["token"], made["player"]["id"])
    own = [{"player": guest.player}, {"bot": "random"}]
    game = guest.post("/v1/games", {"ruleset": "bisca", "seats": own}).json
    guest.post(f"/v1/games/{game['id']}/moves", {"move": first_move(guest, game)})
    version = guest.get(f"/v1/games/{game['id']}").json["version"]
    assert guest.post(f"/v1/games/{game['id']}/resignation", {}).status_code == 201
    of = {"game": game["id"]}
    forked = fork(guest, of, version, own)
    assert forked.status_code == 201, forked.text
    verified(guest, forked.json)
    done = guest.post(f"/v1/games/{forked.json['id']}/moves", {"move": first_move(guest, forked.json)})
    assert done.status_code == 201, done.text
    refused = fork(guest, of, version, [own[0], {"open": True}])
    assert (refused.status_code, [*refused.json["errors"]]) == (400, ["seats.1.open"])
    assert fork(guest, of, version, [own[1], own[1]]).status_code == 403, "nobody could see it"
    assert fork(host, of, version, [own[1], own[1]]).status_code == 404


def test_those_who_may_not_see_a_game_cannot_fork_it(
    host: Caller, four: list[Caller], over: dict[str, Any], anyone: Caller
) -> None:
    of, version = {"game": over["id"]}, over["version"] - 6
    own = [{"player": four[0].player}, {"bot": "random"}, {"bot": "random"}]
    assert fork(anyone, of, version, bots(over)).status_code == 401
    assert fork(four[3], of, version, own).status_code in (403, 404)


def test_a_forged_mark_is_found_by_every_verifier(host: Caller, over: dict[str, Any], apart: Referee) -> None:
    made = fork(host, {"game": over["id"]}, over["version"] - 6, bots(over)).json
    game = host.get(f"/v1/games/{made['id']}").json
    assert game["status"] == "finished"
    record = record_of(host, game)
    first, *others = record["entries"]
    bare = {name: value for name, value in record.items() if name not in MARK}
    begun = {name: value for name, value in first.items() if name not in MARK}
    lies = {
        "dealt": bare,
        "dealt, with its log": chained_anew(deepcopy({**bare, "entries": [begun, *others]})),
        "of another version": {**record, "forked_from": {"game": over["id"], "version": 5}},
        "imported": {**record, "origin": "imported"},
        "from nowhere": {name: value for name, value in record.items() if name != "forked_from"},
        "a log from nowhere": chained_anew(
            deepcopy({**record, "entries": [{n: v for n, v in first.items() if n != "forked_from"}, *others]})
        ),
    }
    assert referee.verify(record).ok, "the lies do not change what they are told of"
    for name, lie in lies.items():
        assert not referee.verify(lie).ok, name
        assert verify_apart(lie, apart)[0] is not None, name
    for name, answer in zip(lies, ask([*lies.values()]), strict=True):
        if name != "dealt, with its log":  # nobody sits there: the page's verifier does not look
            assert failures(answer), name
