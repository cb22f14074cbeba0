"""Outages of the service: every running clock gets the time back, once, and the log and verifiers say so."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

import referee
import referee.clocks
import referee.dispute
from api.context import Context
from api.core.config import Settings, StartError, libpq
from api.features import load_features
from api.features.director import clocks as commands
from api.features.guests.commands import cancel_one
from api.games import outages, saving
from api.store.database.session import Database, Session
from tests.independent.game import Referee
from tests.independent.verify import verify
from tests.support.callers import Caller, Clock, first_move, log, new_game
from tests.support.draws import WORDS, committed, made, reveal
from tests.support.due_jobs import keep_time
from tests.support.forging import chained_anew, failed
from tests.support.node import ask, failures

Beat = Callable[[], None]
Passing = Callable[..., None]
Verify = Callable[[dict[str, Any]], str | None]
PACE = {"per_move": "PT72H", "on_timeout": "resign"}


@pytest.fixture
def beat(app: Flask, clock: Clock) -> Callable[[], None]:
    """Return a function that lets the web process say that it is up, as it does every few seconds."""
    site = app.extensions["card_referee"]
    site.database.heartbeat.beats = True

    def now() -> None:
        session = Session(site.database)
        outages.beat(Context(site.settings, session, load_features().hooks, clock))
        session.close()

    now()
    return now


@pytest.fixture
def up(clock: Clock, settings: Settings, beat: Beat) -> Passing:
    """Return a function that lets time pass while the service is up."""

    def stay(**by: float) -> None:
        clock.move(**by)
        with psycopg.connect(libpq(settings.owner_database_url)) as connection:
            connection.execute("UPDATE heartbeat SET at = %s", (clock.time,))
        beat()

    return stay


@pytest.fixture
def independently() -> Iterator[Verify]:
    """Return a function that says what the independent verifier finds wrong with a record; None: nothing."""
    with closing(Referee()) as referee:
        yield lambda record: verify(record, referee)[0]


def returned(caller: Caller, game: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in log(caller, game) if entry["type"] == "time_returned"]


def checked(host: Caller, game: dict[str, Any]) -> dict[str, Any]:
    """Check the log while the game runs, and the record after a resignation, with both verifiers."""
    found = host.get(f"/v1/games/{game['id']}/verification").json
    assert found["ok"], [check for check in found["checks"] if not check["ok"]]
    record: dict[str, Any] = host.get(f"/v1/games/{game['id']}/record").json
    assert referee.verify(record).ok, [c for c in referee.verify(record).checks if not c.ok]
    assert not failures(answer := ask([record])[0]), answer
    return record


@pytest.mark.parametrize("first", ["worker", "move"])
def test_an_outage_is_given_back_once(
    host: Caller, four: list[Caller], clock: Clock, context: Context, up: Passing, beat: Beat, first: str
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    mover = four[game["to_act"][0]]
    up(hours=70)
    clock.move(hours=50)
    keep_time(context)  # a worker alone is up: players cannot move, and nobody is timed out
    assert not returned(host, game)
    assert log(host, game)[-1]["type"] == "started"
    if first == "worker":
        beat()
        keep_time(context)
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    assert done.status_code == 201, done.text
    for _ in range(2):
        beat()
        keep_time(context)
    [entry] = returned(host, game)
    seat = str(game["to_act"][0])
    assert (entry["since"], entry["at"]) == ("2026-03-04T10:00:00.000000Z", "2026-03-06T12:00:00.000000Z")
    assert entry["deadlines"] == {seat: "2026-03-06T14:00:00.000000Z"}
    mover.post(f"/v1/games/{game['id']}/resignation")
    checked(host, game)


def test_no_deal_is_called_off_while_nobody_can_reveal(
    host: Caller, four: list[Caller], clock: Clock, context: Context, up: Passing
) -> None:
    game = made(host, committed(four[:2]), entropy="commit", reveal_within="PT10M")
    up(minutes=5)
    clock.move(minutes=30)
    keep_time(context)  # a worker alone is up
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "open"
    up()
    keep_time(context)
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "cancelled"


@pytest.mark.parametrize("pace", [None, PACE])
@pytest.mark.parametrize("first", ["worker", "player"])
def test_the_time_to_reveal_is_given_back_too(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    context: Context,
    up: Passing,
    beat: Beat,
    independently: Verify,
    first: str,
    pace: dict[str, str] | None,
) -> None:
    game = made(host, committed(four[:3]), entropy="commit", reveal_within="PT10M", pace=pace)
    path = f"/v1/games/{game['id']}"
    up(minutes=4)
    assert reveal(four[0], game, WORDS[0]).status_code == 201
    up(minutes=1)
    clock.move(minutes=30)
    beat()
    if first == "worker":
        keep_time(context)
    else:
        assert reveal(four[1], game, WORDS[1]).status_code == 201
    beat()
    keep_time(context)
    [entry] = returned(host, game)
    assert (entry["since"], entry["at"]) == ("2026-03-01T12:05:00.000000Z", "2026-03-01T12:35:00.000000Z")
    assert "deadlines" not in entry
    shown = host.get(path).json
    assert (shown["status"], shown["dealing"]["reveal_by"]) == ("open", "2026-03-01T12:40:00.000000Z")
    up(minutes=4)
    for number in (1, 2) if first == "worker" else (2,):
        assert reveal(four[number], game, WORDS[number]).status_code == 201
    four[0].post(f"{path}/resignation")
    record = checked(host, game)
    assert independently(record) is None
    for change in (
        {"since": "2026-03-01T12:03:59.000000Z"},
        {"since": "2026-03-01T12:15:00.000000Z"},
        {"since": "2026-03-01T12:36:00.000000Z"},
        {"deadlines": {}},
    ):
        forged = copy.deepcopy(record)
        _returned_of(forged["entries"]).update(change)
        chained_anew(forged)
        assert not referee.verify(forged).ok, change
        assert not ask([forged])[0]["ok"], change
        assert independently(forged), change


def test_who_does_not_reveal_after_an_outage_either_forfeits_when_the_time_is_over(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    context: Context,
    up: Passing,
    beat: Beat,
    independently: Verify,
) -> None:
    game = made(host, committed(four[:2]), entropy="commit", reveal_within="PT10M")
    up(minutes=9)
    clock.move(minutes=30)
    beat()
    keep_time(context)
    up(seconds=59)
    keep_time(context)
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "open"
    up(seconds=1)
    keep_time(context)
    assert [entry["type"] for entry in log(host, game)][-3:] == ["forfeited", "forfeited", "cancelled"]
    assert independently(checked(host, game)) is None


def test_the_time_that_was_left_is_enforced_after_the_outage(
    host: Caller, four: list[Caller], clock: Clock, context: Context, up: Passing, beat: Beat
) -> None:
    games = [new_game(host, four[:2], pace={**PACE, "per_move": f"PT{n}H"}) for n in range(1, 21)]
    up(minutes=30)
    clock.move(hours=30)
    beat()
    keep_time(context)
    assert [host.get(f"/v1/games/{game['id']}").json["status"] for game in games] == ["running"] * 20
    up(minutes=30)
    keep_time(context)
    assert host.get(f"/v1/games/{games[0]['id']}").json["status"] == "finished"
    assert host.get(f"/v1/games/{games[1]['id']}").json["status"] == "running"
    record = checked(host, games[0])
    for change in (
        {"since": "2026-03-01T11:00:00.000000Z"},
        {"since": "2026-03-01T13:30:00.000000Z"},
        {"deadlines": {"0": "2026-03-05T18:00:00.000000Z"}},
        {"since": "2027-03-01T13:30:00.000000Z"},
        {"deadlines": {}},
    ):
        forged = copy.deepcopy(record)
        _returned_of(forged["entries"]).update(change)
        chained_anew(forged)
        assert not referee.verify(forged).ok, change
        assert "clocks" in failures(ask([forged])[0]), change


def _returned_of(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return next(entry for entry in entries if entry["type"] == "time_returned")


def test_a_short_silence_is_no_outage(
    host: Caller, four: list[Caller], clock: Clock, context: Context, beat: Beat
) -> None:
    game = new_game(host, four[:2], pace={**PACE, "per_move": "PT1M"})
    clock.move(seconds=59)
    beat()
    clock.move(seconds=60)
    beat()
    keep_time(context)
    assert not returned(host, game)
    assert log(host, game)[-1]["type"] == "finished"


def test_a_worker_that_was_away_gives_nothing_back(
    host: Caller, four: list[Caller], context: Context, up: Passing
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    up(hours=80)
    keep_time(context)
    assert not returned(host, game)
    assert log(host, game)[-1]["type"] == "finished"


def test_clocks_of_hosts_that_differ_and_clocks_set_back_make_no_outage(
    host: Caller, four: list[Caller], clock: Clock, context: Context, up: Passing, beat: Beat
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    up(minutes=5)  # a host that is five minutes ahead of another
    for _ in range(4):
        clock.move(minutes=-5)
        beat()
        clock.move(minutes=5, seconds=5)
        beat()
    clock.move(hours=-2)
    for _ in range(4):
        clock.move(minutes=40)
        beat()
        keep_time(context)
    assert len(returned(host, game)) == 1, "when the clock has caught up"
    clock.move(days=400)
    beat()
    clock.move(days=-400)  # a clock that was wrong for a while
    beat()
    clock.move(hours=1)
    beat()
    keep_time(context)
    # Of the hour since then, and of what the wrong clock took for 400 days: each once.
    given = [(entry["since"][:16], entry["at"][:16]) for entry in returned(host, game)]
    assert given[1:] == [
        ("2026-03-01T12:45", "2026-03-01T13:45"),
        ("2026-03-01T13:45", "2027-04-05T12:45"),
    ]


def test_two_outages_vacations_pauses_and_weekends(
    host: Caller, four: list[Caller], clock: Clock, context: Context, up: Passing, beat: Beat
) -> None:
    pace = {**PACE, "quiet_weekends": True, "vacation_days": 9, "reserve": "PT10H", "increment": "PT1H"}
    game = new_game(host, four[:2], pace=pace)  # on a Sunday noon
    seat = game["to_act"][0]
    at = f"/v1/games/{game['id']}"
    assert four[seat].post(f"{at}/vacation", {"days": 2}).status_code == 201  # until Tuesday noon
    before = host.get(at).json["seats"][seat]["deadline"]
    assert before == "2026-03-06T22:00:00.000000Z"  # 82 hours from Tuesday noon
    up(hours=1)
    clock.move(hours=58)  # until Tuesday 23:00
    beat()
    up(hours=1)
    clock.move(hours=96)  # from Wednesday 0:00 until Sunday 0:00
    beat()
    keep_time(context)
    first, second = returned(host, game)
    assert first["deadlines"] == {str(seat): "2026-03-09T09:00:00.000000Z"}
    assert second["deadlines"] == {str(seat): "2026-03-12T09:00:00.000000Z"}
    for player in four[:2]:
        assert player.post(f"{at}/pause").status_code == 201
    clock.move(hours=20)
    beat()
    up(hours=1)
    assert four[0].post(f"{at}/resumption").status_code == 201
    assert len(returned(host, game)) == 2, "clocks that stood still have lost nothing"
    mover = four[seat]
    assert mover.post(f"{at}/moves", {"move": first_move(mover, game)}).status_code == 201
    old = host.get(f"{at}?version={second['seq']}").json
    assert old["seats"][seat]["deadline"] == second["deadlines"][str(seat)]
    mover.post(f"{at}/resignation")
    checked(host, game)


def test_games_of_test_clocks_and_games_that_began_afterwards_are_left_alone(
    host: Caller, four: list[Caller], clock: Clock, context: Context, beat: Beat
) -> None:
    test_clock = host.post("/v1/test-clocks", {"time": "2030-01-01T12:00:00Z"}).json["id"]
    tested = new_game(host, four[:2], pace=PACE, test_clock=test_clock)
    clock.move(hours=5)
    beat()
    young = new_game(host, four[:2], pace=PACE)
    keep_time(context)
    assert not returned(host, tested)
    assert not returned(host, young)


def test_killed_between_games_each_still_gets_it_once(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    context: Context,
    workers_database: Database,
    settings: Settings,
    beat: Beat,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = [new_game(host, four[:2], pace=PACE) for _ in range(6)]
    clock.move(hours=80)
    beat()
    save, saved = saving.save, []

    def dying(*given: Any) -> None:
        save(*given)
        saved.append(given)
        if len(saved) == 3:
            raise KeyboardInterrupt  # before its commit

    monkeypatch.setattr(saving, "save", dying)
    with pytest.raises(KeyboardInterrupt):
        outages.give_all_back(context)
    monkeypatch.undo()
    assert sum(len(returned(host, game)) for game in games) == 2
    other = Context(settings, Session(workers_database), load_features().hooks, clock)
    for each in (other, context):
        keep_time(each)
    assert [len(returned(host, game)) for game in games] == [1] * 6
    assert [host.get(f"/v1/games/{game['id']}").json["status"] for game in games] == ["running"] * 6
    with psycopg.connect(libpq(settings.owner_database_url)) as connection:
        assert connection.execute("SELECT settled FROM outages").fetchall() == [(True,)]


def test_an_outage_is_settled_only_when_every_game_has_its_time_back(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    context: Context,
    settings: Settings,
    beat: Beat,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = [new_game(host, four[:2], pace=PACE) for _ in range(2)]
    clock.move(hours=2)
    beat()
    give_back = outages.give_back_alone

    def failing(context: Context, game_id: UUID) -> bool:
        if str(game_id) == games[0]["id"]:
            raise ValueError("a fault of this game alone")
        return give_back(context, game_id)

    with monkeypatch.context() as patched:
        patched.setattr(outages, "give_back_alone", failing)
        outages.give_all_back(context)
    assert [len(returned(host, game)) for game in games] == [0, 1]
    outages.give_all_back(context)
    assert [len(returned(host, game)) for game in games] == [1, 1]


def test_time_that_is_added_during_an_outage_takes_nothing_of_it_away(
    host: Caller,
    four: list[Caller],
    settings: Settings,
    clock: Clock,
    context: Context,
    beat: Beat,
    up: Passing,
) -> None:
    real = datetime.now(UTC)
    clock.time = real - timedelta(hours=10)
    up()
    game = new_game(host, four[:2], pace=PACE)
    seat = game["to_act"][0]
    due = datetime.fromisoformat(game["seats"][seat]["deadline"])
    commands.add_time(settings, UUID(game["id"]), seat, timedelta(hours=1))
    clock.time = real + timedelta(hours=2)
    beat()
    outages.give_all_back(context)
    deadline = host.get(f"/v1/games/{game['id']}").json["seats"][seat]["deadline"]
    lost = due + timedelta(hours=13) - datetime.fromisoformat(deadline)
    assert timedelta(0) <= lost < timedelta(seconds=30)  # while the command itself ran
    checked(host, game)


def test_an_operator_adds_time_by_an_entry_that_verifiers_check(
    host: Caller, four: list[Caller], settings: Settings, clock: Clock
) -> None:
    clock.time = datetime.now(UTC)
    game = new_game(host, four[:2], pace={**PACE, "reserve": "PT1H", "vacation_days": 3})
    at, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    due = datetime.fromisoformat(game["seats"][seat]["deadline"])
    text = commands.add_time(settings, UUID(game["id"]), seat, timedelta(hours=24))
    assert datetime.fromisoformat(text) == due + timedelta(hours=24)
    for game_id, number, why in (
        (UUID(int=1), 0, "no game"),
        (UUID(game["id"]), 1 - seat, "No time is running"),
    ):
        with pytest.raises(StartError, match=why):
            commands.add_time(settings, game_id, number, timedelta(hours=1))
    four[0].post(f"{at}/resignation")
    record = checked(host, game)
    assert "".join(referee.dispute.dispute_report(record, 0))
    for kind, change in (
        ("time_added", {"added": {"seat": seat, "time": "PT25H"}}),
        ("time_added", {"added": {"seat": 1 - seat, "time": "PT24H"}}),
        ("time_added", {"deadlines": {}}),
    ):
        forged = copy.deepcopy(record)
        next(entry for entry in forged["entries"] if entry["type"] == kind).update(change)
        chained_anew(forged)
        assert not referee.verify(forged).ok, (kind, change)
        assert not ask([forged])[0]["ok"], (kind, change)
    idle = copy.deepcopy(record)
    added = next(entry for entry in idle["entries"] if entry["type"] == "time_added")
    more = {"type": "time_added", "at": added["at"], "added": {"seat": 1 - seat, "time": "PT1H"}}
    idle["entries"].insert(idle["entries"].index(added), more)
    for seq, entry in enumerate(idle["entries"], 1):
        entry["seq"] = seq
    for move in idle["moves"]:
        move.pop("seq", None), move.pop("hash", None)
    chained_anew(idle)
    assert "clocks" in failed(idle)
    assert "clocks" in failures(ask([idle])[0])


def test_an_operator_learns_that_a_game_cannot_be_read(
    host: Caller, four: list[Caller], settings: Settings, sql: psycopg.Connection
) -> None:
    game = UUID(new_game(host, four[:2], pace=PACE)["id"])
    sql.execute("UPDATE games SET sitting = 'null' WHERE id = %s", (game,))
    with pytest.raises(StartError, match="cannot be read"):
        commands.add_time(settings, game, 0, timedelta(hours=1))
    with pytest.raises(StartError, match="cannot be read"):
        cancel_one(settings, game)


@pytest.mark.parametrize(("kind", "name"), [("time_returned", "since"), ("time_added", "added")])
def test_an_entry_about_time_that_does_not_say_why_begins_no_turn_again(
    host: Caller, four: list[Caller], clock: Clock, context: Context, beat: Beat, kind: str, name: str
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    clock.move(hours=50)
    beat()
    keep_time(context)
    four[0].post(f"/v1/games/{game['id']}/resignation")
    forged = checked(host, game)
    entry = _returned_of(forged["entries"])
    entry["type"] = kind
    del entry["since"]
    after = datetime.fromisoformat(entry["at"]) + timedelta(hours=72)
    entry["deadlines"] = {str(game["to_act"][0]): referee.clocks.timestamp(after)}
    chained_anew(forged)
    assert "members" in failed(forged), name
    assert "clocks" in failures(ask([forged])[0]), name


def test_an_operator_notes_an_outage_that_the_server_could_not_notice(
    host: Caller, four: list[Caller], settings: Settings, clock: Clock, context: Context
) -> None:
    clock.time = datetime.now(UTC) - timedelta(hours=3)
    game = new_game(host, four[:2], pace={**PACE, "per_move": "PT2H"})
    clock.time = datetime.now(UTC)
    commands.record_outage(settings, clock.time - timedelta(hours=2))
    clock.time = datetime.now(UTC)
    keep_time(context)
    [entry] = returned(host, game)
    [deadline] = entry["deadlines"].values()
    assert timedelta(minutes=59) < datetime.fromisoformat(deadline) - clock.time < timedelta(minutes=61)
    with pytest.raises(StartError):
        commands.record_outage(settings, clock.time + timedelta(hours=2))


def test_everybody_concerned_gets_a_word(
    host: Caller, four: list[Caller], clock: Clock, context: Context, beat: Beat
) -> None:
    hook = host.post("/v1/webhooks", {"url": "https://example.org/hook"}).json["id"]
    game = new_game(host, four[:2], pace=PACE)
    clock.move(hours=80)
    beat()
    keep_time(context)
    sent = host.get(f"/v1/webhooks/{hook}/deliveries").json["items"]
    events = [delivery["event"] for delivery in sent]
    assert {"game.time_returned", "deadline.moved"} <= set(events), events
    assert game
