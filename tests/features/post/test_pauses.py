"""Pauses by agreement, and increments: clocks that every verifier recomputes."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import referee
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.clocks import entries, in_hours, path, paused, verified
from tests.support.everything import may_pass
from tests.support.forging import chained_anew
from tests.support.node import ask, failures

PACE = {"per_move": "PT10H", "on_timeout": "random_move", "warn_before": "PT2H", "reserve": "PT5H"}


def broken(record: dict[str, Any], kind: str, bend: Callable[[dict[str, Any]], object]) -> set[str]:
    """Return what fails for both verifiers if the first entry of a type is changed."""
    bent = deepcopy(record)
    bend(next(entry for entry in bent["entries"] if entry["type"] == kind))
    ours = {check.name for check in referee.verify(bent).checks if not check.ok}
    return ours & set(failures(*ask([bent])))


def test_the_clocks_stop_when_all_agree(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    players = four[:2]
    game = new_game(host, players, pace=PACE)
    seat = game["to_act"][0]
    mover = players[seat]
    clock.move(hours=4)
    first = players[1].post(path(game, "/pause")).json
    assert (first["entry"]["type"], first["game"]["paused"]) == ("pause_agreed", False)
    assert first["game"]["seats"][1]["pause_agreed"]
    assert players[1].post(path(game, "/pause")).status_code == 409, "this seat has agreed already"
    last = players[0].post(path(game, "/pause")).json
    assert (last["entry"]["type"], last["game"]["paused"]) == ("paused", True)
    assert [each["deadline"] for each in last["game"]["seats"]] == [None, None]
    assert mover.get("/v1/me/turns").json["items"] == []
    move = {"move": first_move(mover, game)}
    refused = mover.post(path(game, "/moves"), move)
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict")
    for rest in ("/pause", "/nudges", "/take-back"):
        assert mover.post(path(game, rest)).status_code == 409
    assert mover.post(path(game, "/messages"), {"text": "See you in June"}).status_code == 201
    clock.move(days=60)
    worker()
    assert host.get(path(game)).json["version"] == last["game"]["version"] + 1, (
        "only messages, no other entries"
    )
    resumed = players[1].post(path(game, "/resumption")).json
    assert resumed["entry"]["deadlines"] == {str(seat): in_hours(60 * 24 + 15)}
    assert (resumed["game"]["paused"], resumed["game"]["to_act"]) == (False, [seat])
    assert resumed["game"]["seats"][seat]["deadline"] == in_hours(60 * 24 + 15)
    assert players[0].post(path(game, "/resumption")).status_code == 409
    (turn,) = mover.get("/v1/me/turns").json["items"]
    assert turn["deadline"] == in_hours(60 * 24 + 15)
    for version in range(1, resumed["game"]["version"] + 1):
        shown = host.get(path(game, f"?version={version}")).json
        assert shown["paused"] == (last["game"]["version"] <= version < resumed["game"]["version"])
    assert shown["seats"] == host.get(path(game)).json["seats"]
    clock.move(hours=7)  # an hour of the reserve has been used
    assert mover.post(path(game, "/moves"), move).json["game"]["seats"][seat]["reserve"] == "PT14400S"
    record = verified(host, game)
    later = in_hours(60 * 24 + 16)
    assert "clocks" in broken(record, "resumed", lambda entry: entry.update(deadlines={str(seat): later}))
    assert "clocks" in broken(record, "paused", lambda entry: entry.update(at=in_hours(5)))
    without = deepcopy(record)
    without["entries"] = [entry for entry in without["entries"] if entry["type"] != "resumed"]
    assert not referee.verify(without).ok
    assert "clocks" in failures(*ask([without]))


def test_nobody_is_paused_without_their_consent(host: Caller, four: list[Caller], clock: Clock) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    for player in four[:3]:
        if player is not four[seat]:
            assert player.post(path(game, "/pause")).status_code == 201
    made = four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], game)}).json["game"]
    assert not any("pause_agreed" in each for each in made["seats"]), (
        "a change in the game ends the agreement"
    )
    assert not four[seat].post(path(game, "/pause")).json["game"]["paused"]
    assert four[3].post(path(game, "/pause")).status_code == 404
    assert new_game(host, four[:2])["paused"] is False
    assert four[0].post(path(new_game(host, four[:2]), "/pause")).status_code == 409, (
        "the game has no deadlines"
    )
    paused(game, [four[n] for n in range(3) if n != seat])
    record = verified(host, game)
    without = deepcopy(record)
    agreed = [entry for entry in without["entries"] if entry["type"] == "pause_agreed"]
    without["entries"].remove(agreed[-1])
    assert "consent" in {check.name for check in referee.verify(without).checks if not check.ok}
    assert "consent" in failures(*ask([without]))


def test_a_paused_game_can_be_resigned_and_cancelled(host: Caller, four: list[Caller]) -> None:
    games = [new_game(host, four[:2], pace=PACE) for _ in range(2)]
    for game in games:
        paused(game, four[:2])
    assert four[0].post(path(games[0], "/resignation")).json["game"]["status"] == "finished"
    assert host.post(path(games[1], "/cancellation")).json["game"]["status"] == "cancelled"
    for game in games:
        assert verified(host, game)["seed"]
        assert host.get(path(game)).json["paused"] is False


def test_bots_and_orders_wait_for_the_end_of_a_pause(
    host: Caller, four: list[Caller], worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    seat = game["to_act"][0]
    paused(game, four[:2])
    order = {"orders": [{"move": first_move(four[seat], game)}]}
    assert four[seat].put(path(game, "/orders"), order).status_code == 200
    worker()
    assert entries(host, game)[-1]["type"] == "paused"
    assert four[1].post(path(game, "/resumption")).status_code == 201
    assert entries(host, game)[-1]["order"]
    verified(host, game)


def test_a_move_in_turn_earns_the_increment(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace={**PACE, "increment": "PT1H"})
    assert game["pace"]["increment"] == "PT1H"
    seat = game["to_act"][0]
    clock.move(hours=12)
    made = four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], game)}).json
    assert made["entry"]["reserve"] == {str(seat): "PT14400S"}, "two hours were used, one was earned"
    assert made["game"]["seats"][seat]["reserve"] == "PT14400S"
    late = made["game"]["to_act"][0]
    clock.move(hours=16)
    worker()
    forced = entries(host, game)[-1]
    assert (forced["random"], forced["reserve"]) == (True, {str(late): "PT0S"}), "this earns nothing"
    version = host.get(path(game)).json
    assert host.get(path(game, f"?version={version['version']}")).json["seats"] == version["seats"]
    record = verified(host, game)
    for left in ("PT18000S", "PT10800S"):
        assert "clocks" in broken(
            record, "moved", lambda entry, left=left: entry.update(reserve={str(seat): left})
        )
    assert four[0].post(path(game, "/resignation")).status_code == 201
    verified(host, game)
    report = host.get(path(game, f"/dispute-report?seat={seat}"))
    assert (report.status_code, "earned 1 hour by the move" in report.text) == (200, True)


def test_a_take_back_returns_the_increment(host: Caller, four: list[Caller], clock: Clock) -> None:
    pace = {"per_move": "PT10H", "reserve": "PT3H", "increment": "PT2H"}
    game = may_pass(host, four, pace)
    mover = game["to_act"][0]
    for hours, left in ((1, "PT10800S"), (11, "PT7200S")):
        clock.move(hours=hours)  # the second time, an hour of the reserve is used
        made = four[mover].post(path(game, "/moves"), {"move": {"type": "pass"}}).json["entry"]
        assert four[mover].post(path(game, "/take-back")).status_code == 201
        for other in range(4):
            if other != mover:
                back = four[other].post(path(game, "/take-back/answer"), {"agree": True}).json["entry"]
        assert (back["type"], back["of"]) == ("taken_back", made["seq"])
        for shown in (host.get(path(game)).json, host.get(path(game, f"?version={back['seq']}")).json):
            assert shown["seats"][mover]["reserve"] == left
    assert host.get(path(game, "/verification")).json["ok"]
    four[mover].post(path(game, "/resignation"))
    record = host.get(path(game, "/record")).json
    assert referee.verify(record).ok, [check for check in referee.verify(record).checks if not check.ok]
    assert not failures(ask([record])[0])
    forged = deepcopy(record)
    taken = next(entry for entry in forged["entries"] if entry["type"] == "taken_back")
    taken["reserve"] = {str(mover): "PT18000S"}
    chained_anew(forged)
    assert not referee.verify(forged).ok
    assert failures(ask([forged])[0])
