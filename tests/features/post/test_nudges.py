"""Vacation in all of one's games, nudges, and who gets notices of them."""

from __future__ import annotations

import json
import time
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from werkzeug.test import TestResponse

import referee
from api.context import Context
from api.features.notices.projection import announce_all
from api.features.post import store
from api.games import saving
from tests.support.callers import Caller, Clock, first_move, new_game

PACE = {"per_move": "PT72H", "on_timeout": "resign", "vacation_days": 10}
WAITS = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def log(host: Caller, game: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    items = host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    return [item for item in items if item["type"] == kind]


def notices(context: Context, sql: psycopg.Connection, event: str) -> list[tuple[str, dict[str, Any]]]:
    announce_all(context)
    rows = sql.execute("SELECT receiver_id, payload FROM outbox WHERE event = %s", (event,)).fetchall()
    return [(str(player), json.loads(payload)["data"]) for player, payload in rows]


def reach(sql: psycopg.Connection, players: list[Caller]) -> None:
    """Make these players reachable by mail, so that notices are queued; mail is tested elsewhere."""
    for player in players:
        wanted = {"frequency": "each", "mail": ["deadline.moved", "game.nudged"]}
        assert player("PATCH", "/v1/me/preferences", wanted).status_code == 200
    sql.execute("UPDATE contacts SET email = convert_to('a@example.org', 'UTF8'), confirmed_at = now()")


def test_vacation_in_all_games_is_one_change(
    host: Caller, four: list[Caller], clock: Clock, context: Context, sql: psycopg.Connection
) -> None:
    anna, ben = four[:2]
    reach(sql, [anna, ben])
    games = [new_game(host, [anna, ben], pace=PACE) for _ in range(3)]
    untimed = new_game(host, [anna, ben])
    short = new_game(host, [anna, ben], pace={**PACE, "vacation_days": 2})
    others = new_game(host, [ben, four[2]], pace=PACE)
    before = {game["id"]: host.get(f"/v1/games/{game['id']}").json for game in [*games, untimed, others]}
    taken = anna.post("/v1/me/vacation", {"days": 4}, headers={"Idempotency-Key": "once"})
    assert taken.status_code == 201
    shown = {each["game"]: each for each in taken.json["games"]}
    assert shown.keys() == {game["id"] for game in [*games, short]}
    assert shown[short["id"]]["refused"] == "There are 2 days of vacation left."
    until = (clock() + timedelta(days=4)).isoformat(timespec="microseconds")[:26] + "Z"
    for game in games:
        assert (shown[game["id"]]["until"], shown[game["id"]]["left"]) == (until, 6)
        (entry,) = log(host, game, "vacation_taken")
        assert entry["vacation"] == {"days": 4, "until": until, "left": 6}
        assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    for game in (untimed, others):
        assert host.get(f"/v1/games/{game['id']}").json["version"] == before[game["id"]]["version"]
    again = anna.post("/v1/me/vacation", {"days": 4}, headers={"Idempotency-Key": "once"})
    assert again.json == taken.json
    assert len(log(host, games[0], "vacation_taken")) == 1
    assert anna.post("/v1/me/vacation", {"days": 7}).json["games"][0]["refused"]
    assert host.post("/v1/me/vacation", {"days": 1}).status_code == 403
    mine = [game for game in games if game["to_act"] == [0]]
    moved = notices(context, sql, "deadline.moved")
    assert len(moved) == len(mine), "only running deadlines moved"
    for player, data in moved:
        old = datetime.fromisoformat(before[data["game"]]["seats"][0]["deadline"])
        assert (player, data["seat"]) == (ben.player, 0), "the player who moved the deadline gets no notice"
        assert datetime.fromisoformat(data["deadline"]) == old + timedelta(days=4)


@pytest.mark.parametrize("end", ["resignation", "cancellation"])
def test_a_game_that_ends_meanwhile_does_not_prevent_vacation_in_the_others(
    host: Caller, four: list[Caller], end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = four[:2]
    games = [new_game(host, [anna, ben], pace=PACE) for _ in range(3)]
    listed = store.timed_games

    def ends(*given: Any) -> list[UUID]:
        found = listed(*given)
        caller = ben if end == "resignation" else host
        assert caller.post(f"/v1/games/{games[1]['id']}/{end}").status_code in (200, 201)
        return found

    monkeypatch.setattr(store, "timed_games", ends)
    taken = anna.post("/v1/me/vacation", {"days": 2})
    assert taken.status_code == 201, taken.text
    assert [each["refused"] for each in taken.json["games"]] == [None, "The game is over.", None]
    assert [len(log(host, game, "vacation_taken")) for game in games] == [1, 0, 1]
    assert all(host.get(f"/v1/games/{game['id']}/verification").json["ok"] for game in games)


def test_a_game_that_cannot_be_read_does_not_prevent_vacation_in_the_others(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    games = [new_game(host, four[:2], pace=PACE) for _ in range(3)]
    sql.execute("UPDATE games SET sitting = 'null' WHERE id = %s", (games[1]["id"],))
    taken = four[0].post("/v1/me/vacation", {"days": 2})
    assert taken.status_code == 201, taken.text
    shown = [
        (each["game"], each["seat"], "cannot be read" in str(each["refused"])) for each in taken.json["games"]
    ]
    assert shown == [(game["id"], 0, game is games[1]) for game in games]
    assert len(log(host, games[2], "vacation_taken")) == 1


def test_a_move_at_the_same_time_waits_for_the_vacation(
    host: Caller, four: list[Caller], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    mover, other = (four[seat] for seat in (game["to_act"][0], 1 - game["to_act"][0]))
    move = {"move": first_move(mover, game)}
    read = saving.load

    with ThreadPoolExecutor(1) as pool:
        moved: list[Future[TestResponse]] = []

        def move_now(*given: Any, **more: Any) -> Any:
            found = read(*given, **more)
            if moved:  # it reads the game as well
                return found
            moved.append(pool.submit(mover.post, f"/v1/games/{game['id']}/moves", move))
            while not moved[0].done() and sql.execute(WAITS).fetchone() is None:
                time.sleep(0.02)
            return found

        monkeypatch.setattr(saving, "load", move_now)
        taken = other.post("/v1/me/vacation", {"days": 2})
        assert (taken.status_code, moved[0].result(60).status_code) == (201, 201), taken.text
    kinds = [item["type"] for item in host.get(f"/v1/games/{game['id']}/events").json["items"]]
    assert kinds[-2:] == ["vacation_taken", "moved"]
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]


def test_the_player_to_move_can_be_nudged_once_a_day(
    host: Caller, four: list[Caller], clock: Clock, context: Context, sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3], pace=PACE)
    reach(sql, four[:3])
    seat = game["to_act"][0]
    late, other, third = four[seat], four[(seat + 1) % 3], four[(seat + 2) % 3]
    path = f"/v1/games/{game['id']}/nudges"
    assert other.post(path).status_code == 409, "the turn has not lasted a day yet"
    clock.move(days=1)
    assert late.post(path).status_code == 409, "players cannot nudge themselves"
    assert four[3].post(path).status_code in (403, 404)
    nudged = other.post(path)
    assert nudged.status_code == 201, nudged.text
    assert nudged.json["entry"]["nudge"]["seat"] == seat
    assert nudged.json["entry"]["seat"] == (seat + 1) % 3
    assert third.post(path).status_code == 409, "once a day in total, not for each caller"
    ((player, data),) = notices(context, sql, "game.nudged")
    assert (player, data["seat"]) == (late.player, seat)
    clock.move(days=1)
    assert third.post(path).status_code == 201
    assert late.post(f"/v1/games/{game['id']}/vacation", {"days": 3}).status_code == 201
    clock.move(days=3, hours=1)
    assert other.post(path).status_code == 409, "a player on vacation cannot be nudged"
    move = {"move": first_move(late, game)}
    assert late.post(f"/v1/games/{game['id']}/moves", move).status_code == 201
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    assert late.post(f"/v1/games/{game['id']}/resignation").status_code == 201
    assert other.post(path).status_code == 409
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert [entry["type"] for entry in record["entries"]].count("nudged") == 2
    assert referee.verify(record).ok
    again = host.post("/v1/records", record)
    assert again.status_code in (201, 409), again.text


def test_a_pause_does_not_count_as_waiting(host: Caller, four: list[Caller], clock: Clock) -> None:
    players = four[:3]
    game = new_game(host, players, pace=PACE)
    (waiting,) = game["to_act"]
    others = [player for number, player in enumerate(players) if number != waiting]
    place = f"/v1/games/{game['id']}/seats/{waiting}/player"
    for player in players:
        assert player.post(f"/v1/games/{game['id']}/pause").status_code == 201
    clock.move(days=8)
    assert others[0].post(f"/v1/games/{game['id']}/resumption").status_code == 201
    assert others[0].post(f"/v1/games/{game['id']}/nudges").status_code == 409
    assert others[0].put(place, {"bot": "random"}).status_code == 409, "no player is missing"
    clock.move(days=1)
    assert others[0].post(f"/v1/games/{game['id']}/nudges").status_code == 201


def test_the_notice_of_the_end_of_a_pause_has_the_new_deadlines(
    host: Caller, four: list[Caller], clock: Clock, context: Context, sql: psycopg.Connection
) -> None:
    players = four[:3]
    reach(sql, players)
    game = new_game(host, players, pace=PACE)
    (waiting,) = game["to_act"]
    ending = (waiting + 1) % 3
    for player in players:
        assert player.post(f"/v1/games/{game['id']}/pause").status_code == 201
    clock.move(days=2)
    ended = players[ending].post(f"/v1/games/{game['id']}/resumption").json
    moved = notices(context, sql, "deadline.moved")
    told = {player for player, _ in moved}
    assert told == {player.player for player in players} - {players[ending].player}, (
        "both the waiting player and the player to move are notified"
    )
    for _, data in moved:
        assert (data["seat"], data["player"]) == (waiting, players[waiting].player)
        assert data["deadline"] == ended["game"]["seats"][waiting]["deadline"]
        assert data["version"] == ended["entry"]["seq"]
