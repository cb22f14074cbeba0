"""Each check of the verification fails for a forgery, and tests/audit/checks.toml names its function."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.verification
import referee.verification.verify
from docs.generating import guarantees
from tests.audit.forging.rebuilding import rebuild
from tests.support.forging import chained_anew, failed
from tests.support.honest import played
from tests.support.honest.server import Server

ROOT = Path(__file__).parents[2]
CHECKS = guarantees.checks()
BOT = "bot"  # has made a move
Record = dict[str, Any]
Entry = dict[str, Any]


@cache
def game_with(*features: str) -> Server:
    """Return a game with entries of these types, with these members, or by somebody."""
    for number in range(200):
        server = played(number, most=12)
        log = server.entries
        if all(
            any(name in (entry["type"], entry.get("by")) or (name != BOT and name in entry) for entry in log)
            for name in features
        ):
            return server
    raise AssertionError(f"no game has {features}")


def first(record: Record, feature: str) -> Entry:
    found: Entry = next(e for e in record["entries"] if e["type"] == feature or feature in e)
    return found


def without(name: str) -> Callable[[Record], Any]:
    return lambda record: record["entries"].remove(first(record, name))


def changed(feature: str, **members: Any) -> Callable[[Record], Any]:
    return lambda record: first(record, feature).update(members)


def other_bots(record: Record) -> None:
    """Every move of a bot is one of the other bot."""
    other = {"random": "cautious", "cautious": "random"}
    for entry in record["entries"]:
        if entry.get("bot"):
            entry["bot"] = other[entry["bot"]]


def longer_deadline(record: Record) -> None:
    entry = first(record, "deadlines")
    entry["deadlines"] = dict.fromkeys(entry["deadlines"], "2027-01-01T00:00:00.000000Z")


def swapped_cards(record: Record) -> None:
    entry = first(record, "started")
    for share in entry["private"].values():
        for transfer in share["transfers"]:
            transfer["cards"] = transfer["cards"][::-1]


def opened(record: Record) -> None:
    first(record, "private")["private"]["0"] = {"transfers": []}


# check → features of a game, what is forged, and whether all hashes are rebuilt
FORGERIES: dict[str, tuple[tuple[str, ...], Callable[[Record], Any], bool]] = {
    "sequence": ((), changed("started", seq=99), False),
    "times": ((), changed("started", at="2020-01-01T00:00:00Z"), True),
    "chain": (("said",), changed("said", text="Hello"), False),
    "order": ((), without("started"), True),
    "terms": ((), changed("created", ruleset_version=9), True),
    "commitment": ((), lambda record: record.update(seed="00" * 32), False),
    "seats": ((), changed("moved", player={"id": "x", "name": "Mallory"}, bot=None), True),
    "bots": ((BOT,), other_bots, True),
    "clocks": (("deadlines",), longer_deadline, True),
    "consent": (("take_back_agreed", "taken_back"), without("take_back_agreed"), True),
    "sealed": (("private",), opened, False),
    "shuffles": (("private",), swapped_cards, True),
    "verdicts": ((), changed("moved", move={"type": "win"}), True),
    "transfers": ((), changed("moved", transfers=[]), True),
    "moves": ((), lambda record: record["moves"].pop(), False),
    "result": (("finished",), lambda record: record["result"].update(reason="luck"), False),
    "members": ((), changed("moved", rating=2200), True),
    "entropy": (("revealed", "started"), changed("revealed", entropy="another"), True),
    "signatures": (("signature", "said"), lambda record: first(record, "signature").pop("signature"), True),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_fails(name: str) -> None:
    features, forge, rebuilt = FORGERIES[name]
    record = copy.deepcopy(game_with(*features).record())
    assert name not in failed(record)
    forge(record)
    if rebuilt:
        rebuild(record, {})
    assert name in failed(record)


@pytest.mark.parametrize("name", ["taken_back", "timeout_undone", "time_added", "vacation_taken", "resumed"])
def test_no_missing_member_causes_a_crash(name: str) -> None:
    whole = game_with(name, "deadlines", "reserve").record()
    for member in first(whole, name):
        record = copy.deepcopy(whole)
        del first(record, name)[member]
        assert failed(record)
        failed(chained_anew(record))


def test_every_check_is_listed() -> None:
    assert {*referee.verification.CHECKS, *FORGERIES} <= CHECKS.keys()


@pytest.mark.parametrize("check", CHECKS)
def test_each_check_leads_to_the_code(check: str) -> None:
    function, test = CHECKS[check]
    owner, name = owner_of(function)
    assert callable(getattr(owner, name))
    file, _, called = test.partition("::")
    called, _, case = called.partition("[")
    assert f"def {called}(" in (ROOT / file).read_text("utf-8")
    assert case in ("", f"{check}]")


def owner_of(function: str) -> tuple[Any, str]:
    """Return the module or class of a function, and its name there."""
    module, _, name = function.rpartition(".")
    try:
        return importlib.import_module(module), name
    except ModuleNotFoundError:
        module, _, kind = module.rpartition(".")
        return getattr(importlib.import_module(module), kind), name


@pytest.mark.parametrize("name", sorted(FORGERIES.keys() - {"order", "entropy", "result"}))
def test_without_its_function_a_check_finds_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those left out, more than one function finds this forgery, or nothing is checked without it."""
    features, forge, rebuilt = FORGERIES[name]
    record = copy.deepcopy(game_with(*features).record())
    forge(record)
    if rebuilt:
        rebuild(record, {})
    owner, deciding = owner_of(CHECKS[name][0])
    users = [owner] if isinstance(owner, type) else [owner, referee.verification.verify]
    for user in users:
        monkeypatch.setattr(user, deciding, lambda *given: None)
    assert name not in failed(record)
