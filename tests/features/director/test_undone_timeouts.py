"""An operator undoes a time-out by an entry that both verifiers check."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

import referee
import referee.dispute
from api.core.config import Settings, StartError
from api.features.director import clocks as commands
from tests.servers.serving import run_here
from tests.support.callers import Caller, Clock, log, new_game
from tests.support.clocks import path, verified
from tests.support.everything import may_pass
from tests.support.forging import chained_anew
from tests.support.node import ask, failures

PACE = {"per_move": "PT10H", "reserve": "PT3H", "increment": "PT2H", "on_timeout": "random_move"}
Bend = Callable[[list[dict[str, Any]], dict[str, Any]], object]


@pytest.fixture
def past(clock: Clock) -> Clock:
    """Return the clock, two days behind: the commands run in real time."""
    clock.time = datetime.now(UTC) - timedelta(days=2)
    return clock


def late(host: Caller, game: dict[str, Any], clock: Clock, worker: Callable[[], None]) -> Any:
    """Let the time of the game's turn pass; return the move that was made."""
    clock.move(hours=14)
    worker()
    entry = log(host, game)[-1]
    assert entry.get("random"), entry
    return entry


def both_refuse(record: dict[str, Any], bend: Bend, check: str | None = None) -> None:
    """Check that both verifiers refuse a record whose entries were changed, by this check."""
    forged = copy.deepcopy(record)
    entries = forged["entries"]
    bend(entries, next(entry for entry in entries if entry["type"] == "timeout_undone"))
    for seq, entry in enumerate(entries, 1):
        entry["seq"] = seq
    chained_anew(forged)
    failed = {each.name for each in referee.verify(forged).checks if not each.ok}
    theirs = failures(*ask([forged]))
    assert failed
    assert theirs
    assert check is None or (check in failed and check in theirs), (check, failed, theirs)


def test_a_time_out_is_undone_and_the_seat_gets_its_whole_turn_again(
    host: Caller, four: list[Caller], past: Clock, settings: Settings, worker: Callable[[], None]
) -> None:
    hook = host.post("/v1/webhooks", {"url": "https://example.org/hook"}).json["id"]
    game = may_pass(host, four, PACE)
    seat = game["to_act"][0]
    before = host.get(path(game)).json
    forced = late(host, game, past, worker)
    assert forced["reserve"] == {str(seat): "PT0S"}
    other = host.get(path(game)).json["to_act"][0]
    assert other != seat
    past.time = datetime.now(UTC) - timedelta(hours=12)
    told = commands.undo_timeout(settings, UUID(game["id"]))
    past.time = datetime.now(UTC)
    *_, timed_out, _, undone = log(host, game)
    assert undone["type"] == "timeout_undone"
    assert undone["of"] == forced["seq"]
    assert undone["undone"] == {"seat": seat, "timed_out": timed_out["seq"]}
    assert undone["deadlines"] == {str(seat): told}
    assert undone["reserve"][str(seat)] == "PT10800S", "what the turn had used is given back"
    now = host.get(path(game)).json
    assert (now["to_act"], now["view"]) == (before["to_act"], before["view"])
    assert now["seats"][seat]["deadline"] == told
    assert datetime.fromisoformat(told) - datetime.fromisoformat(undone["at"]) == timedelta(hours=13)
    assert now["seats"][other]["deadline"] is None
    assert host.get(path(game, f"?version={undone['seq']}")).json["seats"] == now["seats"]
    assert [turn["seat"] for turn in four[seat].get("/v1/me/turns").json["items"]] == [seat]
    worker()
    sent = host.get(f"/v1/webhooks/{hook}/deliveries").json["items"]
    events = [delivery["event"] for delivery in sent]
    assert {"game.timeout_undone", "turn.began"} <= set(events), events
    running = host.get(path(game, "/record")).json
    assert running["moves"] == []
    past.time = datetime.now(UTC) + timedelta(hours=1)
    move = {"type": "pass"}
    made = four[seat].post(path(game, "/moves"), {"move": move})
    assert made.status_code == 201, made.text
    assert made.json["entry"]["reserve"] == {str(seat): "PT18000S"}
    four[seat].post(path(game, "/resignation"))
    record = verified(host, game)
    assert [(made["seat"], made["seq"]) for made in record["moves"]] == [(seat, undone["seq"] + 1)]
    assert "undoes the time-out" in "".join(referee.dispute.dispute_report(record, 0))
    forgeries: list[tuple[Bend, str | None]] = [
        (lambda entries, entry: entry.update(of=timed_out["seq"]), "consent"),
        (lambda entries, entry: entry.update(of=2), "consent"),
        (lambda entries, entry: entry.update(undone={**entry["undone"], "seat": other}), "consent"),
        (lambda entries, entry: entry.update(undone={**entry["undone"], "timed_out": 2}), "consent"),
        (lambda entries, entry: entry.pop("undone"), "consent"),
        (lambda entries, entry: entry.update(undone={**entry["undone"], "x": 2}), "members"),
        (lambda entries, entry: entry.update(seat=seat), "members"),
        (lambda entries, entry: entry.update(deadlines={}), None),
        (lambda entries, entry: entry.update(reserve={str(seat): "PT7200S"}), "clocks"),
        (lambda entries, entry: entry.pop("reserve"), "clocks"),
        (lambda entries, entry: entries.pop(entry["seq"] - 2), "consent"),
        (lambda entries, entry: entries.insert(entry["seq"], copy.deepcopy(entry)), "consent"),
        (lambda entries, entry: entries.insert(entry["seq"], entries.pop(entry["seq"] - 1)), None),
    ]
    for bend, check in forgeries:
        both_refuse(record, bend, check)


def test_time_outs_are_undone_one_after_the_other_but_not_after_another_seat_has_acted(
    host: Caller, four: list[Caller], past: Clock, settings: Settings, worker: Callable[[], None]
) -> None:
    game = may_pass(host, four, PACE)
    number = UUID(game["id"])
    with pytest.raises(StartError, match="No move was made for a seat"):
        commands.undo_timeout(settings, number)
    first = late(host, game, past, worker)
    second = late(host, game, past, worker)
    assert first["seat"] != second["seat"]
    past.time = datetime.now(UTC)
    for forced in (second, first):
        commands.undo_timeout(settings, number)
        assert log(host, game)[-1]["of"] == forced["seq"]
    assert host.get(path(game)).json["to_act"] == [first["seat"]]
    with pytest.raises(StartError, match="No move was made"):
        commands.undo_timeout(settings, number)
    record_of_running = host.get(path(game, "/verification")).json
    assert record_of_running["ok"], record_of_running
    past.time = datetime.now(UTC)
    third = late(host, game, past, worker)
    mover = host.get(path(game)).json["to_act"][0]
    done = four[mover].post(path(game, "/moves"), {"move": {"type": "pass"}})
    assert done.status_code == 201, done.text
    with pytest.raises(StartError, match=f"Seat {mover} has acted since"):
        commands.undo_timeout(settings, number)
    four[0].post(path(game, "/resignation"))
    record = verified(host, game)

    def too_late(entries: list[dict[str, Any]], entry: dict[str, Any]) -> None:
        at = next(n for n, each in enumerate(entries) if each["seq"] == done.json["entry"]["seq"])
        named = entries[third["seq"] - 2]["seq"]
        undone = {"of": third["seq"], "undone": {"seat": third["seat"], "timed_out": named}}
        entries.insert(at + 1, {**entries[at], **undone, "type": "timeout_undone"})
        for name in ("seat", "player", "bot", "by", "move", "transfers", "private", "sealed", "seals"):
            entries[at + 1].pop(name, None)

    both_refuse(record, too_late, "consent")
    with pytest.raises(StartError, match=r"is over.*rematch"):
        commands.undo_timeout(settings, number)


def test_a_game_that_ended_with_a_time_out_is_over(
    host: Caller, four: list[Caller], past: Clock, settings: Settings, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace={**PACE, "on_timeout": "resign"})
    past.move(hours=14)
    worker()
    assert host.get(path(game)).json["status"] == "finished"
    with pytest.raises(StartError, match=r"seed is public.*rematch"):
        commands.undo_timeout(settings, UUID(game["id"]))
    with pytest.raises(StartError, match="no game"):
        commands.undo_timeout(settings, UUID(int=1))


def test_cards_that_were_shown_are_not_hidden_again(
    host: Caller, four: list[Caller], past: Clock, settings: Settings, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    late(host, game, past, worker)
    past.time = datetime.now(UTC)
    version = host.get(path(game)).json["version"]
    with pytest.raises(StartError, match="shown since"):
        commands.undo_timeout(settings, UUID(game["id"]))
    assert host.get(path(game)).json["version"] == version


def test_a_pause_and_what_an_outage_still_owes(
    host: Caller,
    four: list[Caller],
    past: Clock,
    settings: Settings,
    worker: Callable[[], None],
) -> None:
    game = may_pass(host, four, PACE)
    past.move(hours=14)
    worker()
    past.time = datetime.now(UTC)
    for player in four:
        assert player.post(path(game, "/pause")).status_code == 201
    with pytest.raises(StartError, match="paused"):
        commands.undo_timeout(settings, UUID(game["id"]))
    assert four[0].post(path(game, "/resumption")).status_code == 201
    commands.record_outage(settings, datetime.now(UTC) - timedelta(seconds=1))
    commands.undo_timeout(settings, UUID(game["id"]))
    assert [entry["type"] for entry in log(host, game)[-2:]] == ["time_returned", "timeout_undone"]
    past.time = datetime.now(UTC)
    four[0].post(path(game, "/resignation"))
    verified(host, game)


def test_a_time_out_that_was_undone_does_not_count(
    host: Caller, four: list[Caller], past: Clock, settings: Settings, worker: Callable[[], None]
) -> None:
    game = may_pass(host, four, PACE)
    seat = game["to_act"][0]
    for _ in range(2):
        late(host, game, past, worker)
        past.time = datetime.now(UTC)
        commands.undo_timeout(settings, UUID(game["id"]))
    newcomer = {"bot": "random"}
    others = [player for number, player in enumerate(four) if number != seat]
    refused = others[0].put(path(game, f"/seats/{seat}/player"), newcomer)
    assert refused.status_code == 409, refused.text
    four[seat].post(path(game, "/resignation"))
    verified(host, game)
    found = host.get(f"/v1/players/{four[seat].player}/statistics").json
    assert (found["games"], found["timeouts"]) == (1, 0), found


def test_the_command_says_what_it_did(
    host: Caller, four: list[Caller], past: Clock, settings: Settings, worker: Callable[[], None]
) -> None:
    game = may_pass(host, four, PACE)
    late(host, game, past, worker)
    words = ("clocks", "undo-timeout", game["id"])
    done, again = (run_here(*words, **settings.environment()) for _ in range(2))
    assert done.returncode == 0, done.stderr
    assert [done.stdout.strip()] == list(log(host, game)[-1]["deadlines"].values())
    assert (again.returncode, "No move was made for a seat" in again.stderr) == (1, True), again.stderr
