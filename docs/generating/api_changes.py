"""Find what changed in the API between released specifications, and check the version number.

Released specifications are kept, compressed, in `released/` (none is released yet); the code is compared with
the newest of them.
`make generate` writes docs/reference/changes.md, and `python -m docs.generating.api_changes` stores the
specification of a release.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from api.core import VERSION
from api.features.specification.specification import spec
from docs.generating.comparing import Comparison

RELEASED = Path(__file__).parents[1] / "released"
METHODS = ("get", "post", "put", "patch", "delete")
BREAKING, ADDED = "Breaking", "Added"
HEADINGS = (BREAKING, ADDED)
MOST_NAMED = 3  # places of the same change that are named; the others are counted
Json = dict[str, Any]
Version = tuple[int, int, int]


class Change(NamedTuple):
    """A difference: its kind, its operation, and a description."""

    kind: str
    where: str
    words: str


def differences(old: Json, new: Json) -> list[Change]:
    """Return what changed from one specification to another, as a client sees it."""
    found = [*_schemes(old, new), *_operations(old, new), *_notices(old, new)]
    return list(dict.fromkeys(found))


def number(version: str) -> Version:
    """Return a version's numbers: for breaking changes, additions, and everything else."""
    major, minor, patch = map(int, version.split("."))
    return major, minor, patch


def least(version: str, changes: list[Change]) -> Version:
    """Return the lowest version that a specification with these changes since `version` may have."""
    major, minor, patch = number(version)
    if any(change.kind == BREAKING for change in changes):
        return (major + 1, 0, 0) if major else (0, minor + 1, 0)
    if not changes:
        return major, minor, patch
    return (major, minor + 1, 0) if major else (major, minor, patch + 1)


# What matters most in each version after the first, in words.
HIGHLIGHTS: dict[str, tuple[str, ...]] = {}


@cache
def released() -> dict[str, Json]:
    """Return all released specifications by version, oldest first."""
    files = sorted(RELEASED.glob("*.json.gz"), key=lambda file: number(file.name.removesuffix(".json.gz")))
    return {
        file.name.removesuffix(".json.gz"): json.loads(gzip.decompress(file.read_bytes())) for file in files
    }


def release() -> Path:
    """Store the current specification as that of a released version, and return its file.

    Raises FileExistsError if it is already released: a released specification never changes.
    """
    file = RELEASED / f"{VERSION}.json.gz"
    if file.exists():
        raise FileExistsError(f"{VERSION} is released already")
    RELEASED.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(json.dumps(spec(), sort_keys=True).encode(), mtime=0))
    released.cache_clear()
    return file


@cache
def changelog() -> str:
    """Return what every version changed, newest first, in Markdown."""
    versions = dict(released())
    titles = {version: version for version in versions}
    if VERSION not in versions:
        versions[VERSION], titles[VERSION] = spec(), f"{VERSION} (not released yet)"
    names = [*versions]
    parts = [f"## {titles[names[0]]}\nThe first version."]
    for before, after in pairwise(names):
        parts.append(
            _section(titles[after], HIGHLIGHTS[after], differences(versions[before], versions[after]))
        )
    return "\n\n".join(["# Changes of the API", *reversed(parts)]) + "\n"


def _section(title: str, highlights: tuple[str, ...], changes: list[Change]) -> str:
    lines = [f"## {title}", *(f"- {words}" for words in highlights)]
    for heading in HEADINGS:
        places: dict[str, list[str]] = {}
        for kind, where, words in changes:
            if kind == heading:
                places.setdefault(words, []).append(f"`{where}`")
        if places:
            lines += ["", f"### {heading}"]
        alike: dict[tuple[str, str], list[str]] = {}
        for words, where_all in places.items():
            others = f" and {len(where_all) - MOST_NAMED} others" if len(where_all) > MOST_NAMED else ""
            begin, name = _parts(words)
            alike.setdefault((", ".join(where_all[:MOST_NAMED]) + others, begin), []).append(name)
        lines += [f"- {where}: {begin}{', '.join(names)}" for (where, begin), names in alike.items()]
    return "\n".join(lines if changes else [*lines, "Only changes of wording."])


def _parts(words: str) -> tuple[str, str]:
    """Split the words of a change into what others of its kind share with it, and its own name or value."""
    if new := re.fullmatch(r"(\w+) (`[^`]+`) is new", words):
        return f"new in the {new[1]}: " if new[1] != "parameter" else "new parameters: ", new[2]
    if values := re.fullmatch(r"(.* values )(.+)", words):
        return values[1], values[2]
    return words, ""


def _each(specification: Json) -> dict[str, Json]:
    return {
        f"{method.upper()} {path}": item[method]
        for path, item in specification["paths"].items()
        for method in METHODS
        if method in item
    }


def _schemes(old: Json, new: Json) -> Iterator[Change]:
    """Compare how tokens are sent."""
    before, after = (api["components"]["securitySchemes"] for api in (old, new))
    for name, scheme in before.items():
        was, now = ({**one, "description": None} for one in (scheme, after.get(name, {})))
        if was != now:
            yield Change(BREAKING, name, "is sent in another way")


def _operations(old: Json, new: Json) -> Iterator[Change]:
    before, after = _each(old), _each(new)
    for where in sorted({*before, *after}):
        if where not in after:
            yield Change(BREAKING, where, "is gone")
        elif where not in before:
            yield Change(ADDED, where, after[where]["summary"])
        else:
            was, now = before[where], after[where]
            if was["operationId"] != now["operationId"]:
                yield Change(BREAKING, where, f"is now called {now['operationId']}")
            open_to = [set(one) for one in now["security"]]
            for security in was["security"]:
                if set(security) not in open_to:
                    yield Change(BREAKING, where, f"no longer open to {', '.join(security) or 'anybody'}")
            yield from _parameters(where, was, now, old, new)
            yield from _bodies(where, was, now, old, new)
            yield from _answers(where, was, now, old, new)


def _parameters(where: str, was: Json, now: Json, old: Json, new: Json) -> Iterator[Change]:
    before, after = _named(was, old), _named(now, new)
    for name in [*before, *(name for name in after if name not in before)]:
        words = f"parameter `{name}`"
        if name not in after:
            yield Change(BREAKING, where, f"{words} is gone")
        elif name not in before:
            needed = after[name].get("required", False)
            yield Change(
                BREAKING if needed else ADDED, where, f"{words} is {'required' if needed else 'new'}"
            )
        else:
            if after[name].get("required") and not before[name].get("required"):
                yield Change(BREAKING, where, f"{words} is required")
            for keyword in ("in", "style", "explode") if _is_list(before[name]["schema"]) else ("in",):
                if before[name].get(keyword) != after[name].get(keyword):
                    yield Change(BREAKING, where, f"{words} is written in another way ({keyword})")
            usual, former = (one[name]["schema"].get("default") for one in (after, before))
            if former not in (None, usual):
                yield Change(BREAKING, where, f"{words} is {json.dumps(usual)} where it is left out")
            yield from _in_request(where, words, before[name]["schema"], after[name]["schema"], old, new)


def _named(operation: Json, specification: Json) -> dict[str, Json]:
    known = specification["components"]["parameters"]
    found = [known[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p for p in operation["parameters"]]
    return {parameter["name"]: parameter for parameter in found}


def _is_list(schema: Json) -> bool:
    return any(one.get("type") == "array" for one in (schema, *schema.get("oneOf", ())))


def _bodies(where: str, was: Json, now: Json, old: Json, new: Json) -> Iterator[Change]:
    before, after = was.get("requestBody", {}), now.get("requestBody", {})
    if after.get("required") and not before.get("required"):
        yield Change(BREAKING, where, "a body is required")
    for kind, content in before.get("content", {}).items():
        if kind not in after.get("content", {}):
            yield Change(BREAKING, where, f"a body of {kind} is refused")
        else:
            yield from _in_request(where, "", content["schema"], after["content"][kind]["schema"], old, new)


def _in_request(where: str, what: str, was: Any, now: Any, old: Json, new: Json) -> Iterator[Change]:
    """Compare requests: what was accepted must still be accepted; anything more is an addition."""
    for place, words, breaks in Comparison(old, new, answers=False).findings(was, now):
        if breaks:
            yield Change(BREAKING, where, f"{what or 'body'}{_at(place)} has to be: {words}")
        else:
            yield Change(ADDED, where, f"{what or 'body'}{_at(place)} {words}")
    lifted: dict[str, list[str]] = {}
    for place, words, breaks in Comparison(new, old, answers=False).findings(now, was):
        if breaks and words not in ("is refused", "is required"):
            lifted.setdefault(place, []).append(words)
    for place, limits in lifted.items():
        words = ", ".join(dict.fromkeys(limits))
        yield Change(ADDED, where, f"{what or 'body'}{_at(place)} is no longer limited to: {words}")


def _answers(where: str, was: Json, now: Json, old: Json, new: Json) -> Iterator[Change]:
    before, after = _successes(was), _successes(now)
    for status in sorted({*before, *after}):
        if status not in before:
            yield Change(BREAKING, where, f"a new answer, {status}")
        elif status in before and status in after:
            for header in sorted(before[status].get("headers", {}).keys() - after[status].get("headers", {})):
                yield Change(BREAKING, where, f"answer {status} is without the header {header}")
        for kind, content in before.get(status, {}).get("content", {}).items():
            given = after.get(status, {}).get("content", {})
            if status in after and kind not in given:
                yield Change(BREAKING, where, f"answer {status} is no longer {kind}")
            elif status in after:
                yield from _given(where, "answer", content["schema"], given[kind]["schema"], old, new)
                events = given[kind]["schema"].get("x-events", {})
                for event, schema in content["schema"].get("x-events", {}).items():
                    if event in events:
                        yield from _given(where, f"event {event}", schema, events[event], old, new)
                    else:
                        yield Change(BREAKING, where, f"event {event} is gone")


def _given(where: str, what: str, was: Any, now: Any, old: Json, new: Json) -> Iterator[Change]:
    """Compare what clients read."""
    for place, words, breaks in Comparison(new, old, answers=True).findings(now, was):
        yield Change(BREAKING if breaks else ADDED, where, f"{what}{_at(place)} {words}")


def _successes(operation: Json) -> Json:
    return {status: answer for status, answer in operation["responses"].items() if status < "400"}


def _at(place: str) -> str:
    return f" `{place.removeprefix('.')}`" if place else ""


def _notices(old: Json, new: Json) -> Iterator[Change]:
    """Compare notices, which clients read like answers."""
    before, after = old.get("webhooks", {}), new.get("webhooks", {})
    alike: dict[str, list[str]] = {}  # events that shared one schema of notices
    for name in sorted({*before, *after}):
        if name not in after:
            yield Change(BREAKING, f"webhook {name}", "is gone")
        elif name not in before:
            yield Change(ADDED, f"webhook {name}", after[name]["post"]["summary"])
        else:
            alike.setdefault(json.dumps(_notice(before[name])), []).append(name)
    for names in alike.values():
        was, now = _notice(before[names[0]]), [_notice(after[name]) for name in names]
        whole = now[0] if all(one == now[0] for one in now) else {"oneOf": now}
        where = f"webhook {names[0]}" + (f" and {len(names) - 1} others" if names[1:] else "")
        for place, words, breaks in Comparison(new, old, answers=True).findings(whole, was):
            yield Change(BREAKING if breaks else ADDED, where, f"notice{_at(place)} {words}")


def _notice(event: Json) -> Any:
    return event["post"]["requestBody"]["content"]["application/json"]["schema"]


if __name__ == "__main__":
    print(release())
