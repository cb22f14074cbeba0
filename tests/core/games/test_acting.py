"""Acting in a game: overdue clocks first, then the seat, then the bots, each in transactions of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

import psycopg
import pytest

from api.features.post import standing_orders as standing
from api.games import bots
from api.store.database.session import Session
from tests.support.callers import Caller, Clock, first_move, log, new_game

PACE = {"per_move": "PT72H", "on_timeout": "resign"}
RANDOM = {"per_move": "PT72H", "on_timeout": "random_move"}
KEY = {"Idempotency-Key": "one"}
HEADERS = pytest.mark.parametrize("headers", [{}, KEY], ids=["without a key", "with a key"])


def kinds(caller: Caller, game: dict[str, Any]) -> list[str]:
    return [entry["type"] for entry in log(caller, game)]


def entries_by_transaction(sql: psycopg.Connection, game: dict[str, Any]) -> list[list[int]]:
    """Return the entries that each transaction wrote, oldest first, from the xmin of the rows."""
    rows = sql.execute(
        "SELECT array_agg(seq ORDER BY seq) FROM entries WHERE game_id = %s GROUP BY xmin::text ORDER BY 1",
        (game["id"],),
    )
    return [row[0] for row in rows]


@HEADERS
def test_a_late_move_finds_the_game_over(
    host: Caller, four: list[Caller], clock: Clock, headers: dict[str, str]
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    mover = four[game["to_act"][0]]
    late = first_move(mover, game)
    clock.move(hours=72)
    refused = mover.post(f"/v1/games/{game['id']}/moves", {"move": late}, headers=headers)
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/game-over")
    assert kinds(host, game)[-2:] == ["timed_out", "finished"]
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "finished"


@HEADERS
@pytest.mark.parametrize("what", ["moves", "resignation", "take-back", "messages", "vacation"])
def test_a_forced_move_stands_even_if_the_request_fails(
    host: Caller, four: list[Caller], clock: Clock, headers: dict[str, str], what: str
) -> None:
    game = new_game(host, four[:2], pace=RANDOM)
    mover = four[game["to_act"][0]]
    body = {
        "moves": {"move": {"type": "no_such_move"}},
        "messages": {"text": "Sorry to be late."},
        "vacation": {"days": 3},
    }.get(what, {})
    clock.move(hours=72)
    mover.post(f"/v1/games/{game['id']}/{what}", body, headers=headers)
    happened = log(host, game)[3:]
    assert [e["type"] for e in happened][1:3] == ["timed_out", "moved"]
    assert happened[2]["random"] is True


@HEADERS
def test_a_stale_version_is_judged_after_the_clocks(
    host: Caller, four: list[Caller], clock: Clock, headers: dict[str, str]
) -> None:
    game = new_game(host, four[:2], pace=RANDOM)
    other = four[1 - game["to_act"][0]]
    clock.move(hours=72)
    stale = {**headers, "If-Match": f'"{game["version"]}"'}
    body = {"move": {"type": "no_such_move"}}
    refused = other.post(f"/v1/games/{game['id']}/moves", body, headers=stale)
    assert (refused.status_code, refused.json.get("version")) == (412, game["version"] + 2)


def test_a_caller_without_the_right_to_act_settles_no_clocks(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE, visibility="public")
    clock.move(hours=72)
    refused = four[2].post(f"/v1/games/{game['id']}/moves", {"move": {"type": "pass"}})
    assert refused.status_code == 403
    assert kinds(host, game)[-1] == "started"


@HEADERS
def test_bots_move_in_transactions_of_their_own(
    host: Caller, four: list[Caller], sql: psycopg.Connection, headers: dict[str, str]
) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    for n in range(30):  # until it is the bots' turn
        sent = headers and {"Idempotency-Key": f"k{n}"}
        body = {"move": first_move(four[0], game)}
        done = four[0].post(f"/v1/games/{game['id']}/moves", body, headers=sent).json
        own = done["entry"]["seq"]
        if done["game"]["version"] > own + 1:
            break
    assert done["game"]["version"] > own + 1, "the answer includes the bots' moves"
    assert done["game"]["to_act"] == [0] or done["game"]["status"] == "finished"
    assert [own] in entries_by_transaction(sql, game)


@HEADERS
def test_the_number_of_bots_moves_per_transaction_is_limited(
    host: Caller, sql: psycopg.Connection, headers: dict[str, str]
) -> None:
    body = {"ruleset": "pedro", "seats": [{"bot": "random"}] * 4}
    game = host.post("/v1/games", body, headers=headers).json
    sizes = [len(seqs) for seqs in entries_by_transaction(sql, game)]
    assert sum(sizes) > 100, "the game is long enough"
    assert max(sizes) <= bots.IN_ONE_TRANSACTION + 1, "the last transaction also wrote the finished entry"


def test_a_repeat_gets_the_answer_that_the_first_caller_got(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    body = {"move": first_move(four[0], game)}
    first = four[0].post(f"/v1/games/{game['id']}/moves", body, headers=KEY)
    again = four[0].post(f"/v1/games/{game['id']}/moves", body, headers=KEY)
    assert first.status_code == again.status_code == 201
    assert (first.data, first.headers["ETag"]) == (again.data, again.headers["ETag"])
    assert again.headers["Idempotency-Replayed"] == "true"


def test_all_repeats_at_once_get_one_entry_while_bots_go_on(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, *[{"bot": "random"}] * 3]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    body = {"move": first_move(four[0], game)}

    def move(_: int) -> str:
        answer = four[0].post(f"/v1/games/{game['id']}/moves", body, headers=KEY)
        assert answer.status_code == 201
        return str(answer.json["entry"])

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(move, range(12)))) == 1


def test_a_move_whose_bots_failed_is_not_made_again(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, worker: Callable[[], None]
) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    body = {"move": first_move(four[0], game)}

    def broken(*_: object) -> Any:
        raise RuntimeError("the bot does not know what to do")

    with monkeypatch.context() as patched:
        patched.setitem(bots.BOTS, "random", broken)
        first = four[0].post(f"/v1/games/{game['id']}/moves", body, headers=KEY)
    assert first.status_code == 201, "the move was committed earlier"
    assert first.json["game"]["version"] == first.json["entry"]["seq"]
    again = four[0].post(f"/v1/games/{game['id']}/moves", body, headers=KEY)
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    mine = [e for e in log(host, game) if e["type"] == "moved" and e["seat"] == 0]
    assert mine[-1]["seq"] == first.json["entry"]["seq"]
    worker()
    assert host.get(f"/v1/games/{game['id']}").json["to_act"] == [0]


def test_a_game_that_cannot_be_changed_is_busy(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2])
    mover = four[game["to_act"][0]]
    sql.execute(
        "CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
        "CREATE TRIGGER ignore BEFORE UPDATE ON games FOR EACH ROW EXECUTE FUNCTION ignore()"
    )
    refused = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}, headers=KEY)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1"), refused.text
    assert kinds(host, game)[-1] == "started"
    sql.execute("DROP TRIGGER ignore ON games")
    again = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}, headers=KEY)
    assert again.status_code == 201


def test_a_repeated_order_is_not_played_again(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2], ruleset="bisca")
    mover = four[game["to_act"][0]]
    path = f"/v1/games/{game['id']}/orders"
    body = {"orders": [{"move": first_move(mover, game)}]}
    first = mover.put(path, body, headers=KEY)
    version = host.get(f"/v1/games/{game['id']}").json["version"]
    again = mover.put(path, body, headers=KEY)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.data == again.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert mover.get(path).json == {"seat": game["to_act"][0], "orders": [], "cancelled": None}
    assert host.get(f"/v1/games/{game['id']}").json["version"] == version == game["version"] + 1


def test_orders_are_set_for_the_version_that_the_caller_names(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2], ruleset="bisca")
    mover = four[game["to_act"][0]]
    path = f"/v1/games/{game['id']}/orders"
    body = {"orders": [{"move": first_move(mover, game)}]}
    known = {"If-Match": f'"{game["version"]}"'}
    assert mover.put(path, body, headers=known).status_code == 200
    for again in (mover.put(path, body, headers=known), mover.delete(path, headers=known)):
        assert (again.status_code, again.json["type"]) == (412, "/problems/stale-version")
        assert again.json["version"] == game["version"] + 1
    assert mover.get(path).json["cancelled"] is None


def test_the_worker_plays_orders_if_the_request_died(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], ruleset="bisca")
    mover = four[game["to_act"][0]]
    body = {"orders": [{"move": first_move(mover, game)}]}
    with monkeypatch.context() as patched:
        patched.setattr(standing, "choose", None)
        mover.put(f"/v1/games/{game['id']}/orders", body)
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    worker()
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"] + 1


def test_a_transaction_does_not_join_another_one(host: Caller) -> None:
    session = Session(host.app.extensions["card_referee"].database)
    with pytest.raises(RuntimeError), session.transaction(), session.transaction():
        pass
    with session.transaction():
        assert session.execute("SELECT 1").fetchone() == (1,)
    session.close()


def test_the_log_ends_with_the_game_like_its_streams(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    path = f"/v1/games/{game['id']}"
    assert four[0].post(f"{path}/messages", {"text": "Good luck"}).status_code == 201
    over = four[1].post(f"{path}/resignation").json["game"]
    for caller, body in ((four[0], {"text": "Thanks"}), (host, {"text": "Well played"})):
        assert caller.post(f"{path}/messages", body).json["entry"] is None
    assert host.get(path).json["version"] == over["version"]
    assert kinds(host, game)[-1] == "finished"
    ended = host.get(
        f"{path}/events", headers={"Accept": "text/event-stream", "Last-Event-ID": str(over["version"])}
    )
    assert ended.status_code == 204


@pytest.mark.parametrize("warn_before", ["PT72H", "PT73H", "P30D"])
def test_a_warning_that_would_never_come_is_refused(
    host: Caller, four: list[Caller], warn_before: str
) -> None:
    pace = {"per_move": "PT72H", "warn_before": warn_before}
    body = {"ruleset": "cats_and_dogs", "seats": [{"player": p.player} for p in four[:2]], "pace": pace}
    refused = host.post("/v1/games", body)
    assert (refused.status_code, [*refused.json["errors"]]) == (400, ["pace.warn_before"])
    assert host.post("/v1/games", {**body, "pace": {**pace, "warn_before": "PT71H"}}).status_code == 201


def test_a_due_row_without_a_job_does_not_stop_the_worker(
    host: Caller, four: list[Caller], sql: psycopg.Connection, worker: Callable[[], None], clock: Clock
) -> None:
    stray = new_game(host, four[:2])
    late = new_game(host, four[:2], pace=PACE)
    sql.execute("UPDATE turns SET deadline = %s WHERE game_id = %s", (clock(), stray["id"]))
    clock.move(hours=72)
    working = Thread(target=worker, daemon=True)
    working.start()
    working.join(60)
    assert not working.is_alive()
    assert kinds(host, late)[-1] == "finished"
    assert kinds(host, stray)[-1] == "started"
    assert sql.execute("SELECT count(*) FROM turns WHERE deadline IS NOT NULL").fetchone() == (0,)


def test_an_app_acts_for_no_bot_and_for_no_open_seat(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}, {"player": four[1].player}]
    running = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    waiting = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [*seats, {"open": True}]}).json
    for game, seat in ((running, 1), (waiting, 1), (waiting, 3)):
        said = host.post(f"/v1/games/{game['id']}/messages", {"text": "Hello.", "seat": seat})
        assert (said.status_code, said.json["detail"]) == (403, f"Seat {seat} is not yours to act for.")
        resigned = host.post(f"/v1/games/{game['id']}/resignation", {"seat": seat})
        assert resigned.status_code == 403
        assert {"said", "resigned"}.isdisjoint(kinds(host, game))
