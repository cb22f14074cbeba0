"""The problems that operations answer: which ones, and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from marshmallow import fields

from api.core.errors import CODES, ProblemType
from api.features import load_features
from api.features.specification.components import Components
from api.games.entries import CHECKS
from api.http.fields import Anything, Choice, Fixed
from api.http.members import UUID, Count, List, Map, Nested, String
from api.http.operation import Operation
from api.http.problem_types import types
from api.http.problems import CONTENT_TYPE
from api.http.shapes import Answer, Json, camel, part
from api.rulesets.shapes import Verdict

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

ERRORS = Map(List(String()), about="Field → what is wrong.")
WORDS = "Field → a code for each of its `errors`, in the same order."
OF_FIELDS: dict[str, fields.Field[Any]] = {"errors": ERRORS, "codes": Map(List(Choice(*CODES)), about=WORDS)}
CONFLICTS_WITH = UUID(
    null=True,
    about="The id of what is in the way, such as the game, its rematch, or the object that has the external "
    "id; null if it is no single object, or one of somebody else.",
)
EXTRA: dict[str, dict[str, fields.Field[Any]]] = {
    "malformed-request": OF_FIELDS,
    "unsupported-media-type": OF_FIELDS,
    "invalid-options": OF_FIELDS,
    "unknown-player": OF_FIELDS,
    "detached": {"cursor": String(about="The cursor after which the feed continues.")},
    "ruleset-not-installed": {
        "ruleset": String(about="The ruleset of the game."),
        "version": Count(1, about="Its version."),
    },
    "limit-reached": {
        "setting": String(about="The name of the server's setting."),
        "limit": Count(about="Its value."),
    },
    "restored": {
        "cursor": String(about="The cursor after which a feed continues.", null=True, optional=True),
    },
    "stale-version": {"version": Count(about="The newest version.")},
    "illegal-move": {
        "verdict": Nested(Verdict),
        "errors": Map(
            List(String()), optional=True, about="The place of the move in the request → what is wrong."
        ),
        "codes": Map(List(Choice(*CODES)), optional=True, about=WORDS),
        # the place of the move in an imported record
        "seq": Count(null=True, optional=True, about="The entry of the record's log; null without a log."),
        "refused": part(
            "The move.", n=Count(), seat=Count(), move=Anything(), verdict=Nested(Verdict), optional=True
        ),
    },
    "invalid-record": {
        "checks": CHECKS,
        "seq": Count(null=True, about="The first entry that fails; null if it cannot be determined."),
    },
}


@cache
def problem_types() -> dict[str, ProblemType]:
    """Return all of them, by their slugs: operations of features that are left out name none."""
    return types(load_features())


@cache
def problem(slug: str) -> type[Answer]:
    """Return the shape of a problem type: RFC 9457's members and the type's own."""
    kind = problem_types()[slug]
    members = {
        "__doc__": kind.about,
        "type": Fixed(f"/problems/{slug}"),
        "title": String(),
        "status": Fixed(kind.status),
        "detail": String(),
        "instance": String(),
        **({"conflicts_with": CONFLICTS_WITH} if kind.status == 409 else {}),
        **EXTRA.get(slug, {}),
    }
    return type(f"{camel(slug)}Problem", (Answer,), members)


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
