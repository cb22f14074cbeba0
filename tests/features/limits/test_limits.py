"""Limits on requests: who is counted together, what costs more, and when one may try again."""

from __future__ import annotations

import pickle
import re

import pytest
from flask import Flask

from api.features.limits import limits
from api.features.limits.limits import Limit, Memory
from tests.support.callers import Caller, variant


def test_a_limit_allows_its_number_of_requests() -> None:
    limit = Limit("token", 3, 86400, Memory())
    taken = [limit.take("a") for _ in range(4)]
    assert [standing.left for standing in taken] == [2, 1, 0, 0]
    assert [standing.wait > 0 for standing in taken] == [False, False, False, True]
    assert limit.take("b", cost=2).left == 1
    assert limit.take("b", cost=2).wait > 0
    assert limit.take("b").wait == 0
    assert limit.take("c", cost=50).left == 0  # a request that costs more than the limit uses all of it


def test_a_limit_recovers_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [600_000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    limit = Limit("token", 60, 60, Memory())
    assert limit.take("a", cost=60).left == 0
    assert limit.take("a").wait > 0
    now[0] += 59
    assert limit.take("a").wait > 0
    now[0] += 31  # half of the next minute's limit
    assert limit.take("a", cost=30).left == 0
    assert limit.take("a").wait > 0
    now[0] += 600
    assert limit.take("a").left == 59


def test_a_limit_forgets_nobody_who_is_blocked() -> None:
    limit = Limit("address", 1, 86400, Memory())
    assert [limit.take("blocked").wait > 0 for _ in range(2)] == [False, True]
    for number in range(51_000):
        limit.take(str(number))
    assert limit.take("blocked").wait > 0


def test_a_process_forgets_whoever_came_two_windows_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [600_000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    memory = Memory()
    limit, kept = Limit("address", 5, 60, memory), len(pickle.dumps(memory))
    for number in range(1000):
        limit.take(str(number))
    assert len(pickle.dumps(memory)) > kept + 1000
    now[0] += 130
    limit.take("new")
    assert len(pickle.dumps(memory)) < kept + 1000


def test_the_same_token_is_one_caller_however_it_is_written(app: Flask, host: Caller) -> None:
    client = variant(app, rate_limit="4 per day").test_client()
    spelt = [f"Bearer {host.token}", f"bearer {host.token}", f"BEARER  {host.token}", f"Bearer {host.token} "]
    statuses = [client.get("/v1/me", headers={"Authorization": one}).status_code for one in spelt * 2]
    assert statuses == [200] * 4 + [429] * 4


def test_an_unverified_token_is_counted_by_address(app: Flask, host: Caller) -> None:
    client = variant(app, rate_limit="1 per day", address_rate_limit="5 per day").test_client()

    def ask(token: str) -> int:
        return client.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code

    assert [ask("crp_wrong") for _ in range(4)] == [401] * 4
    assert [ask(str(host.token)), ask("crp_wrong")] == [200, 429]


def test_what_costs_more_counts_more(app: Flask, host: Caller) -> None:
    small = Caller(variant(app, rate_limit="25 per day"), host.token)
    record = {"format": "card-referee/1", "ruleset": "pies", "seats": 4, "seed": "00", "moves": []}
    replays = [small.post("/v1/referee/replays", record).status_code for _ in range(3)]
    assert replays == [200, 200, 429]
    assert small.get("/v1/me").status_code == 200
    long = Caller(variant(app, rate_limit="25 per day"), host.token)
    assert long.post("/v1/players", {"name": "x" * 200_000}).status_code == 400  # its body uses the limit
    assert long.get("/v1/me").status_code == 429


def test_a_long_list_costs_the_same_however_its_length_is_written(app: Flask, host: Caller) -> None:
    def left(limit: str) -> int:
        fresh = Caller(variant(app, rate_limit="100 per hour"), host.token)
        answer = fresh.get(f"/v1/players?limit={limit}")
        assert answer.status_code == 200
        return int(answer.headers["RateLimit"].partition("r=")[2].partition(";")[0])

    assert left("200") == left("0200") == left("000000200") < left("50")


def test_an_ipv6_network_is_one_address(app: Flask) -> None:
    client = variant(app, rate_limit=None, address_rate_limit="2 per day").test_client()
    callers = ("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1", "::ffff:192.0.2.1")
    answers = [client.get("/v1/rulesets", environ_overrides={"REMOTE_ADDR": one}) for one in callers]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 200, 200]


def test_a_blocked_caller_learns_when_to_try_again(app: Flask, host: Caller) -> None:
    small = Caller(variant(app, rate_limit="3 per hour", address_rate_limit="5 per hour"), host.token)
    answers = [small.get("/v1/me") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"token";q=3;w=3600, "address";q=5;w=3600'
    left = re.fullmatch(r'"token";r=2;t=(\d+), "address";r=4;t=(\d+)', answers[0].headers["RateLimit"])
    assert left is not None
    assert all(0 < int(seconds) <= 3600 for seconds in left.groups())
    assert answers[3].json["type"] == "/problems/rate-limited"
    assert 0 < int(answers[3].headers["Retry-After"]) <= 3600

    other = Caller(small.app, "crp_other")  # another token, from the same address
    assert [other.get("/v1/me").status_code for _ in range(2)] == [401, 429]
    assert Caller(small.app).get("/healthz").status_code == 200
    elsewhere = small.app.test_client().get("/v1/rulesets", environ_overrides={"REMOTE_ADDR": "192.0.2.9"})
    assert elsewhere.status_code == 200


def test_behind_a_proxy_the_callers_own_address_counts(app: Flask) -> None:
    behind = variant(app, address_rate_limit="1 per hour", rate_limit=None, trusted_proxies=1)
    client = behind.test_client()
    ask = [client.get("/v1/rulesets", headers={"X-Forwarded-For": ip}) for ip in ("192.0.2.1", "192.0.2.2")]
    assert [answer.status_code for answer in ask] == [200, 200]
    forged = {"X-Forwarded-For": "192.0.2.77, 192.0.2.1"}  # what the caller invented comes first
    assert client.get("/v1/rulesets", headers=forged).status_code == 429


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_checks_are_limited_too(app: Flask, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(limits, "MOST_CHECKS", 1)
    stranger = Caller(variant(app))
    assert [stranger.get(path).status_code == 429 for _ in range(2)] == [False, True]
