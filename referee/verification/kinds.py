"""What a game is that is not an ordinary one: the first lines of every verdict on it."""

from collections.abc import Mapping
from typing import Any

from referee.verification.terms import IMPORTED

SENTENCES = {
    "test_clock": "a test game: its app has set what time it is in it",
    IMPORTED: "an imported game: the server that wrote this record did not deal it",
    "practice": "a practice game: all seats but one were played by bots",
}


def kinds(record: Mapping[str, Any]) -> list[str]:
    """Return which of these a game is, by what its record or its log says."""
    entries = record.get("entries")
    log = [entry for entry in entries if type(entry) is dict] if type(entries) is list else []
    created = log[0] if log else {}
    origins = (record.get("origin"), created.get("origin"))
    found = ["test_clock"] if (record.get("test_clock"), created.get("test_clock")) != (None, None) else []
    found += [IMPORTED] if IMPORTED in origins else []
    return found + (["practice"] if not found and _is_practice(log) else [])


def _is_practice(log: list[dict[str, Any]]) -> bool:
    joined = [entry for entry in log if entry.get("type") == "joined"]
    seats = {str(entry.get("seat")) for entry in joined}
    people = {str(entry.get("seat")) for entry in joined if entry.get("bot") is None}
    return len(seats) > 1 and len(people) < 2
