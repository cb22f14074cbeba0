"""Repeated requests get the same answer, and nothing is written twice."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import psycopg

from api.app import create_app
from api.context import Context
from api.core.config import Settings
from api.feature import HOUR
from api.features import load_features
from api.features.specification.specification import spec
from api.routes import operations
from api.run import worker
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, first_move, new_game

OPERATIONS = operations(load_features())


def test_a_repeated_move_gets_its_entry(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}", four[game["to_act"][0]]
    headers = {"Idempotency-Key": "one", "If-Match": f'"{game["version"]}"'}
    body = {"move": first_move(mover, game)}
    first = mover.post(f"{path}/moves", body, headers=headers)
    again = mover.post(f"{path}/moves", body, headers=headers)
    assert first.status_code == again.status_code == 201
    assert first.data == again.data
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["ETag"] == first.headers["ETag"]
    assert host.get(path).json["version"] == game["version"] + 1
    other = mover.post(f"{path}/moves", {"move": {"type": "play", "card": "XX"}}, headers=headers)
    assert (other.status_code, other.json["type"]) == (422, "/problems/idempotency-key-reused")
    elsewhere = mover.post(f"{path}/resignation", headers=headers)
    assert elsewhere.status_code == 422
    someone = four[(game["to_act"][0] + 1) % 3]
    theirs = someone.post(
        f"{path}/moves",
        {"move": first_move(someone, game)},
        headers={"Idempotency-Key": "one"},
    )
    assert theirs.status_code == 201, "a key belongs to its caller"


def test_a_refusal_leaves_the_key_free(host: Caller, four: list[Caller], sql: psycopg.Connection) -> None:
    game = new_game(host, four[:3])
    path, mover = f"/v1/games/{game['id']}", four[game["to_act"][0]]
    headers = {"Idempotency-Key": "one"}
    assert mover.post(f"{path}/moves", {"move": {"type": "fly"}}, headers=headers).status_code == 422
    assert sql.execute("SELECT count(*) FROM idempotency").fetchone() == (0,)
    assert mover.post(f"{path}/moves", {"move": first_move(mover, game)}, headers=headers).status_code == 201


def test_many_simultaneous_repeats_create_one_object(host: Caller, sql: psycopg.Connection) -> None:
    body = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}

    def make(_: int) -> str:
        answer = host.post("/v1/games", body, headers={"Idempotency-Key": "same"})
        assert answer.status_code == 201
        return str(answer.json["id"])

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(make, range(16)))
    assert len(answers) == 1
    assert sql.execute("SELECT count(*) FROM games").fetchone() == (1,)


def test_keys_are_read_strictly_and_forgotten_after_a_day(host: Caller, clock: Clock) -> None:
    for key in ("", "a b", "x" * 256, "é"):
        sent = {"Idempotency-Key": key.encode().decode("latin-1")}
        assert host.post("/v1/players", {"name": "Anna"}, headers=sent).status_code == 400
    headers = {"Idempotency-Key": "k" * 255}
    first = host.post("/v1/players", {"name": "Anna"}, headers=headers).json
    clock.move(hours=23, minutes=59)
    assert host.post("/v1/players", {"name": "Anna"}, headers=headers).json == first
    clock.move(minutes=2)
    assert host.post("/v1/players", {"name": "Anna"}, headers=headers).json["id"] != first["id"]


def test_a_kept_answer_belongs_to_its_credential(
    host: Caller, new_key: Callable[..., Caller], four: list[Caller]
) -> None:
    """A key without audit never gets an answer to a key with audit."""
    game = new_game(host, four[:3])
    seer, player = new_key("host", "read", "write", "audit"), game["to_act"][0]
    sent = {"Idempotency-Key": "same"}
    body = {"seat": player, "move": first_move(four[player], game)}
    path = f"/v1/games/{game['id']}/moves"
    seen = seer.post(path, body, headers=sent)
    assert "private" in seen.text or seen.json["game"]["view"]["zones"]["hand.0"], "this key sees everything"
    other = host.post(path, body, headers=sent)
    assert "Idempotency-Replayed" not in other.headers
    assert other.status_code == 422, "the move is judged again"
    again = seer.post(path, body, headers=sent)
    assert (again.data, again.headers["Idempotency-Replayed"]) == (seen.data, "true")


def test_objects_with_a_secret_are_created_once(
    new_key: Callable[..., Caller], settings: Settings, sql: psycopg.Connection
) -> None:
    """A repeat gets the secret again, and the kept response does not contain it."""
    host = new_key("host", "read", "write", "keys")
    player = host.post("/v1/players", {"name": "Anna"}).json["id"]
    hook = host.post("/v1/webhooks", {"url": "https://example.org/a"}).json["id"]
    lists = ("/v1/keys", f"/v1/players/{player}/tokens", "/v1/webhooks")
    calls = (
        ("/v1/keys", {"scopes": ["read"]}, "key"),
        (f"/v1/players/{player}/tokens", {}, "token"),
        ("/v1/webhooks", {"url": "https://example.org/b"}, "secret"),
        (f"/v1/webhooks/{hook}/secret", {}, "secret"),
    )
    for number, (path, body, member) in enumerate(calls):
        sent = {"Idempotency-Key": f"key-{number}"}
        first = host.post(path, body, headers=sent)
        before = [len(host.get(each).json["items"]) for each in lists]
        again = host.post(path, body, headers=sent)
        assert (first.status_code, again.status_code) == (201, 201)
        assert again.data == first.data
        assert again.headers["Idempotency-Replayed"] == "true"
        assert [len(host.get(each).json["items"]) for each in lists] == before
        found = first.json[member]
        secret = found["secret"] if isinstance(found, dict) else found
        require_kept_secret(sql, secret)
        dump = sql.execute("SELECT string_agg(credentials::text, ' ') FROM credentials").fetchone()
        assert secret not in dump[0]
        assert secret.encode().hex() not in dump[0]
    token = host.post(f"/v1/players/{player}/tokens", {}, headers={"Idempotency-Key": "key-1"}).json["token"]
    assert Caller(host.app, token).get("/v1/me").json["player"]["name"] == "Anna"


def test_tests_and_retries_of_webhooks_happen_once(host: Caller) -> None:
    hook = host.post("/v1/webhooks", {"url": "https://example.org/a"}).json["id"]
    path, sent = f"/v1/webhooks/{hook}", {"Idempotency-Key": "one"}
    first = host.post(f"{path}/test", headers=sent)
    again = host.post(f"{path}/test", headers=sent)
    assert (first.status_code, again.data) == (202, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(host.get(f"{path}/deliveries").json["items"]) == 1
    retry = f"{path}/deliveries/{first.json['id']}/retry"
    assert host.post(retry, headers=sent).json["type"] == "/problems/idempotency-key-reused"
    retried = [host.post(retry, headers={"Idempotency-Key": "two"}) for _ in range(2)]
    assert retried[0].data == retried[1].data
    assert retried[1].headers["Idempotency-Replayed"] == "true"


def test_a_guest_is_created_once(settings: Settings, clock: Clock, sql: psycopg.Connection) -> None:
    """A guest is identified only by the key, so it has to be one that nobody can guess."""
    app = create_app(replace(settings, guests=True), clock=clock)
    anyone = Caller(app)
    short = anyone.post("/v1/guests", {"name": "Ida"}, headers={"Idempotency-Key": "one"})
    assert (short.status_code, "Idempotency-Key" in short.json["errors"]) == (400, True)
    sent = {"Idempotency-Key": str(uuid4())}
    first, again = (anyone.post("/v1/guests", {"name": "Ida"}, headers=sent) for _ in range(2))
    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "no-store"
    assert sql.execute("SELECT count(*) FROM players").fetchone() == (1,)
    reused = anyone.post("/v1/guests", {"name": "Bo"}, headers=sent)
    assert (reused.status_code, reused.json["type"]) == (422, "/problems/idempotency-key-reused")
    other = anyone.post("/v1/guests", {"name": "Ida"}, headers={"Idempotency-Key": str(uuid4())})
    assert other.json["player"]["id"] != first.json["player"]["id"]
    require_kept_secret(sql, first.json["token"], sent["Idempotency-Key"])
    app.extensions["card_referee"].database.close()


def test_the_specification_says_which_keys_of_guests_are_refused(settings: Settings, clock: Clock) -> None:
    app = create_app(replace(settings, guests=True), clock=clock)
    document = spec()
    named = [part.get("$ref", "") for part in document["paths"]["/v1/guests"]["post"]["parameters"]]
    (name,) = [reference.rsplit("/", 1)[1] for reference in named if reference.endswith("IdempotencyKey")]
    published = re.compile(document["components"]["parameters"][name]["schema"]["pattern"])
    keys = ("x" * 15, "x" * 16, "x" * 255, "x" * 256)
    answers = [
        Caller(app).post("/v1/guests", {"name": "Ida"}, headers={"Idempotency-Key": key}) for key in keys
    ]
    assert [answer.status_code for answer in answers] == [400, 201, 201, 400]
    assert [bool(published.search(key)) for key in keys] == [False, True, True, False]
    app.extensions["card_referee"].database.close()


def test_a_seat_is_taken_once_by_its_invite(
    host: Caller, anyone: Caller, settings: Settings, sql: psycopg.Connection
) -> None:
    seats = [{"open": True}, {"open": True}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    path = f"/v1/games/{game['id']}/seats"
    sent = {"Idempotency-Key": "one"}
    for seat in (0, 1):  # the second one starts the game, and the bot moves
        wanted = {"name": "Ida", "invite": game["seats"][seat]["invite"]}
        first, again = (anyone.post(f"{path}/{seat}/guest", wanted, headers=sent) for _ in range(2))
        assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
        assert again.headers["Idempotency-Replayed"] == "true"
        assert Caller(anyone.app, again.json["token"]).get("/v1/me").status_code == 200
        changed = anyone.post(f"{path}/{seat}/guest", {**wanted, "name": "Bo"}, headers=sent)
        assert changed.json["type"] == "/problems/idempotency-key-reused"
        require_kept_secret(sql, first.json["token"], wanted["invite"])
        unknown = anyone.post(f"{path}/{seat}/guest", {**wanted, "invite": "A" * 24}, headers=sent)
        assert unknown.status_code in (403, 404), "callers without the invite learn nothing"
        assert anyone.post(f"{path}/{seat}/guest", wanted).status_code in (403, 404, 409)
    assert sql.execute("SELECT count(*) FROM players").fetchone() == (2,)


def require_kept_secret(sql: psycopg.Connection, *secrets: str) -> None:
    """Check that nothing stored reveals these secrets without the database's keys."""
    rows = sql.execute("SELECT body, i::text FROM idempotency i WHERE body IS NOT NULL").fetchall()
    assert rows
    for body, row in rows:
        for secret in secrets:
            assert secret not in row
            assert secret.encode() not in body


# More than one batch.
MANY = """
    INSERT INTO idempotency (owner, key, fingerprint, created_at, body)
    SELECT gen_random_uuid(), gen_random_uuid(), '', %s, repeat('x', 100)::bytea
    FROM generate_series(1, 5000)
"""


def test_every_post_of_a_caller_honours_the_key() -> None:
    """Operations that only compute or read store no answer; links to sign in are limited and used once.

    Whoever asks again to watch a game is listed once.
    """
    exempt = {"judge_move", "try_move", "list_moves_in_position", "replay_record", "show_invitation"}
    exempt |= {"show_invitation_to_game", "ask_to_watch"}
    exempt |= {"suggest_in_position", "sample_position"}
    exempt |= {"create_sign_in", "preview_sign_in", "move_account"}
    posts = {name: each for name, each in OPERATIONS.items() if each.method == "POST" and name not in exempt}
    assert [name for name, each in posts.items() if not each.idempotent] == []


def test_the_worker_may_delete_expired_answers(
    host: Caller, settings: Settings, workers_database: Database, clock: Clock, sql: psycopg.Connection
) -> None:
    """Its own privileges in the database are enough. Answers that are still valid stay, wherever they are."""
    for number in range(3):
        sent = {"Idempotency-Key": f"once-{number}"}
        assert host.post("/v1/players", {"name": "Anna"}, headers=sent).status_code == 201
    clock.move(hours=settings.idempotency_hours + 1)
    sql.execute(MANY, (clock(),))
    late = {"Idempotency-Key": "late"}
    assert host.post("/v1/players", {"name": "Anna"}, headers=late).status_code == 201
    with contextlib.closing(Session(workers_database)) as session:
        context = Context(settings, session, load_features().hooks, clock)
        for job in (each.work for each in (*worker.CLOCKWORK, *load_features().jobs) if each.pause == HOUR):
            job(context)
        kept = "SELECT count(*), max(ctid) > '(64,0)' FROM idempotency"
        assert session.execute(kept).fetchone() == (5_001, True)
        context.now = lambda: clock() + timedelta(hours=settings.idempotency_hours + 1)
        worker.prune_answers(context)
        assert session.execute("SELECT count(*) FROM idempotency").fetchone() == (0,)
