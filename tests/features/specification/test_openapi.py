"""The specification agrees with the code, the file and the routes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import re2
from flask import Flask
from openapi_spec_validator import validate

import referee
import referee.texts
from api.core import VERSION
from api.core.errors import ServiceError
from api.features import load_features
from api.features.specification.specification import PATH_PARAMETER, spec, spec_yaml
from api.http.answers import camel
from api.http.problem_types import types
from api.routes import operations
from docs.generating import api_changes as changes
from tests.support.callers import Caller
from tests.support.contract import METHODS, inline, patterns

OPERATIONS = operations(load_features())

FILE = Path(__file__).parents[3] / "openapi.yaml"
PAGES = ("pages.", "docs.", "guides.", "mail.")  # pages in HTML, for people


def test_the_file_is_that_of_the_code() -> None:
    assert FILE.read_text("utf-8") == spec_yaml(), "run: make generate"


def test_it_has_what_the_service_has() -> None:
    alone = load_features("specification")
    published = spec(alone)
    ids = {one["operationId"] for path in published["paths"].values() for one in path.values()}
    assert ids == {*operations(alone)}
    assert published["webhooks"] == {}


@pytest.mark.long
def test_it_is_built_once_for_many_simultaneous_requests() -> None:
    """This runs in another process, because this one has built it already. Duplicate names are a warning."""
    several = (
        "import sys, threading, warnings; warnings.simplefilter('error'); sys.setswitchinterval(1e-5)\n"
        "from api.features.specification.specification import spec\n"
        "found, start = [], threading.Barrier(4)\n"
        "make = lambda: (start.wait(), found.append(spec()))\n"
        "threads = [threading.Thread(target=make) for _ in range(4)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(len(found), len({id(each) for each in found}))\n"
    )
    done = subprocess.run([sys.executable, "-c", several], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["4", "1"], "")


def test_it_is_valid_openapi() -> None:
    validate(spec())


def test_the_version_says_what_has_changed() -> None:
    for last, before in [*changes.released().items()][-1:]:  # nothing is compared before the first release
        found = changes.differences(before, spec())
        least = changes.least(last, found)
        broken = "\n".join(f"{where}: {words}" for kind, where, words in found if kind == changes.BREAKING)
        assert changes.number(VERSION) >= least, (
            f"docs/reference/versioning.md wants {least} at least:\n{broken}"
        )


def test_the_packages_have_the_version_of_the_api() -> None:
    clients = FILE.parent / "clients"
    python = tomllib.loads((clients / "python" / "pyproject.toml").read_text())
    typescript = json.loads((clients / "typescript" / "package.json").read_text())
    assert python["project"]["version"] == typescript["version"] == VERSION


def test_every_pattern_compiles_with_re2() -> None:
    """Go has no other regular expressions, and no pattern is so long that nobody can read it."""
    found = {*patterns(spec())}
    assert len(found) > 20
    for pattern in found:
        assert re2.compile(pattern), pattern
        assert len(pattern) < 200, pattern


def test_every_answer_is_described() -> None:
    for path, item in spec()["paths"].items():
        for method in METHODS:
            for status, answer in item.get(method, {}).get("responses", {}).items():
                assert "$ref" in answer or answer["description"], (path, method, status)


def test_security_names_scopes() -> None:
    paths = spec()["paths"]
    assert paths["/v1/players"]["post"]["security"] == [{"appKey": []}]
    assert paths["/v1/players"]["post"]["x-scopes"] == {"appKey": ["write"]}
    assert paths["/v1/keys"]["post"]["x-scopes"] == {"appKey": ["keys"]}
    assert {} in paths["/v1/games"]["get"]["security"]
    assert paths["/v1/me/turns"]["get"]["security"] == [{"appKey": []}, {"playerToken": []}]
    assert paths["/v1/me/turns"]["get"]["x-scopes"] == {"appKey": ["write"]}
    assert "x-scopes" not in paths["/metrics"]["get"]
    assert "Called with" not in spec_yaml()


def test_routes_and_specification_are_the_same(app: Flask) -> None:
    routed = {
        (PATH_PARAMETER.sub(r"{\2}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if not rule.endpoint.startswith(PAGES)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {
        (path, method) for path, item in spec()["paths"].items() for method in METHODS if method in item
    }
    assert routed == described


def test_nothing_undeclared_is_accepted() -> None:
    schemas = spec()["components"]["schemas"]

    def closed(schema: dict) -> bool:
        if "$ref" in schema:
            return closed(schemas[schema["$ref"].rsplit("/", 1)[1]])
        parts = schema.get("oneOf") or schema.get("anyOf")
        if parts:
            return all(closed(part) for part in parts)
        return schema.get("additionalProperties") is False

    for item in spec()["paths"].values():
        for method in METHODS:
            body = item.get(method, {}).get("requestBody")
            if body and item[method]["operationId"] not in ("replay_record", "create_game_from_record"):
                assert closed(body["content"]["application/json"]["schema"]), item[method]["operationId"]


def test_a_body_is_required_if_an_empty_one_is_refused() -> None:
    for item in spec()["paths"].values():
        for method in METHODS:
            body = item.get(method, {}).get("requestBody")
            if body:
                schema = json.dumps(body["content"]["application/json"]["schema"])
                assert body["required"] != inline(schema).is_valid({}), item[method]["operationId"]


def test_every_component_is_described() -> None:
    components = spec()["components"]["schemas"]
    assert not [name for name, schema in components.items() if not schema.get("description")]


def test_every_reference_resolves_and_every_component_is_used() -> None:
    text = spec_yaml()
    used = set(re.findall(r"'#/components/([A-Za-z]+/[A-Za-z0-9-]+)'", text))
    there = {
        f"{kind}/{name}"
        for kind, members in spec()["components"].items()
        if kind != "securitySchemes"
        for name in members
    }
    assert used <= there
    assert not there - used


def test_moves_are_described_for_every_ruleset() -> None:
    schemas = spec()["components"]["schemas"]
    for game in referee.newest():
        name = "".join(part.capitalize() for part in game.ID.split("_"))
        mapping = schemas[f"{name}Move"]["discriminator"]["mapping"]
        assert list(mapping) == list(game.MOVES)
    assert len(schemas["Move"]["anyOf"]) == len(referee.newest())


def test_a_client_that_uses_the_first_matching_kind_loses_nothing_of_a_move() -> None:
    """Generated clients try the kinds of a move in order, and drop members that the first match lacks."""
    schemas = spec()["components"]["schemas"]

    def inner(schema: dict) -> list[dict]:
        return [schemas[part["$ref"].rsplit("/", 1)[1]] for part in schema.get("oneOf") or schema["anyOf"]]

    kinds = [kind for game in inner(schemas["Move"]) for kind in inner(game)]
    assert kinds
    for place, kind in enumerate(kinds):
        for earlier in kinds[:place]:
            fits = earlier["properties"]["type"] == kind["properties"]["type"]
            fits = fits and set(earlier["required"]) <= kind["properties"].keys()
            lost = kind["properties"].keys() - earlier["properties"].keys()
            assert not (fits and lost), (earlier["description"], kind["description"])


def test_answers_with_moves_are_told_apart_by_their_ruleset() -> None:
    schemas = spec()["components"]["schemas"]
    for name in ("LegalMoves", "PositionMoves", "Suggestion", "Suggested"):
        mapping = schemas[name]["discriminator"]["mapping"]
        assert mapping.keys() == {game.ID for game in referee.newest()}
        for ruleset, ref in mapping.items():
            members = schemas[ref.rsplit("/", 1)[1]]["properties"]
            assert members["ruleset"]["const"] == ruleset
            move = f"{ref.rsplit('/', 1)[1].removesuffix(name)}Move"
            assert move in json.dumps(members), ref


def test_the_cards_of_moves_are_those_of_the_game() -> None:
    schemas = spec()["components"]["schemas"]
    for game in referee.newest():
        ids = {card["id"] for card in referee.texts.card_catalogue(game)}
        kinds = schemas[f"{camel(game.ID)}Move"]["discriminator"]["mapping"].values()
        moves = [schemas[kind.rsplit("/", 1)[1]] for kind in kinds]
        used = re.findall(r"schemas/(\w+Card)\b", json.dumps(moves))
        assert set(used) == {f"{camel(game.ID)}Card"}
        assert set(schemas[used[0]]["enum"]) == ids


def test_the_next_of_a_page_is_a_cursor() -> None:
    checked = 0
    for path, item in spec()["paths"].items():
        for parameter in item.get("get", {}).get("parameters", []):
            if parameter.get("name") == "cursor":
                assert '"string"' in json.dumps(parameter["schema"]), path
                checked += 1
    assert checked > 10


def test_every_operation_tells_its_cost() -> None:
    for item in spec()["paths"].values():
        for method in METHODS:
            if method in item:
                assert item[method]["x-cost"] == OPERATIONS[item[method]["operationId"]].cost


def test_every_refusal_has_a_type() -> None:
    known = types(load_features())
    assert {error.problem.slug for error in ServiceError.__subclasses__()} <= {*known}
    for slug in known:
        name = "".join(part.capitalize() for part in slug.split("-"))
        assert spec()["components"]["schemas"][f"{name}Problem"]["properties"]["type"]["const"].endswith(slug)


def test_operation_ids_make_good_names() -> None:
    ids = [item[m]["operationId"] for item in spec()["paths"].values() for m in METHODS if m in item]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in ids)


def test_the_examples_run(host: Caller, anyone: Caller, four: list[Caller]) -> None:
    """Every example of a body is sent, in the order of a first game."""

    def examples(operation: str) -> list:
        for item in spec()["paths"].values():
            for method in METHODS:
                if item.get(method, {}).get("operationId") == operation:
                    body = item[method]["requestBody"]["content"]["application/json"]
                    return [example["value"] for example in body["examples"].values()]
        raise AssertionError(operation)

    for value in examples("create_player"):
        assert host.post("/v1/players", value).status_code == 201
    for value in examples("create_token"):
        assert host.post(f"/v1/players/{four[0].player}/tokens", value).status_code == 201
    made = [host.post("/v1/games", value) for value in examples("create_game")]
    assert [answer.status_code for answer in made] == [201] * len(made)
    path = f"/v1/games/{made[0].json['id']}"
    for value in examples("take_seat"):
        sitter, seat = (host, 1) if "bot" in value else (four[0], 0)
        assert sitter.put(f"{path}/seats/{seat}", value).status_code == 200
    for value in examples("post_message"):
        assert four[0].post(f"{path}/messages", value).status_code == 201
    for value in examples("resign"):
        assert four[0].post(f"{path}/resignation", value).status_code == 409
    for value in examples("replay_record"):
        assert anyone.post("/v1/referee/replays", value).json["ok"]


def test_every_tag_is_described() -> None:
    described = {tag["name"] for tag in spec()["tags"]}
    used = {
        tag
        for path in spec()["paths"].values()
        for method, operation in path.items()
        if isinstance(operation, dict)
        for tag in operation.get("tags", [])
    }
    assert used == described


def test_a_list_has_one_shape() -> None:
    """Clients iterate over whatever has `items` and `next`."""
    schemas = spec()["components"]["schemas"]
    lists = set()
    for item in spec()["paths"].values():
        answer = item.get("get", {}).get("responses", {}).get("200", {})
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        members = schemas[schema["$ref"].rsplit("/", 1)[1]].get("properties", {}) if "$ref" in schema else {}
        if {"items", "next"} <= members.keys():
            lists.add(item["get"]["operationId"])
        else:
            assert "items" not in members, item["get"]["operationId"]
    named = {name for name in OPERATIONS if name.startswith("list_")}
    assert named - lists == {"list_legal_moves", "list_moves_in_position"}, "these are answers of the referee"
    assert {"list_messages", "list_my_invitations"} <= lists
