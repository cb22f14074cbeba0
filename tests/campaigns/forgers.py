"""Forgers of records: `plain`, `rebuilt`, `re-signed` and `semantic` (see tests/campaigns/forgeries.py)."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import referee
import referee.proofs
import referee.records
from referee.proofs.signing import CHOSEN, action_of
from tests.campaigns import (  # noqa: F401 (they add to LIES)
    impossible,
    lies,
    lies_about_clocks,
    lies_about_consent,
    lies_about_ends,
    lies_about_records,
)
from tests.campaigns.lying import LIES
from tests.support.forging import changed, places
from tests.support.honest import played
from tests.support.honest.server import Server

Record = dict[str, Any]
KINDS = ("plain", "rebuilt", "re-signed", "semantic")
ENDINGS = ("resigned", "timed_out", "dropped", "drawn", "adjudicated", "cancelled")
REBUILT = {"hash", "sealed", "seals", "salt", "seq"}


class Forgery(NamedTuple):
    """A forged record: the kind of forger, what was done to which type of entry and which member."""

    kind: str
    deed: str
    type: str
    member: str
    record: Record
    game: int

    @property
    def what(self) -> str:
        return f"{self.kind}: {self.deed} {self.type}.{self.member} (game {self.game})"


def rebuild(record: Record, keys: dict[str, Any]) -> Record:
    """Number, seal, sign and chain all entries again; `keys` are the private keys that the forger has."""
    seed, head, seated = bytes.fromhex(record["seed"]), bytes(32), {}
    log = record["entries"]
    for seq, entry in enumerate(log, 1):
        entry["seq"] = seq
        private = entry.get("private")
        shares: Record = private if isinstance(private, dict) else {}
        kind, seat = entry.get("type"), entry.get("seat")
        if kind in CHOSEN and keys and entry.get("by") == "player" and seated.get(seat) in keys:
            own = shares.get(str(seat), {})
            place = own if "move" in own else entry
            action = action_of(entry, own.get("move", entry.get("move")))
            message = referee.proofs.bytes_to_sign(log[0]["commitment"], head.hex(), action)
            place["signature"] = keys[seated[seat]].sign(message).hex()
        if kind in ("joined", "left"):
            seated[seat] = entry.get("public_key") if kind == "joined" else None
        public = {name: value for name, value in entry.items() if name not in ("hash", "private", "sealed")}
        if shares and all(isinstance(share, dict) for share in shares.values()):
            shares = referee.records.with_salts(seed, seq, shares)
        made = referee.records.make_entry(head, seed, public, shares)
        head = made.hash
        entry.update(made.public, hash=head.hex(), **({"private": shares} if shares else {}))
    return repaired(record)


def repaired(record: Record) -> Record:
    """Let the record say what its log says."""
    moves: list[Record] = []
    ends: list[Record] = []
    resigns = (record["entries"][0].get("pace") or {}).get("on_timeout", "resign") == "resign"
    for entry in record["entries"]:
        kind = entry.get("type")
        if kind == "moved":
            share = entry.get("private", {}).get(str(entry["seat"]), {})
            beside = {name: entry[name] for name in ("seq", "at", "hash")}
            moves.append({"seat": entry["seat"], "move": share.get("move", entry["move"]), **beside})
        elif kind in ("taken_back", "timeout_undone"):
            moves = [each for each in moves if each["seq"] < entry["of"]]
        elif kind in ENDINGS and (kind != "timed_out" or resigns):
            ends.append(entry)
        elif kind == "finished":
            record["result"] = entry["result"]
    record["moves"] = moves
    record["ended"] = None
    if ends:
        seats = [each.get("seat") for each in ends]
        also = {"seats": seats} if len(seats) > 1 else {}
        who = {"seat": seats[0], **also} if "seat" in ends[0] else ends[0].get("ruling", {})
        record["ended"] = {"type": ends[0]["type"], **who}
    return record


def mutate(choose: random.Random, log: list[Record]) -> tuple[str, str, str] | None:
    """Change something in a log; return the deed, the type of entry and the member, or None."""
    at = choose.randrange(len(log))
    if choose.random() < 0.4:  # types that are rare are as likely as moves
        kind = choose.choice(sorted({entry["type"] for entry in log}))
        at = choose.choice([n for n, entry in enumerate(log) if entry["type"] == kind])
    entry = log[at]
    name = choose.choice([*(entry.keys() - REBUILT)])
    deed = choose.choice(("change", "change", "borrow", "borrow", "drop", "add", "remove", "double", "swap"))
    kind = entry["type"]
    if deed == "change":
        path = choose.choice([path for path in places(entry) if path[0] == name])
        if {*path} & REBUILT:
            return None
        place: Any = entry
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = changed(place[path[-1]])
    elif deed == "borrow":  # a value that is right elsewhere
        others = [other[name] for other in log if name in other and other[name] != entry[name]]
        if not others or name == "hash":
            return None
        entry[name] = copy.deepcopy(choose.choice(others))
    elif deed == "drop":
        del entry[name]
    elif deed == "add":
        known = [
            each
            for each in referee.records.MEMBERS
            if each not in entry and each not in REBUILT | {"take_back"}
        ]
        name = choose.choice(known)
        given = [other[name] for other in log if name in other]
        entry[name] = copy.deepcopy(choose.choice(given)) if given else choose.choice((True, None, 0, "x"))
    elif deed == "remove":
        deed = "cut" if at == len(log) - 1 else deed
        del log[at]
        name = ""
    elif deed == "double":
        log.insert(at, copy.deepcopy(entry))
        name = ""
    else:
        other = min(at + 1, len(log) - 1)
        if other == at:
            return None
        log[at], log[other] = log[other], log[at]
        log[at]["at"], log[other]["at"] = log[other]["at"], log[at]["at"]
        name = log[at]["type"]
    return deed, kind, name


def mutate_head(choose: random.Random, record: Record) -> tuple[str, str, str]:
    """Change something in a record apart from its log."""
    name = choose.choice([name for name in record if name != "entries"])
    if choose.random() < 0.2:
        del record[name]
        return "drop", "record", name
    path = choose.choice([*places({name: record[name]})])
    place: Any = record
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = changed(place[path[-1]])
    return "change", "record", name


def forgeries(
    count: int, games: Iterator[Server], seed: int = 1, kinds: Sequence[str] = KINDS
) -> Iterator[Forgery]:
    """Yield forgeries, of each kind in turn."""
    choose = random.Random(seed)
    made = 0
    while made < count:
        server = next(games)
        whole = server.record()
        for _ in range(40):
            kind = kinds[made % len(kinds)]
            record = copy.deepcopy(whole)
            done: tuple[str, str, str] | None
            if kind == "semantic":
                lie = choose.choice(LIES)
                done = ("lie", lie.type, lie.name) if lie.tell(choose, record) else None
            elif kind == "plain" and choose.random() < 0.4:
                done = mutate_head(choose, record)
            else:
                done = mutate(choose, record["entries"])
            if done is None or not record["entries"]:
                continue
            if kind != "plain":
                keys = {} if kind == "rebuilt" else server.all_keys
                with contextlib.suppress(Exception):  # then the forger gives up half way
                    rebuild(record, keys)
            if json.dumps(record, sort_keys=True) == json.dumps(whole, sort_keys=True):
                continue
            yield Forgery(kind, *done, record, server.number)
            made += 1
            if made == count:
                return


def honest_games(first: int, most: int = 25) -> Iterator[Server]:
    number = first
    while True:
        yield played(number, most=most)
        number += 1
