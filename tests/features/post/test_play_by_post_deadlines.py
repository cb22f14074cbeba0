"""Deadlines: each is in the log and the inbox, each passes once, and nobody can move after it."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask

import referee
from api.context import Context
from api.features import load_features
from api.features.notices import warnings
from api.features.post import standing_orders as standing
from api.games import bots
from api.store import due_work as store
from api.store.database.session import Database, Session
from referee.log import pace as clocks
from tests.support.callers import START, Caller, Clock, first_move, log, new_game
from tests.support.due_jobs import keep_time

PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": "PT12H"}
# A warning has to be due within the time for a move.
WITH_RESERVE = {**PACE, "per_move": "PT10H", "reserve": "PT5H", "warn_before": "PT3H"}


def kinds(caller: Caller, game: dict[str, Any]) -> list[str]:
    return [entry["type"] for entry in log(caller, game)]


def turns(player: Caller) -> list[tuple[str, str | None]]:
    return [(turn["game"], turn["deadline"]) for turn in player.get("/v1/me/turns").json["items"]]


def move(player: Caller, game: dict[str, Any]) -> Any:
    return player.post(f"/v1/games/{game['id']}/moves", {"move": first_move(player, game)})


def order(game: dict[str, Any]) -> tuple[int, int]:
    """Return the two players of a game: the one to act, then the other."""
    return game["to_act"][0], 1 - game["to_act"][0]


def test_a_deadline_is_in_the_log_the_game_and_the_inbox(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    due = "2026-03-04T12:00:00.000000Z"
    first, second = order(game)
    assert game["seats"][first]["deadline"] == due
    assert game["seats"][second]["deadline"] is None
    started = next(entry for entry in log(host, game) if entry["type"] == "started")
    assert started["deadlines"] == {str(first): due}
    assert turns(four[first]) == [(game["id"], due)]
    assert turns(four[second]) == []
    clock.move(hours=1)
    assert move(four[first], game).json["entry"]["deadlines"] == {str(second): "2026-03-04T13:00:00.000000Z"}
    assert turns(four[first]) == []
    assert turns(four[second]) == [(game["id"], "2026-03-04T13:00:00.000000Z")]


def test_a_game_without_pace_shows_no_clocks(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    assert "deadlines" not in move(four[order(game)[0]], game).json["entry"]


def test_a_passed_deadline_ends_the_game_once(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    clock.move(hours=71, minutes=59)
    worker()
    assert kinds(host, game)[-1] == "started"
    clock.move(minutes=1)
    worker()
    worker()
    *_, late, finished = log(host, game)
    loser, winner = order(game)
    assert (late["type"], late["seat"]) == ("timed_out", loser)
    assert finished["type"] == "finished"
    assert finished["result"] == {"winners": [winner], "losers": [loser], "reason": "timed_out"}
    assert kinds(host, game).count("timed_out") == 1
    assert turns(four[loser]) == []
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert referee.verify(record).ok


def test_a_late_move_finds_the_game_over_even_before_a_worker_runs(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    mover = four[order(game)[0]]
    late = first_move(mover, game)
    clock.move(hours=72)
    refused = mover.post(f"/v1/games/{game['id']}/moves", {"move": late})
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/game-over")
    assert kinds(host, game)[-2:] == ["timed_out", "finished"]


def test_a_random_move_can_be_reproduced_and_uses_no_chance_of_the_game(
    host: Caller, auditor: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:3], pace={**PACE, "on_timeout": "random_move"})
    for _ in range(400):
        clock.move(hours=73)
        worker()
        if host.get(f"/v1/games/{game['id']}").json["status"] == "finished":
            break
    entries = []
    cursor = "0"
    while cursor:
        page = auditor.get(f"/v1/games/{game['id']}/events?limit=200&cursor={cursor}").json
        entries += page["items"]
        cursor = page["next"]
    made = [entry for entry in entries if entry["type"] == "moved"]
    assert len(made) > 10
    assert all(entry["random"] for entry in made)
    record = host.get(f"/v1/games/{game['id']}/record").json
    seed = bytes.fromhex(record["seed"])
    key = referee.game_key(seed, record["entropy"])
    chance = referee.Seeded(key)
    state, _ = referee.deal(record["ruleset"], 3, record["options"], chance)
    for entry in made:
        before = entries[entry["seq"] - 2]
        assert (before["type"], before["seat"]) == ("timed_out", entry["seat"])
        legal = referee.legal_moves(state, entry["seat"])
        digest = hmac.digest(key, b"timeout" + entry["seq"].to_bytes(4, "big"), "sha256")
        assert entry["move"] == legal[int.from_bytes(digest, "big") % len(legal)]
        referee.advance(state, entry["seat"], entry["move"], chance)
    assert state.result == record["result"]
    assert referee.verify(record).ok


def test_a_reserve_is_used_after_the_time_for_a_move(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], pace=WITH_RESERVE)
    first, second = order(game)
    assert game["seats"][first]["deadline"] == "2026-03-02T03:00:00.000000Z"
    clock.move(hours=12)
    worker()
    assert move(four[first], game).json["entry"]["reserve"] == {str(first): "PT10800S"}
    assert "reserve" not in move(four[second], game).json["entry"]
    again = host.get(f"/v1/games/{game['id']}").json["seats"]
    waiting = next(seat for seat in again if seat["deadline"])
    hours = 13 if waiting["seat"] == first else 15
    due = clock.time + timedelta(hours=hours)
    assert datetime.fromisoformat(waiting["deadline"]) == due
    clock.time = due
    worker()
    assert kinds(host, game)[-2:] == ["timed_out", "finished"]


def test_weekends_can_be_excluded(host: Caller, four: list[Caller], clock: Clock) -> None:
    clock.time = datetime(2026, 3, 6, 18, tzinfo=UTC)  # a Friday
    game = new_game(host, four[:2], pace={"per_move": "PT24H", "quiet_weekends": True})
    assert game["seats"][order(game)[0]]["deadline"] == "2026-03-09T18:00:00.000000Z"
    assert game["pace"]["quiet_weekends"] is True


@pytest.mark.parametrize("hours", [0.5, 5, 30, 119, 120, 121, 500, 24 * 5 * 3])
def test_excluded_weekends_are_counted_as_a_person_would_count_them(hours: float) -> None:
    half = timedelta(minutes=30)
    for start in range(0, 24 * 7, 5):
        begin = START + timedelta(hours=start, minutes=10)
        at, counted = begin, timedelta()
        while counted < timedelta(hours=hours):
            step = min(half, timedelta(minutes=60 - at.minute) if at.minute else half)
            counted += step if at.weekday() < 5 else timedelta()
            at += step
        at -= max(counted - timedelta(hours=hours), timedelta())
        length = timedelta(hours=hours)
        assert clocks.later(begin, length, True) == at, begin
        assert clocks.between(begin, at, True) == length
        assert clocks.between(begin, clocks.later(begin, length / 3, True), True) == length / 3


def test_an_old_version_shows_the_deadlines_of_its_time(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=WITH_RESERVE)
    seen = [host.get(f"/v1/games/{game['id']}").json]
    for hours in (11, 12, 1, 12):  # moves come early enough to keep the reserve
        clock.move(hours=hours)
        mover = four[seen[-1]["to_act"][0]]
        assert move(mover, game).status_code == 201
        seen.append(host.get(f"/v1/games/{game['id']}").json)
    for then in seen:
        now = host.get(f"/v1/games/{game['id']}?version={then['version']}").json
        assert (now["seats"], now["to_act"]) == (then["seats"], then["to_act"])


def test_the_inbox_shows_the_soonest_first_and_none_last(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    alone = [four[0]]
    slow = new_game(host, alone, pace={"per_move": "PT96H"})
    free = new_game(host, alone)
    clock.move(hours=1)
    fast = new_game(host, alone, pace={"per_move": "PT24H"})
    wanted = [fast["id"], slow["id"], free["id"]]
    assert [game for game, _ in turns(four[0])] == wanted
    found, cursor = [], ""
    while cursor is not None:
        page = four[0].get(f"/v1/me/turns?limit=1{cursor and '&cursor=' + cursor}").json
        found += [turn["game"] for turn in page["items"]]
        cursor = page["next"]
    assert found == wanted


def test_the_inbox_of_a_player_of_10000_games_is_one_index_scan(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    columns = [
        row[0]
        for row in sql.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'games'"
            " AND column_name <> 'id'"
        )
    ]
    sql.execute(
        f"INSERT INTO games (id, {', '.join(columns)}) SELECT gen_random_uuid(), {', '.join(columns)}"
        " FROM games, generate_series(1, 9999) WHERE games.id = %s",
        (game["id"],),
    )
    sql.execute(
        "INSERT INTO turns (game_id, seat, app_id, automatic, player_id, since, deadline)"
        " SELECT id, 0, app_id, false, %s, now(), now() + random() * interval '72 hours'"
        " FROM games WHERE id <> %s",
        (four[0].player, game["id"]),
    )
    sql.execute("ANALYZE turns, games")
    statements = []

    class Spy(psycopg.Cursor):
        def execute(self, query, params=None, **more):
            statements.append((query, params))
            return super().execute(query, params, **more)

    app_id = UUID(host.get("/v1/me").json["app"]["id"])
    session = Session(four[0].app.extensions["card_referee"].database, app_id)
    session.connection.cursor_factory = Spy
    try:
        from api.store import due_work

        assert len(due_work.turns(session, four[0].player, None, 51)) == 51
    finally:
        session.connection.cursor_factory = psycopg.Cursor
        session.close()
    [(query, params)] = statements
    plan = "\n".join(row[0] for row in sql.execute(f"EXPLAIN (ANALYZE) {query}", params))
    assert "turns_of_player" in plan, plan
    assert "Seq Scan" not in plan, plan
    assert "->  Sort" not in plan, plan
    assert len(turns(four[0])) == 50


def test_a_turn_is_warned_of_once_whatever_its_player_orders_and_others_say(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    """Orders are examined after each entry, which changes the turn's row."""
    hook = host.post("/v1/webhooks", {"url": "https://example.org/hook"}).json["id"]
    game = new_game(host, four[:2], pace=PACE)
    first, second = order(game)

    def warned() -> int:
        worker()
        deliveries = host.get(f"/v1/webhooks/{hook}/deliveries?event=turn.warning&limit=200").json["items"]
        return len(deliveries)

    path = f"/v1/games/{game['id']}"
    clock.move(hours=59)
    assert warned() == 0
    assert four[first].put(f"{path}/automatic", {"only_move": True}).status_code == 200
    clock.move(hours=2)
    assert warned() == 1
    assert four[second].post(f"{path}/messages", {"text": "Hello"}).status_code == 201
    assert warned() == 1
    assert four[first].put(f"{path}/automatic", {"only_move": False}).status_code == 200
    assert warned() == 1
    assert move(four[first], game).status_code == 201
    clock.move(hours=61)
    assert warned() == 2


def test_a_warning_that_another_worker_has_just_sent_is_not_an_error(
    app: Flask, host: Caller, four: list[Caller], clock: Clock, workers_database: Database, monkeypatch
) -> None:
    """A worker may find a game by a value that another one is just changing."""
    game = new_game(host, four[:2], pace=PACE)
    clock.move(hours=61)
    found = store.next_due
    session, other = Session(workers_database), Session(workers_database)

    def too_late(asking: Session, due: str, *more: Any) -> UUID | None:
        game_id = found(asking, due, *more)
        if game_id is not None:
            with other.transaction():
                assert warnings.take(other, game_id, clock())
        return game_id

    monkeypatch.setattr(store, "next_due", too_late)
    failed: list[UUID] = []
    context = Context(app.extensions["card_referee"].settings, session, load_features().hooks, clock)
    assert warnings.warn_next(context, failed) == UUID(game["id"])
    assert failed == []
    assert warnings.warn_next(context, failed) is None
    session.close()
    other.close()


def test_bots_move_first_in_the_games_that_have_waited_longest(
    app: Flask, host: Caller, four: list[Caller], clock: Clock, workers_database: Database, monkeypatch
) -> None:
    """The soonest deadline comes first, in any order of rows; a game that fails does not delay others."""
    began = []
    with monkeypatch.context() as patched:
        patched.setattr(standing, "choose", None)  # the requests die before orders are played
        for hours in (30, 20, 40, 10):
            game = new_game(
                host, four[:2], ruleset="bisca", pace={"per_move": f"PT{hours}H", "on_timeout": "resign"}
            )
            mover = four[game["to_act"][0]]
            mover.put(f"/v1/games/{game['id']}/orders", {"orders": [{"move": first_move(mover, game)}]})
            began.append((hours, UUID(game["id"])))
    session = Session(workers_database)
    context = Context(app.extensions["card_referee"].settings, session, load_features().hooks, clock)
    expected = [game for _, game in sorted(began)]
    assert bots.games_due(context, [], limit=4) == expected
    assert bots.games_due(context, [], limit=2) == expected[:2]
    assert bots.games_due(context, expected[:1], limit=2) == expected[1:3]
    played: list[UUID] = []

    def play_due(context: Context, game_id: UUID) -> None:
        played.append(game_id)
        if game_id in expected[:2]:
            raise RuntimeError("this one cannot go on")

    monkeypatch.setattr(bots, "BATCH", 2)
    monkeypatch.setattr(bots, "play_due", play_due)
    keep_time(context)
    assert played == expected
    session.close()
