"""What a log says of others than its players: who looked at hands, and what an app did in their place."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.log.entries import LAST
from referee.log.members import MEMBERS

WHO = {"app": "the app", "auditor": "an auditor"}
WHAT = {
    "cards": "saw the cards of {}",
    "moves": "asked for the legal moves of {}, or tried one",
    "token": "created a token for the player of {}",
}


def traces(entries: Sequence[Any]) -> Iterator[str]:
    """Yield sentences about looks and about what an app did for players, which name seats as `seat 0`."""
    log = [entry for entry in entries if type(entry) is dict]
    last = next((entry for entry in reversed(log) if entry.get("type") in LAST), None)
    if last is None:
        yield "who has looked at hands is told when the game is over"
    else:
        yield from _looks(last.get("looks", []))
    yield from _acts(log)


def is_fact(sentence: str) -> bool:
    """Return whether one of these sentences is about a look that the log lists: only these say when."""
    return sentence.endswith(" UTC")


def _looks(looks: object) -> Iterator[str]:
    if type(looks) is not list or not MEMBERS["looks"].kind.accepts(looks):
        yield "the list of looks cannot be read"
        return
    for look in looks:
        whose = "all seats" if look["seat"] is None else f"seat {look['seat']}"
        at = f"{look['at'][:19].replace('T', ' ')} UTC"
        yield f"{WHO[look['by']]} {WHAT[look['what']].format(whose)}, {at}"
    if not looks:
        yield "nobody else than the players has looked at hands, says the server"


def _acts(log: Sequence[dict[str, Any]]) -> Iterator[str]:
    acts: dict[int, dict[str, list[str]]] = {}
    for number, entry in enumerate(log, 1):
        seat, kind = entry.get("seat"), entry.get("type")
        if entry.get("by") == "app" and type(seat) is int and type(kind) is str:
            acts.setdefault(seat, {}).setdefault(kind, []).append(str(number))
    for seat, kinds in sorted(acts.items()):
        entries = "; ".join(f"{kind} in {', '.join(numbers)}" for kind, numbers in kinds.items())
        yield f"the app acted for seat {seat}: {entries}"
