"""Seeks: each leads to one game at most, none is lost under races; rematches, linked in both directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from api.app import create_app
from api.context import Context
from api.core.config import Settings
from api.features.lobby import seeks
from api.store.database import session as db
from tests.support.callers import Caller, Clock, new_game, play_on

TERMS = {"ruleset": "cats_and_dogs", "seats": 2}


def seek(player: Caller, **more: Any) -> dict[str, Any]:
    made = player.post("/v1/seeks", {**TERMS, **more})
    assert made.status_code == 201, made.text
    shown: dict[str, Any] = made.json
    return shown


def listed(caller: Caller, query: str = "") -> list[str]:
    return [item["id"] for item in caller.get(f"/v1/seeks?{query}").json["items"]]


def test_players_with_the_same_terms_play(host: Caller, four: list[Caller]) -> None:
    first = seek(four[0], pace={"per_move": "P1D"})
    assert (first["status"], first["game"]) == ("open", None)
    assert first["player"] == {"id": four[0].player, "name": "Anna"}
    assert listed(four[1]) == [first["id"]]
    second = seek(four[1], pace={"per_move": "P1D"})
    assert second["status"] == "matched"
    assert four[0].get(f"/v1/seeks/{first['id']}").json["game"] == second["game"]
    assert listed(host) == []
    game = four[0].get(f"/v1/games/{second['game']}").json
    assert (game["status"], game["visibility"], game["pace"]["per_move"]) == ("running", "private", "P1D")
    assert {seat["player"]["id"] for seat in game["seats"]} == {four[0].player, four[1].player}
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]


def test_a_game_of_seeks_can_have_bots_and_a_title(host: Caller, four: list[Caller]) -> None:
    terms: dict[str, Any] = {"seats": 4, "bots": ["random", "cautious"], "title": "Friday"}
    first, second = seek(four[0], **terms), seek(four[1], **terms)
    assert (first["bots"], first["title"], second["status"]) == (terms["bots"], "Friday", "matched")
    game = host.get(f"/v1/games/{second['game']}").json
    assert game["title"] == "Friday"
    assert [seat["bot"] for seat in game["seats"]] == [None, None, "random", "cautious"]
    alone = four[2].post("/v1/seeks", {**TERMS, "bots": ["random"]})
    assert (alone.status_code, [*alone.json["errors"]]) == (400, ["bots"])


@pytest.mark.parametrize(
    "other",
    [
        {"seats": 3},
        {"pool": "beginners"},
        {"visibility": "public"},
        {"pace": {"per_move": "PT1H"}},
        {"ruleset": "mau_mau"},
        {"title": "Friday"},
        {"seats": 3, "bots": ["random"]},
    ],
)
def test_other_terms_do_not_match(four: list[Caller], other: dict[str, Any]) -> None:
    first, second = seek(four[0]), seek(four[1], **other)
    assert listed(four[2]) == [second["id"], first["id"]]


def test_options_are_compared_as_the_rules_read_them(four: list[Caller]) -> None:
    seek(four[0], ruleset="mau_mau")
    defaults = four[0].get("/v1/seeks").json["items"][0]["options"]
    assert defaults
    assert seek(four[1], ruleset="mau_mau", options=defaults)["status"] == "matched"


def test_seeks_are_found_by_ruleset_pool_and_player(host: Caller, four: list[Caller]) -> None:
    club, other = seek(four[0], pool="club"), seek(four[1], ruleset="mau_mau")
    assert listed(host, "pool=club") == listed(host, f"player={four[0].player}") == [club["id"]]
    assert listed(host, "ruleset=mau_mau") == [other["id"]]
    assert host.get("/v1/seeks?pool=").status_code == 400


def test_a_seek_can_be_withdrawn_until_it_has_led_to_a_game(host: Caller, four: list[Caller]) -> None:
    first = seek(four[0])
    assert four[1]("DELETE", f"/v1/seeks/{first['id']}").status_code == 404
    assert four[1].get(f"/v1/seeks/{first['id']}").status_code == 404
    assert four[0]("DELETE", f"/v1/seeks/{first['id']}").status_code == 204
    assert four[0].get(f"/v1/seeks/{first['id']}").status_code == 404
    first, second = seek(four[1]), seek(four[2])
    late = host("DELETE", f"/v1/seeks/{first['id']}")
    assert (late.status_code, late.json["conflicts_with"]) == (409, second["game"])


def test_a_player_looks_once_with_the_same_terms(host: Caller, four: list[Caller]) -> None:
    headers = {"Idempotency-Key": "s"}
    first = four[0].post("/v1/seeks", TERMS, headers=headers).json
    assert four[0].post("/v1/seeks", TERMS, headers=headers).json == first
    again = four[0].post("/v1/seeks", TERMS)
    assert (again.status_code, again.json["conflicts_with"]) == (409, first["id"])
    acting = host.post("/v1/seeks", TERMS, headers={"Card-Referee-Player": str(four[1].player)})
    assert acting.json["status"] == "matched"
    assert host.post("/v1/seeks", TERMS).status_code == 403
    assert seek(four[0])["status"] == "open"


def test_a_player_has_only_so_many_open_seeks(four: list[Caller], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeks, "MOST", 2)
    for pool in ("one", "two"):
        seek(four[0], pool=pool)
    assert four[0].post("/v1/seeks", {**TERMS, "pool": "three"}).status_code == 409
    assert seek(four[1], pool="one")["status"] == "matched"
    assert seek(four[0], pool="three")["status"] == "open"


def test_expired_seeks_do_not_match(four: list[Caller], clock: Clock, context: Context) -> None:
    first = seek(four[0], expires_in="PT1H")
    clock.move(hours=1)
    assert listed(four[1]) == []
    assert four[0].get(f"/v1/seeks/{first['id']}").json["status"] == "expired"
    second = seek(four[1])
    assert second["status"] == "open"
    clock.move(days=3)
    assert seeks.prune(context) == 1
    assert four[0].get(f"/v1/seeks/{second['id']}").status_code == 404
    assert four[0].post("/v1/seeks", {**TERMS, "expires_in": "P31D"}).status_code == 400


def test_a_deleted_player_is_matched_with_nobody(host: Caller, four: list[Caller]) -> None:
    seek(four[0])
    assert host("DELETE", f"/v1/players/{four[0].player}").status_code == 204
    assert seek(four[1])["status"] == "open"


def test_apps_do_not_share_a_lobby(four: list[Caller], new_key: Callable[..., Caller]) -> None:
    first = seek(four[0])
    other = new_key("other", "read", "write")
    stranger = other.post("/v1/players", {"name": "Zoe"}).json["id"]
    made = other.post("/v1/seeks", TERMS, headers={"Card-Referee-Player": stranger})
    assert made.json["status"] == "open"
    assert listed(other) == [made.json["id"]]
    assert other.get(f"/v1/seeks/{first['id']}").status_code == 404
    assert other("DELETE", f"/v1/seeks/{first['id']}").status_code == 404


def test_anybody_sees_who_looks_for_others_on_this_server(
    anyone: Caller, four: list[Caller], settings: Settings, clock: Clock
) -> None:
    """Not the players of an app, who find each other there."""
    open_to_all = create_app(replace(settings, guests=True), clock=clock)
    anyone = replace(anyone, app=open_to_all)
    assert anyone.get("/v1/seeks").json["items"] == []
    four[0].post("/v1/seeks", TERMS)
    assert anyone.get("/v1/seeks").json["items"] == []
    made = anyone.post("/v1/guests", {"name": "Gus"}).json
    seek = replace(anyone, token=made["token"]).post("/v1/seeks", TERMS).json
    assert [item["id"] for item in anyone.get("/v1/seeks").json["items"]] == [seek["id"]]
    assert anyone.get("/v1/seeks?ruleset=pies").json["items"] == []
    open_to_all.extensions["card_referee"].database.close()


def test_many_at_once_are_matched_exactly_once(
    host: Caller, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some withdraw at the same moment: they are in no game, and all others are in exactly one."""
    monkeypatch.setattr(db, "TIMEOUT", 90)  # seconds for a connection, enough for a slow machine
    players = [host.post("/v1/players", {"name": f"P{n}"}).json["id"] for n in range(24)]
    withdrawn: list[str] = []

    def look(player: str) -> None:
        headers = {"Card-Referee-Player": player, "Idempotency-Key": str(uuid4())}
        made = host.post("/v1/seeks", {**TERMS, "seats": 3}, headers=headers)
        assert made.status_code == 201, made.text
        again = host.post("/v1/seeks", {**TERMS, "seats": 3}, headers=headers)
        assert again.json == made.json
        if made.json["status"] == "open" and players.index(player) % 4 == 0:
            done = host("DELETE", f"/v1/seeks/{made.json['id']}", headers={"Card-Referee-Player": player})
            assert done.status_code in (204, 409), done.text
            if done.status_code == 204:
                withdrawn.append(player)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(look, players))
    rows = sql.execute("SELECT player_id::text, game_id::text FROM seeks").fetchall()
    assert {player for player, _ in rows} == {*players} - {*withdrawn}
    games = Counter(game for _, game in rows if game)
    assert set(games.values()) <= {3}
    assert len([game for _, game in rows if game is None]) < 3
    for game in games:
        seated = {seat["player"]["id"] for seat in host.get(f"/v1/games/{game}").json["seats"]}
        assert seated == {player for player, matched in rows if matched == game}
    assert sql.execute("SELECT count(*) FROM games").fetchone() == (len(games),)


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
