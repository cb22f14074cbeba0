"""Deals that nobody can choose: games that wait for a round of a public beacon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import referee
import referee.proofs
from api.core.config import Settings
from tests.chain import CHAIN, Publisher, published, signature
from tests.support.callers import Caller, Clock, play_on
from tests.support.draws import WORDS, checked, committed, kinds, made, reveal
from tests.support.draws import publisher as publisher
from tests.support.draws import settings as settings
from tests.support.draws import worker as worker
from tests.support.forging import failed


def test_the_round_after_the_last_seat_is_added(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], bool], publisher: Publisher
) -> None:
    game = made(host, [{"player": four[0].player, "entropy": "abc"}, {"open": True}], beacon=True)
    assert game["dealing"]["round"] is None
    clock.move(hours=1, milliseconds=500)
    full = four[1].put(f"/v1/games/{game['id']}/seats/1", {"invite": game["seats"][1]["invite"]}).json
    due = CHAIN.round_after(clock())
    assert CHAIN.time_of(due) > clock() >= CHAIN.time_of(due - 1)
    assert (full["status"], full["dealing"]["round"], publisher.asked) == ("open", due, [])
    assert worker() is False, "the round has not been published yet"
    clock.move(seconds=3)
    assert worker() is True
    assert publisher.asked == [due]
    shown = four[0].get(f"/v1/games/{game['id']}").json
    assert (shown["status"], shown["dealing"]["signature"]) == ("running", signature(due))
    play_on(four, shown, 2)
    four[0].post(f"/v1/games/{game['id']}/resignation")
    record = checked(host, game, page=True)
    assert record["randomness"] == {"round": due, "signature": signature(due)}
    key = referee.game_key(
        bytes.fromhex(record["seed"]), ["abc", ""], referee.proofs.randomness(signature(due))
    )
    noted = referee.Noted(key)
    referee.deal("cats_and_dogs", 2, record["options"], noted)
    assert noted.outcomes[0] == record["chance"][0]
    found = {check.name: check.detail for check in referee.verify(record).checks}
    assert str(due) in found["beacon"]
    assert host.get(f"/v1/games/{game['id']}?version=5").json["status"] == "running"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda number: None,
        lambda number: b"[]",
        lambda number: b'{"signature": 7}',
        lambda number: b'{"signature": "%s"}' % (b"00" * 48),
        lambda number: published(number + 1),
        lambda number: b" " * 20_000,
    ],
    ids=["not there", "no round", "no text", "no point", "another round", "too long"],
)
def test_a_round_without_a_valid_signature_is_requested_again(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    worker: Callable[[], bool],
    publisher: Publisher,
    wrong: Callable[[int], bytes | None],
) -> None:
    """The source of the rounds need not be trusted or always reachable."""
    seats = [{"player": player.player} for player in four[:2]]
    game = made(host, seats, beacon=True)
    publisher.answer = wrong
    clock.move(seconds=3)
    assert worker() is False
    assert worker() is False
    assert len(publisher.asked) == 1, "there is a pause before the next attempt"
    for seconds in (2, 3, 60):
        clock.move(seconds=seconds)
        assert worker() is False
    assert len(publisher.asked) == 4
    publisher.answer = published
    clock.move(seconds=60)
    assert worker() is True
    assert len({*publisher.asked}) == 1
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "running"


def test_with_commitments_the_round_comes_after_the_last_reveal(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], bool]
) -> None:
    game = made(host, [*committed(four[:2]), {"bot": "random"}], entropy="commit", beacon=True)
    clock.move(minutes=1)
    reveal(four[0], game, WORDS[0])
    clock.move(minutes=1)
    done = reveal(four[1], game, WORDS[1]).json["game"]
    assert (done["status"], done["dealing"]["round"]) == ("open", CHAIN.round_after(clock()))
    assert done["dealing"]["reveal_by"] is None
    clock.move(hours=2)
    assert worker() is True
    four[0].post(f"/v1/games/{game['id']}/resignation")
    checked(host, game)


def test_bots_alone_play_on_after_the_round(
    host: Caller, clock: Clock, worker: Callable[[], bool], publisher: Publisher
) -> None:
    game = made(host, [{"bot": "random"}] * 3, beacon=True)
    assert game["status"] == "open"
    clock.move(seconds=3)
    worker()
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "finished"
    checked(host, game)
    again = host.post(f"/v1/games/{game['id']}/rematch").json
    assert (again["status"], again["dealing"]["round"]) == ("open", CHAIN.round_after(clock()))


def test_a_record_with_a_beacon_is_imported_elsewhere(
    host: Caller, clock: Clock, worker: Callable[[], bool], new_key: Any, sql: Any
) -> None:
    game = made(host, [{"bot": "random"}] * 2, beacon=True)
    clock.move(seconds=3)
    worker()
    record = checked(host, game)
    sql.execute("UPDATE games SET commitment = NULL")  # as on another server
    other = new_key("elsewhere", "read", "write")
    done = other.post("/v1/records", record)
    assert done.status_code == 201, done.text
    assert other.get(f"/v1/games/{done.json['id']}/verification").json["ok"]
    again = other.get(f"/v1/games/{done.json['id']}/record").json
    assert "inclusion" not in again, (
        "leaves of the other game, which is also in this database, are not its own"
    )
    assert referee.verify(again).ok
    assert again["chance"] == record["chance"]
    without = {name: value for name, value in record.items() if name not in ("entries", "inclusion")}
    assert new_key("third", "read", "write").post("/v1/records", without).status_code == 400


def test_a_server_without_a_beacon_offers_none(settings: Settings, host: Caller) -> None:
    from api.app import create_app

    bare = create_app(replace(settings, beacon_url=""))
    answer = Caller(bare, host.token).post(
        "/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 2, "beacon": True}
    )
    bare.extensions["card_referee"].database.close()
    assert (answer.status_code, list(answer.json["errors"])) == (400, ["beacon"])


def test_a_record_with_a_false_round_does_not_verify(
    host: Caller, clock: Clock, worker: Callable[[], bool]
) -> None:
    """What the record says of the round is checked, also without its log."""
    game = made(host, [{"bot": "random"}] * 2, beacon=True)
    clock.move(seconds=3)
    worker()
    record = checked(host, game)
    number = record["randomness"]["round"]
    for other in (None, {"round": number + 1, "signature": signature(number + 1)}):
        assert "beacon" in failed({**record, "randomness": other})


def test_a_game_that_waits_can_be_called_off(
    host: Caller, four: list[Caller], clock: Clock, worker: Any
) -> None:
    game = made(host, committed(four[:2]), entropy="commit", beacon=True)
    reveal(four[0], game, WORDS[0])
    assert host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    clock.move(days=1)
    assert worker() is False
    assert kinds(host, game)[-2:] == ["revealed", "cancelled"]
    checked(host, game)
