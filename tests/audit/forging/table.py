"""What a forger has to know of a table to tell a lie about it: who sits where, and where the game runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import referee
from referee.log.entries import ENDINGS, LAST

Record = dict[str, Any]
Entry = dict[str, Any]
NOBODY = {"id": "0b0e6a6e-7a0f-4b5c-8d0e-1a2b3c4d5e6f"}


class Untold(Exception):
    """A lie cannot be told of this record here."""


def said(text: str) -> Entry:
    """Return what an entry has that says this."""
    return {"private": {"all": {"text": text, "salt": "5a" * 16}}}


def by_id(player: Entry | None) -> Entry | None:
    """Return a player as entries name one who does not come with them."""
    return player and {"id": player["id"]}


def need(condition: object) -> None:
    if not condition:
        raise Untold


class Table:
    """A record before entry number `at` (from 0), and what is true there."""

    def __init__(self, record: Record, at: int) -> None:
        self.record, self.at, self.log = record, at, record["entries"]
        self.held: dict[int, Entry] = {}
        for entry in self.log[:at]:
            if entry["type"] == "joined":
                self.held[entry["seat"]] = {"player": by_id(entry["player"]), "bot": entry["bot"]}
            elif entry["type"] == "left":
                self.held.pop(entry["seat"], None)

    @property
    def its(self) -> Entry:
        """The entry here."""
        found: Entry = self.log[self.at]
        return found

    @property
    def time(self) -> str:
        """The time of the entry before."""
        return str(self.log[self.at - 1]["at"])

    @property
    def players(self) -> list[int]:
        return [seat for seat, who in self.held.items() if who["player"]]

    @property
    def bots(self) -> list[int]:
        return [seat for seat, who in self.held.items() if who["bot"]]

    @property
    def pace(self) -> Entry:
        return self.log[0].get("pace") or {}

    @property
    def deadlines(self) -> dict[str, str]:
        """The deadlines that are written last, of seats that have not moved since."""
        found: dict[str, str] = {}
        for entry in self.log[: self.at]:
            if entry["type"] in ("moved", "left"):
                found.pop(str(entry["seat"]), None)
            found |= entry.get("deadlines", {})
        return found

    @property
    def last_move(self) -> Entry:
        made: list[Entry] = [each for each in self.log[: self.at] if each["type"] == "moved"]
        need(made)
        return made[-1]

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
        always: Entry = {"bot": None} if kind == "left" else {}
        return {"seq": 0, "type": kind, "at": self.time, **always, **members}

    def insert(self, *entries: Entry) -> None:
        self.log[self.at : self.at] = entries

    def end(self, *entries: Entry) -> None:
        """Let the log end here with these entries."""
        self.log[self.at :] = entries

    def finished(self, result: Entry | None) -> Entry:
        return self.entry("finished", result=result, seed=self.record["seed"])

    def given_up(self, kind: str, seat: int, by: str) -> list[Entry]:
        """Return the end of a game that a seat gives up or loses by its clock."""
        state = self.state()
        need(state is not None and state.result is None)
        return [
            self.entry(kind, **self.who(seat, by)),
            self.finished(referee.resign(state, seat, reason=kind)),
        ]


def running(log: Sequence[Entry]) -> list[int]:
    """Return the places where the game is running, and no clock has just run out."""
    stage, found = "nothing", []
    for at, entry in enumerate(log):
        quiet = log[at - 1]["type"] not in ("timed_out", "left") and "random" not in log[at - 1]
        if stage == "running" and quiet and entry["type"] not in ("finished", "timed_out"):
            found.append(at)
        kind = entry["type"]
        if kind in ("started", "resumed"):
            stage = "running"
        elif kind in ("paused", *LAST, *ENDINGS):
            stage = "" if kind != "timed_out" else stage
    return found


Change = Callable[[random.Random, Table], None]
Places = Callable[[Sequence[Entry], str], list[int]]


def of_type(log: Sequence[Entry], kind: str) -> list[int]:
    return [at for at, entry in enumerate(log) if entry["type"] == kind]


def anywhere(log: Sequence[Entry], kind: str) -> list[int]:
    return running(log)


class Lie(NamedTuple):
    """A lie about entries of a type, which can be told at these places of a log."""

    type: str
    name: str
    change: Change
    places: Places

    def tell(self, choose: random.Random, record: Record) -> bool:
        """Tell the lie somewhere; return whether that was possible."""
        places = self.places(record["entries"], self.type)
        for at in choose.sample(places, len(places)):
            with suppress(Untold):
                self.change(choose, Table(record, at))
                return True
        return False


LIES: list[Lie] = []


def lie(*types: str, places: Places = of_type) -> Callable[[Change], Change]:
    """Add a function to the lies about entries of these types."""

    def listed(change: Change) -> Change:
        LIES.extend(Lie(kind, change.__name__, change, places) for kind in types)
        return change

    return listed
