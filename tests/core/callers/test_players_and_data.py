"""What happens when players are deleted, to names, and in games where nobody may hold two seats."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.support.callers import Caller, Clock, first_move, new_game


def log(caller: Caller, game: dict[str, Any]) -> str:
    text: str = caller.get(f"/v1/games/{game['id']}/events?limit=200").text
    return text


def test_a_deleted_player_is_gone_and_its_games_continue(
    host: Caller, four: list[Caller], clock: Clock, sql: psycopg.Connection
) -> None:
    pace = {"per_move": "PT1H", "on_timeout": "random_move"}
    games = [new_game(host, four[:3]), new_game(host, four[:3]), new_game(host, four[:3], pace=pace)]
    gone = four[games[0]["to_act"][0]]
    host("PATCH", f"/v1/players/{gone.player}", {"external_id": "x", "metadata": {"mail": "a@example.org"}})
    assert host.delete(f"/v1/players/{gone.player}").status_code == 204
    assert gone.get("/v1/me").status_code == 401
    assert host.get(f"/v1/players/{gone.player}").status_code == 404
    acting = host.get("/v1/me/turns", headers={"Card-Referee-Player": str(gone.player)})
    assert acting.status_code in (403, 404)
    kept = sql.execute("SELECT name, external_id, metadata FROM players WHERE id = %s", (gone.player,))
    assert kept.fetchone() == ("", None, {})
    for game in games:
        shown = host.get(f"/v1/games/{game['id']}").json
        assert shown["status"] == "running"
        assert gone.player in [seat["player"]["id"] for seat in shown["seats"]]
    # The app can move for the seat, hand it over or resign for it; deadlines are enforced anyway.
    seat, path = games[0]["to_act"][0], f"/v1/games/{games[0]['id']}"
    move = host.get(f"{path}/legal-moves?seat={seat}").json["moves"][0]
    assert host.post(f"{path}/moves", {"seat": seat, "move": move}).status_code == 201
    assert host.put(f"{path}/seats/{seat}/player", {"player": four[3].player}).status_code == 200
    assert four[3].get(path).json["viewer"] == {"seats": [seat]}
    over = host.post(f"/v1/games/{games[1]['id']}/resignation", {"seat": seat}).json["game"]
    assert over["status"] == "finished"
    assert host.post(f"/v1/games/{over['id']}/rematch").status_code == 409
    assert host.get(f"/v1/games/{over['id']}/verification").json["ok"]
    clock.move(hours=2)
    waiting = games[2]["to_act"][0]
    host.post(f"/v1/games/{games[2]['id']}/moves", {"seat": waiting, "move": move})
    assert "timed_out" in log(host, games[2])


def test_orders_of_a_deleted_player_are_no_longer_played(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    path, mover = f"/v1/games/{game['id']}", game["to_act"][0]
    waits = four[1 - mover]
    cards = waits.get(path).json["view"]["zones"][f"hand.{1 - mover}"]
    move = {"type": "play", "card": cards[0]}
    left = waits.put(f"{path}/orders", {"orders": [{"move": move}]})
    assert left.status_code == 200
    assert host.delete(f"/v1/players/{waits.player}").status_code == 204
    done = four[mover].post(f"{path}/moves", {"move": first_move(four[mover], game)})
    assert (done.status_code, done.json["game"]["version"]) == (201, game["version"] + 1)
    assert '"order":true' not in log(host, game)


def test_a_game_keeps_the_name_that_a_player_joined_with(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    host("PATCH", f"/v1/players/{four[0].player}", {"name": "Annabel"})
    host.delete(f"/v1/players/{four[1].player}")
    names = [seat["player"]["name"] for seat in host.get(f"/v1/games/{game['id']}").json["seats"]]
    assert names == ["Anna", "erased person", "Cleo"]
    assert not any(f'"{name}"' in log(host, game) for name in ("Anna", "Annabel", "Ben", "Cleo"))


@pytest.mark.parametrize("distinct", [True, False])
def test_nobody_holds_two_seats_in_a_game_with_distinct_players(
    host: Caller, four: list[Caller], distinct: bool
) -> None:
    asked = {"ruleset": "cats_and_dogs", "visibility": "unlisted", "distinct_players": distinct}
    twice = [{"player": four[0].player}, {"player": four[0].player}, {"bot": "random"}]
    made = host.post("/v1/games", {**asked, "seats": twice})
    assert made.status_code == (400 if distinct else 201)
    if distinct:
        assert list(made.json["errors"]) == ["seats.1.player"]
    seats = [{"player": four[0].player}, {"open": True}, {"open": True}]
    game = host.post("/v1/games", {**asked, "seats": seats}).json
    assert game["distinct_players"] is distinct
    path = f"/v1/games/{game['id']}/seats"
    again = four[0].put(f"{path}/1")
    assert again.status_code == (409 if distinct else 200)
    if distinct:
        assert again.json["type"] == "/problems/seat-taken"
        assert host.put(f"{path}/1", {"player": four[0].player}).status_code == 409
        assert four[0].put(f"{path}/0").status_code == 200, "this player already has a seat"
        assert four[1].put(f"{path}/1").status_code == 200
    assert four[2].put(f"{path}/2").status_code == 200
    running = four[2].post(f"/v1/games/{game['id']}/resignation").json["game"]
    assert host.post(f"/v1/games/{running['id']}/rematch").json["distinct_players"] is distinct


def test_an_imported_game_has_no_private_seats(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2], seats_private=True)
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = host.get(f"/v1/games/{game['id']}/record").json
    other = {**record, "seed": "00" * 32, "moves": []}
    for name in ("entries", "commitment", "chance"):
        del other[name]
    imported = host.post("/v1/records", other)
    assert imported.status_code == 201, imported.text
    shown = imported.json
    assert (shown["origin"], shown["status"], shown["seats_private"]) == ("imported", "finished", False)
