"""Acts with an Idempotency-Key: an entry names its request, so a repeat finds it as long as there is a log.

A repeat shows that entry, and the game as it is now.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from werkzeug.test import TestResponse

import referee
from tests.support.callers import Caller, Clock, first_move, new_game

MOVES = 5
PACE = {"per_move": "P30D", "on_timeout": "random_move"}


@dataclass
class Sent:
    """A request that was sent with a key, and its answer."""

    caller: Caller
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    answer: TestResponse

    def again(self, **changed: Any) -> TestResponse:
        return self.caller.post(self.path, {**self.body, **changed}, headers=self.headers)


def send(caller: Caller, path: str, body: dict[str, Any], key: str, **headers: str) -> Sent:
    sent = {"Idempotency-Key": key, **headers}
    answer = caller.post(path, body, headers=sent)
    assert answer.status_code == 201, answer.text
    assert "Idempotency-Replayed" not in answer.headers
    return Sent(caller, path, body, sent, answer)


def require_repeated(sent: Sent, now: dict[str, Any]) -> None:
    again = sent.again()
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true"), again.text
    assert again.json["entry"] == sent.answer.json["entry"]
    assert again.json["game"]["version"] == now["version"]


@pytest.mark.parametrize("ruleset", referee.newest(), ids=lambda ruleset: ruleset.ID)
def test_a_repeat_gets_its_entry_and_the_game_as_it_is_now(
    host: Caller, new_key: Any, four: list[Caller], clock: Clock, ruleset: Any
) -> None:
    """By a player, an app acting as one, and one that sees every hand; also with bots."""
    seer = new_key("host", "read", "write", "audit")
    count = min(n for n in ruleset.SEATS if n > 1)
    seats: list[dict[str, Any]] = [{"player": four[n % 4].player} for n in range(count)]
    if count > 2:
        seats[-1] = {"bot": "random"}
    made = host.post("/v1/games", {"ruleset": ruleset.ID, "seats": seats, "pace": PACE})
    assert made.status_code == 201, made.text
    game, sent, path = made.json, list[Sent](), f"/v1/games/{made.json['id']}"
    for number in range(MOVES):
        if game["status"] != "running":
            break
        seat = game["to_act"][0]
        body = {"seat": seat, "move": first_move(four[seat % 4], game)}
        caller, headers = (
            (four[seat % 4], {}),
            (seer, {}),
            (host, {"Card-Referee-Player": four[seat % 4].player}),
        )[number % 3]
        sent.append(send(caller, f"{path}/moves", body, f"move-{number}", **headers))
        game = sent[-1].answer.json["game"]
    clock.move(days=20)  # the key lives as long as the log
    now = host.get(path).json
    for one in sent:
        require_repeated(one, now)
        other = one.again(move={"type": "no such"})
        assert (other.status_code, other.json["type"]) == (422, "/problems/idempotency-key-reused")
    assert host.get(path).json["version"] == now["version"]


def bid(caller: Caller, path: str) -> Any:
    """Return a move of landlord that shows no hidden card, so it can be taken back."""
    return caller.get(f"{path}/legal-moves").json["moves"][-1]


def test_every_kind_of_act_is_repeated_at_no_cost(host: Caller, four: list[Caller]) -> None:
    """Also after the end, when none of them would be possible any more."""
    game = new_game(host, four, "landlord")
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    sent = [
        send(four[seat], f"{path}/moves", {"move": bid(four[seat], path)}, "move"),
        send(four[1], f"{path}/messages", {"text": "Well played"}, "message"),
        send(four[seat], f"{path}/take-back", {}, "request"),
    ]
    for other in {0, 1, 2, 3} - {seat}:
        sent.append(send(four[other], f"{path}/take-back/answer", {"agree": True}, f"answer-{other}"))
    sent.append(send(four[0], f"{path}/resignation", {}, "resignation"))
    over = host.get(path).json
    assert over["status"] == "finished"
    for one in sent:
        again = one.again()
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true"), again.text
        assert again.json["entry"] == one.answer.json["entry"]
    assert host.get(path).json == over


def test_a_move_that_is_legal_again_is_made_once(host: Caller, four: list[Caller]) -> None:
    """After a take-back, the same request would be judged legal: the log knows it."""
    game = new_game(host, four, "landlord")
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    move = {"move": bid(four[seat], path)}
    sent = send(four[seat], f"{path}/moves", move, "one")
    four[seat].post(f"{path}/take-back")
    for other in {0, 1, 2, 3} - {seat}:
        four[other].post(f"{path}/take-back/answer", {"agree": True})
    now = host.get(path).json
    assert now["to_act"] == [seat]
    with ThreadPoolExecutor(8) as pool:
        again = list(pool.map(lambda _: sent.again(), range(16)))
    assert {each.headers["Idempotency-Replayed"] for each in again} == {"true"}
    assert host.get(path).json["version"] == now["version"]
    assert four[seat].post(f"{path}/moves", move).status_code == 201


def test_a_repeat_shows_nothing_to_who_has_lost_the_seat(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four, "pies")
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    sent = send(four[seat], f"{path}/moves", {"move": first_move(four[seat], game)}, "one")
    newcomer = host.post("/v1/players", {"name": "Eve"}).json["id"]
    assert host.put(f"{path}/seats/{seat}/player", {"player": newcomer}).status_code == 200
    assert sent.again().status_code == 404


def test_an_act_that_changed_nothing_never_does(host: Caller, four: list[Caller]) -> None:
    """Also when it would; its repeat shows the game as it is now, and as its caller may see it now."""
    game = new_game(host, four[:2], visibility="public")
    path, key = f"/v1/games/{game['id']}", {"Idempotency-Key": "one"}
    seat, player = f"{path}/seats/0", {"player": four[0].player}
    sat = four[0].put(seat, headers=key)
    assert (sat.status_code, sat.json["viewer"]["seats"]) == (200, [0])
    assert host.put(f"{seat}/player", player, headers=key).status_code == 200
    assert host.put(f"{seat}/player", {"bot": "random"}).status_code == 200
    now = host.get(path).json
    for again in (four[0].put(seat, headers=key), host.put(f"{seat}/player", player, headers=key)):
        assert again.headers["Idempotency-Replayed"] == "true"
        assert (again.json["version"], again.json["view"]) == (now["version"], now["view"])
        assert again.json["viewer"]["seats"] == []
    assert host.get(path).json["seats"][0]["player"] is None


def test_who_has_left_a_seat_does_not_sit_down_again(
    host: Caller, four: list[Caller], elsewhere: Callable[[Caller], Caller]
) -> None:
    """It would be possible: only the database knows that the request was made."""
    seats = [{"open": True}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "visibility": "public"}).json
    path, key = f"/v1/games/{game['id']}", {"Idempotency-Key": "one"}
    seat = f"{path}/seats/0"
    assert four[0].put(seat, headers=key).status_code == 200
    assert four[0].put(seat, headers={"Idempotency-Key": "two"}).status_code == 200
    assert four[0].delete(seat).status_code == 204
    callers = (four[0], elsewhere(four[0])) * 4
    for sent in (key, {"Idempotency-Key": "two"}):
        with ThreadPoolExecutor(4) as pool:
            again = list(pool.map(lambda at, sent=sent: at.put(seat, headers=sent), callers))
        assert {each.headers.get("Idempotency-Replayed") for each in again} == {"true"}
    assert host.get(path).json["seats"][0]["player"] is None


def test_no_request_is_named_outside_of_the_database(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2])
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    sent = send(four[seat], f"{path}/moves", {"move": first_move(four[seat], game)}, "my-secret-key")
    assert host.post(f"{path}/resignation", {"seat": 0}).status_code == 201
    named = sql.execute("SELECT request, fingerprint FROM entries WHERE request IS NOT NULL").fetchall()
    ((request, fingerprint),) = named
    assert len(fingerprint) == 8
    shown = "".join(host.get(f"{path}{each}").text for each in ("", "/events", "/record", "/evidence"))
    assert sent.answer.json["entry"]["hash"] in shown
    for secret in ("my-secret-key", str(request), request.hex, bytes(fingerprint).hex()):
        assert secret not in shown
    kept = sql.execute("SELECT count(*) FROM idempotency").fetchone()
    assert kept == (0,), "nothing else is kept of a move"
