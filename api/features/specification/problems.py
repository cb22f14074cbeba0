"""The problems that operations answer: which ones, and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from api.core.errors import ProblemType
from api.features import load_features
from api.features.specification.answers import (
    Conflict,
    Detached,
    Illegal,
    Invalid,
    NotInstalled,
    OfFields,
    Problem,
    Reached,
    Restored,
    Stale,
)
from api.features.specification.components import Components
from api.http.answers import (
    Component,
    Json,
    camel,
    members,
    schema_of_members,
)
from api.http.operation import Operation
from api.http.problem_types import types
from api.http.problems import CONTENT_TYPE

EVERYWHERE = (
    "malformed-request",
    "unauthorized",
    "forbidden",
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
IMPLIED = frozenset(
    [
        *EVERYWHERE,
        "not-found",
        "ruleset-not-installed",
        "request-timeout",
        "overloaded",
        "took-too-long",
        "content-too-large",
        "unsupported-media-type",
        "object-changed",
        "stale-version",
        "signature-needed",
        "idempotency-key-reused",
    ]
)
"""Problems that say nothing of the operation. An answer that is one of these alone is described once for all
operations, without an example, which would have to name one of them."""
EVERY_ANSWER = ("X-Request-Id", "RateLimit", "RateLimit-Policy")


OWN: dict[str, type[Any]] = {
    "malformed-request": OfFields,
    "unsupported-media-type": OfFields,
    "invalid-options": OfFields,
    "unknown-player": OfFields,
    "detached": Detached,
    "ruleset-not-installed": NotInstalled,
    "limit-reached": Reached,
    "restored": Restored,
    "stale-version": Stale,
    "illegal-move": Illegal,
    "invalid-record": Invalid,
}
"""The members that problems of these types have besides those of every problem."""


@cache
def problem_types() -> dict[str, ProblemType]:
    """Return all of them, by their slugs: operations of features that are left out name none."""
    return types(load_features())


@cache
def problem(slug: str) -> Component:
    """Return a component such as `NotFoundProblem`: RFC 9457's members and the type's own."""
    kind = problem_types()[slug]
    fixed: Json = {
        "type": {"type": "string", "const": f"/problems/{slug}"},
        "status": {"type": "integer", "const": kind.status},
    }
    more = members(Conflict) if kind.status == 409 else {}
    hints = {**members(Problem), **more, **(members(OWN[slug]) if slug in OWN else {})}
    return Component(f"{camel(slug)}Problem", lambda ref: schema_of_members(hints, ref, kind.about, **fixed))


def refusals(declared: Operation) -> dict[int, list[str]]:
    """Return the problems that an operation may answer, by status: those declared and those implied."""
    slugs = [*EVERYWHERE, *declared.problems]
    if "<" in declared.rule:
        slugs.append("not-found")
    if "<uuid:game>" in declared.rule:
        slugs.append("ruleset-not-installed")
    if declared.method != "GET":
        slugs += ["request-timeout", "overloaded"]
    if declared.long is not None:
        slugs += ["overloaded", "took-too-long"]
    if declared.body is not None:
        slugs += ["content-too-large", "unsupported-media-type"]
    if declared.guarded:
        slugs.append("object-changed")
    if declared.idempotent:
        slugs.append("idempotency-key-reused")
    by_status: dict[int, list[str]] = {}
    for slug in dict.fromkeys(slugs):
        by_status.setdefault(problem_types()[slug].status, []).append(slug)
    return by_status


def answers(declared: Operation, shapes: Components) -> Json:
    """Describe the problems that an operation may answer, by status."""
    return {
        str(status): {"$ref": f"#/components/responses/{_named(slugs)}"}
        if IMPLIED.issuperset(slugs)
        else _answer(slugs, shapes)
        for status, slugs in sorted(refusals(declared).items())
    }


def shared(operations: Iterable[Operation], shapes: Components) -> Json:
    """Describe the answers that many operations have in common."""
    groups = {tuple(slugs) for declared in operations for slugs in refusals(declared).values()}
    return {_named(slugs): _answer(slugs, shapes) for slugs in sorted(groups) if IMPLIED.issuperset(slugs)}


def _named(slugs: Sequence[str]) -> str:
    return "Or".join(map(camel, slugs))


def _answer(slugs: Sequence[str], shapes: Components) -> Json:
    kinds = [problem_types()[slug] for slug in slugs]
    schemas = {f"/problems/{slug}": shapes.ref(problem(slug)) for slug in slugs}
    mapping = {name: schema["$ref"] for name, schema in schemas.items()}
    one = {"oneOf": [*schemas.values()], "discriminator": {"propertyName": "type", "mapping": mapping}}
    names = [*EVERY_ANSWER, *sorted({name for kind in kinds for name in kind.headers})]
    return {
        "description": " Or: ".join(f"{kind.title}." for kind in kinds),
        "content": {CONTENT_TYPE: {"schema": one if len(slugs) > 1 else schemas[f"/problems/{slugs[0]}"]}},
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names},
    }
