"""Old versions of a long game: all ways of reading agree, without replaying the whole game each time."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

import referee
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.imports import record_of

MOVES = 300
BEFORE = 5  # entries before the first move


def position_after(record: dict[str, Any], moves: int) -> Any:
    part = {**record, "moves": record["moves"][:moves]}
    return referee.dump(referee.replay(referee.read_record(part)).state)


@pytest.fixture
def game(host: Caller) -> tuple[str, dict[str, Any]]:
    record = record_of(MOVES)
    made = host.post("/v1/records", record)
    assert made.status_code == 201, made.text
    return made.json["id"], record


def test_old_versions_are_the_same_however_they_are_read(
    auditor: Caller, game: tuple[str, dict[str, Any]], sql: psycopg.Connection
) -> None:
    path, record = f"/v1/games/{game[0]}?version=", game[1]
    versions = random.Random(1).sample(range(BEFORE, MOVES + BEFORE), 20)
    first = [auditor.get(f"{path}{version}").json for version in versions]
    assert [shown["view"] for shown in first] == [position_after(record, v - BEFORE) for v in versions]
    assert [auditor.get(f"{path}{version}").json for version in reversed(versions)] == first[::-1]
    row = sql.execute("SELECT count(*) FROM snapshots").fetchone()
    assert row is not None
    assert 0 < row[0] <= MOVES // 64 + 1


def test_an_old_version_is_not_replayed_from_the_deal_again(
    auditor: Caller, game: tuple[str, dict[str, Any]], sql: psycopg.Connection
) -> None:
    path = f"/v1/games/{game[0]}?version="
    shown = auditor.get(f"{path}280").json
    sql.execute("ALTER TABLE entries DISABLE TRIGGER append_only")
    sql.execute("DELETE FROM entries WHERE seq <= 128")  # only a superuser can do this
    sql.execute("ALTER TABLE entries ENABLE TRIGGER append_only")
    assert auditor.get(f"{path}280").json == shown
    assert auditor.get(f"/v1/games/{game[0]}/verification").json["ok"] is False


def test_verification_does_not_trust_snapshots(
    auditor: Caller, game: tuple[str, dict[str, Any]], sql: psycopg.Connection
) -> None:
    auditor.get(f"/v1/games/{game[0]}?version=280")
    sql.execute("UPDATE snapshots SET state = '{}'")
    assert auditor.get(f"/v1/games/{game[0]}/verification").json["ok"] is True


def test_the_service_never_changes_snapshots(settings: Any, sql: psycopg.Connection) -> None:
    rights = sql.execute(
        "SELECT privilege_type FROM information_schema.table_privileges"
        " WHERE table_name = 'snapshots' AND grantee = 'card_referee_app'"
    )
    assert {row[0] for row in rights} == {"SELECT", "INSERT", "DELETE"}  # with names that are erased


def test_a_take_back_across_a_snapshot(host: Caller, four: list[Caller], auditor: Caller) -> None:
    """Chat fills the log between a bid and its take-back, so that there is a snapshot between them."""
    game = new_game(host, four, "landlord")
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    move = four[seat].get(f"{path}/legal-moves").json["moves"][-1]
    shown = [auditor.get(path).json]
    bid = four[seat].post(f"{path}/moves", {"move": move})
    assert bid.status_code == 201, bid.text
    shown.append(auditor.get(path).json)
    for number in range(70):
        assert four[0].post(f"{path}/messages", {"text": str(number)}).status_code == 201
    talked = shown[1]["version"] + 70
    assert auditor.get(f"{path}?version={talked}").json["view"] == shown[1]["view"]  # this stores a snapshot
    assert four[seat].post(f"{path}/take-back").status_code == 201
    for other in {0, 1, 2, 3} - {seat}:
        agreed = four[other].post(f"{path}/take-back/answer", {"agree": True})
    assert (agreed.status_code, agreed.json["entry"]["type"]) == (201, "taken_back"), agreed.text
    back = agreed.json["entry"]["seq"]
    assert four[0].post(f"{path}/messages", {"text": "Well."}).status_code == 201
    assert auditor.get(f"{path}?version={back}").json["view"] == shown[0]["view"]
    assert auditor.get(f"{path}?version={back - 1}").json["view"] == shown[1]["view"]
    assert auditor.get(path).json["view"] == shown[0]["view"]
    assert auditor.get(f"{path}/verification").json["ok"] is True


def test_old_versions_show_clocks_and_times_as_they_were(
    host: Caller, four: list[Caller], new_player: Callable[[str], Caller], clock: Clock
) -> None:
    """This includes a seat handed over by a player on vacation, and versions with a snapshot."""
    pace = {"per_move": "PT2H", "on_timeout": "random_move", "reserve": "PT5H", "vacation_days": 9}
    game = new_game(host, four, ruleset="pedro", pace=pace)
    path = f"/v1/games/{game['id']}"
    players = list(four)
    seen: dict[int, Any] = {}

    def remember() -> dict[str, Any]:
        now: dict[str, Any] = host.get(path).json
        seen[now["version"]] = now
        return now

    while (now := remember())["version"] < 70:
        clock.move(minutes=20)
        seat = now["to_act"][0]
        if len(seen) == 12:
            assert players[seat].post(f"{path}/vacation", {"days": 2}).status_code == 201
            remember()
            players[seat] = new_player("Eve")
            handed = host.put(f"{path}/seats/{seat}/player", {"player": players[seat].player})
            assert handed.status_code == 200
            remember()
        move = {"move": first_move(players[seat], now)}
        assert players[seat].post(f"{path}/moves", move).status_code == 201
    for _ in range(2):  # the second time from the snapshots that the first one stored
        for version, shown in seen.items():
            assert host.get(f"{path}?version={version}").json == shown
