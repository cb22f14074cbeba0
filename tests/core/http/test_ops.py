"""What applies to every request: ids, headers, other origins, whether the service works, the log."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings
from api.store.database import session
from api.store.database.connections import SILENCE
from tests.support.callers import Caller, Clock, variant

PAGE = "https://table.example"


def test_listed_origins_are_allowed(app: Flask, host: Caller) -> None:
    client = variant(app, cors_origins=(PAGE,)).test_client()
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
    preflight = client.options("/v1/games", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["Access-Control-Allow-Origin"] == PAGE
    assert {"Authorization", "traceparent"} <= {
        *preflight.headers["Access-Control-Allow-Headers"].split(", ")
    }
    answer = client.get("/v1/me", headers={"Origin": PAGE, "Authorization": f"Bearer {host.token}"})
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    assert "Origin" in answer.headers["Vary"]
    refused = client.get("/v1/me", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in refused.headers
    assert refused.status_code == 401  # the page is not allowed to read it
    for answer in (preflight, refused):
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_other_origins_are_refused_by_default(app: Flask) -> None:
    answer = app.test_client().get("/v1/rulesets", headers={"Origin": PAGE})
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


def test_every_answer_carries_safe_headers(host: Caller, anyone: Caller) -> None:
    game = host.post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).json
    for answer in (
        anyone.get("/healthz"),
        anyone.get("/v1/nowhere"),
        host.get(f"/v1/games/{game['id']}"),
        host.get(f"/v1/games/{game['id']}/events"),
        host.post("/v1/players", {"wrong": 1}),
        anyone.app.test_client().get("/docs"),
    ):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert "Cache-Control" in answer.headers
    assert host.get("/v1/me").headers["Cache-Control"] == "no-store"
    assert host.get(f"/v1/games/{game['id']}").headers["Cache-Control"] == "private, no-cache"


def test_a_valid_request_id_is_kept(anyone: Caller) -> None:
    def id_for(given: str | None) -> str:
        headers = {"X-Request-Id": given} if given is not None else {}
        found: str = anyone.get("/healthz", headers=headers).headers["X-Request-Id"]
        return found

    assert id_for("trace-17.a:b_c") == "trace-17.a:b_c"
    made = {id_for(given) for given in (None, "", "a b", '"', "x" * 101, "ä", "-rf", "{}")}
    assert len(made) == 8
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in made)


@pytest.mark.parametrize("chunked", [False, True])
def test_the_size_of_bodies_is_limited(app: Flask, host: Caller, chunked: bool) -> None:
    headers = {"Authorization": f"Bearer {host.token}", "Content-Type": "application/json"}
    for path, most in (("/v1/players", 256 * 1024), ("/v1/referee/replays", 16 * 1024 * 1024)):
        for size, status in ((most, 400), (most + 1, 413)):
            body = b'{"name": 1}'.ljust(size)
            environ = {"wsgi.input_terminated": True} if chunked else {}
            answer = app.test_client().post(path, data=body, headers=headers, environ_overrides=environ)
            assert (answer.status_code, answer.mimetype) == (status, "application/problem+json"), (path, size)


def test_readiness_checks_the_database_and_its_schema(anyone: Caller, sql: psycopg.Connection) -> None:
    assert anyone.get("/readyz").status_code == 200
    sql.execute("UPDATE alembic_version SET version_num = '0000'")
    answer = anyone.get("/readyz")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")


def test_a_newer_release_migrates_while_this_one_serves(anyone: Caller, sql: psycopg.Connection) -> None:
    sql.execute("UPDATE alembic_version SET version_num = '9999'")
    assert anyone.get("/readyz").status_code == 200


def test_without_its_database_the_process_stays_alive_and_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.Database.__init__, "__defaults__", (0.2, SILENCE))
    address = "postgresql+psycopg://nobody@127.0.0.1:1/none"
    settings = Settings(database_url=address, pool_size=1)
    lost = Caller(create_app(settings, clock=Clock()))
    assert lost.get("/healthz").status_code == 200
    assert lost.get("/readyz").status_code == 503
    for caller in (lost, Caller(lost.app, f"cra_{'x' * 43}"), Caller(lost.app, f"crp_{'x' * 43}")):
        for answer in (caller.get("/v1/games"), caller.post("/v1/games", {"ruleset": "bisca", "seats": []})):
            known = caller.token or answer.request.method == "GET"
            assert answer.status_code == (503 if known else 401), answer.text


LOGGED = """
import logging, structlog
from api.core import logs
logs.configure("info")
structlog.get_logger().info("request", status=200)
structlog.get_logger().debug("too little to be told")
try:
    raise ValueError("C3 and crp_secret")
except ValueError as error:
    logging.getLogger("api.http.problems").error("unexpected %s", type(error).__name__, exc_info=error)
    structlog.get_logger().warning("again", exc_info=True)
"""


def test_the_log_is_json_lines_and_omits_the_message_of_an_exception() -> None:
    done = subprocess.run([sys.executable, "-c", LOGGED], capture_output=True, text=True, timeout=180)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["level"], line["event"]) for line in lines] == [
        ("info", "request"),
        ("error", "unexpected ValueError"),
        ("warning", "again"),
    ]
    assert all(line["error"] == "ValueError" and line["trace"] for line in lines[1:])
    assert "C3" not in done.stderr
    assert "secret" not in done.stderr


NAMED = """
import structlog
from flask import Flask
from api.core import logs
from api.http.middleware import REQUEST_ID, add_request_id
logs.configure("info", add_request_id)
with Flask("named").test_request_context(environ_overrides={REQUEST_ID: "r-1"}):
    structlog.get_logger().info("while it is answered")
structlog.get_logger().info("afterwards")
"""


def test_lines_of_the_log_name_the_request_that_is_being_answered() -> None:
    done = subprocess.run([sys.executable, "-c", NAMED], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line.get("request_id") for line in lines] == ["r-1", None]
