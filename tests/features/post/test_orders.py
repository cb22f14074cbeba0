"""Orders for moves to come, passing always, and making the only legal move."""

from __future__ import annotations

from typing import Any

import pytest

from api.context import Context
from api.features import load_features
from api.features.post import plans
from api.features.post.routes import MOST_ORDERS
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, first_move, log, new_game
from tests.support.due_jobs import keep_time

PASS = {"type": "pass"}


@pytest.fixture
def game(host: Caller, four: list[Caller]) -> dict[str, Any]:
    """Return a game of pedro in which all four bid or pass in turn."""
    return new_game(host, four, "pedro")


def path(game: dict[str, Any], rest: str = "") -> str:
    return f"/v1/games/{game['id']}{rest}"


def act(four: list[Caller], game: dict[str, Any], move: dict[str, Any]) -> dict[str, Any]:
    """Make this move for the seat to act; return the game afterwards."""
    done = four[game["to_act"][0]].post(path(game, "/moves"), {"move": move})
    assert done.status_code == 201, done.text
    found: dict[str, Any] = done.json["game"]
    return found


def made(host: Caller, game: dict[str, Any]) -> list[tuple[int, str, bool]]:
    """Return who has moved how, and whether by an order."""
    items = host.get(path(game, "/events?limit=200")).json["items"]
    return [(e["seat"], e["move"]["type"], "order" in e) for e in items if e["type"] == "moved"]


def left(player: Caller, game: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = player.get(path(game, "/orders")).json["orders"]
    return items


def bid_of(player: Caller, game: dict[str, Any]) -> dict[str, Any]:
    listed = player.get(path(game, "/legal-moves")).json["moves"]
    found: dict[str, Any] = next(move for move in listed if move["type"] != "pass")
    return found


def start(four: list[Caller], game: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """Cut, if the game begins with it, and return the seats in the order in which they bid."""
    while PASS not in four[game["to_act"][0]].get(path(game, "/legal-moves")).json["moves"]:
        game = act(four, game, first_move(four[game["to_act"][0]], game))
    first = game["to_act"][0]
    return game, [(first + n) % 4 for n in range(4)]


def test_a_chain_is_restored_as_a_whole() -> None:
    """However many orders of a plan have been played, take-backs restore all of them, in their order."""
    orders = tuple({"move": {"type": "play", "card": str(number)}} for number in range(MOST_ORDERS))
    plan = plans.Plan()
    for number, order in enumerate(orders):
        plan = plan.note_played(10 + 2 * number, order)
    assert plan.taken_back(10).orders == orders
    assert plan.taken_back(10 + 2 * 70).orders == orders[70:]


def test_two_devices_do_not_overwrite_each_others_orders(four: list[Caller], game: dict[str, Any]) -> None:
    player = four[1 - game["to_act"][0]] if game["to_act"][0] < 2 else four[0]
    none = player.get(path(game, "/orders")).headers["ETag"]
    match = {"If-Match": none}
    first = player.put(path(game, "/orders"), {"orders": [{"move": PASS}]}, headers=match)
    assert first.status_code == 200
    for again in (
        player.put(path(game, "/orders"), {"orders": [{"move": PASS}] * 2}, headers=match),
        player.put(path(game, "/automatic"), {"always_pass": True}, headers=match),
        player.delete(path(game, "/orders"), headers=match),
    ):
        assert (again.status_code, again.json["type"]) == (412, "/problems/stale-version")
    now = player.get(path(game, "/orders"))
    assert (now.json, now.headers["ETag"]) == (first.json, first.headers["ETag"])
    match = {"If-Match": now.headers["ETag"]}
    assert (
        player.put(path(game, "/orders"), {"orders": [{"move": PASS}] * 2}, headers=match).status_code == 200
    )
    match = {"If-Match": f'"{game["version"]}"'}
    assert player.delete(path(game, "/orders"), headers=match).status_code == 204
    match = {"If-Match": f'"{game["version"] - 1}"'}
    assert player.put(path(game, "/orders"), {"orders": [{"move": PASS}]}, headers=match).status_code == 412


def test_a_seat_that_always_passes_delays_others_only_if_it_cannot_pass(
    host: Caller, four: list[Caller], game: dict[str, Any]
) -> None:
    game, seats = start(four, game)
    for seat in seats[1:]:
        put = four[seat].put(path(game, "/automatic"), {"always_pass": True})
        assert put.json["automatic"] == {"always_pass": True, "only_move": False}
        assert put.json["orders"] == []
    game = act(four, game, bid_of(four[seats[0]], game))
    assert made(host, game)[-3:] == [(seat, "pass", True) for seat in seats[1:]]
    assert game["status"] == "running"
    shown = four[seats[1]].get(path(game, "/orders")).json
    assert shown["automatic"]["always_pass"], "it passes until this is switched off"
    off = four[seats[1]].put(path(game, "/automatic"))
    assert "automatic" not in off.json
    assert host.get(path(game, "/verification")).json["ok"]


def test_the_only_legal_move_is_made(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    for player in four[:2]:
        player.put(path(game, "/automatic"), {"only_move": True})
    game = four[0].get(path(game)).json
    while game["status"] == "running":
        mover = four[game["to_act"][0]]
        listed = mover.get(path(game, "/legal-moves")).json["moves"]
        assert len(listed) > 1, "players are asked only if they have a choice"
        game = act(four, game, listed[0])
    marks = [by_order for _, _, by_order in made(host, game)]
    assert True in marks
    assert False in marks
    assert host.get(path(game, "/verification")).json["ok"]


def test_the_number_of_consecutive_automatic_moves_is_limited(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.features.post.standing_orders.MOST_IN_A_ROW", 2)
    game = new_game(host, four[:2])
    four[0].put(path(game, "/automatic"), {"only_move": True})
    alone = 0  # moves of the first player that were the only legal one, but were left to the player
    game = four[0].get(path(game)).json
    while game["status"] == "running":
        seat = game["to_act"][0]
        listed = four[seat].get(path(game, "/legal-moves")).json["moves"]
        alone += seat == 0 and len(listed) == 1
        game = act(four, game, listed[0])
    assert [seat for seat, _, by_order in made(host, game) if by_order] == [0, 0]
    assert alone


def test_automatic_moves_end_in_a_game_in_which_everybody_passes(
    host: Caller, four: list[Caller], game: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.features.post.standing_orders.MOST_IN_A_ROW", 3)
    game, _ = start(four, game)
    for player in four:
        player.put(path(game, "/automatic"), {"always_pass": True})
    for player in four:
        shown = player.get(path(game, "/orders")).json
        moves = [each for each in made(host, game) if each[0] == four.index(player)]
        assert len(moves) <= 4
        assert "automatic" not in shown or len(moves) < 3
    assert plans.MOST_IN_A_ROW == 100


def test_a_player_is_notified_when_automatic_moves_end(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.features.post.standing_orders.MOST_IN_A_ROW", 2)
    wanted = {"url": "https://93.184.215.14/in", "events": ["orders.cancelled"]}
    hook = f"/v1/webhooks/{host.post('/v1/webhooks', wanted).json['id']}/deliveries"
    game = new_game(host, four[:2])
    four[0].put(path(game, "/automatic"), {"only_move": True})
    game, notices, verdicts = four[0].get(path(game)).json, [], []
    while game["status"] == "running":
        game = act(four, game, first_move(four[game["to_act"][0]], game))
        by_order = sum(mark for _, _, mark in made(host, game))
        notices.append((by_order, len(host.get(hook).json["items"])))
        if by_order == 2 and game["status"] == "running":
            cancelled = four[0].get(path(game, "/orders")).json["cancelled"]
            verdicts.append(cancelled["verdict"])
    assert {*notices} == {(0, 0), (1, 0), (2, 1)}
    assert verdicts
    assert all(verdict == {"legal": True} for verdict in verdicts), "the last move was not refused"


def test_a_crash_before_the_orders_leaves_them_to_the_worker(
    host: Caller,
    four: list[Caller],
    game: dict[str, Any],
    clock: Clock,
    workers_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, (_, two, _, _) = start(four, game)
    four[two].put(path(game, "/orders"), {"orders": [{"move": PASS}]})
    with monkeypatch.context() as patched:
        patched.setattr("api.features.post.standing_orders.choose", None)
        act(four, game, PASS)
    context = Context(
        host.app.extensions["card_referee"].settings, Session(workers_database), load_features().hooks, clock
    )
    keep_time(context)
    context.session.close()
    assert made(host, game)[-1] == (two, "pass", True)


def test_orders_are_played_one_after_the_other_until_one_is_not_legal(
    host: Caller, four: list[Caller], game: dict[str, Any]
) -> None:
    game, (one, two, three, _) = start(four, game)
    bid = bid_of(four[one], game)
    for seat, moves in ((two, [PASS]), (three, [bid, PASS])):
        orders = [{"move": move} for move in moves]
        put = four[seat].put(path(game, "/orders"), {"orders": orders})
        assert (put.status_code, put.json["orders"]) == (200, orders)
    game = act(four, game, bid)
    assert made(host, game)[-1] == (two, "pass", True)
    assert game["to_act"] == [three], "the same points cannot be bid again"
    now = four[three].get(path(game, "/orders")).json
    assert (now["orders"], now["cancelled"]["move"], now["cancelled"]["verdict"]["legal"]) == ([], bid, False)


def test_moves_that_can_never_be_made_are_refused(four: list[Caller], game: dict[str, Any]) -> None:
    seat = game["to_act"][0]
    for move, place in (
        ({"type": "nonsense"}, "move"),
        ({"type": "play"}, "move.card"),
        ({"type": "play", "card": 7}, "move.card"),
        ({"type": "pass", "x": 1}, "move.x"),
    ):
        refused = four[seat].put(path(game, "/orders"), {"orders": [{"move": PASS}, {"move": move}]})
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/illegal-move"), move
        assert list(refused.json["errors"]) == [f"orders.1.{place}"]
        assert refused.json["verdict"]["rule"] == "common.unknown_move"
    assert left(four[seat], game) == []
    for wrong in ([], [{"move": PASS, "repeat": True}], [{"move": PASS}] * (MOST_ORDERS + 1)):
        assert four[seat].put(path(game, "/orders"), {"orders": wrong}).status_code == 400


def test_a_whole_hand_is_played_by_chains(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    hands = [player.get(path(game)).json["view"]["zones"][f"hand.{n}"] for n, player in enumerate(four[:2])]
    for player, hand in zip(four[:2], hands, strict=True):
        chain = [{"move": {"type": "play", "card": card}} for card in hand]
        assert player.put(path(game, "/orders"), {"orders": chain}).status_code == 200
    items = host.get(path(game, "/events?limit=200")).json["items"]
    moves = [entry for entry in items if entry["type"] == "moved"]
    for seat, hand in enumerate(hands):
        assert [entry["move"]["card"] for entry in moves if entry["seat"] == seat] == hand
    assert all(entry["order"] for entry in moves)


def test_an_order_whose_move_is_taken_back_is_an_order_again(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four, "landlord")
    seat = game["to_act"][0]
    player = four[seat]
    wanted = [{"move": PASS}, {"move": {"type": "take"}}]
    kept = player.put(path(game, "/orders"), {"orders": wanted})
    assert kept.json["orders"] == wanted[1:], "the first was played at once"
    assert player.post(path(game, "/take-back")).status_code == 201
    for other in range(4):
        if other != seat:
            assert four[other].post(path(game, "/take-back/answer"), {"agree": True}).status_code == 201
    now = player.get(path(game, "/orders")).json
    assert (now["orders"], now["held"]) == (wanted, True)
    assert four[0].post(path(game, "/messages"), {"text": "Well?"}).status_code == 201
    assert host.get(path(game)).json["to_act"] == [seat], "nothing is played again by itself"
    assert player.get(path(game, "/orders")).json == now
    version = host.get(path(game)).json["version"]
    assert player.post(path(game, "/moves"), {"move": PASS}).status_code == 201
    assert host.get(path(game)).json["version"] == version + 1
    again = player.put(path(game, "/orders"), {"orders": now["orders"]})
    assert "held" not in again.json


@pytest.mark.parametrize("names_a_card", [True, False])
def test_orders_with_cards_end_with_their_hand(host: Caller, four: list[Caller], names_a_card: bool) -> None:
    """A card that is laid out for one hand is not played in the next one, where it may come again."""
    game = new_game(host, four, "truco")
    caller = game["to_act"][0]
    seat = (caller + 2) % 4
    card = host.get("/v1/rulesets/truco").json["cards"][0]["id"]
    move = {"type": "play", "card": card} if names_a_card else {"type": "accept"}
    assert four[seat].put(path(game, "/orders"), {"orders": [{"move": move}]}).status_code == 200
    assert four[seat].put(path(game, "/automatic"), {"only_move": True}).status_code == 200
    dealt = game["version"]
    game = four[caller].post(path(game, "/moves"), {"move": {"type": "truco"}}).json["game"]
    game = four[game["to_act"][0]].post(path(game, "/moves"), {"move": {"type": "fold"}}).json["game"]
    assert any(entry.get("scores") for entry in log(host, game)[dealt:]), "a new hand has begun"
    now = four[seat].get(path(game, "/orders")).json
    assert now["automatic"]["only_move"]
    if names_a_card:
        assert (now["orders"], now["cancelled"]["verdict"]["reason"]) == ([], "a new hand was dealt")
        assert now["cancelled"]["move"] == move
    else:
        assert (now["orders"], now["cancelled"]) == ([{"move": move}], None)
