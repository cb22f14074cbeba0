"""Rematches, linked in both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.callers import Caller, new_game, play_on


def finished(host: Caller, players: list[Caller], **more: Any) -> Any:
    """Return a game that a player has resigned."""
    game = new_game(host, players, **more)
    done = players[0].post(f"/v1/games/{game['id']}/resignation")
    assert done.status_code == 201
    return done.json["game"]


def test_a_rematch_is_the_same_game_with_everybody_moved_up(host: Caller, four: list[Caller]) -> None:
    labels = {"title": "Final", "metadata": {"cup": "2026"}, "external_id": "g1"}
    pace = {"per_move": "PT1H"}
    game = finished(host, four, pace=pace, visibility="unlisted", seats_private=True, **labels)
    path = f"/v1/games/{game['id']}"
    made = host.post(f"{path}/rematch", {}, headers={"Idempotency-Key": "r"})
    assert made.status_code == 201, made.text
    again = made.json
    assert made.headers["Location"] == f"/v1/games/{again['id']}"
    assert host.post(f"{path}/rematch", {}, headers={"Idempotency-Key": "r"}).json["id"] == again["id"]
    assert [seat["player"]["name"] for seat in again["seats"]] == ["Dan", "Anna", "Ben", "Cleo"]
    for name in ("ruleset", "options", "visibility", "seats_private", "title", "metadata", "pace"):
        assert again[name] == host.get(path).json[name], name
    assert (again["status"], again["external_id"], again["rematch_of"]) == ("running", None, game["id"])
    assert again["commitment"] != game["commitment"]
    assert host.get(path).json["rematch"] == again["id"]
    refused = host.post(f"{path}/rematch", {})
    assert (refused.status_code, refused.json["conflicts_with"]) == (409, again["id"])
    late = host.post(f"{path}/cancellation")
    assert (late.json["type"], late.json["conflicts_with"]) == ("/problems/game-over", game["id"])
    # Nothing of the first game remains in the second: it is played and verified like any other.
    play_on([four[3], *four[:3]], again)
    assert host.get(f"/v1/games/{again['id']}/verification").json["ok"]
    assert host.get(f"{path}/verification").json["ok"]


def test_a_rematch_with_the_same_seats_and_bots(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}, {"player": four[1].player}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    four[0].post(f"/v1/games/{game['id']}/resignation")
    host("PATCH", f"/v1/players/{four[1].player}", {"name": "Benjamin"})
    again = host.post(f"/v1/games/{game['id']}/rematch", {"seats": "same"}).json
    shown = [(seat["player"] and seat["player"]["name"], seat["bot"]) for seat in again["seats"]]
    assert shown == [("Anna", None), (None, "random"), ("Benjamin", None)]


def test_when_there_is_no_rematch(host: Caller, four: list[Caller], new_key: Callable[..., Caller]) -> None:
    running = new_game(host, four, visibility="public")
    assert host.post(f"/v1/games/{running['id']}/rematch").status_code == 409
    assert four[0].post(f"/v1/games/{running['id']}/rematch").status_code == 403
    game = finished(host, four, visibility="public")
    assert new_key("other", "read", "write").post(f"/v1/games/{game['id']}/rematch").status_code == 403
    host.delete(f"/v1/players/{four[2].player}")
    refused = host.post(f"/v1/games/{game['id']}/rematch")
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict")
    assert host.get(f"/v1/games/{game['id']}").json["rematch"] is None
