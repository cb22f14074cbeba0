"""Bots: `cautious` plays every game, better than chance, and games of bots alone come to an end."""

from __future__ import annotations

import random
from collections.abc import Callable
from uuid import UUID

import psycopg
import pytest

import referee
from api.context import Context
from api.features import load_features
from api.games import bots
from api.games.bots import BOTS
from api.store import due_work
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, log
from tests.support.due_jobs import keep_time, play_on


def match(ruleset: str, seats: int, mine: int, seed: int, limit: int = 400) -> object:
    """Play a game of `cautious` on one seat against `random` on the others, reproducibly for each seed."""
    below = random.Random(seed).randrange
    chance = referee.Seeded.from_seed(seed.to_bytes(4, "big"), [""] * seats)
    state, _ = referee.deal(ruleset, seats, {}, chance)
    for _ in range(limit):
        if state.result is not None:
            break
        seat = state.to_act[0]
        bot = BOTS["cautious" if seat == mine else "random"]
        moves = referee.legal_moves(state, seat)
        move = bot(referee.view(state, seat), seat, moves, below, 0)
        assert referee.judge(state, seat, move).legal
        referee.advance(state, seat, move, chance)
    return state


@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_the_cautious_bot_plays_every_game(game: referee.Ruleset) -> None:
    for seats in {min(game.SEATS), max(game.SEATS)}:
        match(game.ID, seats, 0, 7, limit=60)


def test_the_cautious_bot_beats_chance() -> None:
    won = sum(0 in match("bisca", 2, 0, seed).result["winners"] for seed in range(8))
    assert won >= 6, "a fair coin would reach this in one of seven runs"


def test_a_game_with_a_cautious_bot(host: Caller, workers_database: Database) -> None:
    seats = [{"bot": "cautious"}, {"bot": "random"}, {"bot": "cautious"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    assert game["status"] == "running", "a request does not wait for long computations"
    assert game["version"] > 5, "but the game starts"
    play_on(host, workers_database, bots.IN_ONE_REQUEST, rounds=12)
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "finished"
    assert {e.get("bot") for e in host.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]} >= {
        "cautious",
        "random",
    }


def test_a_long_game_of_bots_is_played_on_by_the_worker(
    host: Caller, sql: psycopg.Connection, workers_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots.play_on, "__defaults__", (20,))
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}).json
    assert game["status"] == "running"
    play_on(host, workers_database, 20, rounds=10)
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "finished"
    assert sql.execute("SELECT max(seq) = count(*) FROM entries").fetchone() == (True,)


def test_a_game_that_cannot_be_played_does_not_delay_others(
    host: Caller, sql: psycopg.Connection, workers_database: Database
) -> None:
    """Both games wait for the worker; the position of the first one is unreadable."""
    site = host.app.extensions["card_referee"]
    seats = [{"bot": "cautious"}] * 3
    games = [host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json for _ in range(2)]
    session = Session(workers_database)
    context = Context(site.settings, session, load_features().hooks, site.clock, site.random_bytes)
    first, second = map(str, bots.games_due(context, people=False))
    assert {first, second} == {game["id"] for game in games}
    sql.execute("UPDATE games SET position = 'unreadable'::bytea WHERE id = %s", (first,))
    keep_time(context)
    session.close()
    before = next(game["version"] for game in games if game["id"] == second)
    assert host.get(f"/v1/games/{second}").json["version"] > before


def test_orders_that_nothing_plays_do_not_keep_a_request_busy(
    host: Caller, workers_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game says that it plays on, and nothing does: a seat's orders, on a server without `post`."""
    tried = []

    def nothing(*given: object, **more: object) -> int:
        tried.append(given)
        assert len(tried) == 1, "tried again and again"
        return 0

    monkeypatch.setattr(bots, "play", nothing)
    seats = [{"bot": "random"}] * 3
    made = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats})
    assert (made.status_code, made.json["status"], len(tried)) == (201, "running", 1)


def test_the_game_of_bots_that_has_waited_longest_is_played_first(
    host: Caller, clock: Clock, workers_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots.play_on, "__defaults__", (1,))
    body, made = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}, []
    for _ in range(4):
        made.append(host.post("/v1/games", body).json["id"])
        clock.move(minutes=1)
    site, session = host.app.extensions["card_referee"], Session(workers_database)
    context = Context(site.settings, session, load_features().hooks, clock, site.random_bytes)
    bots.play_due(context, UUID(made[0]), 1)
    for number in range(1, 5):
        found = due_work.automatic(session, [], number, people=False)
        assert [made.index(str(each)) for each in found] == [1, 2, 3, 0][:number]
    session.close()


def test_a_bot_in_truco_leaves_the_answer_to_its_partner(
    host: Caller, four: list[Caller], workers_database: Database
) -> None:
    anna, ben = four[:2]
    seats = [{"player": anna.player}, {"player": ben.player}, {"bot": "random"}, {"bot": "random"}]
    for _ in range(20):  # until no bot has called truco before Ben does
        game = host.post("/v1/games", {"ruleset": "truco", "seats": seats}).json
        path = f"/v1/games/{game['id']}"
        if ben.post(f"{path}/moves", {"move": {"type": "truco"}}).status_code == 201:
            break
    assert host.get(path).json["to_act"] == [0, 2]
    session = Session(workers_database)
    site = host.app.extensions["card_referee"]
    due = bots.games_due(
        Context(site.settings, session, load_features().hooks, site.clock, site.random_bytes)
    )
    session.close()
    assert game["id"] not in map(str, due), "the worker is not asked to play for the bot again and again"
    assert anna.post(f"{path}/moves", {"move": {"type": "accept"}}).status_code == 201
    assert host.get(path).json["to_act"] != [0, 2]


def test_whoever_made_a_game_gives_open_seats_to_bots(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller]
) -> None:
    anna, ben, *_ = four
    seats = [{"player": anna.player}, {"open": True}, {"open": True}]
    made = host.post("/v1/games", {"ruleset": "cats_and_dogs", "visibility": "public", "seats": seats}).json
    path = f"/v1/games/{made['id']}/seats"
    for stranger in (anna, ben):  # who sits there, but has not made the game, and who only sees it
        assert stranger.put(f"{path}/1", {"bot": "cautious"}).status_code == 403
    assert new_key("other", "read", "write").put(f"{path}/1", {"bot": "cautious"}).status_code == 403
    assert host.put(f"{path}/0", {"bot": "cautious"}).json["type"] == "/problems/seat-taken"
    for wrong in ({"bot": "nobody"}, {"bot": "cautious", "player": ben.player}):
        refused = host.put(f"{path}/1", wrong)
        assert (refused.status_code, [*refused.json["errors"]]) == (400, ["bot"])
    for _ in range(2):  # the second changes nothing
        game = host.put(f"{path}/1", {"bot": "cautious"}).json
        assert [seat["bot"] for seat in game["seats"]] == [None, "cautious", None]
    assert len(log(host, game)) == 3
    assert ben.put(f"{path}/2", {}).json["status"] == "running"
    assert host.put(f"{path}/2", {"bot": "cautious"}).json["type"] == "/problems/game-not-open"
    assert host.get(f"/v1/games/{made['id']}/verification").json["ok"]
