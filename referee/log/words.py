"""What people call themselves and say: hashed in entries, so that it can be erased under an unbroken chain.

In place of a name, an entry has the hash of a `Name`, which is beside the log. In place of a text, it has
the seal of a share that everybody sees. Both have a random salt: once they are deleted, nobody can find out
what they said.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from referee.engine.shapes import Field
from referee.log.entries import ENTRY_TYPES
from referee.log.members import Members
from referee.log.parts import Json, Name

Moves = Mapping[str, Mapping[str, Field]]
ALL = "all"  # in place of a seat: the share that everybody sees
ERASED = "erased person"
STAND_IN = "…"  # in place of an erased text
NAMING = ("player", "replacement", "nudge")  # members with players


def without_words(event: Mapping[str, Any]) -> tuple[Members, str | None, Json]:
    """Return what an event says without names and texts, then the name of a newcomer, and the text."""
    public: dict[str, Any] = {**event}
    kind = ENTRY_TYPES[event["type"]]
    text = {"text": public.pop("text")} if kind.says else {}
    newcomer = event.get("replacement", event).get("player") if kind.names else None
    for name in NAMING:
        if public.get(name):
            public[name] = _by_id(public[name])
    return cast(Members, public), newcomer and newcomer["name"], text


def _by_id(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return a player, or an object with one, by the id alone."""
    if "id" in named:
        return {"id": named["id"]}
    return {**named, "player": named["player"] and {"id": named["player"]["id"]}}


def with_commitment(public: Members, commitment: str) -> Members:
    """Return what an entry says with the hash of the name of its newcomer."""
    place: Any = public.get("replacement", public)
    named = {**place, "player": {**place["player"], "commitment": commitment}}
    return cast(Members, {**public, "replacement": named} if "replacement" in public else named)


def newcomer_of(entry: Mapping[str, Any]) -> Any:
    """Return the player whose name has its hash in an entry; None if nobody comes or is to come."""
    place = entry.get("replacement", entry)
    return place.get("player") if type(place) is dict else None


def put_back(entry: Mapping[str, Any], shares: Mapping[str, Any], name: Name | None) -> Members:
    """Return what an entry says with the name or the text in it; an erased name is ERASED."""
    kind = ENTRY_TYPES[entry["type"]]
    if kind.says:
        return cast(Members, {**entry, "text": shares.get(ALL, {}).get("text", STAND_IN)})
    if not kind.names or not newcomer_of(entry):
        return cast(Members, entry)
    place = entry.get("replacement", entry)
    player = place["player"]
    called = name["name"] if name else player.get("name", ERASED)
    known = {**place, "player": {"id": player["id"], "name": called}}
    return cast(Members, {**entry, "replacement": known} if "replacement" in entry else known)


def full_move(entry: Mapping[str, Any], shares: Mapping[str, Any], moves: Moves | None = None) -> Json:
    """Return the move of an entry with the parts that not everybody sees, and its texts.

    With the fields of all `moves` of its ruleset, a text that was erased, and that it needs, is a STAND_IN.
    """
    for share in map(shares.get, (str(entry.get("seat")), ALL)):
        if type(share) is dict and "move" in share:
            return cast(Json, share["move"])
    move: Json = entry["move"]
    if moves is None or not is_erased(entry, shares):
        return move
    fields = moves.get(str(move.get("type")), {})
    needed = [name for name, field in fields.items() if field.spoken and not field.optional]
    return {**move, **dict.fromkeys(needed, STAND_IN)}


def texts_of(moves: Moves) -> list[str]:
    """List the moves of a ruleset, by the fields of all, that have a text in somebody's own words."""
    return [name for name, fields in moves.items() if any(field.spoken for field in fields.values())]


def is_erased(entry: Mapping[str, Any], shares: Mapping[str, Any]) -> bool:
    """Return whether a text of an entry was erased."""
    seals = entry.get("seals")
    return type(seals) is dict and ALL in seals and ALL not in shares


def readable(log: Iterable[Mapping[str, Any]], names: Any) -> list[dict[str, Any]]:
    """Return the entries of a log with names and texts in them, for people to read.

    Whoever was erased is numbered, in the order in which they came. Nothing here is checked: values of other
    types stay as they are.
    """
    names = names if type(names) is dict else {}
    known: dict[str, str] = {}
    people = 0
    found = []
    for number, entry in enumerate(log, 1):
        told = {**entry}
        newcomer = _id(entry.get("replacement") or entry) if entry.get("type") in NEWCOMING else None
        named = names.get(str(number))
        if newcomer and type(named) is dict and "name" in named:
            known[newcomer] = str(named["name"])
        elif newcomer and newcomer not in known:
            people += 1
            known[newcomer] = f"{ERASED} {people}"
        if entry.get("type") == "said":
            shares = entry.get("private")
            share = shares.get(ALL) if type(shares) is dict else None
            told["text"] = share.get("text", STAND_IN) if type(share) is dict else STAND_IN
        for name in NAMING:
            place = told if name == "player" else told.get(name)
            if type(place) is dict and (player := _id(place)):
                place = {**place, "player": {"id": player, "name": known.get(player, ERASED)}}
                told = place if name == "player" else {**told, name: place}
        found.append(told)
    return found


NEWCOMING = tuple(name for name, kind in ENTRY_TYPES.items() if kind.names)


def _id(place: Any) -> str | None:
    """Return the id of the player that an entry, or a member of one, names."""
    player = place.get("player") if type(place) is dict else None
    id_ = player.get("id") if type(player) is dict else None
    return id_ if type(id_) is str else None
