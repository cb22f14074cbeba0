"""Every body in the specification has an example, which is valid; the specification is a file."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

import referee
from api.features import load_features
from api.features.specification import specification
from api.features.specification.samples import recorded
from api.features.specification.specification import spec, spec_yaml
from api.http.answers import camel
from tests.servers.serving import Server, free_directory, serve
from tests.support import contract
from tests.support.callers import Caller
from tests.support.contract import inline


def bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the description of each body."""
    api = spec()
    for area in ("paths", "webhooks"):
        for path, item in api[area].items():
            for method, operation in item.items():
                found = {"body": operation.get("requestBody", {}), **operation["responses"]}
                for what, body in found.items():
                    for kind, content in body.get("content", {}).items():
                        yield f"{method} {path} {what} {kind}", content


def test_every_body_has_examples_and_each_is_one() -> None:
    wanted: dict[tuple[str, str], str] = {}  # the place of a schema that has an example
    for where, content in bodies():
        assert "example" in content or content.get("examples"), (
            f"{where}: run `make examples TESTS=…` with a test that sends one, or declare `examples=`"
        )
        given = content.get("examples", {"example": {"value": content.get("example")}})
        for example in given.values():
            wanted.setdefault((json.dumps(content["schema"]), json.dumps(example["value"])), where)
    assert len(wanted) > 100
    for (schema, example), where in wanted.items():
        faults = inline(schema).iter_errors(json.loads(example))
        assert [fault.message[:300] for fault in faults] == [], where


def test_every_example_is_of_its_own_operation() -> None:
    """The path, the method and the status; what all operations have in common names none of them."""
    api = spec()
    operations = {
        operation["operationId"]: (method.upper(), contract.pattern(path), operation)
        for path, item in api["paths"].items()
        for method, operation in item.items()
    }
    checked = 0
    for name, exchanges in recorded().items():
        method, pattern, operation = operations[name]
        for what, exchange in exchanges.items():
            asked, _, path = exchange["request"].partition(" ")
            assert (asked, bool(pattern.fullmatch(path))) == (method, True), (name, what)
            status, _, kind = what.partition(" ")
            answer = operation["responses"][status]
            if "content" in answer:
                assert answer["content"][kind]["example"] == exchange["answer"], (name, what)
            if status >= "400":
                assert exchange["answer"]["status"] == int(status), (name, what)
                assert exchange["answer"]["instance"] == path, (name, what)
                checked += 1
    assert checked > 60
    for name, answer in api["components"]["responses"].items():
        for content in answer["content"].values():
            assert not {"example", "examples"} & content.keys(), name


def test_what_every_operation_may_answer_is_described_once() -> None:
    api = spec()
    answers = [operation["responses"] for item in api["paths"].values() for operation in item.values()]
    everywhere = set.intersection(*map(set, answers))
    assert everywhere == {"400", "401", "403", "405", "406", "414", "417", "429", "431", "500", "501", "503"}
    for responses in answers:
        assert "default" not in responses
        own = [status for status in everywhere if "$ref" not in responses[status]]
        assert own in ([], ["403"]), own  # the accounts' own refusal, to sign in again


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the strings of an example, each with the name of its member."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, name)
    elif isinstance(value, str):
        yield name, value


def answer_of(operation: str, status: int = 200) -> Any:
    return recorded()[operation][f"{status} application/json"]["answer"]


def question_of(operation: str) -> Any:
    return recorded()[operation]["200 application/json"]["body"]


def test_no_example_has_a_placeholder() -> None:
    for name, exchanges in recorded().items():
        for member, text in texts(exchanges):
            assert text != member or name == "get_ruleset", (name, member)  # whose words name themselves
            assert not re.fullmatch(r"0{16,}|x{8,}|.*-0000-0000-.*", text), (name, member, text)


def test_the_first_moves_are_legal_in_their_rulesets() -> None:
    for path in ("/v1/games/{game}/moves", "/v1/games/{game}/moves/dry-run"):
        body = spec()["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        assert list(body["examples"]) == [game.ID for game in referee.newest()]
        for ruleset, example in body["examples"].items():
            seats = referee.find(ruleset).SEATS[0]
            state, _ = referee.deal(ruleset, seats, {}, referee.Seeded(bytes(32)))
            seat, move = example["value"]["seat"], example["value"]["move"]
            assert referee.judge(state, seat, move).legal, (path, ruleset)
            kind = {"$ref": f"#/components/schemas/{camel(ruleset)}Move"}
            assert inline(json.dumps(kind)).is_valid(move), (path, ruleset)


def test_the_moves_of_answers_are_those_of_the_recorded_game(anyone: Caller) -> None:
    record = answer_of("get_record")
    assert answer_of("append_move", 201)["game"]["id"] == record["game"]
    replayed = anyone.post("/v1/referee/replays", record).json
    assert (replayed["ok"], replayed["moves"]) == (True, len(record["moves"]))
    moved, listed = answer_of("append_move", 201)["entry"], answer_of("list_legal_moves")
    assert moved["type"] == "moved"
    assert moved in record["entries"]
    before = [move for move in record["moves"] if move["seq"] <= listed["version"]]
    following = record["moves"][len(before)]
    assert listed["ruleset"] == record["ruleset"]
    assert (following["seat"], following["move"] in listed["moves"]) == (listed["seat"], True)
    question = {"record": {**record, "moves": before, "result": None}, "seat": listed["seat"]}
    for move in listed["moves"]:
        judged = anyone.post("/v1/referee/verdicts", {**question, "move": move}).json
        assert judged["verdict"]["legal"], move


def test_the_referee_answers_the_recorded_questions_in_the_same_way(anyone: Caller) -> None:
    for path, operation in (
        ("legal-moves", "list_moves_in_position"),
        ("verdicts", "judge_move"),
        ("suggestions", "suggest_in_position"),
    ):
        said = anyone.post(f"/v1/referee/{path}", question_of(operation)).json
        assert said == answer_of(operation), path


def test_events_describe_their_content() -> None:
    held = {
        where: content["schema"]["x-itemSchema"]["$ref"].rsplit("/", 1)[1]
        for where, content in bodies()
        if where.endswith("event-stream")
    }
    assert {*held.values()} == {"Entry", "FeedEntry", "TurnList"}
    others = [content["schema"]["x-events"] for _, content in bodies() if "x-events" in content["schema"]]
    assert others == [{"view": {"$ref": "#/components/schemas/Game"}}]
    for name in ("Entry", "Notice"):
        schema = spec()["components"]["schemas"][name]
        assert len(schema["discriminator"]["mapping"]) == len(schema["oneOf"])


FILE = Path(__file__).parents[3] / "openapi.yaml"
ASKED = 20


def test_it_is_the_one_that_comes_with_the_code(anyone: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specification, "spec_yaml", None)
    assert anyone.get("/openapi.yaml").data == FILE.read_bytes()


def spent(server: Server) -> float:
    """Return the processor time of the two web processes so far, in seconds."""
    [web] = [each for each in psutil.Process(server.process.pid).children() if "web" in each.cmdline()]
    processes = [each for each in web.children() if each.cmdline() == web.cmdline()]
    assert len(processes) == 2
    return sum(sum(each.cpu_times()[:2]) for each in processes)


@pytest.mark.long
@pytest.mark.parametrize("features", ["", "specification,lobby"])
def test_web_processes_only_send_it(features: str) -> None:
    """The own one of a service that lacks features is made once, by another process, for all of them."""
    end = time.monotonic() + 60
    with (
        free_directory() as directory,
        serve(directory, FEATURES=features, WORKERS="2") as server,
        httpx.Client(base_url=server.url, timeout=60) as http,
    ):
        begun = spent(server)
        while (answer := http.get("/openapi.yaml")).status_code == 503 and time.monotonic() < end:
            assert answer.json()["type"] == "/problems/overloaded"
            time.sleep(0.2)
        for _ in range(ASKED):
            assert http.get("/openapi.yaml", headers={"Connection": "close"}).text == answer.text
        assert spent(server) - begun < 0.02 * ASKED
    assert answer.text == spec_yaml(load_features(*filter(None, features.split(","))))
