"""Seats that change hands during a game: the log says who decided it, and verifiers check that."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.callers import Caller, Clock, new_game
from tests.support.forging import chained_anew, failed
from tests.support.page_verifier import ask, failures
from tests.support.service import worker as worker

Record = dict[str, Any]
Forge = Callable[[Record], None]
PACE = {"per_move": "PT72H", "on_timeout": "random_move"}


def entry(record: Record, kind: str, n: int = -1) -> dict[str, Any]:
    return [one for one in record["entries"] if one["type"] == kind][n]


def ended(host: Caller, game: dict[str, Any]) -> Record:
    assert host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    record: Record = host.get(f"/v1/games/{game['id']}/record").json
    assert failed(record) == {}
    assert failures(*ask([record])) == {}
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    return record


def missed(host: Caller, game: dict[str, Any], seat: int) -> int:
    entries = host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    return len([one for one in entries if one["type"] == "timed_out" and one["seat"] == seat])


@pytest.fixture
def imposed(host: Caller, four: list[Caller]) -> Record:
    """A game in which the app has handed a seat over."""
    game = new_game(host, four[:3])
    seat = game["to_act"][0]
    assert (
        host.put(f"/v1/games/{game['id']}/seats/{seat}/player", {"player": four[3].player}).status_code == 200
    )
    return ended(host, game)


@pytest.fixture
def agreed(host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]) -> Record:
    """A game in which two seats have agreed to replace the third, who was late, by a bot."""
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    while missed(host, game, seat) < 2:
        clock.move(hours=72)
        worker()
    for other in {0, 1, 2} - {seat}:
        done = four[other].put(f"/v1/games/{game['id']}/seats/{seat}/player", {"bot": "random"})
        assert done.status_code == 200, done.text
    assert done.json["seats"][seat]["bot"] == "random"
    return ended(host, game)


def test_a_newcomer_may_get_another_name_between_two_votes(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:3], pace=PACE)
    seat = game["to_act"][0]
    while missed(host, game, seat) < 2:
        clock.move(hours=72)
        worker()
    for number in sorted({0, 1, 2} - {seat}):
        host("PATCH", f"/v1/players/{four[3].player}", {"name": f"Dora {number}"})
        done = four[number].put(f"/v1/games/{game['id']}/seats/{seat}/player", {"player": four[3].player})
        assert done.status_code == 200, done.text
    assert entry(ended(host, game), "left")["agreed"] is True


def test_the_log_says_who_has_decided(imposed: Record, agreed: Record) -> None:
    assert "agreed" not in entry(imposed, "left")
    assert entry(imposed, "left")["by"] == "app"
    assert entry(agreed, "left")["agreed"] is True
    assert [one["type"] for one in agreed["entries"]].count("replacement_agreed") == 2


def renumbered(record: Record) -> Record:
    for seq, one in enumerate(record["entries"], 1):
        one["seq"] = seq
    record["moves"] = [
        {name: value for name, value in move.items() if name in ("seat", "move")} for move in record["moves"]
    ]
    return chained_anew(record)


def as_talk(record: Record) -> None:
    vote = entry(record, "replacement_agreed", 0)
    del vote["replacement"]
    vote.update(type="said", text="I agree.")


def of_one_seat(record: Record) -> None:
    one, other = (entry(record, "replacement_agreed", n) for n in (0, 1))
    other.update(seat=one["seat"], player=one["player"])


def late_talk(record: Record) -> None:
    at = record["entries"].index(entry(record, "left")) + 1
    record["entries"].insert(
        at,
        {
            "type": "said",
            "at": entry(record, "left")["at"],
            "seat": None,
            "player": None,
            "by": "app",
            "text": ".",
        },
    )


FORGED: dict[str, Forge] = {
    "no mark": lambda record: entry(record, "left").pop("agreed"),
    "by the app": lambda record: (
        entry(record, "left").pop("agreed"),
        entry(record, "left").update(by="app"),
    )[0],
    "one vote is talk": as_talk,
    "one seat votes twice": of_one_seat,
    "a vote for somebody else": lambda record: entry(record, "replacement_agreed", 0)["replacement"].update(
        bot="cautious"
    ),
    "a vote about another seat": lambda record: entry(record, "replacement_agreed", 0)["replacement"].update(
        seat=entry(record, "replacement_agreed", 1)["seat"]
    ),
    "another newcomer": lambda record: entry(record, "joined").update(bot="cautious"),
    "never joined": lambda record: record["entries"].remove(entry(record, "joined")),
    "joined later": late_talk,
}
ALLOWED = {"by the app"}  # then it was imposed, and the log says so


@pytest.mark.parametrize("name", FORGED)
def test_both_verifiers_check_the_agreement(name: str, agreed: Record) -> None:
    forged = copy.deepcopy(agreed)
    FORGED[name](forged)
    forged = renumbered(forged)
    due = set() if name in ALLOWED else {"consent"}
    assert due <= failed(forged).keys()
    assert due <= failures(*ask([forged])).keys()
    if not due:
        assert (failed(forged), failures(*ask([forged]))) == ({}, {})


def test_an_imposed_change_is_not_passed_off_as_agreed(imposed: Record) -> None:
    for change in ({"agreed": True}, {"by": "player"}, {"by": "player", "agreed": True}):
        forged = copy.deepcopy(imposed)
        entry(forged, "left").update(change)
        forged = renumbered(forged)
        assert "consent" in failed(forged), change
        assert "consent" in failures(*ask([forged])), change
