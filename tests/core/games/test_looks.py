"""Looks are recorded: a list beside the log says who, besides a seat's player, saw its cards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

import referee
from tests.servers.commands import run
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.forging import failed
from tests.support.node import ask, failures


@pytest.fixture
def game(host: Caller, four: list[Caller]) -> Any:
    return new_game(host, four[:3])


def looks(host: Caller, four: list[Caller], game: dict[str, Any], how: str = "cancellation") -> Any:
    """End the game; return the looks at it, which its record and its operation list."""
    done = (host if how == "cancellation" else four[0]).post(f"/v1/games/{game['id']}/{how}")
    assert done.status_code == 201
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert referee.verify(record).ok
    assert failures(*ask([record])) == {}
    listed = four[0].get(f"/v1/games/{game['id']}/looks").json
    assert listed == {"items": record["looks"], "next": None}
    return [(look["what"], look["by"], look["seat"]) for look in listed["items"]]


@pytest.mark.parametrize("where", ["", "/events", "/record", "/verification", "?version=3"])
def test_a_look_by_an_auditor_is_recorded(
    auditor: Caller, host: Caller, four: list[Caller], game: dict[str, Any], where: str
) -> None:
    before = auditor.get(f"/v1/games/{game['id']}{where}")
    assert before.status_code == 200
    assert auditor.get(f"/v1/games/{game['id']}{where}").json == before.json
    assert looks(host, four, game) == [("cards", "auditor", None)]


def test_a_repeated_creation_that_shows_the_cards_is_a_look(
    new_key: Callable[..., Caller], host: Caller, four: list[Caller]
) -> None:
    seer, key = new_key("host", "read", "write", "audit"), {"Idempotency-Key": "one"}
    seats = [{"player": four[0].player}, {"open": True}]
    made = seer.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}, headers=key).json
    assert made["view"] is None
    seat = f"/v1/games/{made['id']}/seats/1"
    assert host.put(seat, {"player": four[1].player}).status_code == 200
    again = seer.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}, headers=key).json
    assert again["view"] is not None
    assert looks(host, four, again) == [("cards", "auditor", None)]


def test_looks_change_nothing_that_is_shown_during_the_game(
    auditor: Caller, host: Caller, four: list[Caller], game: Any
) -> None:
    path = f"/v1/games/{game['id']}"
    shown = [
        [caller.get(f"{path}{more}").json for more in ("", "/events", "/record")]
        for caller in (host, *four[:3])
    ]
    auditor.get(path)
    again = [
        [caller.get(f"{path}{more}").json for more in ("", "/events", "/record")]
        for caller in (host, *four[:3])
    ]
    assert again == shown
    assert [look["by"] for look in four[1].get(f"{path}/looks").json["items"]] == ["auditor"], (
        "but their list"
    )
    assert looks(host, four, game, "resignation") == [("cards", "auditor", None)]


def test_a_look_by_an_app_acting_as_a_player_is_recorded(host: Caller, four: list[Caller], game: Any) -> None:
    acting = {"Card-Referee-Player": four[1].player}
    path = f"/v1/games/{game['id']}"
    assert host.get(path, headers=acting).json["viewer"]["seats"] == [1]
    assert host.get(f"{path}/legal-moves?seat=2").status_code == 200
    assert looks(host, four, game) == [("cards", "app", 1), ("moves", "app", 2)]


def test_a_hand_that_is_shown_when_its_seat_is_taken_is_recorded(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "mau_mau", "seats": seats}).json
    path = f"/v1/games/{game['id']}/seats/1"
    taken = host.put(path, {"invite": game["seats"][1]["invite"]}, headers=act_as(four[1])).json
    assert len(taken["view"]["zones"]["hand.1"]) == 7
    assert looks(host, four, game) == [("cards", "app", 1)]


@pytest.mark.parametrize("running", [True, False])
def test_a_private_seat_is_not_shown_to_an_app_that_takes_it(
    host: Caller, four: list[Caller], running: bool
) -> None:
    seats = [{"player": four[0].player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "mau_mau", "seats": seats, "seats_private": True}).json
    path, invite = f"/v1/games/{game['id']}/seats/1", {"invite": game["seats"][1]["invite"]}
    if running:
        assert four[1].put(path, invite).status_code == 200
    assert host.put(path, invite, headers=act_as(four[1])).status_code == 403
    assert host.put(path, {"player": four[1].player}).status_code == 200
    assert looks(host, four, game) == []


def act_as(player: Caller) -> dict[str, str]:
    return {"Card-Referee-Player": player.player or ""}


def not_held(player: Caller, game: dict[str, Any]) -> dict[str, Any]:
    """Return a play of a card that the player does not have."""
    ruleset = player.get(f"/v1/rulesets/{game['ruleset']}").json
    shown = player.get(f"/v1/games/{game['id']}").json
    seat = shown["viewer"]["seats"][0]
    held = shown["view"]["zones"][f"hand.{seat}"]
    card = next(card["id"] for card in ruleset["cards"] if card["id"] not in held)
    return {"type": "play", "card": card}


@pytest.mark.parametrize("key", [None, "one"])
@pytest.mark.parametrize("how", ["for a seat", "as its player"])
@pytest.mark.parametrize("ruleset", ["bisca", "pies"])
def test_a_refused_move_by_an_app_is_recorded(
    host: Caller, four: list[Caller], ruleset: str, how: str, key: str | None
) -> None:
    """The rule that refuses a card tells whether it is in the hand."""
    game = new_game(host, four[: {"bisca": 2, "pies": 4}[ruleset]], ruleset)
    game = host.get(f"/v1/games/{game['id']}").json
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    headers = act_as(four[seat]) if how == "as its player" else {}
    headers |= {"Idempotency-Key": key} if key else {}
    move = {"move": not_held(four[seat], game), "seat": seat}
    for _ in range(2):
        assert host.post(f"{path}/moves", move, headers=headers).status_code == 422
    assert looks(host, four, game) == [("moves", "app", seat)]


def test_a_refused_move_after_accepted_ones_is_recorded(host: Caller, four: list[Caller], game: Any) -> None:
    """A process that has just made a move keeps a copy of the game, on which the next one is judged."""
    path = f"/v1/games/{game['id']}"
    for _ in range(3):
        seat = game["to_act"][0]
        legal = four[seat].get(f"{path}/legal-moves").json["moves"][0]
        made = host.post(f"{path}/moves", {"move": legal, "seat": seat})
        assert made.status_code == 201
        game = made.json["game"]
    other = (game["to_act"][0] + 1) % 3
    refused = host.post(f"{path}/moves", {"move": legal, "seat": other})
    assert refused.status_code == 422
    assert looks(host, four, game) == [("moves", "app", other)]


def test_a_refused_move_by_the_seats_own_player_is_not_recorded(
    host: Caller, four: list[Caller], game: Any
) -> None:
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    assert four[seat].post(f"{path}/moves", {"move": not_held(four[seat], game)}).status_code == 422
    assert looks(host, four, game) == []


def test_an_accepted_move_by_an_app_is_no_look(host: Caller, four: list[Caller], game: Any) -> None:
    """The log has the move itself, and that the app made it."""
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    legal = four[seat].get(f"{path}/legal-moves").json["moves"][0]
    made = host.post(f"{path}/moves", {"move": legal, "seat": seat}).json["entry"]
    assert made["by"] == "app"
    assert looks(host, four, game) == []


def test_a_dry_run_by_an_app_is_recorded(host: Caller, four: list[Caller], game: Any) -> None:
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    move = {"move": not_held(four[seat], game), "seat": seat}
    assert host.post(f"{path}/moves/dry-run", move).json["verdict"]["legal"] is False
    assert looks(host, four, game) == [("moves", "app", seat)]


@pytest.mark.parametrize("theirs", [True, False])
def test_reading_the_orders_of_a_player_is_recorded(
    host: Caller, four: list[Caller], game: Any, theirs: bool
) -> None:
    """They name cards that the player holds, and say which of them turned out to be illegal."""
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    other = (seat + 1) % 3
    if theirs:
        card = {"orders": [{"move": not_held(four[other], game)}]}
        assert four[other].put(f"{path}/orders", card).status_code == 200
    assert host.get(f"{path}/orders", headers=act_as(four[other])).status_code == 200
    assert looks(host, four, game) == [("cards", "app", other)]


def test_setting_orders_for_a_player_is_recorded(host: Caller, four: list[Caller], game: Any) -> None:
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    body = {"orders": [{"move": not_held(four[seat], game)}]}
    put = host.put(f"{path}/orders", body, headers=act_as(four[seat])).json
    assert put["cancelled"]["verdict"]["rule"]
    assert looks(host, four, game) == [("cards", "app", seat)]


def test_tokens_created_for_a_seated_player_are_recorded(host: Caller, four: list[Caller], game: Any) -> None:
    for _ in range(2):
        host.post(f"/v1/players/{four[2].player}/tokens")
    host.post(f"/v1/players/{four[3].player}/tokens")  # this player has no seat
    assert looks(host, four, game) == [("token", "app", 2)] * 2


def test_viewers_who_see_nothing_hidden_are_not_recorded(
    host: Caller, four: list[Caller], game: Any, anyone: Caller, sql: psycopg.Connection
) -> None:
    path = f"/v1/games/{game['id']}"
    for caller in (host, *four[:3]):
        for more in ("", "/events", "/record", "/verification"):
            caller.get(f"{path}{more}")
    four[0].get(f"{path}/legal-moves")
    assert sql.execute("SELECT count(*) FROM looks").fetchone() == (0,)
    assert looks(host, four, game) == []


def test_after_the_end_everybody_may_look(
    auditor: Caller, host: Caller, four: list[Caller], game: Any
) -> None:
    play_on(four, game)
    auditor.get(f"/v1/games/{game['id']}")
    assert host.get(f"/v1/games/{game['id']}/looks").json["items"] == []


def test_the_time_of_a_look_is_recorded(
    auditor: Caller, host: Caller, four: list[Caller], game: Any, clock: Clock
) -> None:
    clock.move(minutes=5)
    auditor.get(f"/v1/games/{game['id']}")
    clock.move(minutes=5)
    auditor.get(f"/v1/games/{game['id']}")
    (look,) = host.get(f"/v1/games/{game['id']}/looks").json["items"]
    assert look["at"] == "2026-03-01T12:05:00.000000Z"


def test_what_is_no_look_is_refused(host: Caller, four: list[Caller], auditor: Caller, game: Any) -> None:
    auditor.get(f"/v1/games/{game['id']}")
    record = ended(host, four, game)
    record["looks"][0]["who"] = "Mallory"
    assert failed(record).keys() == {"members"}
    assert failures(*ask([record])).keys() == {"members"}


def test_only_who_sees_a_game_sees_its_looks(host: Caller, four: list[Caller], anyone: Caller) -> None:
    game = new_game(host, four[:3], visibility="private")
    path = f"/v1/games/{game['id']}/looks"
    assert (four[0].get(path).status_code, four[3].get(path).status_code) == (200, 404)
    assert anyone.get(path).status_code == 404


def test_a_database_refuses_to_forget_looks(settings: Any, game: Any, auditor: Caller) -> None:
    auditor.get(f"/v1/games/{game['id']}")
    for address in (settings.database_url, settings.worker_database_url):
        with psycopg.connect(
            address.replace("postgresql+psycopg://", "postgresql://", 1), autocommit=True
        ) as connection:
            for statement in ("DELETE FROM looks", "UPDATE looks SET what = 'x'", "TRUNCATE looks"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)


def test_every_tool_names_looks_and_what_the_app_did(
    auditor: Caller, host: Caller, four: list[Caller], game: Any, tmp_path: Path
) -> None:
    """`referee verify`, the dispute report and the page of a record show what is in the record."""
    path = f"/v1/games/{game['id']}"
    auditor.get(path)
    assert host.get(f"{path}/legal-moves?seat=2").status_code == 200
    play_on(four, game, 2)
    record = ended(host, four, game)
    done = run("verify", "-", given=json.dumps(record))
    shown = [
        line.removeprefix("-     others: ").removesuffix(": the server's word [nobody]")
        for line in done.stdout.splitlines()
        if "others:" in line
    ]
    report = host.get(f"{path}/dispute-report?seat=0").text
    (page,) = ask([{"traces": record}])
    for words in (
        "auditor saw the cards of all seats, 2026-03-01",
        "app asked for the legal moves of seat 2",
    ):
        assert any(words in line for line in shown), shown
        assert words in report
        assert any(words in line for line in page), page
    acts = [line for line in shown if "acted for" in line]
    by_app = [e["seq"] for e in record["entries"] if e.get("by") == "app" and e.get("seat") is not None]
    assert by_app
    for seq in by_app:
        assert any(re.search(rf"\b{seq}\b", line.partition(": ")[2]) for line in acts), (seq, acts)
    assert [line[0].lower() + line[1:-1] for line in page] == shown


def test_a_game_without_looks_says_that_the_server_says_so(
    host: Caller, four: list[Caller], game: Any
) -> None:
    record = ended(host, four, game)
    done = run("verify", "-", given=json.dumps(record))
    assert "-     others: nobody else than the players has looked at hands: " in done.stdout


def ended(host: Caller, four: list[Caller], game: Any) -> Any:
    four[0].post(f"/v1/games/{game['id']}/resignation")
    return host.get(f"/v1/games/{game['id']}/record").json
