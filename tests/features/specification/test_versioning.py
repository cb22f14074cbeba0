"""Versions of the API: which differences break clients, and what is announced before something is removed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from api.features.specification.specification import spec
from docs.generating import api_changes as changes
from docs.generating.comparing import Comparison
from tests.support.callers import Caller

Edit = Callable[[dict[str, Any]], Any]
GAMES, PLAYERS, GAME = "/v1/games", "/v1/players", "/v1/games/{game}"


@cache
def few_operations() -> dict[str, Any]:
    """Return the specification of the operations that are edited here; comparing all takes half a second."""
    edited = (GAMES, PLAYERS, GAME, f"{GAME}/events", f"{PLAYERS}/{{player}}/tokens")
    hooks = {"game.finished": spec()["webhooks"]["game.finished"]}
    return {**spec(), "paths": {path: spec()["paths"][path] for path in edited}, "webhooks": hooks}


def shape(api: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = api["components"]["schemas"][name]
    return found


def members(api: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = shape(api, name)["properties"]
    return found


def parameter(api: dict[str, Any], path: str, name: str) -> dict[str, Any]:
    return next(p for p in api["paths"][path]["get"]["parameters"] if p.get("name") == name)


def stream(api: dict[str, Any]) -> dict[str, Any]:
    answer = api["paths"]["/v1/games/{game}/events"]["get"]["responses"]["200"]
    found: dict[str, Any] = answer["content"]["text/event-stream"]["schema"]["x-events"]
    return found


BREAKS: dict[str, Edit] = {
    "an operation is gone": lambda api: api["paths"][GAME].pop("patch"),
    "an operation has another name": lambda api: api["paths"][GAMES]["get"].update(operationId="find_games"),
    "a parameter is gone": lambda api: api["paths"][GAMES]["get"]["parameters"].remove(
        parameter(api, GAMES, "ruleset")
    ),
    "a parameter is required": lambda api: parameter(api, GAMES, "ruleset").update(required=True),
    "a value is refused in a query": lambda api: parameter(api, GAMES, "status")["schema"]["oneOf"][0][
        "enum"
    ].pop(),
    "a member of a body is refused": lambda api: members(api, "NewPlayer").pop("metadata"),
    "a member of a body is required": lambda api: shape(api, "NewPlayer")["required"].append("metadata"),
    "texts of a body are shorter": lambda api: members(api, "NewPlayer")["name"].update(maxLength=3),
    "texts of a body have another form": lambda api: members(api, "NewPlayer")["name"].update(pattern="^a"),
    "a kind of a body is refused": lambda api: shape(api, "NewSeat")["oneOf"].pop(),
    "a body is required": lambda api: api["paths"]["/v1/players/{player}/tokens"]["post"][
        "requestBody"
    ].update(required=True),
    "nobody may call without a token": lambda api: api["paths"][GAMES]["get"]["security"].remove({}),
    "a member of an answer is gone": lambda api: (
        members(api, "Game").pop("version"),
        shape(api, "Game")["required"].remove("version"),
    ),
    "a member of an answer can be missing": lambda api: shape(api, "Game")["required"].remove("version"),
    "a member of an answer can be null": lambda api: members(api, "Game")["version"].update(
        type=["integer", "null"]
    ),
    "a member of an answer has another type": lambda api: members(api, "Game")["version"].update(
        type="string"
    ),
    "a member deep in an answer is no time": lambda api: members(api, "Player")["created_at"].pop("format"),
    "an answer has another type of content": lambda api: api["paths"]["/v1/games/{game}/events"]["get"][
        "responses"
    ]["200"]["content"].pop("text/event-stream"),
    "there is another success": lambda api: api["paths"][PLAYERS]["post"]["responses"].update(
        {"202": {"description": "Later."}}
    ),
    "a header of an answer is gone": lambda api: api["paths"][GAME]["get"]["responses"]["200"]["headers"].pop(
        "ETag"
    ),
    "a parameter has another default": lambda api: parameter(api, GAMES, "limit")["schema"].update(default=9),
    "a list in a query is written otherwise": lambda api: parameter(api, GAMES, "status").update(
        explode="another"
    ),
    "an event of a stream is gone": lambda api: stream(api).pop("view"),
    "an event of a stream holds something else": lambda api: stream(api).update(view={"type": "string"}),
    "tokens are sent otherwise": lambda api: api["components"]["securitySchemes"]["appKey"].update(
        scheme="basic"
    ),
    "a webhook is gone": lambda api: api["webhooks"].pop("game.finished"),
}
ADDS: dict[str, Edit] = {
    "an operation": lambda api: api["paths"].update({"/v1/new": {"get": api["paths"][GAMES]["get"]}}),
    "a parameter": lambda api: api["paths"][GAMES]["get"]["parameters"].append(
        {"name": "colour", "in": "query", "schema": {"type": "string"}}
    ),
    "a member of a body": lambda api: members(api, "NewPlayer").update(colour={"type": "string"}),
    "a value in a query": lambda api: parameter(api, GAMES, "status")["schema"]["oneOf"][0]["enum"].append(
        "paused"
    ),
    "longer texts in a body": lambda api: members(api, "NewPlayer")["name"].update(maxLength=300),
    "a member of an answer": lambda api: members(api, "Game").update(colour={"type": "string"}),
    "a value in an answer": lambda api: members(api, "Game")["status"]["enum"].append("paused"),
    "a webhook": lambda api: api["webhooks"].update({"game.repainted": api["webhooks"]["game.finished"]}),
}


@pytest.mark.parametrize("name", BREAKS)
def test_breaking_changes_need_a_new_major_version(name: str) -> None:
    before, after = few_operations(), copy.deepcopy(few_operations())
    BREAKS[name](after)
    found = changes.differences(before, after)
    assert changes.BREAKING in {change.kind for change in found}
    assert changes.least("1.4.2", found) == (2, 0, 0)
    assert changes.least("0.2.1", found) == (0, 3, 0)


@pytest.mark.parametrize("name", ADDS)
def test_additions_need_a_new_minor_version(name: str) -> None:
    before, after = few_operations(), copy.deepcopy(few_operations())
    ADDS[name](after)
    found = changes.differences(before, after)
    assert {change.kind for change in found} == {changes.ADDED}
    assert changes.least("1.4.2", found) == (1, 5, 0)
    assert changes.least("0.2.1", found) == (0, 2, 2)


def test_an_answer_may_become_several_that_together_have_its_members() -> None:
    before, after = few_operations(), copy.deepcopy(few_operations())
    known = after["components"]["schemas"]
    known["Plain"], known["Noted"] = (copy.deepcopy(known["Player"]) for _ in range(2))
    known["Player"] = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Plain", "Noted")]}
    del known["Plain"]["properties"]["metadata"]
    kinds = {change.kind for change in changes.differences(before, after)}
    assert changes.BREAKING not in kinds
    del known["Noted"]["properties"]["metadata"]
    assert changes.BREAKING in {change.kind for change in changes.differences(before, after)}


def test_a_member_may_become_several_kinds_as_well() -> None:
    """Notices used to share one schema with the members of all of them; now each has its own."""
    data = {"seat": {"type": "integer"}, "url": {"type": "string"}}
    before = {"components": {"schemas": {"Notice": _notice(data)}}}
    kinds = {f"Of{name}": _notice({name: data[name]}) for name in data}
    union = {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in kinds]}
    after = {"components": {"schemas": {**kinds, "Notice": union}}}

    def broken() -> list[str]:
        named = {"$ref": "#/components/schemas/Notice"}
        found = Comparison(after, before, answers=True).findings(named, named)
        return [finding.where for finding in found if finding.breaks]

    assert broken() == []
    kinds["Ofurl"] = after["components"]["schemas"]["Ofurl"] = _notice({})
    assert {*broken()} == {".data.url"}


def _notice(data: dict[str, Any]) -> dict[str, Any]:
    return _object({"type": {"type": "string"}, "data": _object(data)})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_changes_of_descriptions_do_not_count() -> None:
    before, after = few_operations(), copy.deepcopy(few_operations())
    after["paths"][GAMES]["get"].update(summary="Look for games", description="")
    members(after, "Game")["version"]["description"] = "How many entries."
    assert changes.differences(before, after) == []
    assert changes.least("1.4.2", []) == (1, 4, 2)


def test_a_released_specification_is_kept_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "RELEASED", tmp_path / "released")
    monkeypatch.setattr(changes, "HIGHLIGHTS", {"9.0.0": ("**Less** to learn.",)})
    for kept in (changes.released, changes.changelog):
        kept.cache_clear()
    try:
        changes.release()
        assert changes.released() == {changes.VERSION: spec()}
        with pytest.raises(FileExistsError):
            changes.release()
        after = copy.deepcopy(spec())
        del after["paths"][GAMES]["get"]
        monkeypatch.setattr(changes, "spec", lambda: after)
        monkeypatch.setattr(changes, "VERSION", "9.0.0")
        told = changes.changelog()
    finally:
        for kept in (changes.released, changes.changelog):
            kept.cache_clear()
    assert "## 9.0.0 (not released yet)\n- **Less** to learn." in told
    assert "- `GET /v1/games`: is gone" in told


def test_the_changelog_names_every_version(anyone: Caller) -> None:
    text = (Path(changes.__file__).parents[1] / "reference/changes.md").read_text("utf-8")
    assert text == changes.changelog(), "run: make generate"
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(titles) == len({*changes.released(), changes.VERSION})
    page = anyone.app.test_client().get("/docs/changes").text
    assert f">{titles[0][3:]}</h2>" in page
