"""What a reader wants to know first: how a match ended, who sat where, and what others did."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from referee.log.entries import in_words

Entry = dict[str, Any]
OPERATOR = (
    "time_returned",
    "time_added",
    "pace_changed",
    "timeout_undone",
    "adjudicated",
    "cancelled",
    "imported",
)
CONSENTS = (
    *("take_back_requested", "take_back_agreed", "take_back_refused", "taken_back"),
    *("pause_agreed", "paused", "resumed", "replacement_agreed", "ending_agreed"),
)
MANNERS = {
    "moved": "by the last move",
    "resigned": "because a seat resigned",
    "timed_out": "because a seat ran out of time",
    "dropped": "because a seat missed too many turns",
    "drawn": "as a draw, to which all players agreed",
    "adjudicated": "by the decision of the director",
    "cancelled": "because it was called off",
}


class Ending(NamedTuple):
    """How a match ended: the manner, the entry, and the time of its start and its end."""

    manner: str
    seq: int | None
    began: str | None
    ended: str | None


class Holder(NamedTuple):
    """Somebody who has held a seat, from a time to another (None: to the end)."""

    seat: int
    name: str
    id: str
    since: str
    until: str | None
    key: str | None


class Act(NamedTuple):
    """An entry in words: pieces of a sentence, each with whether it is foreign text."""

    seq: int
    at: str
    pieces: list[tuple[str, bool]]


def ending(entries: Sequence[Entry]) -> Ending:
    """Return how a match ended; a log that does not say it has no end."""
    began = next((str(entry.get("at")) for entry in entries if entry.get("type") == "started"), None)
    for number in range(len(entries) - 1, -1, -1):
        entry = entries[number]
        if entry.get("type") == "cancelled":
            return Ending(MANNERS["cancelled"], number + 1, began, str(entry.get("at")))
        if entry.get("type") == "finished" and number:
            kind = str(entries[number - 1].get("type"))
            return Ending(MANNERS.get(kind, kind), number, began, str(entry.get("at")))
    return Ending("in a way that the record does not tell", None, began, None)


def holders(entries: Sequence[Entry]) -> list[Holder]:
    """Return everybody who ever held a seat, in the order in which they came."""
    found: list[Holder] = []
    sitting: dict[int, int] = {}
    for entry in entries:
        seat, at = entry.get("seat"), str(entry.get("at"))
        if type(seat) is not int:
            continue
        if entry.get("type") in ("joined", "left") and seat in sitting:
            place = sitting.pop(seat)
            found[place] = found[place]._replace(until=at)
        if entry.get("type") == "joined":
            sitting[seat] = len(found)
            found.append(_holder(entry, seat, at))
    return found


def _holder(entry: Entry, seat: int, at: str) -> Holder:
    player, bot = entry.get("player"), entry.get("bot")
    key = str(entry["public_key"]) if "public_key" in entry else None
    if type(player) is dict:
        return Holder(seat, str(player.get("name")), str(player.get("id")), at, None, key)
    return Holder(seat, f"bot {bot}" if bot else "the app", "", at, None, key)


def acts_of_others(entries: Sequence[Entry], names: list[str]) -> Iterator[Act]:
    """Yield what the app did for seats, and what it or the server's operator did to the game."""
    for number, entry in enumerate(entries, 1):
        if entry.get("type") in OPERATOR or entry.get("by") == "app":
            yield _act(number, entry, names)


def consents(entries: Sequence[Entry], names: list[str]) -> Iterator[Act]:
    """Yield who asked and agreed to what."""
    for number, entry in enumerate(entries, 1):
        if entry.get("type") in CONSENTS:
            yield _act(number, entry, names)


def _act(number: int, entry: Entry, names: list[str]) -> Act:
    return Act(number, str(entry.get("at")), [*in_words(entry, names)])
