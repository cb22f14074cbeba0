"""Looks are recorded: the last entry lists who, besides a seat's player, saw its cards during the game."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

import referee
from api.store import games
from api.store.database.publishing import Publisher
from api.store.database.session import Session
from tests.commands import run
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.forging import chained_anew, failed
from tests.support.page_verifier import ask, failures


@pytest.fixture
def game(host: Caller, four: list[Caller]) -> Any:
    return new_game(host, four[:3])


def looks(host: Caller, four: list[Caller], game: dict[str, Any], how: str = "cancellation") -> Any:
    """End the game; return the looks that its last entry lists."""
    done = (host if how == "cancellation" else four[0]).post(f"/v1/games/{game['id']}/{how}")
    assert done.status_code == 201
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert referee.verify(record).ok
    assert failures(*ask([record])) == {}
    return [(look["what"], look["by"], look["seat"]) for look in record["entries"][-1].get("looks", [])]


@pytest.mark.parametrize("where", ["", "/events", "/record", "/verification", "?version=3"])
def test_a_look_by_an_auditor_is_recorded(
    auditor: Caller, host: Caller, four: list[Caller], game: dict[str, Any], where: str
) -> None:
    before = auditor.get(f"/v1/games/{game['id']}{where}")
    assert before.status_code == 200
    assert auditor.get(f"/v1/games/{game['id']}{where}").json == before.json
    assert looks(host, four, game) == [("cards", "auditor", None)]


def test_looks_are_not_shown_during_the_game(
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
    ended = play_on(four, game)
    auditor.get(f"/v1/games/{game['id']}")
    last = host.get(f"/v1/games/{game['id']}/events?after={ended['version'] - 1}").json["items"][-1]
    assert last["type"] == "finished"
    assert "looks" not in last


def test_the_time_of_a_look_is_recorded(
    auditor: Caller, host: Caller, four: list[Caller], game: Any, clock: Clock
) -> None:
    clock.move(minutes=5)
    auditor.get(f"/v1/games/{game['id']}")
    clock.move(minutes=5)
    auditor.get(f"/v1/games/{game['id']}")
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = host.get(f"/v1/games/{game['id']}/record").json
    (look,) = record["entries"][-1]["looks"]
    assert look["at"] == "2026-03-01T12:05:00.000000Z"
    later = copy.deepcopy(record)
    later["entries"][-1]["looks"][0]["at"] = "2026-03-01T13:00:00.000000Z"
    assert failed(chained_anew(later)) == {"times": len(record["entries"])}
    swapped = copy.deepcopy(record)
    swapped["entries"][-1]["looks"].append({**look, "at": "2026-03-01T12:01:00.000000Z"})
    assert failed(chained_anew(swapped)) == {"times": len(record["entries"])}
    finer = copy.deepcopy(record)  # half a second after an entry whose time is written without a fraction
    finer["entries"][-1]["at"] = "2026-03-01T12:10:00Z"
    finer["entries"][-1]["looks"][0]["at"] = "2026-03-01T12:10:00.500000Z"
    assert failed(chained_anew(finer)) == {"times": len(record["entries"])}
    other = copy.deepcopy(record)
    other["entries"][-1]["looks"][0]["who"] = "Mallory"
    assert failed(chained_anew(other)).keys() == {"members"}


def test_a_look_waits_for_the_end_of_the_game(
    host: Caller, four: list[Caller], game: Any, settings: Any, sql: psycopg.Connection
) -> None:
    """No look is lost between the listing in the last entry and its commit, because the row is locked."""
    with sql.transaction():
        sql.execute("SELECT FROM games FOR UPDATE")
        address = settings.database_url.replace("postgresql+psycopg://", "postgresql://", 1)
        with psycopg.connect(address, autocommit=True) as connection:
            app = sql.execute("SELECT app_id FROM games").fetchone()
            connection.execute("SELECT set_config('card_referee.app', %s, false)", (str(app[0]),))
            connection.execute("SET lock_timeout = '100ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                connection.execute("SELECT FROM games WHERE status = 'running' FOR KEY SHARE")


def test_the_end_of_a_game_waits_for_a_look_and_lists_it(
    host: Caller, four: list[Caller], game: Any, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look did not exist yet when the end was decided: it is decided again, and announced once."""
    lock, publish = games.lock, Publisher.publish
    ends: list[UUID] = []
    early: list[tuple[int, int]] = []

    def note(publisher: Publisher, pending: Mapping[UUID, int]) -> None:
        (committed,) = sql.execute("SELECT version FROM games").fetchone() or (0,)
        early.extend((version, committed) for version in pending.values() if version > committed)
        publish(publisher, pending)

    def look_first(session: Session, game_id: UUID, *mark: Any) -> None:
        if not ends:
            sql.execute("BEGIN")
            sql.execute("SELECT FROM games WHERE id = %s FOR KEY SHARE", (game_id,))
            sql.execute(
                "INSERT INTO looks (game_id, what, seat, credential_id, by, at)"
                " SELECT %s, 'cards', -1, id, 'auditor', now() FROM credentials LIMIT 1",
                (game_id,),
            )
            pool.submit(commit_once_waited_for)
        ends.append(game_id)
        lock(session, game_id, *mark)

    def commit_once_waited_for() -> None:
        while not sql.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
            pass
        sql.execute("COMMIT")

    monkeypatch.setattr(games, "lock", look_first)
    monkeypatch.setattr(Publisher, "publish", note)
    with ThreadPoolExecutor(1) as pool:
        ended = play_on(four, game)
    assert (len(ends), early) == (2, [])
    last = host.get(f"/v1/games/{game['id']}/events?after={ended['version'] - 1}").json["items"][-1]
    assert [look["by"] for look in last["looks"]] == ["auditor"]


LOOK = """
    INSERT INTO looks (game_id, what, seat, credential_id, by, at)
    SELECT %(game)s, 'moves', %(number)s %% 3, id, 'app', now()
    FROM credentials ORDER BY id OFFSET %(number)s / 3 LIMIT 1
"""


@pytest.mark.parametrize("change", [LOOK, "UPDATE games SET title = title WHERE id = %(game)s"])
def test_an_end_that_was_overtaken_changes_nothing(
    host: Caller,
    four: list[Caller],
    game: Any,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    change: str,
) -> None:
    """By a look, or a change of the game: all that an end writes is sent before anybody knows of that."""
    path, numbers = f"/v1/games/{game['id']}", count()
    order = {"orders": [{"move": not_held(four[1], game)}]}
    assert four[1].put(f"{path}/orders", order).status_code == 200

    def state() -> list[Any]:
        tables = "games", "entries", "player_games", "standing_orders", "player_results", "idempotency"
        rows = (sql.execute(f"SELECT t::text FROM {table} t ORDER BY 1").fetchall() for table in tables)
        return [*rows]

    lock, before = games.lock, state()

    def change_first(session: Session, game_id: UUID, *mark: Any) -> None:
        sql.execute(change, {"game": game_id, "number": next(numbers)})
        lock(session, game_id, *mark)

    with monkeypatch.context() as patched:
        patched.setattr(games, "lock", change_first)
        refused = four[0].post(f"{path}/resignation", headers={"Idempotency-Key": "end"})
    assert (refused.status_code, state()) == (503, before)
    tried = next(numbers)
    assert tried > 1
    assert len(looks(host, four, game, "resignation")) == (tried if change == LOOK else 0)


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
    """`referee verify`, the dispute report and the page of a record show what is in the log."""
    path = f"/v1/games/{game['id']}"
    auditor.get(path)
    assert host.get(f"{path}/legal-moves?seat=2").status_code == 200
    play_on(four, game, 2)
    record = ended(host, four, game)
    done = run("verify", "-", given=json.dumps(record))
    shown = [line.removeprefix("NOTE  others: ") for line in done.stdout.splitlines() if "others:" in line]
    report = host.get(f"{path}/dispute-report?seat=0").text
    (page,) = ask([{"traces": record["entries"]}])
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
    assert "NOTE  others: nobody else than the players has looked at hands, says the server" in done.stdout


def ended(host: Caller, four: list[Caller], game: Any) -> Any:
    four[0].post(f"/v1/games/{game['id']}/resignation")
    return host.get(f"/v1/games/{game['id']}/record").json


def test_the_clock_of_another_server_may_be_ahead(
    auditor: Caller, host: Caller, four: list[Caller], game: Any, clock: Clock
) -> None:
    clock.move(milliseconds=20)
    auditor.get(f"/v1/games/{game['id']}")
    clock.move(milliseconds=-20)
    assert looks(host, four, game) == [("cards", "auditor", None)]


def test_the_clock_of_another_server_may_be_behind(
    auditor: Caller, host: Caller, four: list[Caller], clock: Clock
) -> None:
    clock.move(hours=1)
    game = new_game(host, four[:3])
    clock.move(hours=-1)
    assert auditor.get(f"/v1/games/{game['id']}").status_code == 200
    clock.move(hours=1)
    assert looks(host, four, game) == [("cards", "auditor", None)]
