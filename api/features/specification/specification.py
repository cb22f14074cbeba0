"""The specification, OpenAPI 3.1, generated from the declarations of the operations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Annotated, Any

import yaml

import referee
from api import routes
from api.core import VERSION
from api.feature import Features
from api.features import load_features
from api.features.specification import problems
from api.features.specification.components import Components
from api.features.specification.descriptions import (
    DESCRIPTION,
    HEADERS,
    LINKS,
    ORDER,
    PARAMETERS,
    SECURITY,
)
from api.features.specification.problems import EVERY_ANSWER
from api.features.specification.samples import STREAM, add_examples
from api.http import auth
from api.http.answers import Count, Json, Keywords, Uuid, schema_of, words
from api.http.inputs import by_key_alone
from api.http.operation import CURSOR, JSON, SEQ, Operation, Operations
from api.http.patterns import PATHS
from api.http.queries import MOST_SEATS

PATH_PARAMETER = re.compile(r"<([a-z]+)(?:\([^)]*\))?:([a-z_]+)>")
SHORT = 80  # characters of a list that takes one line


_making = Lock()


def spec(features: Features | None = None) -> Json:
    """Return the specification of a service with some features, by default all; it is made once.

    Threads that all need it wait for the first of them: they would make components of one name several times.
    """
    with _making:
        return _spec(load_features() if features is None else features)


@cache
def _spec(features: Features) -> Json:
    operations = dict(sorted(routes.operations(features).items(), key=lambda each: _place(each[1].tag)))
    shapes = Components()
    paths: dict[str, Json] = {}
    for declared in operations.values():
        path = PATH_PARAMETER.sub(r"{\2}", declared.rule)
        paths.setdefault(path, {})[declared.method.lower()] = _operation(declared, shapes, operations)
    sent = features.sent()
    groups = (each for each in routes.blueprints(features) if isinstance(each, Operations))
    about = {each.tag: each.about for each in groups if each.about}
    webhooks = {event: each for module in sent for event, each in module.webhooks(shapes.ref).items()}
    parameters = {name: each for module in sent for name, each in module.PARAMETERS.items()}
    refusals = problems.shared(operations.values(), shapes)
    spec: Json = {
        "openapi": "3.1.0",
        "info": {"title": "Card Referee", "version": VERSION, **_info()},
        "servers": [{"url": "/", "description": "The server that this specification comes from."}],
        "tags": [{"name": name, "description": about[name]} for name in sorted(about, key=_place)],
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": dict(sorted(shapes.schemas.items())),
            "responses": refusals,
            "parameters": PARAMETERS | parameters,
            "headers": HEADERS,
            "securitySchemes": SECURITY,
        },
    }
    add_examples(spec)
    return spec


def _place(tag: str) -> int:
    """Return where the operations of a tag stand: those that have no place in ORDER come last."""
    return ORDER.index(tag) if tag in ORDER else len(ORDER)


@cache
def spec_yaml(features: Features | None = None) -> str:
    """Return the specification as YAML, as in `openapi.yaml`."""
    text: str = yaml.dump(spec(features), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=110)
    return text


class _Plain(yaml.CSafeDumper):
    """YAML without anchors: equal parts are written out. References and short lists take one line."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True, so that no aliases are used."""
        return True


def _mapping(dumper: _Plain, data: Json) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=data.keys() == {"$ref"})


def _sequence(dumper: _Plain, data: list[Any]) -> yaml.Node:
    short = not any(isinstance(each, dict | list) for each in data) and len(str(data)) < SHORT
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=short)


_Plain.add_representer(dict, _mapping)
_Plain.add_representer(list, _sequence)


def _info() -> Json:
    return {
        "summary": "Card games with a referee",
        "description": DESCRIPTION,
        "contact": {"name": "Card Referee contributors"},
        "license": {"name": "MIT", "identifier": "MIT"},
    }


def _operation(declared: Operation, shapes: Components, operations: Mapping[str, Operation]) -> Json:
    operation: Json = {
        "operationId": declared.id,
        "summary": declared.summary,
        "description": " ".join(declared.description.split()) or f"{declared.summary}.",
        "tags": [declared.tag],
        "security": _security(declared.audience),
        **_scopes(declared.audience),
        "x-cost": declared.cost,
        "parameters": _parameters(declared, shapes),
        "responses": _responses(declared, shapes, operations),
    }
    if declared.body is not None:
        content: Json = {"schema": shapes.ref(type(declared.body))}
        if declared.examples:
            content["examples"] = {
                name: {"summary": summary, "value": value}
                for name, (summary, value) in declared.examples.items()
            }
        # A missing body counts as an empty object; the referee itself refuses one without a required member.
        described = shapes.schemas[type(declared.body).__name__]
        needed = "required" in described or bool(declared.body.validate({}))
        operation["requestBody"] = {"required": needed, "content": {JSON: content}}
    return operation


def _security(audience: auth.Audience) -> list[dict[str, list[str]]]:
    if audience == auth.OPERATOR:
        return [{"operatorToken": []}]
    player: list[dict[str, list[str]]] = [{"playerToken": []}] if audience.player else []
    return [*([{}] if audience.anonymous else []), {"appKey": []}, *player]


def _scopes(audience: auth.Audience) -> Json:
    """Name what each kind of token needs; many tools know scopes of OAuth alone, so `security` has none."""
    scope = "write" if audience.scope is None else audience.scope  # a key can name the player
    needed = {
        "appKey": scope if audience != auth.OPERATOR else "",
        "playerToken": "guest" * audience.guests_only,
    }
    named = {name: [one] for name, one in needed.items() if one}
    return {"x-scopes": named} if named else {}


def _parameters(declared: Operation, shapes: Components) -> list[Json]:
    parameters = [_path_parameter(kind, name, shapes) for kind, name in PATH_PARAMETER.findall(declared.rule)]
    if declared.query is not None:
        parameters += shapes.query(declared.query)
    named = {
        "ActingPlayer": declared.audience.player and not declared.audience.guests_only,
        "IfMatch": declared.if_match,
        "IfUnchanged": declared.guarded,
        "IfNoneMatch": declared.conditional,
        "IdempotencyKey": declared.idempotent and declared.secret is not by_key_alone,
        "SecretIdempotencyKey": declared.secret is by_key_alone,
        SEQ: declared.resumable == SEQ,
        CURSOR: declared.resumable == CURSOR,
    }
    return parameters + [{"$ref": f"#/components/parameters/{name}"} for name, used in named.items() if used]


def _path_parameter(kind: str, name: str, shapes: Components) -> Json:
    types = {"uuid": Uuid, "int": Annotated[Count, Keywords(maximum=MOST_SEATS - 1)]}
    if kind == "path":
        return {"name": name, "in": "path", "required": True, **PATHS[name]}
    if kind in types:
        schema = schema_of(types[kind], shapes.ref)
    else:
        schema = {"type": "string", "enum": [game.ID for game in referee.newest()]}
    words = "The number of the seat." if kind == "int" else f"The id of the {name.replace('_', ' ')}."
    return {"name": name, "in": "path", "required": True, "description": words, "schema": schema}


def _responses(declared: Operation, shapes: Components, operations: Mapping[str, Operation]) -> Json:
    responses: Json = {}
    for status, shape in sorted(declared.answers.items()):
        answer: Json = {"description": shape if isinstance(shape, str) else words(shape)}
        if not isinstance(shape, str):
            answer["content"] = {JSON: {"schema": shapes.ref(shape)}}
        for kind in declared.produces:
            if kind != JSON and status == 200:
                answer.setdefault("content", {})[kind] = {"schema": {"type": "string"}}
                if kind == STREAM and declared.events:
                    others = {name: shapes.ref(other) for name, other in declared.events.items()}
                    answer["content"][kind]["schema"]["x-events"] = others
        headers = _headers(declared, status)
        if headers:
            answer["headers"] = {h: {"$ref": f"#/components/headers/{h}"} for h in headers}
        links = _links(declared, operations) if status in (200, 201) else {}
        if links:
            answer["links"] = links
        responses[str(status)] = answer
    if declared.conditional:
        known = {h: {"$ref": f"#/components/headers/{h}"} for h in (*EVERY_ANSWER, "ETag")}
        responses["304"] = {"description": "The caller already has this version.", "headers": known}
    return responses | problems.answers(declared, shapes)


def _headers(declared: Operation, status: int) -> list[str]:
    headers = [*EVERY_ANSWER, "ETag"] if declared.etag else [*EVERY_ANSWER]
    if declared.resumable == SEQ and status == 200:
        headers.append("Game-Origin")
    if status == 201 and declared.creates:
        headers.append("Location")
    if status in (200, 201, 202) and declared.idempotent:
        headers.append("Idempotency-Replayed")
    return headers


def _links(declared: Operation, operations: Mapping[str, Operation]) -> Json:
    """Link each created object to the operations that have it in their path, and add LINKS."""
    links = {
        other: {"operationId": other, **link}
        for other, link in LINKS.get(declared.id, {}).items()
        if other in operations
    }
    resource = declared.id.removeprefix("create_")
    if resource not in ("player", "game", "key", "webhook"):
        return links
    for other in operations.values():
        names = [name for _, name in PATH_PARAMETER.findall(other.rule)]
        if names[:1] == [resource] and set(names[1:]) <= {"seat"}:
            seat = {"seat": "0"} if names[1:] else {}
            links[other.id] = {
                "operationId": other.id,
                "parameters": {resource: "$response.body#/id", **seat},
            }
    return links
