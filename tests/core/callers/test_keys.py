"""App keys in lists: what they are called, and how they begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.callers import Caller


def listed(caller: Caller, key: str) -> dict[str, Any]:
    """Return a key as the list of its app shows it."""
    shown: dict[str, Any] = next(item for item in caller.get("/v1/keys").json["items"] if item["id"] == key)
    return shown


def test_a_key_has_a_name_and_a_prefix(new_key: Callable[..., Caller]) -> None:
    manager = new_key("host", "read", "write", "keys")
    named = manager.post("/v1/keys", {"name": "billing (2026)"}).json
    assert named["name"] == "billing (2026)"
    assert named["key"].startswith(named["prefix"])
    shown = listed(manager, named["id"])
    assert {name: shown[name] for name in ("name", "prefix")} == {
        "name": "billing (2026)",
        "prefix": named["key"][:10],
    }
    assert named["key"] not in manager.get("/v1/keys").text
    assert manager.post("/v1/keys", {}).json["name"] is None
    assert manager.post("/v1/keys", {"name": ""}).status_code == 400
    assert all(item["prefix"].startswith("cra_") for item in manager.get("/v1/keys").json["items"])
