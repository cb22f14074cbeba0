"""Export and import of records: the bytes stay the same, and records that do not verify are refused."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine

import referee
import referee.records
import referee.verification
from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings
from api.run.embedded.postgres import Postgres
from referee.computer.playout import playout
from tests.referee.logged import logged
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.databases import addresses
from tests.support.forging import chained_anew
from tests.support.node import ask, failures


def record_of(caller: Caller, game: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = caller.get(f"/v1/games/{game['id']}/record").json
    return found


def stored_games(sql: psycopg.Connection) -> Any:
    return sql.execute("SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM entries)").fetchone()


@pytest.fixture
def elsewhere(new_key: Callable[..., Caller]) -> Caller:
    """Return an app without any games."""
    return new_key("elsewhere", "read", "write")


@pytest.fixture
def other_server(administrator: psycopg.Connection, postgres: Postgres) -> Iterator[Caller]:
    """Return an app of another installation with a database of its own."""
    administrator.execute("DROP DATABASE IF EXISTS empty_installation WITH (FORCE)")
    administrator.execute("CREATE DATABASE empty_installation TEMPLATE migrated")
    empty = addresses(postgres, "empty_installation")
    other = create_app(empty)
    engine = create_engine(empty.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "new", ["read", "write"], None)
    engine.dispose()
    yield Caller(other, key)
    other.extensions["card_referee"].database.close()
    administrator.execute("DROP DATABASE empty_installation WITH (FORCE)")


def same_except_origin(out: Any, again: Any) -> bool:
    """Return whether an exported record equals the imported one byte for byte, except for its origin."""
    came = {**again.json, "origin": "dealt", "imported_by": None, "game": out.json["game"]}
    return bool(came == out.json and list(came) == list(out.json))


@pytest.mark.parametrize("ruleset", ["cats_and_dogs", "dog_cards", "truco"])
def test_export_import_and_export_again_gives_the_same_bytes(
    ruleset: str, host: Caller, four: list[Caller], other_server: Caller
) -> None:
    options = {"turn_limit": 5} if ruleset == "dog_cards" else {}
    seats = [{"player": player.player, "entropy": "é" * n} for n, player in enumerate(four)]
    game = host.post("/v1/games", {"ruleset": ruleset, "options": options, "seats": seats}).json
    host.post(f"/v1/games/{game['id']}/messages", {"text": "Hello 😀", "seat": 2})
    game = play_on(four, game)
    out = four[1].get(f"/v1/games/{game['id']}/record")
    checks = referee.verification.CHECKS.items()
    every = [referee.verification.Check(name, True, what) for name, what in checks]
    scores = game["view"]["scores"]
    assert referee.verify(out.json) == referee.verification.Report(every, {}, scores=scores)
    assert failures(ask([out.json])[0]) == {}
    brought = other_server("POST", "/v1/records", data=out.data, headers={"Content-Type": "application/json"})
    assert brought.status_code == 201, brought.text
    path = brought.headers["Location"]
    assert path == f"/v1/games/{brought.json['id']}"
    assert brought.json["id"] != game["id"]
    assert brought.json["view"] == host.get(f"/v1/games/{game['id']}").json["view"]
    for name in ("status", "version", "result", "options", "commitment", "to_act"):
        assert brought.json[name] == game[name], name
    assert same_except_origin(out, other_server.get(f"{path}/record"))
    assert other_server.get(f"{path}/verification").json["ok"]
    middle = game["version"] // 2
    before = host.get(f"/v1/games/{game['id']}?version={middle}").json
    assert other_server.get(f"{path}?version={middle}").json["view"] == before["view"]
    again = other_server("POST", "/v1/records", data=out.data, headers={"Content-Type": "application/json"})
    assert (again.status_code, again.json["id"]) == (200, brought.json["id"])
    assert four[0].get(path).status_code == 404


def test_resigned_and_cancelled_games_are_imported(
    host: Caller, four: list[Caller], other_server: Caller
) -> None:
    for end in ("resignation", None):
        game = play_on(four, new_game(host, four[:2]), 3)
        path = f"/v1/games/{game['id']}"
        done = four[0].post(f"{path}/resignation") if end else host.post(f"{path}/cancellation")
        assert done.status_code in (200, 201, 204), done.text
        record = record_of(host, game)
        assert record["ended"]["type"] == ("resigned" if end else "cancelled")
        assert record["seed"] is not None
        brought = other_server.post("/v1/records", record)
        assert brought.status_code == 201, brought.text
        assert brought.json["status"] == ("finished" if end else "cancelled")
        again = record_of(other_server, brought.json)
        assert {**again, "origin": "dealt", "imported_by": None, "game": record["game"]} == record
        assert other_server.get(f"/v1/games/{brought.json['id']}/verification").json["ok"]


def test_an_eventful_game_is_imported(
    host: Caller, four: list[Caller], new_player: Callable[[str], Caller], other_server: Caller, clock: Clock
) -> None:
    """Its log has a vacation, a take-back, a seat that was handed over, and a time-out that ends the game."""
    pace = {"per_move": "PT72H", "on_timeout": "resign", "vacation_days": 5, "reserve": "PT1H"}
    game = new_game(host, four, ruleset="pedro", pace=pace)
    path = f"/v1/games/{game['id']}"
    game = play_on(four, game, 2)
    asker = next(e["seat"] for e in reversed(record_of(host, game)["entries"]) if e["type"] == "moved")
    assert four[asker].post(f"{path}/take-back").status_code == 201
    for seat in range(4):
        if seat != asker:
            four[seat].post(f"{path}/take-back/answer", {"agree": True})
    waiting = host.get(path).json["to_act"][0]
    assert four[waiting].post(f"{path}/vacation", {"days": 2}).status_code == 201
    eve = new_player("Eve")
    assert host.put(f"{path}/seats/3/player", {"player": eve.player}).status_code == 200
    four[3] = eve
    play_on(four, host.get(path).json, 3)
    clock.move(days=30)
    late = host.get(path).json
    late_mover = four[late["to_act"][0]]
    late_mover.post(f"{path}/moves", {"move": {"type": "pass"}})
    assert host.get(path).json["status"] == "finished"
    out = host.get(f"{path}/record")
    kinds = {entry["type"] for entry in out.json["entries"]}
    assert {"taken_back", "left", "timed_out", "finished"} <= kinds
    assert out.json["ended"]["type"] == "timed_out"
    assert referee.verify(out.json).ok
    assert failures(ask([out.json])[0]) == {}
    brought = other_server("POST", "/v1/records", data=out.data, headers={"Content-Type": "application/json"})
    assert brought.status_code == 201, brought.text
    there = f"/v1/games/{brought.json['id']}"
    mark = {name: brought.json[name] for name in ("origin", "imported_by")}
    assert same_except_origin(out, other_server.get(f"{there}/record"))
    assert other_server.get(f"{there}/verification").json["ok"]
    for version in range(1, brought.json["version"] + 1):
        now, then = (
            caller.get(f"{at}?version={version}").json for caller, at in ((host, path), (other_server, there))
        )
        for seat in now["seats"]:
            if seat["player"]:
                seat.update(name=seat["player"]["name"], player=None)
            seat.pop("previous", None)  # a stranger there
        if version == brought.json["version"]:  # remaining reserves and days off are not stored
            now["seats"] = then["seats"] = None
        for seat in (*(now["seats"] or ()), *(then["seats"] or ())):
            seat.pop("join_url", None)
        unlike = {"id": None, "receipt": None, "join_url": None}  # a receipt and a link name the game
        assert {**now, **mark, **unlike} == {**then, **unlike}, version


@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_records_without_a_log_are_imported(game: Any, elsewhere: Caller, sql: psycopg.Connection) -> None:
    record = playout(game.ID, game.SEATS[-1], {}, b"\x07" * 32, 60)
    over = record["result"] is not None
    if not over:
        refused = elsewhere.post("/v1/records", record)
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/invalid-record")
        assert "only finished and cancelled games" in refused.json["detail"]
        record["ended"] = {"type": "cancelled"}
    brought = elsewhere.post("/v1/records", record)
    assert brought.status_code == 201, brought.text
    assert brought.json["status"] == ("finished" if over else "cancelled")
    out = record_of(elsewhere, brought.json)
    assert elsewhere.get(f"/v1/games/{brought.json['id']}/verification").json["ok"]
    assert [seat["player"] for seat in brought.json["seats"]] == [None] * game.SEATS[-1]
    if over:
        assert referee.verify(out).ok
        assert [{"seat": made["seat"], "move": made["move"]} for made in out["moves"]] == record["moves"]
    before = stored_games(sql)
    same = {**record, "made_by": "somebody", "seed": record["seed"].upper()}
    for again in (record, same, *([out] if over else [])):
        repeated = elsewhere.post("/v1/records", again)
        assert (repeated.status_code, repeated.json["id"]) == (200, brought.json["id"])
    assert stored_games(sql) == before


def test_a_record_is_imported_once(elsewhere: Caller, sql: psycopg.Connection) -> None:
    record = playout("cats_and_dogs", 5, {}, b"\x02" * 32, 1000)
    answers: list[Any] = []

    def bring() -> None:
        answers.append(elsewhere.post("/v1/records", record))

    threads = [threading.Thread(target=bring) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.json["id"] for answer in answers}) == 1
    assert stored_games(sql)[0] == 1


@pytest.fixture
def whole() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(json.dumps(logged("cats_and_dogs", 3, number=15)))
    for entry in record["entries"]:
        if isinstance(entry.get("player"), dict):
            entry["player"]["id"] = f"0195f000-0000-7000-8000-00000000000{entry['seat']}"
        if entry["type"] == "joined":
            entry["bot"] = None
    return chained_anew(record)


def test_an_illegal_move_is_refused_with_its_rule(
    whole: Any, elsewhere: Caller, sql: psycopg.Connection
) -> None:
    moved = next(entry for entry in whole["entries"] if entry["type"] == "moved")
    moved["move"]["card"] = whole["moves"][0]["move"]["card"] = "C0"
    without = {name: value for name, value in whole.items() if name != "entries"}
    for record, seq in ((chained_anew(whole), moved["seq"]), (without, None)):
        refused = elsewhere.post("/v1/records", record)
        assert refused.status_code == 422
        assert refused.json["type"] == "/problems/illegal-move"
        assert refused.json["verdict"]["rule"] == "common.not_held"
        assert refused.json["seq"] == seq
        assert refused.json["refused"]["n"] == 1
    assert stored_games(sql) == (0, 0)


def tampered(whole: dict[str, Any]) -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Return (the check that fails, at which entry, the record)."""
    last = len(whole["entries"])

    def copied() -> dict[str, Any]:
        return copy.deepcopy(whole)

    record = copied()
    record["entries"][6]["at"] = "2026-01-02T03:00:08.000000Z"
    yield "chain", 7, record
    record = copied()
    record["entries"].pop()
    yield "order", last - 1, record
    record = copied()
    record["seed"] = "00" * 32
    yield "commitment", 1, record
    record = copied()
    record["result"]["winners"] = [0, 1, 2]
    yield "result", last, record
    record = copied()
    record["entries"][4]["private"]["0"]["transfers"][0]["cards"].reverse()
    yield "shuffles", 5, chained_anew(record)
    record = copied()
    record["names"]["3"]["name"] = "Another"
    yield "sealed", 3, record
    record = copied()
    record["names"]["1"] = record["names"]["3"]
    yield "members", None, record
    record = copied()
    record["entries"][2]["player"]["name"] = "Anna"
    yield "members", 3, chained_anew(record)
    record = copied()
    record["entries"][2]["player"]["id"] = "me"
    yield "seats", 8, chained_anew(record)
    record = copied()
    record["entries"][0]["visibility"] = "secret"
    yield "members", 1, chained_anew(record)
    record = copied()
    record["entries"][0]["pace"] = {"per_move": 5}
    yield "clocks", 1, chained_anew(record)
    record = copied()
    record["entries"][5]["private"]["all"]["text"] = "x" * 2001
    yield "order", 6, chained_anew(record)
    record = copied()
    record["entries"][5]["private"]["all"]["text"] = {"html": "<b>"}
    yield "members", 6, chained_anew(record)
    record = copied()
    record["entries"][5]["text"] = "Hello"
    yield "members", 6, chained_anew(record)
    record = copied()
    record["entries"][5]["private"] = {"0": {"secret": 1}}
    yield "sealed", 6, chained_anew(record)
    record = copied()
    record["entries"][5]["more"] = "anything"
    yield "members", 6, chained_anew(record)
    record = copied()
    record["entries"][-1]["at"] = "2026-02-30T00:00:00Z"
    yield "times", last, chained_anew(record)
    record = copied()
    del record["entries"][1]["bot"]
    yield "members", 2, chained_anew(record)
    record = copied()
    record["entries"] = record["entries"][:5]
    record["moves"], record["result"] = [], None
    record["chance"] = record["chance"][:2]
    record["entries"].append({**whole["entries"][-1], "type": "vanished"})
    yield "order", 6, chained_anew(record)


def test_a_record_that_does_not_verify_is_refused_completely(
    whole: Any, elsewhere: Caller, sql: psycopg.Connection
) -> None:
    count = 0
    for name, seq, record in tampered(whole):
        refused = elsewhere.post("/v1/records", record)
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/invalid-record"), (name, seq)
        found = {check["name"]: check["seq"] for check in refused.json["checks"]}
        assert found.get(name) == seq, (name, seq, found)
        assert refused.json["seq"] == min(found.values(), key=lambda at: at or 0)
        count += 1
    assert count > 12
    assert stored_games(sql) == (0, 0)
    assert elsewhere.post("/v1/records", whole).status_code == 201


def mistyped(whole: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return records with a value that is equal to the right one in Python, but of another type."""
    for winners in ([False], [0.0]):
        record = copy.deepcopy(whole)
        record["result"]["winners"] = record["entries"][-1]["result"]["winners"] = winners
        yield "result", chained_anew(record)
        record = copy.deepcopy(whole)
        record["result"]["winners"] = winners
        del record["entries"]
        yield "result", record
    scored = next(i for i, entry in enumerate(whole["entries"]) if entry["type"] == "moved")
    for name, value in (("scores", [False, False, False]), ("won_by", True), ("seat", 0.0)):
        record = copy.deepcopy(whole)
        record["entries"][scored][name] = value
        yield name, chained_anew(record)
    for name, value in (("seq", "7"), ("at", 5)):
        record = copy.deepcopy(whole)
        record["entries"][scored][name] = value
        yield name, chained_anew(record)
    record = copy.deepcopy(whole)
    record["chance"][0]["pick"] = float(record["chance"][0]["pick"])
    yield "chance", record
    record = copy.deepcopy(whole)
    record["moves"][0]["seq"] = float(scored + 1)
    yield "moves", record


def test_a_record_with_values_of_other_types_is_refused(
    whole: Any, elsewhere: Caller, sql: psycopg.Connection
) -> None:
    for name, record in mistyped(whole):
        refused = elsewhere.post("/v1/records", record)
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/invalid-record"), name
        details = " ".join(check["detail"] + check["name"] for check in refused.json["checks"])
        assert f"`{name}`" in details, (name, details)
    assert stored_games(sql) == (0, 0)


def test_a_body_that_is_not_a_record_is_malformed(
    whole: Any, elsewhere: Caller, host: Caller, four: list[Caller]
) -> None:
    running = record_of(host, play_on(four, new_game(host, four[:3]), 4))
    assert elsewhere.post("/v1/records", running).json["errors"].keys() == {"seed"}
    for record in (
        {},
        {**whole, "format": "card-referee/9"},
        {**whole, "ruleset": "chess"},
        {**whole, "version": 7},
        {**whole, "seats": 9},
        {**whole, "options": {"x": 1}},
        {**whole, "entries": {}},
        {**whole, "moves": 3},
        {**whole, "entropy": ["x" * 65, "", ""]},
        {**whole, "ended": "soon"},
    ):
        refused = elsewhere.post("/v1/records", record)
        assert (refused.status_code, refused.json["type"]) == (400, "/problems/malformed-request"), (
            refused.text
        )
    unbegun = {**whole, "entries": whole["entries"][:4], "moves": [], "result": None}
    del unbegun["chance"]
    assert elsewhere.post("/v1/records", unbegun).json["type"] == "/problems/invalid-record"


def test_who_may_import_records(whole: Any, host: Caller, four: list[Caller], anyone: Caller) -> None:
    assert anyone.post("/v1/records", whole).status_code == 401
    assert four[0].post("/v1/records", whole).status_code == 403
    assert host.post("/v1/records", whole).status_code == 201


def test_the_size_limit_of_records(settings: Settings, clock: Clock, elsewhere: Caller) -> None:
    """Other bodies are limited to 256 KiB; a record may have 16 MiB."""
    record = playout("cats_and_dogs", 2, {}, b"\x03" * 32, 1000)
    assert elsewhere.post("/v1/records", {**record, "note": "x" * 2**20}).status_code == 201
    too_large = elsewhere.post("/v1/records", {**record, "note": "x" * 2**24})
    assert (too_large.status_code, too_large.json["type"]) == (413, "/problems/content-too-large")


def test_another_installation_gives_the_same_log(
    host: Caller, four: list[Caller], other_server: Caller
) -> None:
    """The entries stay the same bytes after export, import into an empty database, and export."""
    game = play_on(four, new_game(host, four[:3]))
    out = host.get(f"/v1/games/{game['id']}/record")
    brought = other_server("POST", "/v1/records", data=out.data, headers={"Content-Type": "application/json"})
    assert brought.status_code == 201
    again = other_server.get(f"/v1/games/{brought.json['id']}/record")
    assert again.data.partition(b'"entries":')[2] == out.data.partition(b'"entries":')[2] != b""
    assert same_except_origin(out, again)


def test_a_follower_can_check_every_hash_and_later_every_seal(
    host: Caller, four: list[Caller], anyone: Caller
) -> None:
    """A spectator without a token follows a running game, and opens every sealed part after its end."""
    game = new_game(host, four, visibility="public")
    path = f"/v1/games/{game['id']}"
    head, seen, receipts = bytes(32), 0, []
    while True:
        for entry in anyone.get(f"{path}/events?after={seen}&limit=200").json["items"]:
            assert "private" not in entry or game["status"] != "running"
            public = {name: value for name, value in entry.items() if name not in ("hash", "private")}
            head = referee.records.chain(head, public)
            assert head.hex() == entry["hash"]
            seen = entry["seq"]
            receipts.append(entry["hash"])
        if game["status"] != "running":
            break
        game = play_on(four, game, 1)
    record = record_of(anyone, game)
    assert [entry["hash"] for entry in record["entries"]] == receipts
    seed = bytes.fromhex(record["seed"])
    assert referee.commitment(seed) == record["entries"][0]["commitment"] == game["commitment"]
    sealed = [entry for entry in record["entries"] if "sealed" in entry]
    assert sealed
    for entry in sealed:
        assert referee.records.seal(seed, entry["seq"], entry["private"]) == entry["sealed"]


def test_a_running_record_verifies_by_its_chain(host: Caller, four: list[Caller], auditor: Caller) -> None:
    game = play_on(four, new_game(host, four, ruleset="dog_cards"), 10)
    for caller in (host, four[2], auditor):
        record = record_of(caller, game)
        report = referee.verify(record)
        assert report.ok
        assert "verdicts" in report.unchecked
        assert "chance" not in record
        assert record["seed"] is None
        assert failures(ask([record])[0]) == {}
    shares = [entry["private"].keys() for entry in record_of(four[2], game)["entries"] if "private" in entry]
    assert shares
    assert all(keys == {"2"} for keys in shares)
    assert not any("private" in entry for entry in record_of(host, game)["entries"])


def test_the_entry_in_an_answer_is_in_the_record(host: Caller, four: list[Caller]) -> None:
    """The answer to a move contains its entry, whose hash is also in the record."""
    game = new_game(host, four[:2])
    path = f"/v1/games/{game['id']}"
    mover = four[game["to_act"][0]]
    move = mover.get(f"{path}/legal-moves").json["moves"][0]
    receipt = mover.post(f"{path}/moves", {"move": move}).json["entry"]
    record = record_of(host, play_on(four, mover.get(path).json))
    assert record["entries"][receipt["seq"] - 1]["hash"] == receipt["hash"]
