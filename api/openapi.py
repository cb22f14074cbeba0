"""The specification, OpenAPI 3.1, put together from what the operations declare."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import fields

from api import routes
from api.http import auth, problems
from api.http.operation import JSON, OPERATIONS, Operation
from api.schemas import answers, notifications, post, requests
from api.schemas.answers import COUNT, ID, ref
from api.schemas.defaults import in_words
from api.schemas.descriptions import DESCRIPTION, EXAMPLES, HEADERS, LINKS, PARAMETERS, TAGS
from api.schemas.games import any_record, game_schemas, move_schemas, ruleset_ids, seat_schemas
from api.schemas.refusals import problem_schemas

VERSION = "1.0.0"
SCHEMAS = {**answers.SCHEMAS, **notifications.SCHEMAS, **post.SCHEMAS}
EVERYWHERE = (
    "malformed-request",
    "unauthorized",
    "method-not-allowed",
    "not-acceptable",
    "uri-too-long",
    "expectation-failed",
    "rate-limited",
    "header-fields-too-large",
    "internal-error",
    "not-implemented",
    "database-unavailable",
)
EVERY_ANSWER = ("X-Request-Id", "RateLimit", "RateLimit-Policy")
LOCATED = ("create_player", "create_game", "create_game_from_record")  # what they make has an address
PATH_PARAMETER = re.compile(r"<([a-z]+)(?:\([^)]*\))?:([a-z_]+)>")


@cache
def spec() -> dict[str, Any]:
    """Return the specification."""
    assert routes.blueprints()  # declares every operation
    plugin = MarshmallowPlugin()
    made = APISpec("Card Referee", VERSION, "3.1.0", plugins=[plugin], info=_info())
    assert plugin.converter is not None
    plugin.converter.add_attribute_function(_described)  # type: ignore[no-untyped-call]
    paths: dict[str, dict[str, Any]] = {}
    for declared in OPERATIONS.values():
        path = PATH_PARAMETER.sub(r"{\2}", declared.rule)
        paths.setdefault(path, {})[declared.method.lower()] = _operation(declared, made, plugin)
    schemas = {
        **_accepted(made.to_dict().get("components", {}).get("schemas", {})),
        **SCHEMAS,
        **move_schemas(),
        **problem_schemas(),
    }
    schemas.update(seat_schemas())
    for name in ("NewMove", "NewOrder"):
        schemas[name]["properties"]["move"] = ref("Move")
    schemas["Replacement"].update(minProperties=1, maxProperties=1)
    schemas.update(_accepted(game_schemas(schemas["NewGame"])))
    for name in ("Question", "LegalQuestion"):
        schemas[name]["properties"]["position"] = ref("Position")
    schemas["AnyRecord"] = any_record()
    schemas["Question"]["properties"]["record"] = ref("AnyRecord")
    return {
        "openapi": "3.1.0",
        "info": {"title": "Card Referee", "version": VERSION, **_info()},
        "servers": [{"url": "/", "description": "The server that this specification comes from."}],
        "tags": [{"name": name, "description": words} for name, words in TAGS.items()],
        "paths": paths,
        "webhooks": notifications.published(),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {_camel(slug): _refusal([slug]) for slug in problems.TYPES if slug in _alone()},
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "securitySchemes": {
                "appKey": {"type": "http", "scheme": "bearer", "description": "The key of an app."},
                "playerToken": {"type": "http", "scheme": "bearer", "description": "The token of a player."},
                "operatorToken": {"type": "http", "scheme": "bearer", "description": "Of METRICS_TOKEN."},
            },
        },
    }


@cache
def spec_yaml() -> str:
    """Return the specification as YAML, as it ships."""
    text: str = yaml.dump(spec(), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=110)
    return text


class _Plain(yaml.SafeDumper):
    """YAML without anchors: equal parts are written out."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never use an alias."""
        return True


def _accepted(schemas: dict[str, Any]) -> dict[str, Any]:
    return {name: in_words(schema) for name, schema in schemas.items()}


def _info() -> dict[str, Any]:
    return {
        "summary": "Card games with a referee",
        "description": DESCRIPTION,
        "contact": {"name": "Card Referee contributors"},
        "license": {"name": "MIT", "identifier": "MIT"},
    }


def _described(converter: Any, field: fields.Field[Any], **kwargs: Any) -> dict[str, Any]:
    """Publish our own fields as they describe themselves."""
    describe = getattr(field, "json_schema", None)
    if describe is None:
        return {}
    found: dict[str, Any] = describe()
    if field.allow_none and "type" in found:
        found["type"] = [found["type"], "null"]
    return found


def _operation(declared: Operation, made: APISpec, plugin: MarshmallowPlugin) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": declared.id,
        "summary": declared.summary,
        "description": " ".join([*declared.description.split(), auth.described(declared.audience)]),
        "tags": [declared.tag],
        "security": _security(declared.audience),
        "parameters": _parameters(declared, plugin),
        "responses": _responses(declared),
    }
    if declared.body is not None:
        name = type(declared.body).__name__
        if name not in made.components.schemas:
            made.components.schema(name, schema=type(declared.body))
        content: dict[str, Any] = {"schema": ref(name)}
        if declared.id in EXAMPLES:
            content["examples"] = EXAMPLES[declared.id]
        required = any(field.required for field in declared.body.fields.values())
        found["requestBody"] = {"required": required, "content": {JSON: content}}
    return found


def _security(audience: auth.Audience) -> list[dict[str, list[str]]]:
    found: list[dict[str, list[str]]] = [{}] if audience.anonymous else []
    if audience.scope is not None:
        found.append({"appKey": []})  # scopes are for OAuth 2 and OpenID Connect; the description names ours
    if audience.player:
        found.append({"playerToken": []})
    return found or [{"operatorToken": []}]


def _parameters(declared: Operation, plugin: MarshmallowPlugin) -> list[dict[str, Any]]:
    found = [_path_parameter(kind, name) for kind, name in PATH_PARAMETER.findall(declared.rule)]
    if declared.query is not None:
        assert plugin.converter is not None
        found += [
            _plain_parameter(p) for p in plugin.converter.schema2parameters(declared.query, location="query")
        ]
    named = {
        "IfMatch": declared.if_match,
        "IfNoneMatch": declared.etag and declared.method == "GET",
        "IdempotencyKey": declared.idempotent,
        "LastEventId": declared.resumable,
    }
    return found + [{"$ref": f"#/components/parameters/{name}"} for name, used in named.items() if used]


def _plain_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    return {**parameter, "description": requests.ABOUT[parameter["name"]]}


def _path_parameter(kind: str, name: str) -> dict[str, Any]:
    schema = {"uuid": ID, "int": {**COUNT, "maximum": requests.MOST_SEATS - 1}}.get(kind) or ruleset_ids()
    words = "The number of the seat." if kind == "int" else f"The id of the {name}."
    return {"name": name, "in": "path", "required": True, "description": words, "schema": schema}


def _responses(declared: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, name in sorted(declared.answers.items()):
        answer: dict[str, Any] = {"description": SCHEMAS[name]["description"] if name else "Done."}
        if name is not None:
            answer["content"] = {JSON: {"schema": ref(name)}}
        for kind in declared.produces:
            if kind != JSON and status == 200:
                answer.setdefault("content", {})[kind] = {"schema": {"type": "string"}}
        headers = _headers(declared, status)
        if headers:
            answer["headers"] = {h: {"$ref": f"#/components/headers/{h}"} for h in headers}
        links = _links(declared) if status in (200, 201) else {}
        if links:
            answer["links"] = links
        found[str(status)] = answer
    if declared.etag and declared.method == "GET":
        known = {h: {"$ref": f"#/components/headers/{h}"} for h in (*EVERY_ANSWER, "ETag")}
        found["304"] = {"description": "The caller has this version already.", "headers": known}
    for status, slugs in sorted(_refusals(declared).items()):
        found[str(status)] = _refusal(slugs) if len(slugs) > 1 else _component(slugs[0])
    return found


def _headers(declared: Operation, status: int) -> list[str]:
    headers = [*EVERY_ANSWER, "ETag"] if declared.etag else [*EVERY_ANSWER]
    if declared.resumable and status == 200:
        headers.append("Game-Origin")
    if status == 201 and declared.id in LOCATED:
        headers.append("Location")
    if status in (200, 201, 202) and declared.idempotent:
        headers.append("Idempotency-Replayed")
    return headers


def _refusals(declared: Operation) -> dict[int, list[str]]:
    """Which problems an operation may answer, by status: what it declares, and what follows from the rest."""
    slugs = [*EVERYWHERE, *declared.problems]
    if declared.audience != auth.ANYBODY:
        slugs.append("forbidden")
    if declared.method != "GET":
        slugs += ["request-timeout", "overloaded"]
    if declared.long is not None:
        slugs += ["overloaded", "took-too-long"]
    if declared.body is not None:
        slugs += ["content-too-large", "unsupported-media-type"]
    if declared.idempotent:
        slugs.append("idempotency-key-reused")
    found: dict[int, list[str]] = {}
    for slug in dict.fromkeys(slugs):
        found.setdefault(problems.TYPES[slug].status, []).append(slug)
    return found


def _alone() -> set[str]:
    """Which problems are somewhere the only one of their status."""
    found = (slugs for declared in OPERATIONS.values() for slugs in _refusals(declared).values())
    return {slugs[0] for slugs in found if len(slugs) == 1}


def _component(slug: str) -> dict[str, Any]:
    return {"$ref": f"#/components/responses/{_camel(slug)}"}


def _refusal(slugs: list[str]) -> dict[str, Any]:
    kinds = [problems.TYPES[slug] for slug in slugs]
    schemas = {f"/problems/{slug}": ref(f"{_camel(slug)}Problem") for slug in slugs}
    mapping = {name: schema["$ref"] for name, schema in schemas.items()}
    one = {"oneOf": [*schemas.values()], "discriminator": {"propertyName": "type", "mapping": mapping}}
    names = [*EVERY_ANSWER, *sorted({name for kind in kinds for name in kind.headers})]
    answer: dict[str, Any] = {
        "description": " Or: ".join(f"{kind.title}." for kind in kinds),
        "content": {
            problems.CONTENT_TYPE: {"schema": one if len(slugs) > 1 else ref(f"{_camel(slugs[0])}Problem")}
        },
    }
    if names:
        answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return answer


def _links(declared: Operation) -> dict[str, Any]:
    """Whatever an operation makes can be named in the path of others; and what LINKS says."""
    found = {other: {"operationId": other, **link} for other, link in LINKS.get(declared.id, {}).items()}
    made = declared.id.removeprefix("create_")
    if made not in ("player", "game", "key", "webhook"):
        return found
    for other in OPERATIONS.values():
        names = [name for _, name in PATH_PARAMETER.findall(other.rule)]
        if names[:1] == [made] and set(names[1:]) <= {"seat"}:
            seat = {"seat": "0"} if names[1:] else {}
            found[other.id] = {
                "operationId": other.id,
                "parameters": {made: "$response.body#/id", **seat},
            }
    return found


def _camel(slug: str) -> str:
    return "".join(part.capitalize() for part in re.split("[-_]", slug))
