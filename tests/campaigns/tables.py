"""What a forger has to know of a table to tell a lie about it: who sits where, and where the game runs."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import referee
from tests.campaigns.lying import LIES, Entry, Record

NOBODY = {"id": "0b0e6a6e-7a0f-4b5c-8d0e-1a2b3c4d5e6f", "name": "Mallory"}


class Table:
    """A record before entry number `at` (from 0), and what is true there."""

    def __init__(self, record: Record, at: int) -> None:
        self.record, self.at, self.log = record, at, record["entries"]
        self.held: dict[int, Entry] = {}
        for entry in self.log[:at]:
            if entry["type"] == "joined":
                self.held[entry["seat"]] = {"player": entry["player"], "bot": entry["bot"]}
                self.held[entry["seat"]]["key"] = "public_key" in entry
            elif entry["type"] == "left":
                self.held.pop(entry["seat"], None)

    @property
    def players(self) -> list[int]:
        return [seat for seat, who in self.held.items() if who["player"]]

    @property
    def bots(self) -> list[int]:
        return [seat for seat, who in self.held.items() if who["bot"]]

    @property
    def pace(self) -> Entry:
        found: Entry = {}
        for entry in self.log[: self.at]:
            found = entry.get("pace") or found
        return found

    @property
    def deadlines(self) -> dict[str, str]:
        """The deadlines that are written last, of seats that have not moved since."""
        found: dict[str, str] = {}
        for entry in self.log[: self.at]:
            if entry["type"] in ("moved", "left"):
                found.pop(str(entry["seat"]), None)
            found |= entry.get("deadlines", {})
        return found

    def state(self) -> Any:
        """Return the position here."""
        verification = referee.Verification(self.record)
        for entry in self.log[: self.at]:
            verification.read(entry)
        return verification.state

    def who(self, seat: int, by: str = "player") -> Entry:
        held = self.held[seat]
        bot = {"bot": held["bot"]} if held["bot"] else {}
        return {"seat": seat, "player": held["player"], **bot, "by": by if held["player"] else "app"}

    def entry(self, kind: str, **members: Any) -> Entry:
        return {"seq": 0, "type": kind, "at": self.log[self.at - 1]["at"], **members}

    def insert(self, *entries: Entry) -> None:
        self.log[self.at : self.at] = entries

    def end(self, *entries: Entry) -> None:
        """Let the log end here with these entries."""
        self.log[self.at :] = entries

    def finished(self, result: Entry | None) -> Entry:
        return self.entry("finished", result=result, seed=self.record["seed"])


def running(choose: random.Random, record: Record) -> Table | None:
    """Return a place where the game is running, and no clock has just run out; None if there is none."""
    log = record["entries"]
    stage, found = "nothing", []
    for at, entry in enumerate(log):
        quiet = log[at - 1]["type"] not in ("timed_out", "left") and "random" not in log[at - 1]
        if stage == "running" and quiet and entry["type"] not in ("finished", "timed_out"):
            found.append(at)
        kind = entry["type"]
        if kind in ("started", "resumed"):
            stage = "running"
        elif kind in ("paused", "finished", "cancelled", *ENDINGS):
            stage = "" if kind != "timed_out" else stage
    return Table(record, choose.choice(found)) if found else None


ENDINGS = ("resigned", "timed_out", "dropped", "drawn", "adjudicated")


Deed = Callable[[random.Random, Table], bool | None]


class Anywhere(NamedTuple):
    """A lie that can be told wherever a game is running; `change` returns False where it cannot."""

    type: str
    name: str
    change: Deed

    def tell(self, choose: random.Random, record: Record) -> bool:
        """Tell the lie somewhere; return whether that was possible."""
        table = running(choose, record)
        return table is not None and self.change(choose, table) is not False


def anywhere(*types: str) -> Callable[[Deed], Deed]:
    """Add a function to the lies, about entries of these types that it writes."""

    def listed(change: Deed) -> Deed:
        LIES.extend(Anywhere(kind, change.__name__, change) for kind in types)
        return change

    return listed
