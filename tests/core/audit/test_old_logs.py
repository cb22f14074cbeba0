"""Logs of number 2, in which take-backs, vacations and consent to a replacement are members of messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import referee
from tests.support.callers import Caller
from tests.support.forging import chained_anew
from tests.support.page_verifier import ask, failures

GOLDEN = Path(__file__).parents[2] / "records" / "pedro" / "log-2-by-post.json"


def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GOLDEN.read_text())
    return found


def test_an_old_log_is_verified_imported_shown_and_exported(host: Caller) -> None:
    old = record()
    marks = {
        mark for entry in old["entries"] for mark in ("take_back", "vacation", "replacement") if mark in entry
    }
    assert (old["entries"][0]["log"], marks) == (2, {"take_back", "vacation", "replacement"})
    assert failures(ask([old])[0]) == {}
    game = host.post("/v1/records", old)
    assert game.status_code == 201, game.text
    path = f"/v1/games/{game.json['id']}"
    assert host.get(f"{path}/verification").json["ok"]
    assert host.get(f"{path}/record").json["entries"] == old["entries"]
    taken = next(entry for entry in old["entries"] if "vacation" in entry)
    then = host.get(f"{path}?version={taken['seq']}").json
    assert then["seats"][taken["seat"]]["away_until"] == taken["vacation"]["until"]
    report = host.get(f"{path}/dispute-report?seat=0").text
    for words in (
        "asks to take back move",
        "agrees to take back move",
        "does not agree to take back",
        "is away until",
    ):
        assert words in report


def test_forgeries_in_an_old_log_are_found() -> None:
    def without(name: str, *, mark: str) -> dict[str, Any]:
        forged = record()
        entry = next(entry for entry in reversed(forged["entries"]) if mark in entry.get(name, {}))
        del entry[name]
        return chained_anew(forged)

    for forged, check in (
        (without("take_back", mark="agrees"), "consent"),
        (without("vacation", mark="days"), "clocks"),
    ):
        assert check in {found.name for found in referee.verify(forged).checks if not found.ok}
        assert check in failures(ask([forged])[0])
    twice = record()
    entry = next(entry for entry in twice["entries"] if "take_back" in entry)
    entry["replacement"] = {"seat": 0, "player": None, "bot": "random"}
    assert "members" in {found.name for found in referee.verify(chained_anew(twice)).checks if not found.ok}
