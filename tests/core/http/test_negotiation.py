"""The forms in which clients send bodies and want answers."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from tests.support.callers import Caller, new_game
from tests.support.contract import JSON, problem


@pytest.mark.parametrize(
    "accept",
    [
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8, text/plain;q=0.5",
        "application/json; version=2",
        "text/html, application/*; charset=utf-8; q=0.1",
        "",
    ],
)
def test_parameters_of_accept_exclude_nothing(host: Caller, accept: str) -> None:
    """None of our media types has variants, and many clients name a charset."""
    answer = host.get("/v1/me", headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.mimetype == "application/json"


@pytest.mark.parametrize(
    "accept", ["application/json; charset=utf-8; q=0", "text/html; charset=utf-8", "*/*;q=0"]
)
def test_types_excluded_by_accept_stay_excluded(host: Caller, accept: str) -> None:
    problem(host.get("/v1/me", headers={"Accept": accept}), 406, "not-acceptable")


@pytest.mark.parametrize(
    ("accept", "mimetype"),
    [
        ("text/event-stream; charset=utf-8", "text/event-stream"),
        ("text/event-stream; charset=utf-8, application/json; q=0.5", "text/event-stream"),
        ("application/json, text/event-stream; charset=utf-8; q=0.5", "application/json"),
    ],
)
def test_a_log_is_sent_in_the_preferred_form(
    host: Caller, four: list[Caller], accept: str, mimetype: str
) -> None:
    game = new_game(host, four[:3])
    answer = host.get(f"/v1/games/{game['id']}/events", headers={"Accept": accept})
    assert answer.mimetype == mimetype


def test_compressed_bodies_are_refused_as_such(host: Caller) -> None:
    """The header alone decides, because such bodies are not read."""
    body = b'{"name": "Anna"}'
    for sent in (gzip.compress(body), body):
        answer = host("POST", "/v1/players", data=sent, headers={**JSON, "Content-Encoding": "gzip"})
        assert [*problem(answer, 415, "unsupported-media-type")["errors"]] == ["Content-Encoding"]
    plain = host("POST", "/v1/players", data=body, headers={**JSON, "Content-Encoding": "identity"})
    assert plain.status_code == 201


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', '"Utf-8"', "utf8"])
def test_bodies_may_declare_utf_8(host: Caller, charset: str) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    made = host("POST", "/v1/players", data='{"name": "Zoë"}'.encode(), headers=headers)
    assert (made.status_code, made.json["name"]) == (201, "Zoë")


@pytest.mark.parametrize("charset", ["utf-16", '"UTF-16"', "iso-8859-1", "x"])
@pytest.mark.parametrize("encoded", ["utf-8", "utf-16"])
def test_bodies_that_declare_another_charset_are_refused(host: Caller, charset: str, encoded: str) -> None:
    """JSON is UTF-8 (RFC 8259, 8.1), so they are refused whether or not the header is true."""
    headers = {"Content-Type": f"application/json; charset={charset}"}
    answer = host("POST", "/v1/players", data='{"name": "Zoë"}'.encode(encoded), headers=headers)
    refused = problem(answer, 415, "unsupported-media-type")
    assert "charset" in refused["errors"]["Content-Type"][0]
    assert host.get("/v1/players").json["items"] == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"name": ' + "9" * 5000 + "}", "too large"),
        (b'\xef\xbb\xbf{"name": "Anna"}', "byte order mark"),
    ],
)
def test_errors_in_a_body_are_described_in_terms_of_json(host: Caller, body: str | bytes, said: str) -> None:
    answer = host("POST", "/v1/players", data=body, headers=JSON)
    detail = problem(answer, 400, "malformed-request")["detail"]
    assert said in detail
    assert "sys." not in detail


@pytest.mark.parametrize("path", ["/v1/games?title=%ff", "/v1/players?external_id=a%C3", "/v1/me?%ff=1"])
def test_queries_are_utf_8(host: Caller, path: str) -> None:
    errors = problem(host.get(path), 400, "malformed-request")["errors"]
    assert "UTF-8" in str(errors)


def test_a_body_is_refused_where_none_is_expected(host: Caller, four: list[Caller]) -> None:
    """A caller who gives a reason for cancelling learns that nobody would read it."""
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}/cancellation"
    for body in ('{"reason": "rain"}', "[]", "rain"):
        answer = host("POST", path, data=body, headers=JSON)
        assert "body" in problem(answer, 400, "malformed-request")["errors"]
    gone = host("DELETE", f"/v1/players/{game['seats'][0]['player']['id']}", json={"keep": True})
    assert "body" in problem(gone, 400, "malformed-request")["errors"]
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "running"
    assert host("POST", path, data=" {} ", headers=JSON).status_code == 201, "an empty body is accepted"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/players", {"name": "Anna"}),
        ("/v1/webhooks", {"url": "https://1.1.1.1/"}),
        ("/v1/test-clocks", {}),
        ("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 3}),
    ],
)
def test_a_created_object_is_found_at_its_location(host: Caller, path: str, body: dict[str, Any]) -> None:
    headers = {"Idempotency-Key": "once"}
    made = host.post(path, body, headers=headers)
    assert made.status_code == 201
    assert host.get(made.headers["Location"]).json["id"] == made.json["id"]
    again = host.post(path, body, headers=headers)
    assert again.headers["Location"] == made.headers["Location"], "the kept response has the header too"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/games/{game}/cancellation", {}),
        ("DELETE", "/v1/players/{player}", {}),
    ],
)
def test_if_match_is_refused_where_it_is_not_supported(
    host: Caller, four: list[Caller], method: str, path: str, body: dict[str, Any]
) -> None:
    """A caller who sends If-Match relies on it (RFC 9110, 13.1.1), so it must not be ignored."""
    game = new_game(host, four[:3])
    place = path.format(game=game["id"], player=game["seats"][0]["player"]["id"])
    answer = host(method, place, json=body, headers={"If-Match": '"1"'})
    assert "If-Match" in problem(answer, 400, "malformed-request")["errors"]
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    assert host(method, place, json=body, headers={"If-Match": "*"}).status_code < 300, (
        "* matches any version"
    )


@pytest.mark.parametrize("seat", ["0.0", "0e0", "1E0", "true", '"0"'])
def test_a_seat_is_an_integer_without_fraction_or_exponent(
    host: Caller, four: list[Caller], seat: str
) -> None:
    """The contract of the referee says so, and `referee judge` reads it in the same way."""
    game = new_game(host, four[:3])
    moves = f"/v1/games/{game['id']}/moves"
    for path, body in (
        (moves, '{"seat": SEAT, "move": {"type": "play", "card": "C1"}}'),
        (f"{moves}/dry-run", '{"seat": SEAT, "move": {"type": "play", "card": "C1"}}'),
        ("/v1/referee/verdicts", '{"seat": SEAT, "position": {}, "move": {}}'),
        ("/v1/referee/legal-moves", '{"seat": SEAT, "position": {}}'),
    ):
        answer = host("POST", path, data=body.replace("SEAT", seat), headers=JSON)
        assert "seat" in problem(answer, 400, "malformed-request")["errors"], path
