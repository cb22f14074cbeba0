"""Players whose seats were handed over still see the game up to then, and nothing later."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import referee
from tests.support.callers import Caller, Clock, first_move, log, new_game, play_on
from tests.support.page_verifier import ask, failures

PACE = {"per_move": "PT10H", "on_timeout": "resign", "reserve": "PT10H"}


def path(game: dict[str, Any], rest: str = "") -> str:
    return f"/v1/games/{game['id']}{rest}"


def lines(caller: Caller, address: str) -> list[dict[str, Any]]:
    answer = caller.get(address, headers={"Accept": "application/x-ndjson"})
    return [json.loads(line) for line in answer.data.splitlines()]


@pytest.fixture(params=["private", "public"])
def handed_over(
    request: pytest.FixtureRequest, host: Caller, four: list[Caller]
) -> tuple[dict[str, Any], dict[str, Any], int]:
    """A game that continued after a seat was handed over: as it was before, as it is, and the seat."""
    game = new_game(host, four[:3], visibility=request.param)
    game = play_on(four[:3], game, 4)
    seat = game["to_act"][0]
    before = four[seat].get(path(game)).json
    assert host.put(path(game, f"/seats/{seat}/player"), {"player": four[3].player}).status_code == 200
    players = [four[3] if n == seat else four[n] for n in range(3)]
    return before, play_on(players, host.get(path(game)).json, 5), seat


def test_the_game_is_listed_in_the_state_that_the_player_sees(
    handed_over: tuple[dict[str, Any], dict[str, Any], int], host: Caller, four: list[Caller]
) -> None:
    before, game, seat = handed_over
    player = four[seat]
    (listed,) = player.get("/v1/me/former-games").json["items"]
    now = player.get(path(game)).json
    assert listed == {name: now[name] for name in listed}, "as the game itself is shown to the player"
    if game["visibility"] == "private":
        assert (listed["version"], listed["to_act"]) == (before["version"] + 1, [seat])
    assert player.get("/v1/games").json["items"] == []
    for other in (four[3], *(four[n] for n in range(3) if n != seat)):
        assert other.get("/v1/me/former-games").json == {"items": [], "next": None}
    assert host.get("/v1/me/former-games").status_code == 403
    assert host.put(path(game, f"/seats/{seat}/player"), {"player": player.player}).status_code == 200
    assert player.get("/v1/me/former-games").json["items"] == [], "the player holds a seat again"
    assert len(four[3].get("/v1/me/former-games").json["items"]) == 1


def test_former_games_come_page_by_page(host: Caller, four: list[Caller]) -> None:
    made = []
    for private in (False, True, False):
        game = new_game(host, four[:2], seats_private=private)
        assert host.put(path(game, "/seats/0/player"), {"player": four[3].player}).status_code == 200
        made.append(game["id"])
    found, cursor = [], ""
    while cursor is not None:
        page = four[0].get(f"/v1/me/former-games?limit=1{cursor and '&cursor=' + cursor}").json
        found += [game["id"] for game in page["items"]]
        cursor = page["next"]
    assert found == made[::-1]
    as_player = {"Card-Referee-Player": str(four[0].player)}
    listed = host.get("/v1/me/former-games", headers=as_player).json["items"]
    assert [game["id"] for game in listed] == [made[2], made[0]], "an app sees nothing of private seats"


def test_the_game_is_seen_as_it_was(
    handed_over: tuple[dict[str, Any], dict[str, Any], int], four: list[Caller]
) -> None:
    before, game, seat = handed_over
    former, left = four[seat], before["version"] + 1
    for version in range(1, left + 1):
        shown = former.get(path(game, f"?version={version}"))
        assert (shown.status_code, shown.json["version"]) == (200, version)
    assert former.get(path(game, f"?version={before['version']}")).json["view"] == before["view"]
    now = former.get(path(game)).json
    hand = f"hand.{seat}"
    if game["visibility"] == "private":
        assert (now["version"], now["view"], now["viewer"]["seats"]) == (left, before["view"], [seat])
        assert former.get(path(game, f"?version={left + 1}")).status_code == 404
    else:
        assert (now["version"], now["viewer"]["seats"]) == (game["version"], [])
        later = former.get(path(game, f"?version={left + 1}")).json
        assert isinstance(later["view"]["zones"][hand], dict), "only the count, as for every spectator"
    assert former.post(path(game, "/moves"), {"move": {"type": "pass"}}).status_code in (403, 404)
    assert former.post(path(game, "/messages"), {"text": "Hello"}).status_code in (403, 404)
    assert former.get(path(game, "/legal-moves")).status_code in (403, 404)


def test_the_log_is_shown_as_it_was(
    handed_over: tuple[dict[str, Any], dict[str, Any], int], four: list[Caller]
) -> None:
    before, game, seat = handed_over
    former, left = four[seat], before["version"] + 1
    private = game["visibility"] == "private"
    shown = log(former, game)
    assert [entry["seq"] for entry in shown] == list(range(1, (left if private else game["version"]) + 1))
    assert any("private" in entry for entry in shown), "the cards that were dealt"
    assert not any("private" in entry for entry in shown if entry["seq"] > left)
    assert lines(former, path(game, "/events")) == shown
    assert lines(former, path(game, f"/events?after={left}")) == ([] if private else shown[left:])
    if private:
        stream = former.get(path(game, f"/events?after={left}"), headers={"Accept": "text/event-stream"})
        assert stream.status_code == 204, "there will be no further entries"
        waited = former.get(path(game, f"/events?after={left}&wait=PT30S")).json
        assert (waited["items"], waited["next"]) == ([], None)
        stream = former.get(path(game, f"/events?after={left - 2}"), headers={"Accept": "text/event-stream"})
        assert stream.text.count("\nid: ") + stream.text.startswith("id: ") == 2
    mine = former.get("/v1/me/events?limit=200").json["items"]
    assert [item["entry"] for item in mine] == shown[:left]
    assert [item["entry"] for item in lines(former, "/v1/me/events")] == shown[:left]


def test_the_record_is_complete_up_to_then(
    handed_over: tuple[dict[str, Any], dict[str, Any], int],
    host: Caller,
    four: list[Caller],
    worker: Callable[[], None],
) -> None:
    before, game, seat = handed_over
    former, left = four[seat], before["version"] + 1
    record = former.get(path(game, "/record")).json
    assert record["entries"] == log(former, game)
    assert referee.verify(record).ok
    if game["visibility"] == "private":
        assert four[1 if seat == 0 else 0].post(path(game, "/resignation")).status_code == 201
        worker()
        assert "inclusion" in host.get(path(game, "/record")).json
        after = former.get(path(game, "/record")).json
        assert (after["seed"], after["result"], len(after["entries"])) == (None, None, left)
        assert "inclusion" not in after
        assert former.get(path(game)).json["status"] == "running"
        assert former.get(path(game, "/verification")).status_code == 404
        assert former.get(path(game, "/inclusion")).status_code == 404
    others = [n for n in range(3) if n != seat]
    assert log(four[others[0]], game) != log(former, game)


def test_a_look_as_a_former_player_is_recorded(
    handed_over: tuple[dict[str, Any], dict[str, Any], int], host: Caller, four: list[Caller]
) -> None:
    _, game, seat = handed_over
    shown = host.get(path(game), headers={"Card-Referee-Player": four[seat].player or ""})
    assert shown.status_code == 200
    assert four[1 if seat == 0 else 0].post(path(game, "/resignation")).status_code == 201
    looks = host.get(path(game, "/looks")).json["items"]
    assert [(look["what"], look["by"], look["seat"]) for look in looks] == [("cards", "app", seat)]


def test_an_app_sees_nothing_of_a_game_with_private_seats(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2], visibility="private", seats_private=True)
    seat = game["to_act"][0]
    assert host.put(path(game, f"/seats/{seat}/player"), {"bot": "random"}).status_code == 200
    assert four[seat].get(path(game)).status_code == 200
    acting = {"Card-Referee-Player": four[seat].player or ""}
    assert host.get(path(game), headers=acting).status_code == 403
    assert host.get("/v1/me/events", headers=acting).json["items"] == []


def test_a_player_who_returns_sees_new_entries(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2], visibility="private")
    seat = game["to_act"][0]
    place = path(game, f"/seats/{seat}/player")
    for who in (four[2], four[seat], four[3]):
        assert host.put(place, {"player": who.player}).status_code == 200
    version = host.get(path(game)).json["version"]
    assert [four[n].get(path(game)).json["version"] for n in (2, seat, 3)] == [
        version - 3,
        version - 1,
        version,
    ]


def test_used_reserve_time_stays_used(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    seat = game["to_act"][0]
    clock.move(hours=14)
    done = host.put(path(game, f"/seats/{seat}/player"), {"player": four[2].player})
    assert done.json["seats"][seat]["reserve"] == "PT21600S", "four of ten hours are used"
    entries = log(host, game)
    assert entries[-2]["type"] == "left"
    assert entries[-2]["reserve"] == {str(seat): "PT21600S"}
    clock.move(hours=15)
    worker()
    shown = host.get(path(game)).json
    assert (shown["status"], shown["seats"][seat]["reserve"]) == ("running", "PT21600S")
    assert host.get(path(game, f"?version={shown['version']}")).json["seats"] == shown["seats"]
    players = [four[2] if n == seat else four[n] for n in range(2)]
    assert (
        players[seat].post(path(game, "/moves"), {"move": first_move(players[seat], shown)}).status_code
        == 201
    )
    assert host.get(path(game)).json["seats"][seat]["reserve"] == "PT3600S"
    assert host.get(path(game, "/verification")).json["ok"]
    record = host.get(path(game, "/record")).json
    assert referee.verify(record).ok
    assert failures(*ask([record])) == {}
    (left,) = (entry for entry in record["entries"] if entry["type"] == "left")
    left["reserve"] = {str(seat): "PT21601S"}
    assert "clocks" in {check.name for check in referee.verify(record).checks if not check.ok}
    assert "clocks" in failures(*ask([record]))


def test_a_seat_has_no_deadline_while_it_is_handed_over(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    assert host.put(path(game, f"/seats/{seat}/player"), {"player": four[3].player}).status_code == 200
    left, now = (host.get(path(game, rest)).json for rest in (f"?version={game['version'] + 1}", ""))
    assert left["seats"][seat]["player"] is left["seats"][seat]["deadline"] is None
    assert now["seats"][seat]["deadline"] is not None
