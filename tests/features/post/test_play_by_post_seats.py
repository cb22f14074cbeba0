"""What a seat can do besides moving: vacation, take-backs, standing orders; and handing a seat over."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg

import referee
from tests.support.callers import Caller, Clock, first_move, log, new_game, play_on

PACE = {"per_move": "PT72H", "on_timeout": "random_move"}


def path(game: dict[str, Any], rest: str = "") -> str:
    return f"/v1/games/{game['id']}{rest}"


def move(player: Caller, game: dict[str, Any], made: dict[str, Any] | None = None) -> dict[str, Any]:
    done = player.post(path(game, "/moves"), {"move": made or first_move(player, game)})
    assert done.status_code == 201, done.text
    found: dict[str, Any] = done.json
    return found


def verified(host: Caller, game: dict[str, Any]) -> None:
    """Check that the log verifies, in the service and offline, whether the game is running or over."""
    found = host.get(path(game, "/verification")).json
    assert found["ok"], [check for check in found["checks"] if not check["ok"]]
    assert referee.verify(host.get(path(game, "/record")).json).ok


# --- vacation ---------------------------------------------------------------------------------------


def test_vacation_moves_a_deadline_and_is_counted(host: Caller, four: list[Caller], clock: Clock) -> None:
    game = new_game(host, four[:2], pace={**PACE, "vacation_days": 3})
    seat = game["to_act"][0]
    assert game["seats"][seat]["vacation_days"] == 3
    clock.move(hours=70)
    taken = four[seat].post(path(game, "/vacation"), {"days": 2})
    entry = taken.json["entry"]
    assert entry["type"] == "vacation_taken"
    assert entry["vacation"] == {"days": 2, "until": "2026-03-06T10:00:00.000000Z", "left": 1}
    assert entry["deadlines"] == {str(seat): "2026-03-06T12:00:00.000000Z"}
    shown = taken.json["game"]["seats"][seat]
    assert (shown["deadline"], shown["vacation_days"]) == ("2026-03-06T12:00:00.000000Z", 1)
    assert four[seat].get("/v1/me/turns").json["items"][0]["deadline"] == shown["deadline"]
    assert four[seat].post(path(game, "/vacation"), {"days": 2}).status_code == 409
    other = 1 - seat
    assert four[other].post(path(game, "/vacation"), {"days": 1}).status_code == 201
    move(four[seat], game)
    began = log(host, game)[-1]["deadlines"]
    assert began == {str(other): "2026-03-08T10:00:00.000000Z"}, "the time begins when the day off ends"
    then = host.get(path(game, f"?version={taken.json['game']['version']}")).json
    assert then["seats"] == taken.json["game"]["seats"]
    verified(host, game)


def test_a_pace_without_vacation_allows_none(host: Caller, four: list[Caller]) -> None:
    for pace in (None, PACE):
        game = new_game(host, four[:2], pace=pace)
        assert four[0].post(path(game, "/vacation"), {"days": 1}).status_code == 409


# --- take-backs -------------------------------------------------------------------------------------


def bidding(host: Caller, four: list[Caller], **more: Any) -> dict[str, Any]:
    """Return a game of pedro in which the bidding has begun."""
    game = new_game(host, four, ruleset="pedro", **more)
    game = move(four[game["to_act"][0]], game)["game"]
    assert game["view"]["phase"] == "bid"
    return game


def test_a_bid_is_taken_back_when_all_agree(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = bidding(host, four, pace={"per_move": "PT72H", "on_timeout": "resign"})
    seat = game["to_act"][0]
    before = four[seat].get(path(game)).json
    bid = move(four[seat], game)
    clock.move(hours=1)
    asked = four[seat].post(path(game, "/take-back"))
    assert asked.status_code == 201, asked.text
    of = bid["entry"]["seq"]
    assert (asked.json["entry"]["type"], asked.json["entry"]["of"]) == ("take_back_requested", of)
    assert "text" not in asked.json["entry"]
    others = [other for other in range(4) if other != seat]
    for other in others[:-1]:
        agreed = four[other].post(path(game, "/take-back/answer"), {"agree": True}).json
        assert agreed["entry"]["type"] == "take_back_agreed"
        assert agreed["game"]["view"]["to_act"] != before["view"]["to_act"]
    done = four[others[-1]].post(path(game, "/take-back/answer"), {"agree": True}).json
    assert (done["entry"]["type"], done["entry"]["of"]) == ("taken_back", of)
    assert done["entry"]["deadlines"] == {str(seat): "2026-03-04T13:00:00.000000Z"}
    after = four[seat].get(path(game)).json
    assert after["view"] == before["view"]
    assert after["version"] == done["entry"]["seq"] > bid["entry"]["seq"]
    assert [entry["type"] for entry in log(host, game)].count("moved") == len(
        host.get(path(game, "/record")).json["moves"]
    ) + 1
    assert host.get(path(game, f"?version={after['version']}")).json["seats"] == after["seats"]
    verified(host, game)
    play_on(four, after, 6)
    four[0].post(path(game, "/resignation"))
    verified(host, game)
    record = host.get(path(game, "/record")).json
    assert len(record["moves"]) == 7
    assert referee.replay(referee.read_record(record)).state.result == record["result"]


def test_one_refusal_or_another_move_ends_the_request(host: Caller, four: list[Caller]) -> None:
    game = bidding(host, four)
    seat = game["to_act"][0]
    other = (seat + 1) % 4
    game = move(four[seat], game)["game"]
    assert four[other].post(path(game, "/take-back/answer"), {"agree": True}).status_code == 409
    four[seat].post(path(game, "/take-back"))
    four[other].post(path(game, "/take-back/answer"), {"agree": False})
    assert four[other].post(path(game, "/take-back/answer"), {"agree": True}).status_code == 409
    four[seat].post(path(game, "/take-back"))
    move(four[game["to_act"][0]], game)
    assert four[other].post(path(game, "/take-back/answer"), {"agree": True}).status_code == 409
    assert "taken_back" not in [entry["type"] for entry in log(host, game)]


def test_a_move_that_showed_cards_cannot_be_taken_back(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    seat = game["to_act"][0]
    assert four[seat].post(path(game, "/take-back")).status_code == 409, "there is no move yet"
    move(four[seat], game)
    refused = four[seat].post(path(game, "/take-back"))
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict")
    assert "hidden card was shown" in refused.json["detail"]


def test_a_bid_cannot_be_taken_back_once_cards_were_shown(host: Caller, four: list[Caller]) -> None:
    game = bidding(host, four)
    seat = game["to_act"][0]
    move(four[seat], game)
    game = host.get(path(game)).json
    for _ in range(12):
        if game["view"]["phase"] not in ("bid", "declare"):
            break
        assert four[seat].post(path(game, "/take-back")).status_code == 201
        game = move(four[game["to_act"][0]], game)["game"]
    move(four[game["to_act"][0]], game)  # discards cards face up
    assert four[seat].post(path(game, "/take-back")).status_code == 409


# --- standing orders --------------------------------------------------------------------------------


def test_orders_are_played_in_turn_and_shown_to_nobody_else(
    host: Caller, auditor: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:2])
    first = game["to_act"][0]
    second = 1 - first
    hand = four[second].get(path(game)).json["view"]["zones"][f"hand.{second}"]
    orders = [{"move": {"type": "play", "card": card}} for card in hand[:2]]
    left = four[second].put(path(game, "/orders"), {"orders": orders})
    assert left.json == {"seat": second, "orders": orders, "cancelled": None}
    assert four[second].get(path(game, "/orders")).json == left.json
    assert four[first].get(path(game, f"/orders?seat={second}")).status_code == 403
    assert four[first].get(path(game, "/orders")).json["orders"] == []
    assert host.get(path(game, "/orders")).status_code == 403
    for caller in (host, auditor, four[first]):
        for place in ("", "/events", "/record"):
            assert "order" not in json.dumps(caller.get(path(game, place)).json)
    done = move(four[first], game)
    assert done["entry"]["seat"] == first
    played = [entry for entry in log(host, game) if entry.get("order")]
    assert [entry["seat"] for entry in played] == [second] * len(played)
    assert played
    assert played[0]["move"] == orders[0]["move"]
    assert four[second].get(path(game, "/orders")).json["orders"] == orders[len(played) :]
    verified(host, game)


def test_orders_end_with_their_game(host: Caller, four: list[Caller], sql: psycopg.Connection) -> None:
    kept = "SELECT count(*) FROM standing_orders"
    for ends in ("resignation", "cancellation"):
        game = new_game(host, four[:2])
        first = game["to_act"][0]
        hand = four[1 - first].get(path(game)).json["view"]["zones"][f"hand.{1 - first}"]
        orders = [{"move": {"type": "play", "card": hand[0]}}]
        assert four[1 - first].put(path(game, "/orders"), {"orders": orders}).json["orders"] == orders
        assert sql.execute(kept).fetchone() == (1,)
        if ends == "resignation":
            assert four[first].post(path(game, "/resignation")).status_code == 201
        else:
            assert host.post(path(game, "/cancellation")).status_code == 201
        assert sql.execute(kept).fetchone() == (0,)
        assert four[1 - first].get(path(game, "/orders")).json["orders"] == []


def test_orders_that_cannot_be_played_are_cancelled_together(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    host.post("/v1/webhooks", {"url": "https://example.org/"})
    game = new_game(host, four[:2])
    first = game["to_act"][0]
    second = 1 - first
    not_held = four[first].get(path(game)).json["view"]["zones"][f"hand.{first}"][-1]
    held = four[second].get(path(game)).json["view"]["zones"][f"hand.{second}"][0]
    orders = [{"move": {"type": "play", "card": card}} for card in (not_held, held)]
    four[second].put(path(game, "/orders"), {"orders": orders})
    done = move(four[first], game)
    assert done["game"]["to_act"] == [second]
    shown = four[second].get(path(game, "/orders")).json
    assert shown["orders"] == []
    assert shown["cancelled"]["move"] == orders[0]["move"]
    assert shown["cancelled"]["verdict"]["rule"]
    assert not [entry for entry in log(host, game) if entry.get("order")]
    events = [row[0] for row in sql.execute("SELECT event FROM outbox ORDER BY number")]
    assert events.count("orders.cancelled") == 1
    payloads = [row[0] for row in sql.execute("SELECT payload FROM outbox")]
    assert not_held not in "".join(json.loads(text)["data"].get("card", "") for text in payloads)


def test_orders_set_on_ones_own_turn_are_played_at_once_and_can_be_deleted(
    host: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:2])
    first = game["to_act"][0]
    second = 1 - first
    wanted = first_move(four[first], game)
    left = four[first].put(path(game, "/orders"), {"orders": [{"move": wanted}]})
    assert left.json["orders"] == []
    assert log(host, game)[-1]["move"] == wanted
    bad = four[second].put(path(game, "/orders"), {"orders": [{"move": wanted}]})
    assert bad.json["cancelled"]["verdict"]["legal"] is False
    game = host.get(path(game)).json
    four[first].put(path(game, "/orders"), {"orders": [{"move": wanted}] * 10})
    assert four[first].put(path(game, "/orders"), {"orders": [{"move": wanted}] * 101}).status_code == 400
    assert four[first].delete(path(game, "/orders")).status_code == 204
    assert four[first].get(path(game, "/orders")).json["orders"] == []
    move(four[second], game)
    assert not log(host, game)[-1].get("order")


# --- replacements -----------------------------------------------------------------------------------


def test_the_app_hands_a_seat_over(host: Caller, four: list[Caller], new_player: Any, clock: Clock) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    eve = new_player("Eve")
    assert eve.get(path(game)).status_code == 404
    view = four[seat].get(path(game)).json["view"]
    clock.move(hours=71)
    done = host.put(path(game, f"/seats/{seat}/player"), {"player": eve.player})
    assert done.status_code == 200, done.text
    assert done.json["seats"][seat]["deadline"] == "2026-03-07T11:00:00.000000Z"
    *_, left, joined = log(host, game)
    assert (left["type"], left["player"]["id"], left["replaced"]) == ("left", four[seat].player, True)
    assert (joined["type"], joined["player"]["id"]) == ("joined", eve.player)
    assert four[seat].get(path(game)).status_code == 404, "the game belongs to the new player"
    assert four[seat].get("/v1/me/turns").json["items"] == []
    assert eve.get(path(game)).json["view"] == view
    assert [turn["game"] for turn in eve.get("/v1/me/turns").json["items"]] == [game["id"]]
    taken = host.put(path(game, f"/seats/{seat}/player"), {"player": four[(seat + 1) % 3].player})
    assert taken.status_code == 409
    players = list(four[:3])
    players[seat] = eve
    assert host.get(path(game, f"?version={done.json['version']}")).json["seats"] == done.json["seats"]
    play_on(players, host.get(path(game)).json, 5)
    assert eve.post(path(game, "/resignation")).status_code == 201
    verified(host, game)


def test_all_others_together_can_replace_only_a_missing_player(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    others = [other for other in range(3) if other != seat]
    place = path(game, f"/seats/{seat}/player")
    assert four[others[0]].put(place, {"bot": "random"}).status_code == 409, "the player is present"
    assert four[seat].put(place, {"bot": "random"}).status_code == 403, "not by the seat itself"
    assert four[3].put(place, {"bot": "random"}).status_code == 404
    _be_late(host, game, clock, worker, seat, 1)
    refused = four[others[0]].put(place, {"bot": "random"})
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict"), (
        "one late turn is nothing"
    )
    _be_late(host, game, clock, worker, seat, 2)
    hook = host.post("/v1/webhooks", {"url": "https://example.org/hook"}).json["id"]
    first = four[others[0]].put(place, {"bot": "random"})
    assert first.json["seats"][seat]["bot"] is None
    assert four[others[1]].put(place, {"player": four[3].player}).json["seats"][seat]["bot"] is None
    assert four[others[1]].put(place, {"bot": "random"}).json["seats"][seat]["bot"] == "random"
    entries = log(host, game)
    assert [e["type"] for e in entries if e.get("replaced")] == ["left", "joined"]
    worker()
    sent = host.get(f"/v1/webhooks/{hook}/deliveries").json["items"]
    assert {"game.replacement_agreed", "game.left", "game.replaced"} <= {each["event"] for each in sent}
    verified(host, game)


def _be_late(
    host: Caller, game: dict[str, Any], clock: Clock, worker: Callable[[], None], seat: int, times: int
) -> None:
    """Let everybody be late, until this seat has been so often."""

    def time_outs() -> list[int]:
        return [entry["seat"] for entry in log(host, game) if entry["type"] == "timed_out"]

    while time_outs().count(seat) < times:
        assert host.get(path(game)).json["status"] == "running"
        clock.move(hours=72)
        worker()


def test_one_late_turn_and_a_move_give_nobody_a_seat(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    seat = game["to_act"][0]
    place = path(game, f"/seats/{seat}/player"), {"bot": "random"}
    _be_late(host, game, clock, worker, seat, 1)
    assert four[1 - seat].put(*place).status_code == 409
    while (now := host.get(path(game)).json)["to_act"] != [seat]:
        mover = four[now["to_act"][0]]
        assert mover.post(path(game, "/moves"), {"move": first_move(mover, now)}).status_code == 201
    assert four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], now)}).status_code == 201
    _be_late(host, game, clock, worker, seat, 2)
    assert four[1 - seat].put(*place).status_code == 409, "the two were not in a row"
    _be_late(host, game, clock, worker, seat, 3)
    assert four[1 - seat].put(*place).json["seats"][seat]["bot"] == "random"


def test_a_player_on_vacation_is_not_missing(host: Caller, four: list[Caller], clock: Clock) -> None:
    game = new_game(host, four[:3], pace={"per_move": "P10D", "on_timeout": "resign", "vacation_days": 9})
    seat = game["to_act"][0]
    place = path(game, f"/seats/{seat}/player")
    assert four[seat].post(path(game, "/vacation"), {"days": 9}).status_code == 201
    clock.move(days=9)
    assert four[(seat + 1) % 3].put(place, {"bot": "random"}).status_code == 409
    clock.move(days=7)
    assert four[(seat + 1) % 3].put(place, {"bot": "random"}).status_code == 200


def test_a_move_made_for_a_missing_player_ends_no_agreement(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    first, second = (other for other in range(3) if other != seat)

    _be_late(host, game, clock, worker, seat, 2)
    place = path(game, f"/seats/{seat}/player"), {"bot": "random"}
    assert four[first].put(*place).json["seats"][seat]["bot"] is None
    _be_late(host, game, clock, worker, seat, 3)
    assert four[second].put(*place).json["seats"][seat]["bot"] == "random"


def test_handing_a_seat_to_its_own_player_changes_nothing(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    for who in ({"bot": "random"}, {"player": four[2].player}):
        seat = 1 - game["to_act"][0]
        first = host.put(
            path(game, f"/seats/{seat}/player"), who, headers={"Idempotency-Key": next(iter(who))}
        )
        assert first.status_code == 200
        again = host.put(path(game, f"/seats/{seat}/player"), who)
        assert (again.status_code, again.json) == (200, first.json)
        replayed = host.put(
            path(game, f"/seats/{seat}/player"), who, headers={"Idempotency-Key": next(iter(who))}
        )
        assert (replayed.headers["Idempotency-Replayed"], replayed.json) == ("true", first.json)


def test_taking_ones_own_seat_again_changes_nothing(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    body = {"invite": game["seats"][1]["invite"], "entropy": "mine"}
    first = four[1].put(path(game, "/seats/1"), body, headers={"Idempotency-Key": "a"})
    assert (first.status_code, first.json["status"]) == (200, "running")
    renamed = host("PATCH", f"/v1/players/{four[1].player}", {"name": "Benjamin"})
    assert renamed.status_code == 200
    again = four[1].put(path(game, "/seats/1"), body)
    assert (again.status_code, again.json) == (200, first.json)
    replayed = four[1].put(path(game, "/seats/1"), body, headers={"Idempotency-Key": "a"})
    assert replayed.headers["Idempotency-Replayed"] == "true"
    other = four[2].put(path(game, "/seats/1"), body)
    assert (other.status_code, other.json["type"]) == (409, "/problems/game-not-open")


def test_after_a_take_back_the_seats_orders_rest(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four, ruleset="pedro")
    game = move(four[game["to_act"][0]], game)["game"]  # the hands are dealt, and the bidding begins
    seat = game["to_act"][0]
    bids = four[seat].get(path(game, "/legal-moves")).json["moves"]
    move(four[seat], game, bids[0])
    assert four[seat].put(path(game, "/orders"), {"orders": [{"move": bids[1]}]}).status_code == 200
    assert four[seat].post(path(game, "/take-back")).status_code == 201
    for other in {0, 1, 2, 3} - {seat}:
        assert four[other].post(path(game, "/take-back/answer"), {"agree": True}).status_code == 201
    assert log(host, game)[-1]["type"] == "taken_back"
    assert host.get(path(game)).json["to_act"] == [seat]
    left = four[seat].get(path(game, "/orders")).json
    assert (left["orders"], left["held"]) == ([{"move": bids[1]}], True)


def test_a_new_player_of_a_seat_has_not_agreed_to_what_the_last_one_agreed_to(
    host: Caller, four: list[Caller], new_player: Callable[[str], Caller], clock: Clock
) -> None:
    game = new_game(host, four, ruleset="pedro", pace={**PACE, "per_move": "P30D"})
    missing = game["to_act"][0]
    first, second, third = (seat for seat in range(4) if seat != missing)
    clock.move(days=8)
    eve, frank = new_player("Eve"), new_player("Frank")
    wanted = path(game, f"/seats/{missing}/player"), {"player": eve.player}
    assert four[first].put(*wanted).status_code == 200
    assert host.put(path(game, f"/seats/{first}/player"), {"player": frank.player}).status_code == 200
    for voter in (second, third):
        assert four[voter].put(*wanted).status_code == 200
    assert host.get(path(game)).json["seats"][missing]["player"]["id"] == four[missing].player
    assert frank.put(*wanted).status_code == 200
    assert host.get(path(game)).json["seats"][missing]["player"]["id"] == eve.player


def test_seat_numbers_beyond_the_last_one_are_refused(host: Caller, four: list[Caller]) -> None:
    running = new_game(host, four[:3])
    seats = [{"player": four[0].player}, {"open": True}, {"open": True}]
    opened = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    for seat in (3, 4):
        answers = [
            host.put(path(running, f"/seats/{seat}/player"), {"bot": "random"}),
            host.put(path(opened, f"/seats/{seat}"), {"player": four[1].player}),
            host.delete(path(opened, f"/seats/{seat}")),
        ]
        assert [answer.status_code for answer in answers] == [404, 404, 404]
