"""Moves made by one statement, based on a cached copy of the game and caller, are never wrong."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from werkzeug.test import TestResponse

from api.games import acting, saving
from api.store import looks, write
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.stored import recorded

PASS = {"type": "pass"}


class Table:
    """A game of three players, and the seat to move."""

    def __init__(self, host: Caller, players: list[Caller], **more: Any) -> None:
        self.game = new_game(host, players, **more)
        self.path, self.players = f"/v1/games/{self.game['id']}", players

    def mover(self, at: Callable[[Caller], Caller] = lambda caller: caller) -> Caller:
        return at(self.players[self.game["to_act"][0]])

    def legal(self) -> dict[str, Any]:
        return first_move(self.mover(), self.game)

    def all_legal(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.mover().get(f"{self.path}/legal-moves").json["moves"]
        return found

    def send(self, caller: Caller, move: dict[str, Any], **headers: str) -> TestResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return caller.post(f"{self.path}/moves", {"seat": self.game["to_act"][0], "move": move}, headers=sent)

    def move(self, at: Callable[[Caller], Caller] = lambda caller: caller, by: Caller | None = None) -> Any:
        """Make a move at a process, by default as the player."""
        done = self.send(at(by or self.mover()), self.legal())
        assert done.status_code == 201, done.text
        assert done.json["entry"]["seq"] == self.game["version"] + 1
        self.game = done.json["game"]
        return done.json


@pytest.fixture
def table(host: Caller, four: list[Caller]) -> Table:
    return Table(host, four[:3])


def settle(host: Caller, table: Table) -> None:
    """Check that the log is complete, whatever paths the moves took."""
    path = f"{table.path}/events?limit=200"
    assert [item["seq"] for item in host.get(path).json["items"]] == [*range(1, table.game["version"] + 1)]


@pytest.mark.parametrize("own", [False, True], ids=["the app's key", "the player's token"])
def test_a_move_is_written_by_one_statement(
    host: Caller,
    table: Table,
    elsewhere: Callable[[Caller], Caller],
    monkeypatch: pytest.MonkeyPatch,
    own: bool,
) -> None:
    """The game is read only if another process has changed it since."""
    table.move(by=host)
    for key in ({}, {"Idempotency_Key": "one"}, {"Idempotency_Key": "two"}, {}):
        move = table.legal()
        with recorded(monkeypatch) as statements:
            done = table.send(table.mover() if own else host, move, **key)
        assert done.status_code == 201
        assert len(statements) == 1, statements
        table.game = done.json["game"]
    table.move(elsewhere, by=host)
    move = elsewhere(host).get(f"{table.path}/legal-moves?seat={table.game['to_act'][0]}").json["moves"][0]
    with recorded(monkeypatch) as statements:
        done = table.send(table.mover() if own else host, move)
    assert done.status_code == 201
    _, *rest = ["xmin = " in statement for statement in statements]  # a stale copy may refuse the move
    assert rest == [False, True], statements
    table.game = done.json["game"]
    settle(host, table)


def test_a_move_is_refused_by_the_newest_state(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is judged once if this process has that state, and again if another process has changed the game."""
    judged: list[int] = []
    decide = acting._decide

    def note(context: Any, seat: Any, change: Any, rules: Any, game: Any) -> Any:
        judged.append(game.version)
        return decide(context, seat, change, rules, game)

    monkeypatch.setattr(acting, "_decide", note)
    first = table.game["to_act"][0]
    table.move(by=host)
    move, version = table.legal(), table.game["version"]
    for _ in range(2):
        refused = host.post(f"{table.path}/moves", {"seat": first, "move": move})
        assert (refused.status_code, refused.json["type"]) == (422, "/problems/illegal-move")
    assert judged == [version - 1, version, version]
    table.move(by=host)  # this process has a copy again
    stale = table.game["version"]
    table.move(elsewhere, by=host)
    judged.clear()
    assert host.post(f"{table.path}/moves", {"seat": first, "move": {"type": "no"}}).status_code == 422
    assert judged == [stale, stale + 1]
    settle(host, table)


@pytest.mark.parametrize(
    ("path", "body"),
    [("pause", {}), ("vacation", {"days": 1})],
)
def test_whatever_else_changes_a_game_is_written_by_one_statement_too(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, Any]
) -> None:
    """After the one that looks its caller up; a repeated request changes nothing more."""
    pace = {"per_move": "P3D", "on_timeout": "resign", "vacation_days": 5}
    table = Table(host, four[:3], pace=pace)
    table.move()
    player = table.players[0]
    sent: list[TestResponse] = []
    with recorded(monkeypatch) as statements:
        sent.append(player.post(f"{table.path}/{path}", body, headers={"Idempotency-Key": "one"}))
    assert sent[0].status_code == 201, sent[0].text
    assert len(statements) == 2, statements
    assert "token_holder" in statements[0]
    assert "xmin = " in statements[1]
    sent.append(player.post(f"{table.path}/{path}", body, headers={"Idempotency-Key": "one"}))
    assert sent[0].data == sent[1].data
    table.game = host.get(table.path).json
    settle(host, table)


def test_a_token_that_is_revoked_elsewhere_moves_nothing(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends at once in every process, whatever was cached, and reading is refused too."""
    for _ in range(3):
        table.move(elsewhere)  # from now on, the process has cached all three
    mover, move = table.mover(), table.legal()
    path = f"/v1/players/{mover.player}/tokens"
    (token,) = host.get(path).json["items"]
    assert host.delete(f"{path}/{token['id']}").status_code == 204
    there = elsewhere(mover)
    with recorded(monkeypatch) as statements:
        assert table.send(there, move).status_code == 401
    assert "token_holder" not in statements[0], "it was cached there, and the statement noticed the change"
    assert table.send(there, move, Idempotency_Key="k").status_code == 401
    body = {"seat": table.game["to_act"][0], "move": move}
    for path in (f"{table.path}/moves/dry-run",):
        assert there.post(path, body).status_code == 401
    assert there.post(f"{table.path}/moves", {"nonsense": True}).status_code == 401
    assert there.get(table.path).status_code == 401
    assert host.get(table.path).json["version"] == table.game["version"]


def test_a_revoked_token_moves_nothing_under_the_lock_either(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for the last move of a game, with and without a key."""
    for _ in range(3):
        table.move(elsewhere)
    monkeypatch.setattr(saving, "is_alone", lambda game: False)
    for _ in range(2):
        table.move(elsewhere)
    mover, move = table.mover(), table.legal()
    path = f"/v1/players/{mover.player}/tokens"
    (token,) = host.get(path).json["items"]
    assert host.delete(f"{path}/{token['id']}").status_code == 204
    with recorded(monkeypatch) as statements:
        assert table.send(elsewhere(mover), move, Idempotency_Key="k").status_code == 401
    assert any("FROM credentials" in each for each in statements), "it was cached there"
    assert table.send(elsewhere(mover), move).status_code == 401
    assert host.get(table.path).json["version"] == table.game["version"]


def test_a_token_that_ends_earlier_now_is_looked_up(
    table: Table, elsewhere: Callable[[Caller], Caller], clock: Clock, sql: psycopg.Connection
) -> None:
    for _ in range(3):
        table.move(elsewhere)
    move = table.legal()
    sql.execute(
        "UPDATE credentials SET expires_at = %s WHERE player_id = %s", (clock(), table.mover().player)
    )
    assert table.send(elsewhere(table.mover()), move).status_code == 401


def test_dry_runs_look_their_caller_up(table: Table, monkeypatch: pytest.MonkeyPatch, host: Caller) -> None:
    table.move(by=host)
    body = {"seat": table.game["to_act"][0], "move": table.legal()}
    with recorded(monkeypatch) as statements:
        assert host.post(f"{table.path}/moves/dry-run", body).status_code == 200
    assert "token_holder" in statements[0]


def test_processes_make_moves_alternately(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller]
) -> None:
    """A stale copy costs one statement and changes nothing."""
    for number in range(8):
        table.move(elsewhere if number % 3 else lambda caller: caller)
    settle(host, table)


def test_labels_set_at_another_process_are_shown(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller]
) -> None:
    table.move(by=host)
    assert elsewhere(host)("PATCH", table.path, {"title": "Final"}).status_code == 200
    assert table.move(by=host)["game"]["title"] == "Final"


def test_orders_set_at_another_process_are_played(
    host: Caller, four: list[Caller], elsewhere: Callable[[Caller], Caller]
) -> None:
    """They change the game's row but not its version."""
    table = Table(host, four, ruleset="pedro")
    while PASS not in table.all_legal():
        table.move()
    second = (table.game["to_act"][0] + 1) % 4
    assert table.send(host, table.legal()).status_code == 201, "this process now has a copy"
    table.game = host.get(table.path).json
    mover, third = table.mover(), (table.game["to_act"][0] + 1) % 4
    assert table.players.index(mover) == second
    order = {"orders": [{"move": PASS}]}
    left = elsewhere(four[third]).put(f"{table.path}/orders", order)
    assert left.status_code == 200, left.text
    done = table.send(host, PASS)
    assert done.status_code == 201, done.text
    assert done.json["game"]["version"] == done.json["entry"]["seq"] + 1, "the order was played"
    table.game = done.json["game"]
    settle(host, table)


def test_a_request_that_was_overtaken_starts_again(
    host: Caller, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    move, inner = table.legal(), list[TestResponse]()
    write_alone = write.write_alone

    def slow(*arguments: Any) -> Any:
        if not inner:
            inner.append(host)  # once
            inner[0] = table.send(host, move)
        return write_alone(*arguments)

    monkeypatch.setattr(write, "write_alone", slow)
    outer = table.send(host, move)
    assert inner[0].status_code == 201
    assert (outer.status_code, outer.json["type"]) == (422, "/problems/illegal-move")
    table.game = inner[0].json["game"]
    table.move(by=host)
    settle(host, table)


def test_a_move_is_answered_with_its_own_state_while_the_next_one_is_made(
    new_key: Callable[..., Caller],
    host: Caller,
    four: list[Caller],
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next request comes while the first one notes that its caller looks at all cards."""
    auditor = new_key("host", "read", "write", "audit")
    seats: list[dict[str, Any]] = [{"player": player.player} for player in four[:2]]
    table.game = host.post(
        "/v1/games", {"ruleset": "cats_and_dogs", "seats": [*seats, {"bot": "random"}]}
    ).json
    table.path = f"/v1/games/{table.game['id']}"
    while table.game["to_act"] != [0] or table.game["view"]["zones"]["trick"]:
        table.move(by=host)
    note, inner = looks.insert, list[TestResponse]()

    def slow(*arguments: Any) -> None:
        note(*arguments)
        table.game = host.get(table.path).json
        assert table.game["to_act"] == [1], "then it is the bot's turn"
        inner.append(table.send(host, table.legal()))

    monkeypatch.setattr(looks, "insert", slow)
    outer = table.send(auditor, table.legal())
    assert (outer.status_code, inner[0].status_code) == (201, 201)
    assert outer.json["game"]["version"] == outer.json["entry"]["seq"] < inner[0].json["entry"]["seq"]


def test_a_refused_move_leaves_everything_as_it_was(host: Caller, table: Table) -> None:
    """It is refused under a lock, after which every statement on this connection sees a new snapshot."""
    for _ in range(7):
        before = table.game
        refused = table.send(table.mover(), {"type": "play", "card": "XX"})
        assert refused.status_code in (400, 422)
        stale = table.send(table.mover(), table.legal(), If_Match='"1"')
        assert (stale.status_code, stale.json["version"]) == (412, before["version"])
        table.move()
    settle(host, table)


def give_webhook(host: Caller, sql: psycopg.Connection, player: Caller) -> None:
    made = host.post("/v1/webhooks", {"url": "https://example.org/a", "events": ["turn.began"]})
    assert made.status_code == 201


def give_mail(host: Caller, sql: psycopg.Connection, player: Caller) -> None:
    assert player("PATCH", "/v1/me/preferences", {}).status_code == 200
    confirm = "UPDATE contacts SET email = 'ada@example.org', confirmed_at = now() WHERE player_id = %s"
    sql.execute(confirm, (player.player,))


def give_push(host: Caller, sql: psycopg.Connection, player: Caller) -> None:
    assert player("PATCH", "/v1/me/preferences", {}).status_code == 200
    sql.execute(
        "INSERT INTO push_subscriptions SELECT id, app_id, id, '', now() FROM players WHERE id = %s",
        (player.player,),
    )


@pytest.mark.parametrize("give", [give_webhook, give_mail, give_push])
def test_a_move_is_the_same_statement_whoever_listens(
    host: Caller,
    table: Table,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    give: Callable[[Caller, psycopg.Connection, Caller], None],
) -> None:
    """Notices are made of the log later; the statement names none of their tables."""
    table.move(by=host)
    for player in table.players:
        give(host, sql, player)
    for key in ({}, {"Idempotency_Key": "one"}):
        move = table.legal()
        with recorded(monkeypatch) as statements:
            done = table.send(host, move, **key)
        assert done.status_code == 201
        statement = statements[-1]
        for name in ("webhooks", "contacts", "push_subscriptions", "deliveries", "notices", "positions"):
            assert name not in statement
        table.game = done.json["game"]


def test_a_key_that_was_used_at_another_process_is_answered_from_there(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller]
) -> None:
    table.move(elsewhere, by=host)
    move = table.legal()
    first = table.send(host, move, Idempotency_Key="one")
    again = table.send(elsewhere(host), move, Idempotency_Key="one")
    assert again.json["entry"] == first.json["entry"]
    assert again.headers["Idempotency-Replayed"] == "true"
    other = table.send(elsewhere(host), {"type": "play", "card": "C4"}, Idempotency_Key="one")
    assert other.json["type"] == "/problems/idempotency-key-reused"
    table.game = first.json["game"]
    settle(host, table)


def test_a_used_key_whose_move_is_legal_again_makes_no_second_move(
    host: Caller, four: list[Caller], elsewhere: Callable[[Caller], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statement finds that the key was used, and the caller gets the answer to the first move again."""
    table = Table(host, four, ruleset="pedro")
    passed: dict[int, TestResponse] = {}
    while (seat := table.game["to_act"][0]) not in passed or PASS not in table.all_legal():
        passes = PASS in table.all_legal()
        key = {"Idempotency_Key": f"of-{seat}"} if passes else {}
        done = table.send(host, PASS if passes else table.legal(), **key)
        assert done.status_code == 201, done.text
        if passes:
            passed[seat] = done
        table.game = done.json["game"]
    for caller in (host, elsewhere(host), elsewhere(host)):
        with recorded(monkeypatch) as statements:
            again = table.send(caller, PASS, Idempotency_Key=f"of-{seat}")
        assert any("xmin = " in statement for statement in statements), "it was tried"
        assert (again.status_code, again.json["entry"]) == (201, passed[seat].json["entry"])
        assert again.headers["Idempotency-Replayed"] == "true"
        assert host.get(table.path).json["version"] == table.game["version"]
    done = table.send(host, PASS, Idempotency_Key="another")
    assert done.json["entry"]["seq"] == table.game["version"] + 1
    table.game = done.json["game"]
    settle(host, table)


def test_one_key_at_two_processes_at_once(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller]
) -> None:
    for number in range(4):
        move, key = table.legal(), f"key {number}".replace(" ", "-")

        def send(n: int, move: Any = move, key: str = key) -> TestResponse:
            return table.send(elsewhere(host) if n % 2 else host, move, Idempotency_Key=key)

        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(send, range(4)))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.json["entry"]["hash"] for answer in answers}) == 1
        table.game = answers[0].json["game"]
    settle(host, table)


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "one"}])
def test_a_token_that_is_revoked_while_a_change_is_decided_has_ended(
    host: Caller, table: Table, monkeypatch: pytest.MonkeyPatch, key: dict[str, str]
) -> None:
    """The caller was looked up; nobody else has changed the game."""
    player, save, revoked = table.players[0], acting.save_guarded, list[int]()
    tokens = f"/v1/players/{player.player}/tokens"
    (token,) = host.get(tokens).json["items"]

    def slow(*arguments: Any) -> Any:
        if not revoked:
            revoked.append(host.delete(f"{tokens}/{token['id']}").status_code)
        return save(*arguments)

    monkeypatch.setattr(acting, "save_guarded", slow)
    refused = player.post(f"{table.path}/messages", {"text": "Good luck"}, headers=key)
    assert (revoked, refused.status_code) == ([204], 401)
    assert host.get(table.path).json["version"] == table.game["version"]


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "one"}])
def test_the_end_of_a_game_that_others_have_changed_meanwhile_is_decided_again(
    host: Caller, table: Table, monkeypatch: pytest.MonkeyPatch, key: dict[str, str]
) -> None:
    """Its end writes to other tables, too, which get nothing of the first attempt."""
    player, save, said = table.players[0], acting.save_guarded, list[int]()

    def slow(*arguments: Any) -> Any:
        if not said:
            said.append(0)  # which is saved as well
            said.append(table.players[1].post(f"{table.path}/messages", {"text": "Wait"}).status_code)
        return save(*arguments)

    monkeypatch.setattr(acting, "save_guarded", slow)
    done = player.post(f"{table.path}/resignation", {}, headers=key)
    assert (said, done.status_code) == ([0, 201], 201), done.text
    table.game = host.get(table.path).json
    assert (table.game["status"], table.game["version"]) == ("finished", done.json["game"]["version"])
    settle(host, table)


def test_two_equal_ends_at_once_are_one(
    host: Caller, table: Table, elsewhere: Callable[[Caller], Caller], sql: psycopg.Connection
) -> None:
    """At the same time of the clock, both would write the very same entries."""
    player, path = table.players[0], f"{table.path}/resignation"
    with ThreadPoolExecutor(2) as pool:
        with sql.transaction():
            sql.execute("SELECT FROM games FOR UPDATE")
            ends = [pool.submit(each.post, path) for each in (player, elsewhere(player))]
            waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
            while sql.execute(waiting).fetchone() != (2,):
                pass
        assert sorted(end.result().status_code for end in ends) == [201, 409]
    table.game = host.get(table.path).json
    settle(host, table)


@pytest.mark.parametrize("error", ["disk_full", "lock_not_available"])
@pytest.mark.parametrize("end", [False, True])
def test_an_error_that_undoes_a_change_says_that_nothing_was_changed(
    table: Table, sql: psycopg.Connection, error: str, end: bool
) -> None:
    """Even if the COMMIT was sent together with the change."""
    move = table.legal()
    sql.execute(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" RAISE EXCEPTION 'no' USING ERRCODE = '{error}'; END $$;"
        " CREATE TRIGGER fail BEFORE UPDATE ON games EXECUTE FUNCTION fail()"
    )
    failed = table.players[0].post(f"{table.path}/resignation") if end else table.send(table.mover(), move)
    assert failed.status_code == 503
    assert failed.json["detail"].endswith(" Nothing was changed.")
