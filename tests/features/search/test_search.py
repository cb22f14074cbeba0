"""Finding games: several values in a filter, by how they ended, in order, page by page of one query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from tests.support.callers import Caller, Clock, first_move, new_game, play_on

UNKNOWN = UUID(int=7)


def found(caller: Caller, query: str = "") -> list[str]:
    answer = caller.get(f"/v1/games?{query}")
    assert answer.status_code == 200, answer.text
    return [game["id"] for game in answer.json["items"]]


def pages(caller: Caller, query: str, limit: int = 1) -> list[str]:
    """Return every id of a list, read a few at a time."""
    seen, cursor = [], ""
    while cursor is not None:
        page = caller.get(f"/v1/games?{query}&limit={limit}{cursor and f'&cursor={cursor}'}")
        assert page.status_code == 200, page.text
        seen += [game["id"] for game in page.json["items"]]
        cursor = page.json["next"]
    return seen


@pytest.fixture
def club(host: Caller, four: list[Caller], clock: Clock) -> dict[str, Any]:
    """Return games created in the order a to f, and ended in the order c, b, e (cancelled), a; f is open."""
    anna, ben, cleo, dan = four
    made: dict[str, Any] = {}

    def make(name: str, players: list[Caller], ruleset: str = "cats_and_dogs", **more: Any) -> None:
        clock.move(minutes=1)
        made[name] = new_game(host, players, ruleset, **more)

    def end(name: str, players: list[Caller], how: str) -> None:
        clock.move(minutes=1)
        path = f"/v1/games/{made[name]['id']}"
        if how == "cancelled":
            assert host.post(f"{path}/cancellation").status_code == 201
        elif how == "resigned":
            assert players[0].post(f"{path}/resignation").status_code == 201
        else:
            play_on(players, made[name])
        made[name] = host.get(path).json

    make("a", [anna, ben, cleo], title="Final, table 1")
    make("b", [ben, dan], title="Friendly")
    make("c", [cleo, dan, anna], visibility="public", title="Final, table 1")
    make("d", [anna, ben], visibility="unlisted", title="Friendly")
    make("e", [anna, dan])
    clock.move(minutes=1)
    made["f"] = host.post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).json
    end("c", [cleo, dan, anna], "resigned")
    end("b", [ben, dan], "resigned")
    end("e", [anna, dan], "cancelled")
    end("a", [anna, ben, cleo], "played")
    return made


def names(club: dict[str, Any], ids: list[str]) -> str:
    by_id = {game["id"]: name for name, game in club.items()}
    return "".join(by_id[one] for one in ids)


def test_a_filter_takes_several_values(host: Caller, four: list[Caller], club: dict[str, Any]) -> None:
    def listed(query: str) -> str:
        return names(club, found(host, query))

    assert listed("") == "fedcba"
    assert listed("status=running") == "d"
    assert listed("status=running,finished") == "dcba"
    assert listed("status=cancelled,open") == "fe"
    assert listed("status=finished,finished") == "cba"
    assert listed("status=running&status=finished") == "dcba"
    assert listed("status=open&status=cancelled,running") == "fed"
    assert listed("ruleset=pies,cats_and_dogs") == "fedcba"
    assert listed("ruleset=pies,truco") == "f"
    assert listed("visibility=public,unlisted") == "dc"
    assert listed("origin=dealt,imported") == "fedcba"
    assert listed("origin=imported") == ""
    anna, ben, cleo, dan = (player.player for player in four)
    assert listed(f"player={cleo},{dan}") == "ecba"
    assert listed(f"player={cleo}&status=finished,running&ruleset=cats_and_dogs,pies") == "ca"
    assert listed(f"to_act={anna},{ben}") == "d"
    assert listed(f"to_act={cleo},{dan}") == ""


def test_games_are_found_by_their_current_seats(host: Caller, four: list[Caller]) -> None:
    anna, ben, cleo, _ = four
    seats = [{"player": anna.player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    path, own = f"/v1/games/{game['id']}", [game["id"]]
    assert found(host, f"player={anna.player}&status=open") == found(anna, "status=open") == own
    assert host.delete(f"{path}/seats/0").status_code == 204
    assert found(host, f"player={anna.player}") == found(anna) == []
    for seat, player in enumerate((ben, anna)):
        assert host.put(f"{path}/seats/{seat}", {"player": player.player}).status_code == 200
    assert found(ben, "status=running") == found(host, f"player={anna.player}&status=running") == own
    assert found(ben, "status=open") == []
    assert host.put(f"{path}/seats/0/player", {"player": cleo.player}).status_code == 200
    assert found(ben) == []
    assert found(cleo, f"player={anna.player}") == found(host, f"player={ben.player},{cleo.player}") == own
    assert host.put(f"{path}/seats/1/player", {"bot": "random"}).status_code == 200
    assert found(host, f"player={anna.player}") == found(anna) == []
    host.post(f"{path}/resignation", {"seat": 0})
    assert found(cleo, "status=finished&sort=-finished_at") == own
    assert found(host, f"winner={cleo.player}") == found(host, f"winner={anna.player}") == []


def test_games_are_found_by_how_they_ended(host: Caller, four: list[Caller], club: dict[str, Any]) -> None:
    def listed(query: str) -> str:
        return names(club, found(host, query))

    anna, ben, cleo, dan = (player.player for player in four)
    by_play = club["a"]["result"]["reason"]
    assert listed("reason=resigned") == "cb"
    assert listed(f"reason=resigned,{by_play}") == "cba"
    assert listed("reason=timed_out") == ""
    assert listed(f"winner={dan}") == "cb"  # cleo and ben resigned
    assert listed(f"winner={cleo}") == ("a" if 2 in club["a"]["result"]["winners"] else "")
    assert "c" in listed(f"winner={anna},{ben}")
    assert listed(f"winner={dan}&player={anna}") == "c"
    assert listed(f"winner={dan}&reason={by_play}") == ""
    first, last = club["c"]["finished_at"], club["a"]["finished_at"]
    assert listed(f"finished_after={first}") == "cba"
    assert listed(f"finished_after={last}") == "a"
    assert listed(f"finished_before={last}") == "cb"
    assert listed(f"finished_after={last}&finished_before={last}") == ""
    assert listed(f"updated_after={club['e']['updated_at']}") == "ea"
    assert listed(f"updated_before={club['c']['updated_at']}") == "fd"
    assert club["a"]["finished_at"] == club["a"]["updated_at"]
    assert [club[name]["finished_at"] for name in "def"] == [None] * 3


def test_lists_are_sorted_and_their_pages_are_complete(
    host: Caller, four: list[Caller], anyone: Caller, club: dict[str, Any]
) -> None:
    anna, ben, cleo, dan = (player.player for player in four)
    for query, order in {
        "sort=created_at": "abcdef",
        "sort=-created_at": "fedcba",
        "sort=finished_at": "cbeadf",
        "sort=-finished_at": "fdaebc",
        "sort=-finished_at&status=finished": "abc",
        "sort=finished_at&status=finished,cancelled": "cbea",
        f"sort=-finished_at&winner={dan}": "bc",
        "": "fedcba",
        f"player={cleo},{dan}": "ecba",  # both play in c, which is listed once
        f"player={anna},{ben},{cleo},{dan}": "edcba",
        f"player={cleo},{dan}&sort=created_at": "abce",
        f"player={cleo},{dan}&sort=finished_at": "cbea",
        f"player={cleo},{dan}&sort=-finished_at&status=finished": "abc",
        f"player={cleo},{dan}&updated_after=2000-01-01T00:00:00Z": "ecba",
        f"player={anna},{cleo}&winner={dan}": "c",
        f"winner={dan},{dan}&player={anna},{ben}&sort=finished_at": "cb",
        f"winner={dan},{UNKNOWN}&sort=-finished_at": "bc",
        f"winner={dan},{UNKNOWN}&player={cleo}": "c",
    }.items():
        assert names(club, found(host, query)) == order, query
        for limit in (1, 2, 3):
            assert names(club, pages(host, query, limit)) == order, (query, limit)
    assert names(club, pages(four[3], "sort=finished_at")) == "cbe"
    assert names(club, pages(four[3], "sort=-created_at&status=finished")) == "cb"
    assert names(club, pages(anyone, "sort=finished_at")) == "c"


def test_pages_stay_stable_while_games_begin_and_end(host: Caller, four: list[Caller], clock: Clock) -> None:
    made = [new_game(host, four[:2]) for _ in range(4)]
    for sort in ("sort=-created_at", ""):
        first = host.get(f"/v1/games?{sort}&limit=2").json
        clock.move(minutes=1)
        new_game(host, four[:2])
        assert four[0].post(f"/v1/games/{made[1]['id']}/resignation").status_code in (201, 409)
        rest = host.get(f"/v1/games?{sort}&limit=200&cursor={first['next']}").json["items"]
        seen = [game["id"] for game in first["items"] + rest]
        assert len(set(seen)) == len(seen)
        assert {game["id"] for game in made} <= set(seen)


def test_a_cursor_continues_only_its_own_query(host: Caller, four: list[Caller]) -> None:
    for _ in range(3):
        new_game(host, four[:2])
    anna, ben = four[0].player, four[1].player
    query = f"status=running,open&player={anna},{ben}&sort=-created_at&limit=1"
    cursor = host.get(f"/v1/games?{query}").json["next"]
    same = f"player={ben},{anna}&sort=-created_at&limit=2&status=open,running"
    assert len(found(host, f"{same}&cursor={cursor}")) == 2
    for other in (
        "",
        f"status=running&player={anna},{ben}&sort=-created_at",
        f"status=running,open&player={anna}&sort=-created_at",
        f"status=running,open&player={anna},{ben}&sort=created_at",
        f"status=running,open&player={anna},{ben}",
        f"{query}&ruleset=pies",
        f"{query}&external_id=a",
    ):
        refused = host.get(f"/v1/games?{other}&cursor={cursor}")
        assert (refused.status_code, [*refused.json["errors"]]) == (400, ["cursor"]), other
    assert four[0].get(f"/v1/games?{query}&cursor={cursor}").status_code == 400
    # Cursors of earlier releases contain only an id, in the only order of that time.
    plain = found(host)
    assert found(host, f"cursor={plain[0].replace('-', '')}") == plain[1:]
    assert host.get(f"/v1/games?sort=created_at&cursor={plain[0].replace('-', '')}").status_code == 400


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("status=running,lost", "status"),
        ("status=", "status"),
        ("status=running,", "status"),
        ("status=running&status=", "status"),
        ("sort=created_at&sort=created_at", "sort"),
        ("&".join(["status=open"] * 21), "status"),
        ("status=" + ",".join(["open"] * 21), "status"),
        ("ruleset=pies,%00", "ruleset"),
        ("ruleset=,", "ruleset"),
        ("player=me,you", "player"),
        ("winner=anna", "winner"),
        ("winner=%00", "winner"),
        ("reason=bored", "reason"),
        ("reason=resigned,%00", "reason"),
        ("reason=" + "x" * 65, "reason"),
        ("sort=updated_at", "sort"),
        ("sort=created_at,finished_at", "sort"),
        ("sort=", "sort"),
        ("finished_after=yesterday", "finished_after"),
        ("finished_before=2026-02-30T00:00:00Z", "finished_before"),
        ("origin=elsewhere", "origin"),
        ("test_clock=noon", "test_clock"),
        ("cursor=" + "0" * 48, "cursor"),
        ("cursor=" + "g" * 56, "cursor"),
        ("cursor=" + "f" * 56, "cursor"),
        ("cursor=" + "e" * 56 + "&sort=created_at", "cursor"),
    ],
)
def test_the_refusal_of_a_bad_value_names_it(host: Caller, query: str, named: str) -> None:
    refused = host.get(f"/v1/games?{query}")
    assert (refused.status_code, [*refused.json["errors"]]) == (400, [named])


def test_players_of_other_apps_find_nothing(
    host: Caller, club: dict[str, Any], new_key: Callable[..., Caller], anyone: Caller, four: list[Caller]
) -> None:
    other = new_key("other", "read", "write")
    dan = four[3].player
    assert found(other, f"winner={dan}") == []
    assert names(club, found(other, f"winner={dan}&visibility=public")) == "c"
    assert names(club, found(anyone, f"winner={dan}&sort=-finished_at&reason=resigned")) == "c"
    assert anyone.get("/v1/games?visibility=public,unlisted").status_code == 403
    assert names(club, found(four[1], f"winner={dan}")) == "b"  # c is public, and ben does not play in it
    assert names(club, found(four[1], "visibility=public,unlisted,private")) == "dba"
    assert host.delete(f"/v1/players/{dan}").status_code == 204
    assert names(club, found(host, f"winner={dan}")) == "cb"


def test_imported_games_are_found_by_their_end(host: Caller, four: list[Caller], sql: Any) -> None:
    game = play_on(four[:3], new_game(host, four[:3]))
    record = host.get(f"/v1/games/{game['id']}/record").json
    del record["entries"]
    sql.execute("UPDATE games SET commitment = '\\x00'")  # as if it had been played elsewhere
    imported = host.post("/v1/records", record)
    assert imported.status_code == 201, imported.text
    reason = game["result"]["reason"]
    assert found(host, f"origin=imported&reason={reason}&status=finished") == [imported.json["id"]]
    assert set(found(host, f"reason={reason}")) == {game["id"], imported.json["id"]}
    assert imported.json["finished_at"]


def test_a_running_game_is_found_by_the_time_of_its_last_move(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2])
    clock.move(days=1)
    assert found(host, f"updated_after={clock.time.isoformat().replace('+00:00', 'Z')}") == []
    mover = four[game["to_act"][0]]
    assert mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}).status_code == 201
    assert found(host, f"updated_after={clock.time.isoformat().replace('+00:00', 'Z')}") == [game["id"]]
