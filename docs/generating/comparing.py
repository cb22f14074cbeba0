"""Compares JSON Schemas, to find out whether a change of the API breaks its clients.

A comparison checks whether every value of one schema is a value of another. For a request, old values must
fit the new schema, so that callers still work. For an answer, new values must fit the old schema, so that
readers still work. Changes of answers that clients must expect (more members, values, kinds of objects) are
allowed. `not` is not compared, and patterns are compared only for equality. A schema may declare that one of
its keywords was enforced before the specification had it: then adding it is a correction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
KINDS = ("string", "number", "integer", "boolean", "array", "object", "null")
# keyword → whether a smaller value allows more
BOUNDS = {
    "minimum": True,
    "minLength": True,
    "minItems": True,
    "minProperties": True,
    "maximum": False,
    "maxLength": False,
    "maxItems": False,
    "maxProperties": False,
}
MOST_DEPTH = 40


class Finding(NamedTuple):
    """A difference: its place in the schema, a description, and whether it breaks clients."""

    where: str
    words: str
    breaks: bool


class Comparison:
    """Compares schemas of two specifications: whether `big` allows all values of `small`."""

    def __init__(self, small: Json, big: Json, *, answers: bool) -> None:
        """With `answers`, clients read these values, so unknown additions are allowed."""
        self.components = (small["components"]["schemas"], big["components"]["schemas"])
        self.answers = answers
        self._seen: set[tuple[str, str]] = set()

    def findings(self, small: Any, big: Any, where: str = "") -> list[Finding]:
        """Return what `small` allows and `big` does not; each named schema is compared only once."""
        names = (_name(small), _name(big))
        if names[0] and names[1]:
            if names in self._seen:
                return []
            self._seen.add((names[0], names[1]))
        return [*self._compare(self._resolved(small, 0), self._resolved(big, 1), where)]

    def _resolved(self, schema: Any, side: int) -> Json:
        while name := _name(schema):
            schema = self.components[side][name]
        return schema if isinstance(schema, dict) else {}

    def _compare(self, small: Json, big: Json, where: str) -> Iterator[Finding]:
        if where.count(".") > MOST_DEPTH:
            return
        ours, theirs = _variants(small), _variants(big)
        if ours and not theirs and self.answers and "properties" in big:
            yield from self._split(ours, big, where)
            return
        if ours or theirs:
            yield from self._unions(ours or [small], theirs or [big], where, union=bool(theirs))
            return
        yield from self._values(small, big, where)
        if "object" in _kinds(small) and "object" in _kinds(big):
            yield from self._objects(small, big, where)
        if "items" in big and "array" in _kinds(small):
            yield from self.findings(small.get("items", {}), big["items"], f"{where}[]")

    def _unions(self, ours: list[Any], theirs: list[Any], where: str, *, union: bool) -> Iterator[Finding]:
        """Compare unions: each kind of `small` must be one of `big`."""
        for one in ours:
            seen = set(self._seen)
            tries = []
            for other in [other for other in theirs if _title(other) == _title(one)] or theirs:
                self._seen = set(seen)
                tries.append((self.findings(one, other, where), self._seen))
            best, self._seen = min(tries, key=lambda tried: (_breaks(tried[0]), len(tried[0])))
            if not _breaks(best) or not union:
                yield from best
            elif _kinds(self._resolved(one, 0)) == {"object"} and self.answers:
                yield Finding(where, f"another kind of object: {_title(one)}", False)
            else:
                yield from (
                    best if len(theirs) == 1 else [Finding(where, f"not any more: {_title(one)}", True)]
                )

    def _split(self, ours: list[Any], big: Json, where: str) -> Iterator[Finding]:
        """Compare one kind that became several: an optional member is missing only if none of them has it.

        The same holds for the members of an object that every kind has as a member.
        """
        kinds = [self._resolved(one, 0) for one in ours]
        declared = {name for kind in kinds for name in kind.get("properties", {})}
        apart: Json = {}  # members that are compared separately
        for name, inner in big["properties"].items():
            parts = [self._resolved(kind.get("properties", {}).get(name), 0) for kind in kinds]
            old = self._resolved(inner, 1)
            if all("properties" in part for part in [*parts, old]):
                apart[name] = {}
                yield from self._split(parts, old, f"{where}.{name}")
        for kind in kinds:
            own = kind.get("properties", {}) | apart
            known = {
                name: inner
                for name, inner in big["properties"].items()
                if name in own or name not in declared
            }
            yield from self._compare({**kind, "properties": own}, {**big, "properties": known | apart}, where)

    def _values(self, small: Json, big: Json, where: str) -> Iterator[Finding]:
        allowed = _enumerated(big)
        if allowed is not None:
            own = _enumerated(small)
            more = None if own is None else [value for value in own if value not in allowed]
            if more is None:
                yield Finding(where, "any value, where only some are known", True)
            elif more:
                yield Finding(where, f"values {', '.join(map(str, more))}", not self.answers)
        else:
            kinds = _kinds(small) - _kinds(big)
            if "number" in _kinds(big):
                kinds -= {"integer"}
            if kinds:
                yield Finding(where, " or ".join(sorted(kinds)), True)
        if self.answers:
            if small.get("format") != big.get("format") and "format" in big and _enumerated(small) is None:
                yield Finding(where, f"no longer a {big['format']}", True)
            return
        for keyword in (*BOUNDS, "pattern", "format", "propertyNames", "uniqueItems"):
            bound, other = big.get(keyword), small.get(keyword)
            if bound is None or bound == other:
                continue
            if keyword in BOUNDS:
                tighter = other is None or (other < bound if BOUNDS[keyword] else other > bound)
            else:
                texts = keyword != "pattern" or "string" in _kinds(small)  # a pattern is about texts
                tighter = texts and _enumerated(small) is None
            if tighter:
                yield Finding(where, f"{keyword} {bound}", True)

    def _objects(self, small: Json, big: Json, where: str) -> Iterator[Finding]:
        ours, theirs = small.get("properties", {}), big.get("properties", {})
        for name in big.get("required", []):
            if name not in small.get("required", []):
                words = "can be missing" if name in ours else "is gone"
                yield Finding(f"{where}.{name}", words if self.answers else "is required", True)
        for name in [*ours, *(name for name in theirs if name not in ours)]:
            place = f"{where}.{name}"
            if name in ours and name in theirs:
                yield from self.findings(ours[name], theirs[name], place)
            elif name in ours:
                gone = not self.answers and big.get("additionalProperties") is False
                yield Finding(place, "is refused" if gone else "is new", gone)
            elif name not in big.get("required", []):
                yield Finding(place, "is gone" if self.answers else "is new", self.answers)
        if small.get("additionalProperties") and big.get("additionalProperties"):
            yield from self.findings(small["additionalProperties"], big["additionalProperties"], f"{where}.*")


def _breaks(findings: list[Finding]) -> int:
    return sum(finding.breaks for finding in findings)


def _name(schema: Any) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[1] if isinstance(schema, dict) and "$ref" in schema else ""


def _title(schema: Any) -> str:
    constants = [
        str(member["const"])
        for member in (schema.get("properties", {}) if isinstance(schema, dict) else {}).values()
        if isinstance(member, dict) and "const" in member
    ]
    return _name(schema) or " ".join(constants) or "a kind without a name"


def _variants(schema: Json) -> list[Any]:
    found: list[Any] = schema.get("oneOf") or schema.get("anyOf") or []
    return found


def _kinds(schema: Json) -> set[str]:
    values = _enumerated(schema)
    if values is not None:
        return {_kind(value) for value in values}
    kinds = schema.get("type", [*KINDS])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _kind(value: Any) -> str:
    tests: dict[str, Callable[[Any], bool]] = {
        "null": lambda v: v is None,
        "boolean": lambda v: isinstance(v, bool),
        "integer": lambda v: isinstance(v, int),
        "number": lambda v: isinstance(v, float),
        "string": lambda v: isinstance(v, str),
        "array": lambda v: isinstance(v, list),
    }
    return next((kind for kind, holds in tests.items() if holds(value)), "object")


def _enumerated(schema: Json) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")
