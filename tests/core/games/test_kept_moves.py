"""The kept response to a move is its place in the log: a repeat gets the same bytes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from werkzeug.test import TestResponse

import referee
from api.core.config import Settings
from api.features.proofs import keys as log_keys
from api.games import answers
from tests.support.callers import Caller, Clock, first_move, new_game

MOVES = 5
PACE = {"per_move": "PT1H", "on_timeout": "random_move", "reserve": "PT10M", "vacation_days": 3}


@dataclass
class Sent:
    """A move that was sent with a key, and its answer."""

    caller: Caller
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    answer: TestResponse

    def again(self) -> TestResponse:
        return self.caller.post(self.path, self.body, headers=self.headers)


def send(caller: Caller, game: dict[str, Any], move: dict[str, Any], seat: int, **headers: str) -> Sent:
    path, body = f"/v1/games/{game['id']}/moves", {"seat": seat, "move": move}
    sent = {"Idempotency-Key": f"{game['id']}-{caller.token}-{random.random()}", **headers}
    answer = caller.post(path, body, headers=sent)
    assert answer.status_code == 201, answer.text
    return Sent(caller, path, body, sent, answer)


def require_same(sent: list[Sent]) -> None:
    for one in sent:
        again = one.again()
        assert again.data == one.answer.data
        assert again.status_code == one.answer.status_code
        assert again.headers["Idempotency-Replayed"] == "true"
        for name in ("ETag", "Content-Type"):
            assert again.headers[name] == one.answer.headers[name]


@pytest.mark.parametrize("ruleset", referee.newest(), ids=lambda ruleset: ruleset.ID)
def test_every_game_is_shown_again_as_it_was(
    host: Caller, new_key: Any, four: list[Caller], clock: Clock, ruleset: Any
) -> None:
    """Repeats by a player, an app acting as one, and one that sees every hand; also with bots."""
    seer = new_key("host", "read", "write", "audit")
    count = min(n for n in ruleset.SEATS if n > 1)
    seats: list[dict[str, Any]] = [{"player": four[n % 4].player} for n in range(count)]
    if count > 2:
        seats[-1] = {"bot": "random"}
    made = host.post("/v1/games", {"ruleset": ruleset.ID, "seats": seats, "pace": PACE})
    assert made.status_code == 201, made.text
    game, sent = made.json, []
    for number in range(MOVES):
        if game["status"] != "running":
            break
        seat = game["to_act"][0]
        move = first_move(four[seat % 4], game)
        caller, headers = (
            (four[seat % 4], {}),
            (seer, {}),
            (host, {"Card-Referee-Player": four[seat % 4].player}),
        )[number % 3]
        clock.move(seconds=7)
        sent.append(send(caller, game, move, seat, **headers))
        game = sent[-1].answer.json["game"]
    assert len({len(one.answer.data) for one in sent}) > 1
    require_same(sent)


def test_a_repeat_is_the_same_whatever_happens_to_the_game_later(
    host: Caller, four: list[Caller], settings: Settings, clock: Clock
) -> None:
    """Labels, take-backs, a new signing key, the end, a rematch and leaving players all come later."""
    game = new_game(host, four, "pies", external_id="one", metadata={"table": "7"})
    path, sent = f"/v1/games/{game['id']}", []
    for _ in range(4):
        seat = game["to_act"][0]
        sent.append(send(four[seat], game, first_move(four[seat], game), seat))
        game = sent[-1].answer.json["game"]
        sent.append(send(host, game, first_move(four[game["to_act"][0]], game), game["to_act"][0]))
        game = sent[-1].answer.json["game"]
        assert host("PATCH", path, {"title": f"Version {game['version']}", "metadata": {}}).status_code == 200
    assert [one.answer.json["game"]["title"] for one in sent[:3]] == [None, None, "Version 8"]
    assert sent[1].answer.json["game"]["metadata"] == {"table": "7"}
    log_keys.rotate(settings)
    clock.move(minutes=1)
    seat = sent[-1].answer.json["entry"]["seat"]
    assert four[seat].post(f"{path}/take-back").status_code == 201
    for other in {0, 1, 2, 3} - {seat}:
        assert four[other].post(f"{path}/take-back/answer", {"agree": True}).status_code == 201
    for _ in range(2):
        game = host.get(path).json
        seat = game["to_act"][0]
        sent.append(send(four[seat], game, first_move(four[seat], game), seat))
    assert four[0].post(f"{path}/resignation").status_code == 201
    assert host.post(f"{path}/rematch").status_code == 201
    assert host("PATCH", f"/v1/players/{four[1].player}", {"name": "Somebody"}).status_code == 200
    require_same(sent)
    assert host.get(path).json["rematch"] is not None


def test_kept_answers_are_short_and_show_no_card(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four, "pies")
    seat = game["to_act"][0]
    sent = send(four[seat], game, first_move(four[seat], game), seat)
    row = sql.execute("SELECT headers, length(body), pg_column_size(i) FROM idempotency i").fetchone()
    assert row is not None
    assert (len(sent.answer.data) > 1500, row[2] < 200) == (True, True), row
    entry = sent.answer.json["entry"]
    cards = [card for transfer in entry["transfers"] for card in transfer["cards"] if card]
    assert cards
    assert not any(f'"{card}"' in row[0] for card in cards)


def test_answers_that_were_kept_whole_can_be_read(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, sql: psycopg.Connection
) -> None:
    """Earlier releases kept whole answers; those of imported games still are."""
    game = new_game(host, four[:3])
    with monkeypatch.context() as patched:
        patched.setattr(answers, "reference", lambda *_: None)
        sent = send(
            four[game["to_act"][0]], game, first_move(four[game["to_act"][0]], game), game["to_act"][0]
        )
    assert sql.execute("SELECT length(body) > 1000 FROM idempotency").fetchone() == (True,)
    require_same([sent])


def test_a_repeat_between_a_move_and_the_bots_fixes_the_answer(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first caller gets an answer, and everybody else gets the same one."""
    seats = [{"player": four[0].player}, {"bot": "random"}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    path, repeats = f"/v1/games/{game['id']}/moves", list[TestResponse]()
    from api.games import bots

    played = bots.play_on

    def play_on(*arguments: Any, **more: Any) -> Any:
        if not repeats:
            repeats.append(four[0].post(path, body, headers=headers))
        return played(*arguments, **more)

    monkeypatch.setattr(bots, "play_on", play_on)
    for number in range(10):  # until it is a bot's turn after the move
        body, headers = {"move": first_move(four[0], game)}, {"Idempotency-Key": f"bots-{number}"}
        first = four[0].post(path, body, headers=headers)
        game = first.json["game"]
        if repeats:
            break
    later = four[0].post(path, body, headers=headers)
    assert repeats[0].status_code == 201, repeats[0].text
    assert repeats[0].headers["Idempotency-Replayed"] == "true"
    assert first.data == repeats[0].data == later.data
    assert host.get(f"/v1/games/{game['id']}").json["version"] > first.json["game"]["version"]
