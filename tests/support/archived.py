"""What a server shows of games, before and after their logs were archived."""

from __future__ import annotations

from typing import Any

from tests.support.callers import Caller

VIEWS = (
    "",
    "?version=1",
    "?version=9",
    "/events?limit=200",
    "/events?after=4&limit=3",
    "/events?type=moved&seat=1",
    "/record",
    "/verification",
)
FORMS = ("application/x-ndjson", "text/event-stream")


def shown(callers: list[Caller], games: list[dict[str, Any]]) -> dict[Any, Any]:
    """Return the status, body and ETag of every way in which these callers can read these games."""
    found = {}
    for number, caller in enumerate(callers):
        for game in games:
            path = f"/v1/games/{game['id']}"
            asked = [(path + view, None) for view in VIEWS] + [(f"{path}/events", form) for form in FORMS]
            for address, form in asked:
                got = caller.get(address, headers={"Accept": form} if form else {})
                found[number, address, form] = got.status_code, _body(address, got), got.headers.get("ETag")
    return found


def _body(address: str, got: Any) -> Any:
    """Return what must stay the same: proofs are for the newest tree, which grows with each archive."""
    return {**got.json, "inclusion": None} if address.endswith("/record") else got.data
