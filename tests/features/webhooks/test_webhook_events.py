"""The events that webhooks get: every kind of entry, requests at a table, and webhooks that fail."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from jsonschema_rs import Draft202012Validator

import referee.records
from api.context import Context
from api.features.specification.specification import spec
from api.features.webhooks.notices import EVENTS, ON_REQUEST
from referee.records import ENTRY_TYPES
from tests.servers.receiver import Receiver
from tests.support.callers import Caller, Clock, first_move, new_game, play_on
from tests.support.contract import strict
from tests.support.webhooks import PACE, hook, listed, move, receiver, settings, work

__all__ = ["receiver", "settings"]  # fixtures


# What every notice says about a game without labels.
ABOUT: dict[str, Any] = {"ruleset": "cats_and_dogs", "title": None, "external_id": None, "metadata": {}}


def test_every_type_of_entry_has_its_event() -> None:
    """Its name is that of the type, in the log, in webhooks and in mail."""
    assert {f"game.{name}" for name in ENTRY_TYPES} <= set(EVENTS)
    assert set(spec()["webhooks"]) == {*EVENTS, "webhook.test"}


def sent_to(receiver: Receiver, *, since: int = 0) -> list[tuple[str, int | None]]:
    """Return the events received, each with its seat."""
    return [(event["type"], event["data"].get("seat")) for event in receiver.events(once=False)[since:]]


def path(game: dict[str, Any], rest: str = "") -> str:
    return f"/v1/games/{game['id']}{rest}"


def test_notices_of_seats_that_are_taken_and_left(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    hook(host, receiver)
    seats = [{"player": four[0].player}, {"open": True}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    invite = {"invite": game["seats"][1]["invite"]}
    assert four[1].put(path(game, "/seats/1"), invite).status_code == 200
    work(context)
    assert sent_to(receiver)[:5] == [
        ("game.created", None),
        ("game.joined", 0),
        ("game.joined", 2),
        ("game.joined", 1),
        ("game.started", None),
    ]
    by_bot = next(e for e in receiver.events() if e["data"].get("seat") == 2)
    assert by_bot["data"] == {"game": game["id"], "version": 3, "seat": 2, "player": None, **ABOUT}

    begun = len(sent_to(receiver))
    open_game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [*seats, {"open": True}]}).json
    four[1].put(path(open_game, "/seats/1"), {"invite": open_game["seats"][1]["invite"]})
    assert four[1].delete(path(open_game, "/seats/1")).status_code == 204
    assert host.post(path(open_game, "/cancellation")).status_code == 201
    work(context)
    assert sent_to(receiver, since=begun)[3:] == [
        ("game.joined", 1),
        ("game.left", 1),
        ("game.cancelled", None),
    ]


def test_notices_of_requests_and_answers_at_a_table(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    pace = {**PACE, "on_timeout": "random_move", "vacation_days": 3}
    game = new_game(host, four, ruleset="pedro", pace=pace)
    hook(host, receiver)
    seat = game["to_act"][0]
    move(four, game)  # the hands are dealt, and the bidding begins
    bid = host.get(path(game)).json
    bidder = bid["to_act"][0]
    move(four, bid)
    assert four[seat].post(path(game, "/vacation"), {"days": 1}).status_code == 201
    assert four[bidder].post(path(game, "/take-back")).status_code == 201
    others = [other for other in range(4) if other != bidder]
    for other in others:
        answer = four[other].post(path(game, "/take-back/answer"), {"agree": True})
        assert answer.status_code == 201
    assert four[seat].post(path(game, "/resignation")).status_code == 201
    work(context)
    table = [event for event in sent_to(receiver) if event[0] not in ("game.said", "turn.began")]
    assert table == [
        ("game.vacation_taken", seat),
        ("game.take_back_requested", bidder),
        *[("game.take_back_agreed", other) for other in others],
        ("game.taken_back", bidder),
        ("game.resigned", seat),
        ("game.finished", None),
    ]
    assert "game.said" not in [event for event, _ in sent_to(receiver)], "no notice of a message was sent"


def test_notice_of_a_seat_that_is_handed_over(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, clock: Clock
) -> None:
    game = new_game(host, four[:2], pace={"per_move": "P30D", "on_timeout": "random_move"})
    hook(host, receiver)
    seat = game["to_act"][0]
    clock.move(days=8)
    replaced = four[1 - seat].put(path(game, f"/seats/{seat}/player"), {"player": four[2].player})
    assert replaced.status_code == 200, replaced.text
    work(context)
    handed = [event for event in sent_to(receiver) if event[0] not in ("game.said", "turn.began")]
    assert handed == [("game.replacement_agreed", 1 - seat), ("game.left", seat), ("game.replaced", seat)]


def test_notices_of_moves_are_sent_only_on_request(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    named, everything = hook(host, receiver, events=["game.moved"]), hook(host, receiver)
    game = new_game(host, four[:2])
    seat = game["to_act"][0]
    four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], game)})
    work(context)
    [delivery] = listed(host, named)
    assert delivery["payload"]["data"] == {
        "game": game["id"],
        "version": game["version"] + 1,
        "seat": seat,
        "player": four[seat].player,
        **ABOUT,
    }
    assert not {delivery["event"] for delivery in listed(host, everything)} & set(ON_REQUEST)


def test_an_imported_game_has_one_notice(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context, sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2])
    assert host.post(path(game, "/resignation"), {"seat": 0}).status_code == 201
    record = host.get(path(game, "/record")).json
    sql.execute("UPDATE games SET commitment = NULL")  # as if the record were from another server
    hook(host, receiver)
    imported = [host.post("/v1/records", record) for _ in range(2)]
    assert [answer.status_code for answer in imported] == [201, 200]
    work(context)
    found = imported[0].json
    assert [e["type"] for e in receiver.events()] == ["game.imported"]
    assert receiver.events()[0]["data"] == {"game": found["id"], "version": found["version"], **ABOUT}


def test_a_notice_contains_the_apps_labels_of_its_game(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    hook(host, receiver)
    written = {"title": "Final", "external_id": "g1", "metadata": {"cup": "2026"}}
    game = new_game(host, four, **written)
    four[0].post(path(game, "/resignation"))
    work(context)
    for event in receiver.events():
        shown = {name: event["data"][name] for name in written}
        assert shown == written, event["type"]
    last = receiver.events()[-1]
    assert last["type"] == "game.finished"
    assert last["data"]["result"]["reason"] == "resigned"


@pytest.mark.parametrize("event", [*EVENTS, "webhook.test"])
def test_every_event_has_a_valid_example(event: str) -> None:
    """The examples are created by the code that creates notices, and checked against the event's schema."""
    api = spec()
    content = api["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]
    example = content["example"]
    assert example["type"] == event
    schema = {**content["schema"], "components": strict()["components"]}
    assert [error.message for error in Draft202012Validator(schema).iter_errors(example)] == []
    for name, value in example["data"].items():
        assert name == "metadata" or value is not None, f"{name} has no example"


def test_an_included_entry_is_what_everybody_sees(
    host: Caller, four: list[Caller], receiver: Receiver, context: Context
) -> None:
    """With `entry`, a copy of the log needs nothing else; it does not include what only a seat sees."""
    hook(host, receiver, events=[*EVENTS], include=["entry"])
    plain = hook(host, receiver, events=["game.moved", "game.started"])
    game = play_on(four, new_game(host, four, ruleset="dog_cards"), 6)
    four[0].post(f"/v1/games/{game['id']}/messages", {"text": "Hello"})
    work(context)
    entries = [event["data"]["entry"] for event in receiver.events() if "entry" in event["data"]]
    log = host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    assert sorted(entries, key=lambda entry: entry["seq"]) == log
    seen = four[0].get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    assert any("private" in entry for entry in seen)
    assert not any("private" in entry for entry in entries)
    digest = bytes(32)
    for entry in log:
        digest = referee.records.chain(
            digest, {n: v for n, v in entry.items() if n not in ("hash", "private")}
        )
        assert digest.hex() == entry["hash"]
    assert all("entry" not in delivery["payload"]["data"] for delivery in listed(host, plain))
