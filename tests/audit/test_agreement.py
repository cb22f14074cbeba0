"""The two verifiers compared: both find what an attacker forges who can rebuild every hash."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import referee
import referee.proofs
from docs import log_records
from referee.log.keys import _P, _WEAK
from tests.referee.logged import logged
from tests.support.chosen_deals import beginning, hashed, record
from tests.support.forging import chained_anew, failed, places
from tests.support.page_verifier import ask, failures

ENDED = json.loads(json.dumps(logged("cats_and_dogs", 3, number=4, most=6, end="resigned")))
LATE = json.loads(json.dumps(logged("cats_and_dogs", 3, number=4, most=6, end="timed_out")))
OFF = json.loads(json.dumps(logged("cats_and_dogs", 3, number=4, most=6, end="cancelled")))
SCORED = json.loads(json.dumps(logged("cats_and_dogs", 3, number=4, most=14, end="resigned")))
DEAL = record(beginning())
BY_POST = log_records.clocks()
Log = list[dict[str, Any]]


def first(log: Log, kind: str) -> dict[str, Any]:
    return next(entry for entry in log if entry["type"] == kind)


def doubled(kind: str) -> Callable[[Log], None]:
    def change(log: Log) -> None:
        log.insert(log.index(first(log, kind)), copy.deepcopy(first(log, kind)))

    return change


def swapped(kind: str) -> Callable[[Log], None]:
    """Move an entry before its predecessor, with that entry's time."""

    def change(log: Log) -> None:
        at = log.index(first(log, kind))
        log[at - 1], log[at] = log[at], log[at - 1]
        log[at - 1]["at"], log[at]["at"] = log[at]["at"], log[at - 1]["at"]

    return change


def dropped(kind: str) -> Callable[[Log], None]:
    return lambda log: log.remove(first(log, kind))


def changed(kind: str, **values: Any) -> Callable[[Log], None]:
    return lambda log: first(log, kind).update(values)


def without(kind: str, name: str) -> Callable[[Log], None]:
    return lambda log: first(log, kind).__delitem__(name)


def other_seats(log: Log) -> None:
    log[0]["seats"] += 1


def other_name(log: Log) -> None:
    """Show one move under another name; the player's id stays."""
    moved = first(log, "moved")
    moved["player"] = {**moved["player"], "name": "Eve"}


def same_promise(log: Log) -> None:
    log[2]["commitment"] = log[1]["commitment"]


def transferred(kind: str, seat: str | None = None, **values: Any) -> Callable[[Log], None]:
    """Change a transfer, or what a seat is shown of it."""

    def change(log: Log) -> None:
        entry = first(log, kind)
        told = entry if seat is None else entry["private"][seat]
        told["transfers"][0].update(values)

    return change


def called_off(entropy: list[str] | None) -> Any:
    """Return the record of a game that is cancelled before it begins, with this entropy or without any."""
    log = [copy.deepcopy(entry) for entry in ENDED["entries"] if entry["type"] in ("created", "joined")]
    log.append({**first(OFF["entries"], "cancelled"), "at": log[-1]["at"]})
    for seq, entry in enumerate(log, 1):
        entry["seq"] = seq
    bare = {"moves": [], "result": None, "chance": None, "ended": {"type": "cancelled"}, "entries": log}
    off = chained_anew({**ENDED, **bare, "entropy": entropy})
    if entropy is None:
        del off["entropy"]
    return off


LOOK = {"what": "cards", "by": "app", "seat": 0, "at": "2026-01-02T03:00:09.000000Z"}
PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": None}


def paced(**values: Any) -> Callable[[Log], None]:
    return changed("created", pace={**PACE, **values})


CALLED_OFF = called_off(ENDED["entropy"])
FORGERIES: list[tuple[Any, Callable[[Log], None]]] = [
    *[(ENDED, changed(kind, at="2020-01-01T00:00:00.000000Z")) for kind in ("joined", "started", "resigned")],
    (ENDED, changed("started", at="yesterday")),
    (ENDED, without("finished", "at")),
    (ENDED, changed("finished", looks=[LOOK])),
    *[(ENDED, doubled(kind)) for kind in ("created", "resigned", "finished")],
    *[(ENDED, dropped(kind)) for kind in ("resigned", "finished", "joined", "created", "started")],
    *[(ENDED, swapped(kind)) for kind in ("finished", "resigned", "started")],
    (ENDED, changed("created", ruleset="bisca")),
    (ENDED, changed("created", ruleset_version=2)),
    (ENDED, without("created", "options")),
    (ENDED, other_seats),
    (ENDED, without("joined", "seat")),
    (ENDED, changed("joined", seat=7)),
    *[(LATE, change) for change in (doubled("timed_out"), swapped("timed_out"), dropped("timed_out"))],
    (LATE, changed("created", pace={"per_move": "PT72H", "on_timeout": "forget", "warn_before": None})),
    *[
        (OFF, change)
        for change in (doubled("cancelled"), dropped("cancelled"), changed("cancelled", type="said"))
    ],
    (ENDED, changed("joined", replaced=True)),
    (ENDED, changed("created", options={"target": 4})),
    *[(ENDED, paced(**{name: True})) for name in ("per_move", "warn_before", "increment", "weekends")],
    *[(ENDED, paced(**{name: False})) for name in ("increment", "weekends", "reserve", "vacation_days")],
    *[(ENDED, paced(vacation_days=days)) for days in (-1, 366, 10**9)],
    (ENDED, paced(quiet_weekends=0)),
    (ENDED, other_name),
    (DEAL, changed("created", reveal_within="PT0.000001S")),
    (DEAL, changed("created", reveal_within=7)),
    (DEAL, same_promise),
    (DEAL, changed("created", entropy="told")),
    (DEAL, without("created", "entropy")),
    (DEAL, without("created", "reveal_within")),
    (DEAL, changed("joined", entropy="later")),
    (DEAL, without("joined", "commitment")),
    (DEAL, lambda log: log[3].update(commitment=hashed("a bot's"))),
    (DEAL, dropped("revealed")),
    (DEAL, doubled("revealed")),
    (DEAL, swapped("revealed")),
    (ENDED, without("moved", "transfers")),
    *[(ENDED, transferred("moved", **{name: "elsewhere"})) for name in ("from", "to")],
    (ENDED, transferred("moved", cards=["C1"])),
    *[(ENDED, transferred("started", "1", **{name: "elsewhere"})) for name in ("from", "to")],
    (ENDED, transferred("started", "1", cards=["C1"] * 9)),
]


def test_both_verifiers_find_every_forgery() -> None:
    whole = [ENDED, LATE, OFF, DEAL]
    seen = copy.deepcopy(ENDED)
    seen["looks"] = [LOOK, {**LOOK, "seat": None}]
    whole.append(chained_anew(seen))
    assert [failed(each) for each in whole] == [{}] * 5
    assert [failures(answer) for answer in ask(whole)] == [{}] * 5
    forged = []
    for given, change in FORGERIES:
        other = copy.deepcopy(given)
        change(other["entries"])
        for seq, entry in enumerate(other["entries"], 1):
            entry["seq"] = seq
        forged.append(chained_anew(other))
    for ended in (None, {"type": "resigned", "seat": 2}, {"type": "cancelled"}):
        forged.append({**ENDED, "ended": ended})
        assert failed(forged[-1]), ended
    for result in ({"reason": "target"}, {"losers": []}):
        other = copy.deepcopy(ENDED)
        other["result"] = first(other["entries"], "finished")["result"] = {**ENDED["result"], **result}
        forged.append(chained_anew(other))
    for entropy, valid in ((ENDED["entropy"], True), (ENDED["entropy"][::-1], False), (None, False)):
        off = called_off(entropy)
        if valid:
            assert (failed(off), failures(*ask([off]))) == ({}, {})
        else:
            forged.append(off)
    missed = [n for n, other in enumerate(forged) if not failed(other)]
    assert missed == [], "the referee's verifier"
    assert [n for n, answer in enumerate(ask(forged)) if answer["ok"]] == [], "the page's verifier"


LABELLED = {**ENDED, "title": "Final", "external_id": "mine/1", "metadata": {"league": "north"}}
HONEST = [LABELLED, {**LABELLED, "external_id": None, "metadata": {}}]


def test_both_verifiers_accept_everything_that_an_honest_server_writes() -> None:
    assert [failed(each) for each in HONEST] == [{}] * len(HONEST)
    assert [failures(answer) for answer in ask(HONEST)] == [{}] * len(HONEST)


@pytest.mark.parametrize("agreed", [False, True])
def test_nobody_agrees_that_a_player_leaves_before_the_start(agreed: bool) -> None:
    other = copy.deepcopy(ENDED)
    log = other["entries"]
    left = {"type": "left", **{name: log[1][name] for name in ("seat", "player", "at")}}
    log[2:2] = [{**left, "agreed": True} if agreed else left, copy.deepcopy(log[1])]
    for seq, entry in enumerate(log, 1):
        entry["seq"] = seq
    chained_anew(other)
    found = [failed(other).get("consent"), failures(*ask([other])).get("consent")]
    assert found == [3 if agreed else None] * 2


def retyped(value: Any) -> Iterator[Any]:
    """Yield what a careless program takes for the same value: true for 1, 1.0 for 1, "1" for 1, and back."""
    if type(value) is int:
        yield from (float(value), str(value), *([bool(value)] if value in (0, 1) else []))
    elif type(value) is bool:
        yield from (int(value), str(value))
    elif value is None:
        yield from (False, 0)
    elif type(value) is str:
        yield from ([value], int(value)) if value.isdecimal() and value == str(int(value)) else ([value],)


def retypings(record: dict[str, Any], head: bool) -> Iterator[tuple[tuple[Any, ...], Any, dict[str, Any]]]:
    """Yield records with one value of another type, every hash rebuilt: what was changed, and the record."""
    part = {name: value for name, value in record.items() if (name != "entries") == head}
    for path in places(part):
        if {"hash", "sealed", "seals", "salt"} & {*path}:  # rebuilt
            continue
        value = part
        for step in path:
            value = value[step]
        for other in retyped(value):
            forged = copy.deepcopy(record)
            place = forged
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = other
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                yield path, other, forged if head else chained_anew(forged)


def refused(record: dict[str, Any]) -> bool:
    try:
        return bool(failed(record))
    except referee.Malformed:
        return True


RETYPED = {"resigned": SCORED, "labelled": LABELLED, "committed": DEAL, "by-post": BY_POST}


LONGEST = [("by-post", False), ("resigned", False)]  # hundreds of forgeries each


@pytest.mark.parametrize(
    ("name", "head"),
    [(name, True) for name in RETYPED]
    + [("committed", False), *(pytest.param(*case, marks=pytest.mark.long) for case in LONGEST)],
)
def test_both_verifiers_tell_types_apart(name: str, head: bool) -> None:
    record = RETYPED[name]
    forged = [*retypings(record, head)]
    assert len(forged) > 40
    assert [(path, value) for path, value, other in forged if not refused(other)] == [], "the referee's"
    answers = ask([other for *_, other in forged])
    passed = [case[:2] for case, answer in zip(forged, answers, strict=True) if answer["ok"]]
    assert passed == [], "the page's verifier"


def key(y: int) -> str:
    return (y % 2**256).to_bytes(32, "little").hex()


@pytest.mark.parametrize("sign", [0, 1 << 255])
def test_both_verifiers_refuse_keys_that_anybody_can_sign_for(sign: int) -> None:
    weak = [key(y | sign) for y in sorted(_WEAK)] + [key(_P | sign), key((_P + 1) | sign), "00", "zz" * 32]
    fine = key(4 | sign)
    bent = []
    for text in [*weak, fine]:
        other = copy.deepcopy(ENDED)
        first(other["entries"], "joined")["public_key"] = text
        bent.append(chained_anew(other))
    found = [
        (failed(other).get("seats"), failures(answer).get("seats"))
        for other, answer in zip(bent, ask(bent), strict=True)
    ]
    assert found == [(2, 2)] * len(weak) + [(None, None)]
