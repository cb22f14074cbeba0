"""The same request again is the same answer again, and nothing is written twice."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg

from tests.api.conftest import Caller, Clock, first_move, new_game


def test_a_repeated_move_gets_the_first_answer(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}", four[game["to_act"][0]]
    headers = {"Idempotency-Key": "one", "If-Match": f'"{game["version"]}"'}
    body = {"move": first_move(mover, game)}
    first = mover.post(f"{path}/moves", body, headers=headers)
    again = mover.post(f"{path}/moves", body, headers=headers)
    assert first.status_code == again.status_code == 201
    assert first.data == again.data
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["ETag"] == first.headers["ETag"]
    assert host.get(path).json["version"] == game["version"] + 1
    other = mover.post(f"{path}/moves", {"move": {"type": "play", "card": "XX"}}, headers=headers)
    assert (other.status_code, other.json["type"]) == (422, "/problems/idempotency-key-reused")
    elsewhere = mover.post(f"{path}/resignation", headers=headers)
    assert elsewhere.status_code == 422
    someone = four[(game["to_act"][0] + 1) % 3]
    theirs = someone.post(
        f"{path}/moves",
        {"move": first_move(someone, game)},
        headers={"Idempotency-Key": "one"},
    )
    assert theirs.status_code == 201, "a key belongs to its caller"


def test_a_refusal_leaves_the_key_free(host: Caller, four: list[Caller], sql: psycopg.Connection) -> None:
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}", four[game["to_act"][0]]
    headers = {"Idempotency-Key": "one"}
    assert mover.post(f"{path}/moves", {"move": {"type": "fly"}}, headers=headers).status_code == 422
    assert sql.execute("SELECT count(*) FROM idempotency").fetchone() == (0,)
    assert mover.post(f"{path}/moves", {"move": first_move(mover, game)}, headers=headers).status_code == 201


def test_many_at_once_make_one(host: Caller, sql: psycopg.Connection) -> None:
    body = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}

    def make(_: int) -> bytes:
        answer = host.post("/v1/games", body, headers={"Idempotency-Key": "same"})
        assert answer.status_code == 201
        return answer.data

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(make, range(16)))
    assert len(answers) == 1
    assert sql.execute("SELECT count(*) FROM games").fetchone() == (1,)


def test_keys_are_read_strictly_and_forgotten_after_a_day(host: Caller, clock: Clock) -> None:
    for key in ("", "a b", "x" * 256, "é"):
        sent = {"Idempotency-Key": key.encode().decode("latin-1")}
        assert host.post("/v1/players", {"name": "Anna"}, headers=sent).status_code == 400
    headers = {"Idempotency-Key": "k" * 255}
    first = host.post("/v1/players", {"name": "Anna"}, headers=headers).json
    clock.move(hours=23, minutes=59)
    assert host.post("/v1/players", {"name": "Anna"}, headers=headers).json == first
    clock.move(minutes=2)
    assert host.post("/v1/players", {"name": "Anna"}, headers=headers).json["id"] != first["id"]


def test_an_answer_is_its_credentials_own(
    host: Caller, auditor: Caller, new_key: Callable[..., Caller], four: list[Caller]
) -> None:
    """A key without audit never gets what was shown to one with it."""
    game = new_game(host, four[:3])
    seer, player = new_key("host", "read", "write", "audit"), game["to_act"][0]
    sent = {"Idempotency-Key": "same"}
    body = {"seat": player, "move": first_move(four[player], game)}
    path = f"/v1/games/{game['id']}/moves"
    seen = seer.post(path, body, headers=sent)
    assert "private" in seen.text or seen.json["game"]["view"]["zones"]["hand.0"], "it sees everything"
    other = host.post(path, body, headers=sent)
    assert "Idempotency-Replayed" not in other.headers
    assert other.status_code == 422, "the move is judged anew"
    again = seer.post(path, body, headers=sent)
    assert (again.data, again.headers["Idempotency-Replayed"]) == (seen.data, "true")
