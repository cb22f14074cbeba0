"""Push messages to a simulated push service and browser."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.features.mail import mail
from api.features.mail.mail import Outcome
from api.features.notices.projection import announce_all
from api.run.worker import Worker
from api.store.database.session import Database, Session
from tests.servers.receiver import eventually
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import PACE, SITE, play, send_next, work
from tests.support.push import Browser, encoded


@pytest.fixture
def browsers() -> Iterator[list[Browser]]:
    """Return two browsers of one push service."""
    made: list[Browser] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            to = made[int(self.path.removeprefix("/send/"))]
            to.received.append(({name.lower(): value for name, value in self.headers.items()}, data))
            self.send_response(to.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made += [Browser(f"http://127.0.0.1:{server.server_port}/send/{n}") for n in range(2)]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, public_url=SITE, allow_private_webhooks=True, webhook_ports=None)


def subscribe(player: Caller, browser: Browser) -> str:
    made = player.post("/v1/me/push-subscriptions", browser.subscription())
    assert made.status_code == 201, made.text
    return str(made.json["id"])


def server_key(player: Caller) -> str:
    return str(player.get("/v1/me/push-subscriptions").json["key"])


def test_a_browser_decrypts_the_notices_of_its_player(
    host: Caller, four: list[Caller], browsers: list[Browser], context: Context, clock: Clock
) -> None:
    anna, ben = four[:2]
    keys = [server_key(anna), server_key(ben)]
    assert keys[0] != keys[1], "every player has a separate key"
    assert len(base64.urlsafe_b64decode(keys[0] + "=")) == 65
    subscribe(anna, browsers[0])
    game = new_game(host, [anna, ben], pace=PACE, title="Friday night")
    if game["to_act"] != [0]:
        game = play([anna, ben], game)
    work(context)
    message = browsers[0].message(keys[0])
    assert message["type"] == "turn.began"
    assert message["title"].startswith("It is your turn in Cats and Dogs “Friday night”, until")
    assert message["url"] == f"{SITE}/table/{game['id']}"
    assert message["data"]["deadline"] == game["seats"][0]["deadline"]
    assert b"Friday" not in browsers[0].received[-1][1]
    clock.move(hours=61)
    work(context)
    assert browsers[0].message(keys[0])["type"] == "turn.warning"
    assert browsers[0].received[-1][0]["urgency"] == "high"
    items = anna.get("/v1/me/notices").json["items"]
    assert {item["status"] for item in items} == {"delivered"}
    assert {item["channel"] for item in items} == {"push"}
    count = len(browsers[0].received)
    anna("PATCH", "/v1/me/preferences", {"push": []})
    new_game(host, [anna, ben], pace=PACE)
    work(context)
    assert len(browsers[0].received) == count


def test_a_slow_mail_server_delays_no_push_message(
    host: Caller,
    four: list[Caller],
    browsers: list[Browser],
    settings: Settings,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock.time = datetime.now(UTC) - timedelta(minutes=1)
    begun, released = threading.Event(), threading.Event()

    def hang(*args: Any) -> Outcome:
        begun.set()
        return Outcome(250 if released.wait(600) else None)

    monkeypatch.setattr(mail, "send", hang)
    mailing = replace(settings, mail_from="Card Referee <cards@example.org>", smtp_url="smtp://127.0.0.1:1")
    worker = Worker(mailing)
    worker.start()
    try:
        subscribe(four[0], browsers[0])
        email = {"address": "ben@example.org"}
        mailed = Caller(create_app(mailing, clock=clock), four[1].token)
        assert mailed.put("/v1/me/email", email).status_code == 200
        assert eventually(begun.is_set)
        new_game(host, four[:2], pace=PACE)
        assert eventually(lambda: browsers[0].received, 60)
        assert not released.is_set()
    finally:
        released.set()
        worker.stop()
        mailed.app.extensions["card_referee"].database.close()


def test_what_does_not_fit_into_the_lease_is_sent_once(
    host: Caller,
    four: list[Caller],
    browsers: list[Browser],
    settings: Settings,
    context: Context,
    workers_database: Database,
    clock: Clock,
) -> None:
    """Another worker sends what is left when the lease is over."""
    session = Session(workers_database)
    other = Context(settings, session, load_features().hooks, clock)

    class Slow(list[Any]):
        def append(self, message: Any) -> None:
            super().append(message)
            clock.move(seconds=14)
            if len(self) == 9:  # it was begun within the lease, and ends after it
                send_next(other)

    subscribe(four[0], browsers[0])
    for _ in range(12):
        new_game(host, four[:2], pace=PACE)
    browsers[0].received = Slow()
    for _ in range(4):
        work(context)
        clock.move(minutes=2)
    session.close()
    items = four[0].get("/v1/me/notices?limit=100").json["items"]
    assert len(items) > 9
    assert len(browsers[0].received) == len(items)


def test_a_subscription_that_has_ended_is_deleted_and_the_other_one_is_used(
    host: Caller, four: list[Caller], browsers: list[Browser], context: Context, clock: Clock
) -> None:
    anna = four[0]
    for browser in browsers:
        subscribe(anna, browser)
    assert subscribe(anna, browsers[0]), "subscribing again changes nothing"
    assert len(anna.get("/v1/me/push-subscriptions").json["items"]) == 2
    browsers[0].status = 410
    anna("PATCH", "/v1/me/preferences", {"push": ["game.started"]})
    new_game(host, four[:2])
    work(context)
    browsers[1].message(server_key(anna))
    (left,) = anna.get("/v1/me/push-subscriptions").json["items"]
    assert left["service"] == browsers[1].url.removesuffix("/send/1")
    browsers[1].status = 503
    new_game(host, four[:2])
    work(context)
    (notice, *_) = anna.get("/v1/me/notices").json["items"]
    assert (notice["status"], notice["attempts"][0]["status"]) == ("pending", 503)
    browsers[1].status = 201
    clock.move(seconds=5)
    work(context)
    assert anna.get("/v1/me/notices").json["items"][0]["status"] == "delivered"
    assert anna.delete(f"/v1/me/push-subscriptions/{left['id']}").status_code == 204
    assert anna.delete(f"/v1/me/push-subscriptions/{left['id']}").status_code == 404


def test_invalid_subscriptions_are_refused(
    four: list[Caller], app: Flask, settings: Settings, sql: psycopg.Connection, host: Caller
) -> None:
    anna, good = four[0], Browser("https://127.0.0.1/x").subscription()
    subscribe(anna, Browser("https://127.0.0.1/x"))
    (stored,) = sql.execute("SELECT subscription FROM push_subscriptions").fetchone() or (b"",)
    assert bytes(stored)[:1] == b"\x01", "the address is a secret"
    path = "/v1/me/push-subscriptions"
    wrong_keys = {**good["keys"], "p256dh": encoded(b"\x04" + bytes(64))}
    for wrong in (
        {**good, "keys": wrong_keys},
        {**good, "keys": {**good["keys"], "auth": encoded(bytes(15))}},
        {**good, "endpoint": "ftp://example.org"},
        {"endpoint": good["endpoint"]},
    ):
        assert anna.post(path, wrong).status_code == 400, wrong
    site = app.extensions["card_referee"]
    strict = replace(settings, allow_private_webhooks=False, webhook_ports=(80, 443))
    app.extensions["card_referee"] = replace(site, settings=strict)
    assert anna.post(path, good).status_code == 400, "internal addresses are refused"
    app.extensions["card_referee"] = replace(site, settings=replace(settings, public_url=""))
    assert anna.post(path, good).status_code == 409
    assert host.delete(f"/v1/players/{anna.player}").status_code == 204
    assert sql.execute("SELECT FROM push_subscriptions").fetchone() is None


def test_mail_works_without_push_messages(
    host: Caller,
    four: list[Caller],
    settings: Settings,
    clock: Clock,
    context: Context,
    sql: psycopg.Connection,
) -> None:
    """Nothing is queued for a channel that is not there."""
    features = load_features("mail")
    site = create_app(replace(settings, mail_from="cards@example.org"), clock=clock, features=features)
    anna = Caller(site, four[0].token)
    assert site.test_client().get("/v1/me/push-subscriptions").status_code == 404
    assert anna.put("/v1/me/email", {"address": "anna@example.org"}).status_code == 200
    anna("PATCH", "/v1/me/preferences", {"frequency": "each"})
    sql.execute("UPDATE contacts SET confirmed_at = now()")
    new_game(host, four[:2], pace=PACE)
    announce_all(replace(context, hooks=features.hooks))
    assert {item["channel"] for item in anna.get("/v1/me/notices").json["items"]} == {"mail"}
    site.extensions["card_referee"].database.close()
