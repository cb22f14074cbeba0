"""The problems that operations answer: which ones, and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any, NotRequired

from api.core.errors import ProblemType
from api.features import load_features
from api.features.specification.components import Components
from api.games.answers_of_logs import Check
from api.http.answers import Component, Count, Json, Positive, Ref, Uuid, camel, schema_of_members
from api.http.operation import Operation
from api.http.problem_types import types
from api.http.problems import CONTENT_TYPE
from api.rulesets.answers import Refused, Verdict

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
        "game-unreadable",
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
GAMES = "/v1/games"
EVERY_ANSWER = ("X-Request-Id", "RateLimit", "RateLimit-Policy")


Members = dict[str, Any]
# Members with their types, as in a typed dictionary: those of every problem (RFC 9457), those of every one
# with the status 409, and those that the problems of a type have besides.
USUAL: Members = {"type": str, "title": str, "status": int, "detail": str, "instance": str}
CONFLICTS: Members = {
    "conflicts_with": Annotated[
        Uuid | None,
        "The id of what is in the way, such as the game, its rematch, or the object that has the external "
        "id; null if it is no single object, or one of somebody else.",
    ]
}
OF_FIELDS: Members = {"errors": Annotated[dict[str, list[str]], "Field → what is wrong."]}
OWN: dict[str, Members] = {
    "malformed-request": OF_FIELDS,
    "unsupported-media-type": OF_FIELDS,
    "invalid-options": OF_FIELDS,
    "unknown-player": OF_FIELDS,
    "detached": {"cursor": Annotated[str, "The cursor after which the feed continues."]},
    "ruleset-not-installed": {
        "ruleset": Annotated[str, "The ruleset of the game."],
        "version": Annotated[Positive, "Its version."],
    },
    "limit-reached": {
        "setting": Annotated[str, "The name of the server's setting."],
        "limit": Annotated[Count, "Its value."],
    },
    "restored": {
        "cursor": NotRequired[Annotated[str | None, "The cursor after which a feed continues."]],
    },
    "stale-version": {"version": Annotated[Count, "The newest version."]},
    "illegal-move": {
        "verdict": Verdict,
        "errors": NotRequired[
            Annotated[dict[str, list[str]], "The place of the move in the request → what is wrong."]
        ],
        # the place of the move in an imported record
        "seq": NotRequired[Annotated[Count | None, "The entry of the record's log; null without a log."]],
        "refused": NotRequired[Annotated[Refused, "The move."]],
    },
    "invalid-record": {
        "checks": list[Check],
        "seq": Annotated[Count | None, "The first entry that fails; null if it cannot be determined."],
    },
}


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
    hints = USUAL | (CONFLICTS if kind.status == 409 else {}) | OWN.get(slug, {})

    def schema(ref: Ref) -> Json:
        return {**schema_of_members(hints, ref, **fixed), "description": kind.about}

    return Component(f"{camel(slug)}Problem", schema)


def refusals(declared: Operation) -> dict[int, list[str]]:
    """Return the problems that an operation may answer, by status: those declared and those implied."""
    slugs = [*EVERYWHERE, *declared.problems]
    if "<" in declared.rule:
        slugs.append("not-found")
    if "<uuid:game>" in declared.rule:
        slugs.append("ruleset-not-installed")
    if "<uuid:game>" in declared.rule or declared.creates == GAMES:  # a repeated request shows it
        slugs.append("game-unreadable")
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
