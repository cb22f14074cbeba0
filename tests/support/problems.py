"""Problems as the service answers them."""

from __future__ import annotations

from typing import Any

JSON = {"Content-Type": "application/json"}


def problem(response: Any, status: int, slug: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.mimetype == "application/problem+json"
    found: dict[str, Any] = response.json
    assert found["type"] == f"/problems/{slug}"
    assert found["status"] == status
    assert found["title"]
    assert found["detail"]
    return found
