"""The problem types as schemas."""

from __future__ import annotations

from typing import Any

from api.http import problems
from api.schemas.answers import CHECK, COUNT, STRING, array, mapping, nullable, ref, shape

EXTRA: dict[str, dict[str, Any]] = {
    "malformed-request": {"errors": {**mapping(array(STRING)), "description": "Field → what is wrong."}},
    "invalid-options": {"errors": {**mapping(array(STRING)), "description": "Field → what is wrong."}},
    "stale-version": {"version": {**COUNT, "description": "The newest version."}},
    "illegal-move": {"verdict": ref("Verdict")},
    "invalid-record": {
        "checks": array(CHECK),
        "seq": {**nullable(COUNT), "description": "The first entry that fails; null where none is certain."},
    },
}
# Where the move stands in a record that is brought in.
OPTIONAL: dict[str, dict[str, Any]] = {
    "illegal-move": {
        "seq": {**nullable(COUNT), "description": "The entry of the record's log; null without a log."},
        "refused": shape("The move.", n=COUNT, seat=COUNT, move={}, verdict=ref("Verdict")),
    },
}


def problem_schemas() -> dict[str, dict[str, Any]]:
    """Describe each problem type; RFC 9457's members and the type's own."""
    found = {}
    for slug, kind in problems.TYPES.items():
        name = "".join(part.capitalize() for part in slug.split("-"))
        found[f"{name}Problem"] = shape(
            kind.about,
            OPTIONAL.get(slug),
            type={"type": "string", "const": f"/problems/{slug}"},
            title=STRING,
            status={"type": "integer", "const": kind.status},
            detail=STRING,
            instance=STRING,
            **EXTRA.get(slug, {}),
        )
    return found
