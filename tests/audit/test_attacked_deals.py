"""Attacks by a seat, an app or an operator on deals that nobody can choose are refused or detected."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import referee
from tests.support.callers import Caller, Clock, log
from tests.support.draws import WORDS, checked, committed, hashed, kinds, made, reveal
from tests.support.draws import worker as worker


def seat_of(game: dict[str, Any], seat: int) -> str:
    return f"/v1/games/{game['id']}/seats/{seat}"


def test_a_commitment_to_empty_entropy_is_refused(host: Caller, four: list[Caller]) -> None:
    """The hash of the empty text is public, and empty entropy counts as not revealed."""
    nothing = hashed("")
    seats = [*committed(four[:1]), {"player": four[1].player, "commitment": nothing}]
    answer = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "entropy": "commit"})
    assert (answer.status_code, list(answer.json["errors"])) == (400, ["seats.1.commitment"])
    game = made(host, [*committed(four[:1]), {"open": True}], entropy="commit")
    body = {"invite": game["seats"][1]["invite"], "commitment": nothing}
    assert four[1].put(seat_of(game, 1), body).status_code == 400
    assert host.post(f"{seat_of(game, 1)}/guest", {"name": "Gast", **body}).status_code == 400
    assert kinds(host, game) == ["created", "joined"]


def test_a_seated_player_cannot_change_the_commitment(host: Caller, four: list[Caller]) -> None:
    """Sending the same commitment again gives the same answer; another one is refused."""
    game = made(host, [{"open": True}, {"open": True}], entropy="commit")
    body = {"invite": game["seats"][0]["invite"], "commitment": hashed(WORDS[0])}
    assert four[0].put(seat_of(game, 0), body).status_code == 200
    assert four[0].put(seat_of(game, 0), body).status_code == 200
    other = four[0].put(seat_of(game, 0), {**body, "commitment": hashed(WORDS[1])})
    assert other.status_code == 409
    assert kinds(host, game) == ["created", "joined"]
    assert log(host, game)[1]["commitment"] == hashed(WORDS[0])


def test_a_commitment_ends_when_its_player_leaves_the_seat(host: Caller, four: list[Caller]) -> None:
    """A player who copies the commitment of somebody who left cannot reveal it, and is named for that."""
    game = made(host, [*committed(four[:1]), {"open": True}, {"open": True}], entropy="commit")
    assert four[0].delete(seat_of(game, 0)).status_code == 204
    invites = [seat["invite"] for seat in host.get(f"/v1/games/{game['id']}").json["seats"]]
    copied = {"invite": invites[1], "commitment": hashed(WORDS[0])}
    assert four[1].put(seat_of(game, 1), copied).status_code == 200
    again = {"invite": invites[0], "commitment": hashed(WORDS[0])}
    assert four[0].put(seat_of(game, 0), again).status_code == 400, "the commitment is shown at the table"
    assert four[0].put(seat_of(game, 0), {**again, "commitment": hashed(WORDS[2])}).status_code == 200
    assert (
        four[2].put(seat_of(game, 2), {"invite": invites[2], "commitment": hashed(WORDS[3])}).status_code
        == 200
    )
    for n, words in ((0, WORDS[2]), (2, WORDS[3])):
        assert reveal(four[n], game, words).status_code == 201
    assert reveal(four[1], game, WORDS[2]).status_code == 400


def test_entropy_that_is_not_text_is_refused(host: Caller, four: list[Caller]) -> None:
    game = made(host, committed(four[:2]), entropy="commit")
    path = f"/v1/games/{game['id']}/entropy"
    for wrong in (7, None, ["a"], "x" * 65, "ü" * 33):
        assert four[0].post(path, {"entropy": wrong}).status_code == 400, wrong
    raw = four[0]("POST", path, data=b'{"entropy": "\\ud800"}', content_type="application/json")
    assert raw.status_code == 400
    assert kinds(host, game) == ["created", "joined", "joined"]


def test_two_simultaneous_reveals_are_both_recorded_once(host: Caller, four: list[Caller]) -> None:
    game = made(host, committed(four), entropy="commit")
    with ThreadPoolExecutor(8) as many:
        tries = [(n, many.submit(reveal, four[n], game, WORDS[n])) for n in (0, 1, 2, 3) for _ in range(2)]
        found = sorted((n, done.result().status_code) for n, done in tries)
    assert found == [(n, status) for n in range(4) for status in (201, 409)]
    assert kinds(host, game) == ["created", *["joined"] * 4, *["revealed"] * 4, "started"]
    four[0].post(f"/v1/games/{game['id']}/resignation")
    checked(host, game)


def test_entropy_is_not_shown_before_it_is_revealed(
    host: Caller, four: list[Caller], new_key: Any, sql: Any
) -> None:
    """A refused reveal appears nowhere: not in views, logs, records, feeds or the database."""
    game = made(host, [*committed(four[:2]), {"open": True}], entropy="commit", visibility="public")
    path = f"/v1/games/{game['id']}"
    secret = WORDS[0]
    early = four[0].post(f"{path}/entropy", {"entropy": secret}, headers={"Idempotency-Key": "early"})
    assert early.status_code == 409
    wrong = four[1].post(f"{path}/entropy", {"entropy": secret, "seat": 1}, headers={"Idempotency-Key": "w"})
    assert wrong.status_code in (400, 409)
    auditor = new_key("host", "read", "write", "audit")
    for caller in (host, four[1], auditor):
        for place in ("", "/events", "/record", "/verification", "?version=2"):
            assert secret not in caller.get(path + place).text, place
    assert secret not in host.get("/v1/events").text
    for (table,) in sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall():
        for (row,) in sql.execute(f'SELECT t::text FROM "{table}" t').fetchall():
            assert secret not in row, table


def test_a_recreated_game_has_another_seed_and_the_log_of_games_lists_both(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    """Withholding a reveal to get a better deal leads to a new seed; what was revealed is public by then."""
    first = made(host, committed(four[:2]), entropy="commit", reveal_within="PT5M")
    reveal(four[0], first, WORDS[0])
    clock.move(minutes=6)
    worker()
    assert kinds(host, first)[-2:] == ["forfeited", "cancelled"]
    second = made(host, committed(four[:2]), entropy="commit")
    assert second["commitment"] != first["commitment"]
    for n in (0, 1):
        assert reveal(four[n], second, WORDS[n]).status_code == 201
    four[0].post(f"/v1/games/{second['id']}/resignation")
    seeds = {checked(host, second)["seed"]}
    shown = host.get(f"/v1/games/{first['id']}/record").json
    assert shown.get("seed") not in seeds
    assert referee.verify(shown).ok
