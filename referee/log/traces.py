"""What a record says of others than its players: who looked at hands, and what an app did in their place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.engine.shapes import ListOf
from referee.log.entries import LAST
from referee.log.known import LOOK

LOOKS = ListOf(LOOK)
WHO = {"app": "the app", "auditor": "an auditor"}
WHAT = {
    "cards": "saw the cards of {}",
    "moves": "asked for the legal moves of {}, or tried one",
    "token": "created a token for the player of {}",
}


def traces(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences about looks and about what an app did for players, which name seats as `seat 0`.

    No hash and no receipt covers the looks: all of this is the server's word.
    """
    log = [entry for entry in record.get("entries") or () if type(entry) is dict]
    if any(entry.get("type") in LAST for entry in log):
        yield from _looks(record.get("looks"))
    else:
        yield "who has looked at hands is told when the game is over"
    yield from _acts(log)


def _looks(looks: object) -> Iterator[str]:
    if looks is None:
        yield "the record does not say who has looked at hands"
        return
    if type(looks) is not list or not LOOKS.accepts(looks):
        yield "the list of looks cannot be read"
        return
    for look in looks:
        whose = "all seats" if look["seat"] is None else f"seat {look['seat']}"
        at = f"{look['at'][:19].replace('T', ' ')} UTC"
        yield f"{WHO[look['by']]} {WHAT[look['what']].format(whose)}, {at}"
    if not looks:
        yield "nobody else than the players has looked at hands"


def _acts(log: Sequence[dict[str, Any]]) -> Iterator[str]:
    acts: dict[int, dict[str, list[str]]] = {}
    for number, entry in enumerate(log, 1):
        seat, kind = entry.get("seat"), entry.get("type")
        if entry.get("by") == "app" and type(seat) is int and type(kind) is str:
            acts.setdefault(seat, {}).setdefault(kind, []).append(str(number))
    for seat, kinds in sorted(acts.items()):
        entries = "; ".join(f"{kind} in {', '.join(numbers)}" for kind, numbers in kinds.items())
        yield f"the app acted for seat {seat}: {entries}"
