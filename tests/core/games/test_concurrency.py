"""Many clients at once on one game: every 201 is in the log once, without gaps or forks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

import referee
import referee.records
from api.core.config import Settings
from api.store.database import session as db
from tests.support.callers import Caller, first_move, new_game
from tests.support.stored import stored_game

CLIENTS = 20


def test_twenty_clients_on_one_game(
    host: Caller,
    auditor: Caller,
    four: list[Caller],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = new_game(host, four)
    path = f"/v1/games/{game['id']}"
    begin = threading.Barrier(CLIENTS)
    monkeypatch.setattr(db, "TIMEOUT", 90)  # seconds for a connection, enough for a slow machine
    accepted: list[int] = []

    def play(number: int) -> None:
        me = four[number % 4]
        begin.wait(90)
        for _ in range(6):
            found = me.get(f"{path}/legal-moves").json
            if not found["moves"]:
                continue
            headers = {"If-Match": f'"{found["version"]}"'} if number % 2 else {}
            done = me.post(f"{path}/moves", {"move": found["moves"][0]}, headers=headers)
            assert done.status_code in (201, 412, 422, 409), done.text
            if done.status_code == 201:
                accepted.append(done.json["entry"]["seq"])

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(play, range(CLIENTS)))
    assert accepted
    entries = auditor.get(f"{path}/events?limit=200").json["items"]
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert sorted(accepted) == [entry["seq"] for entry in entries if entry["type"] == "moved"]
    head = bytes(32)
    for entry in entries:
        head = referee.records.chain(head, {k: v for k, v in entry.items() if k not in ("hash", "private")})
        assert head.hex() == entry["hash"]
    row = stored_game(settings, UUID(game["id"]))
    moves = [{"seat": e["seat"], "move": e["move"]} for e in entries if e["type"] == "moved"]
    record = {
        "format": "card-referee/1",
        "ruleset": "cats_and_dogs",
        "seats": 4,
        "seed": row.seed.hex(),
        "moves": moves,
    }
    last = referee.replay(referee.read_record(record))
    assert referee.dump(last.state) == referee.records.parse(row.position)


def test_two_seats_in_one_phase_lose_no_move(host: Caller, four: list[Caller]) -> None:
    """If several seats may act at once (asking in landlord, swapping in palace), each move counts once."""
    game = new_game(host, four[:3], "palace")
    path = f"/v1/games/{game['id']}"
    assert len(game["to_act"]) > 1
    begin = threading.Barrier(len(game["to_act"]))

    def act(seat: int) -> int:
        move = first_move(four[seat], game)
        begin.wait(90)
        return four[seat].post(f"{path}/moves", {"move": move, "seat": seat}).status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(act, game["to_act"]))
    assert statuses == [201] * len(statuses)
    assert host.get(path).json["version"] == game["version"] + len(statuses)
