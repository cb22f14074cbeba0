"""Test clocks: an app sets the time of games created for the clock, and of no others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

import referee
from api.core.json import dumps
from api.features.test_clocks import test_clocks
from referee.cli import main
from tests.support.callers import Caller, Clock, first_move, log, new_game
from tests.support.clocks import PAST, new_clock, on_clock
from tests.support.node import ask, failures

FAR = "2044-06-01T00:00:00.000000Z"
PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": "PT12H"}


def advance(host: Caller, path: str, **how: str) -> Any:
    done = host.post(f"{path}/advance", how)
    assert done.status_code == 200, done.text
    return done.json


def payloads_of(host: Caller, hook: str, event: str) -> list[dict[str, Any]]:
    """Return the payloads of an event, in the order in which they were queued."""
    items = host.get(f"/v1/webhooks/{hook}/deliveries?limit=200").json["items"]
    return [item["payload"] for item in reversed(items) if item["event"] == event]


def test_a_clock_is_created_shown_listed_and_deleted(host: Caller, new_key: Callable[..., Caller]) -> None:
    made = host.post(
        "/v1/test-clocks", {"name": "slow seats", "time": PAST}, headers={"Idempotency-Key": "c"}
    )
    clock = made.json
    assert (made.status_code, clock["name"], clock["time"]) == (201, "slow seats", PAST)
    again = host.post(
        "/v1/test-clocks", {"name": "slow seats", "time": PAST}, headers={"Idempotency-Key": "c"}
    )
    assert again.json["id"] == clock["id"]
    path = f"/v1/test-clocks/{clock['id']}"
    assert host.get(path).json == clock
    standing = host.post("/v1/test-clocks").json
    assert standing["time"] == standing["created_at"], "the default is the time of the server"
    assert [item["id"] for item in host.get("/v1/test-clocks").json["items"]] == [standing["id"], clock["id"]]
    other = new_key("other", "read", "write")
    for caller, status in ((other, 404), (new_key("host", "read"), 403)):
        assert caller.post(f"{path}/advance", {"by": "PT1H"}).status_code == status
        assert caller.delete(path).status_code == status
    assert other.get(path).status_code == 404
    assert other.get("/v1/test-clocks").json["items"] == []
    assert host.delete(path).status_code == 204
    assert host.get(path).status_code == 404
    assert host.delete(path).status_code == 404
    assert host.post(f"{path}/advance", {"by": "PT1H"}).status_code == 404


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"to": FAR, "by": "PT1H"},
        {"to": "2000-12-31T23:59:59Z"},
        {"to": "9999-01-01T00:00:00Z"},
        {"by": "P9999999D"},
    ],
)
def test_a_clock_moves_only_forward_and_only_so_far(host: Caller, how: dict[str, str]) -> None:
    path = new_clock(host)
    assert host.post(f"{path}/advance", how).status_code == 400
    assert host.get(path).json["time"] == PAST


def test_due_events_happen_at_their_moment(
    host: Caller, four: list[Caller], worker: Callable[[], None]
) -> None:
    hook = host.post("/v1/webhooks", {"url": "https://example.org/hook"}).json["id"]
    path = new_clock(host)
    game = on_clock(host, four[:2], path, pace=PACE)
    mover = game["to_act"][0]
    assert game["seats"][mover]["deadline"] == "2001-01-04T00:00:00.000000Z"
    worker()  # by the server's time, everything has long been due
    assert [entry["type"] for entry in log(host, game)][-1] == "started"
    assert payloads_of(host, hook, "turn.warning") == []
    advance(host, path, to="2001-01-03T11:59:59Z")
    assert payloads_of(host, hook, "turn.warning") == []
    assert advance(host, path, by="PT1S")["time"] == "2001-01-03T12:00:00.000000Z"
    (warning,) = payloads_of(host, hook, "turn.warning")
    assert warning["timestamp"] == "2001-01-03T12:00:00.000000Z"
    assert warning["data"]["test_clock"] == game["test_clock"]
    done = advance(host, path, to=FAR)
    assert done["time"] == FAR == host.get(path).json["time"]
    *_, late, finished = log(host, game)
    assert (late["type"], late["seat"], late["at"]) == ("timed_out", mover, "2001-01-04T00:00:00.000000Z")
    assert (finished["type"], finished["at"]) == ("finished", late["at"])
    worker()
    (ended,) = payloads_of(host, hook, "game.finished")
    assert (ended["timestamp"], ended["data"]["result"]["reason"]) == (late["at"], "timed_out")
    assert len(payloads_of(host, hook, "turn.warning")) == 1
    assert referee.verify(host.get(f"/v1/games/{game['id']}/record").json).ok


def test_notices_of_the_far_future_are_delivered_now(
    host: Caller, four: list[Caller], worker: Callable[[], None]
) -> None:
    hook = host.post("/v1/webhooks", {"url": "https://example.org/hook"}).json["id"]
    on_clock(host, four, new_clock(host, FAR))
    worker()
    items = host.get(f"/v1/webhooks/{hook}/deliveries").json["items"]
    assert items
    assert all(item["next_at"] == item["created_at"] < FAR for item in items)


def test_turn_after_turn_runs_out_and_bots_answer_in_one_step(host: Caller, four: list[Caller]) -> None:
    path = new_clock(host)
    seats = [{"player": four[0].player}, {"bot": "random"}, {"player": four[1].player}]
    asked = {"ruleset": "cats_and_dogs", "seats": seats, "test_clock": path.rpartition("/")[2]}
    game = host.post("/v1/games", {**asked, "pace": {"per_move": "P1D", "on_timeout": "random_move"}}).json
    advance(host, path, by="P4D")
    entries = log(host, game)
    late = [entry["at"][:10] for entry in entries if entry["type"] == "timed_out"]
    assert late == ["2001-01-02", "2001-01-03", "2001-01-04", "2001-01-05"]
    assert any(entry["type"] == "moved" and entry.get("bot") for entry in entries)
    shown = host.get(f"/v1/games/{game['id']}").json
    assert [seat["deadline"] for seat in shown["seats"] if seat["deadline"]] == [
        "2001-01-06T00:00:00.000000Z"
    ]
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    whole = advance(host, path, by="P300D")
    assert whole["time"] == host.get(path).json["time"]
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "finished"
    assert referee.verify(host.get(f"/v1/games/{game['id']}/record").json).ok


def test_moves_messages_and_vacations_use_the_time_of_the_clock(host: Caller, four: list[Caller]) -> None:
    path = new_clock(host)
    game = on_clock(host, four[:2], path, pace={**PACE, "vacation_days": 3}, visibility="unlisted")
    advance(host, path, by="PT1H")
    mover = four[game["to_act"][0]]
    at = "2001-01-01T01:00:00.000000Z"
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}).json
    assert (done["entry"]["at"], done["game"]["updated_at"]) == (at, at)
    assert mover.post(f"/v1/games/{game['id']}/messages", {"text": "Hm."}).json["entry"]["at"] == at
    waits = four[done["game"]["to_act"][0]]
    away = waits.post(f"/v1/games/{game['id']}/vacation", {"days": 2}).json["entry"]
    assert away["vacation"]["until"] == "2001-01-03T01:00:00.000000Z"
    # The time of a look is that of the game, too; so is that of tokens created for its players.
    host.get(f"/v1/games/{game['id']}/legal-moves?seat=0")
    assert host.post(f"/v1/players/{mover.player}/tokens").status_code == 201
    ended = mover.post(f"/v1/games/{game['id']}/resignation").json
    assert {look["at"] for look in host.get(f"/v1/games/{game['id']}/looks").json["items"]} == {at}
    assert ended["game"]["created_at"] == PAST
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]


def test_no_other_game_follows_a_clock(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller], clock: Clock
) -> None:
    path = new_clock(host)
    real = new_game(host, four[:2], pace=PACE)
    other = on_clock(host, four[2:], new_clock(host), pace=PACE)
    advance(host, path, to=FAR)
    for game in (real, other):
        assert host.get(f"/v1/games/{game['id']}").json["status"] == "running"
        assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    assert real["test_clock"] is None
    refused = host("PATCH", f"/v1/games/{real['id']}", {"test_clock": path.rpartition("/")[2]})
    assert refused.status_code == 400
    stranger = new_key("other", "read", "write")
    seats = [{"bot": "random"}] * 3
    asked = {"ruleset": "cats_and_dogs", "seats": seats, "test_clock": path.rpartition("/")[2]}
    assert stranger.post("/v1/games", asked).status_code == 404
    clock.move(hours=72)
    late = {"move": {"type": "play", "card": "X9"}}
    assert four[real["to_act"][0]].post(f"/v1/games/{real['id']}/moves", late).status_code == 409


def test_a_game_on_a_test_clock_is_marked_wherever_it_is_shown(
    host: Caller, four: list[Caller], anyone: Caller
) -> None:
    path = new_clock(host)
    game = on_clock(host, four[:2], path, visibility="public")
    new_game(host, four[:2], visibility="public")
    mark, where = path.rpartition("/")[2], f"/v1/games/{game['id']}"
    four[0].post(f"{where}/resignation")
    for caller in (host, four[0], anyone):
        listed = caller.get(f"/v1/games?visibility=public&test_clock={mark}").json["items"]
        assert [item["id"] for item in listed] == [game["id"]]
        shown = [
            *listed,
            *(caller.get(f"{where}{of}").json for of in ("", "?version=2", "/events", "/record")),
        ]
        assert [answer["test_clock"] for answer in shown] == [mark] * len(shown)
        assert log(caller, game)[0]["test_clock"] == mark
        verified = caller.get(f"{where}/verification").json
        assert verified["ok"]
        assert verified["test_clock"] == mark
        assert [check["ok"] for check in verified["checks"] if check["name"] == "test_clock"] == [True]
    assert "test game" in host.get(f"{where}/dispute-report?seat=0").text


def test_a_record_of_a_test_cannot_look_like_one_of_a_real_game(
    host: Caller, four: list[Caller], tmp_path: Any
) -> None:
    game = on_clock(host, four[:2], new_clock(host))
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = host.get(f"/v1/games/{game['id']}/record").json
    (tmp_path / "record.json").write_bytes(dumps(record))
    printed = CliRunner().invoke(main, ["verify", str(tmp_path / "record.json")])
    assert printed.exit_code == 0
    assert printed.output.startswith("NOTE  test_clock: a test game")
    silent = {name: value for name, value in record.items() if name != "test_clock"}
    other = {**record, "test_clock": game["id"]}
    real = host.get(f"/v1/games/{new_game(host, four[:2])['id']}/record").json
    forged = (silent, other, {**real, "test_clock": game["id"]})
    for one in forged:
        assert [check.name for check in referee.verify(one).checks if not check.ok] == ["terms"]
    in_browser = ask([record, *forged])
    assert [[*failures(found)] for found in in_browser] == [[], ["terms"], ["terms"], ["terms"]]
    assert "test_clock" in {check["name"] for check in in_browser[0]["checks"]}
    otherwise = copy.deepcopy(silent)
    del otherwise["entries"][0]["test_clock"]
    assert not referee.verify(otherwise).ok
    refused = host.post("/v1/records", record)
    assert (refused.status_code, "test clock" in refused.json["detail"]) == (422, True)


def test_deleting_a_clock_cancels_its_games(host: Caller, four: list[Caller]) -> None:
    path = new_clock(host)
    over = on_clock(host, four, path)
    running = on_clock(host, four, path)
    real = new_game(host, four)
    four[0].post(f"/v1/games/{over['id']}/resignation")
    seats = [{"open": True}] * 3
    asked = {"ruleset": "cats_and_dogs", "seats": seats, "test_clock": path.rpartition("/")[2]}
    waiting = host.post("/v1/games", asked).json
    assert host.delete(path).status_code == 204
    statuses = [host.get(f"/v1/games/{game['id']}").json["status"] for game in (over, running, waiting, real)]
    assert statuses == ["finished", "cancelled", "cancelled", "running"]
    assert host.post("/v1/games", asked).status_code == 404
    assert host.post(f"/v1/games/{over['id']}/rematch").status_code == 409
    assert host.get(f"/v1/games/{over['id']}/verification").json["ok"]


def test_a_game_that_cannot_be_read_does_not_stop_its_clock(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    path = new_clock(host)
    lost, other = (on_clock(host, four, path, pace=PACE) for _ in range(2))
    sql.execute("UPDATE games SET sitting = 'null' WHERE id = %s", (lost["id"],))
    advance(host, path, by="P4D")
    assert host.get(f"/v1/games/{other['id']}").json["result"]["reason"] == "timed_out"
    assert host.delete(path).status_code == 204
    assert host.get(f"/v1/games/{lost['id']}").json["type"] == "/problems/game-unreadable"


def test_a_rematch_stays_on_the_clock(host: Caller, four: list[Caller]) -> None:
    path = new_clock(host)
    game = on_clock(host, four, path, pace=PACE)
    four[0].post(f"/v1/games/{game['id']}/resignation")
    advance(host, path, by="PT1H")
    again = host.post(f"/v1/games/{game['id']}/rematch").json
    assert (again["test_clock"], again["created_at"]) == (game["test_clock"], "2001-01-01T01:00:00.000000Z")


def test_too_large_an_advance_is_refused_without_effect(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_clocks, "MOST_DUE", 3)
    path = new_clock(host)
    game = on_clock(
        host, four[:2], path, pace={"per_move": "PT1H", "on_timeout": "random_move", "warn_before": None}
    )
    key = {"Idempotency-Key": "far"}
    refused = host.post(f"{path}/advance", {"by": "PT4H"}, headers=key)
    assert (refused.status_code, "smaller steps" in refused.json["detail"]) == (409, True)
    assert host.get(path).json["time"] == PAST
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    advanced = [host.post(f"{path}/advance", {"by": "PT2H"}, headers=key).json for _ in range(2)]
    assert advanced[0] == advanced[1] == host.get(path).json, "once for each key"
    assert [entry["type"] for entry in log(host, game)].count("timed_out") == 2


def test_the_number_of_clocks_and_of_games_on_one_is_limited(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_clocks, "MOST", 1)
    monkeypatch.setattr(test_clocks, "MOST_GAMES", 1)
    path = new_clock(host)
    assert host.post("/v1/test-clocks").status_code == 409
    on_clock(host, four, path)
    seats = [{"player": player.player} for player in four]
    asked = {"ruleset": "cats_and_dogs", "seats": seats, "test_clock": path.rpartition("/")[2]}
    assert host.post("/v1/games", asked).status_code == 409
