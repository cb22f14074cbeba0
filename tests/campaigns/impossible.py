"""Lies that no honest server could tell, whatever had happened: every verifier must find each of them."""

from __future__ import annotations

import random

from tests.campaigns.lying import Entry, Record, lie

NOBODY = {"id": "0b0e6a6e-7a0f-4b5c-8d0e-1a2b3c4d5e6f", "name": "Mallory"}


@lie("created")
def from_elsewhere(choose: random.Random, entry: Entry, record: Record) -> None:
    """With an origin, entries need not say by whom they are."""
    entry["origin"] = "elsewhere"
    for each in record["entries"]:
        each.pop("by", None)


@lie("created")
def imported_by_somebody(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "imported_by" in entry:
        return False
    entry["imported_by"] = NOBODY
    return None


@lie("created")
def no_such_visibility(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["visibility"] = "everybody"


@lie("created")
def time_to_reveal_nothing(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "reveal_within" in entry:
        return False
    entry["reveal_within"] = "PT1H"
    return None


@lie("created")
def a_clock_that_is_none(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["test_clock"] = record["test_clock"] = "a clock"


@lie("joined")
def taken_by_nobody(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """In all entries of the seat."""
    return _held_by(entry, record, None)


@lie("joined")
def taken_without_a_name(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return _held_by(entry, record, {"id": NOBODY["id"], "name": ""})


@lie("joined")
def taken_by_two(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """By a bot, and a player as well."""
    return False if not entry.get("bot") else _held_by(entry, record, NOBODY)


def _held_by(entry: Entry, record: Record, player: Entry | None) -> bool | None:
    named = (entry["player"], entry["bot"])
    if player is None and entry["bot"]:
        return False
    for each in record["entries"]:
        if (each.get("seat"), each.get("player"), each.get("bot")) == (entry["seat"], *named):
            each["player"] = player
    return None


@lie("moved")
def late_without_clocks(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if record["entries"][0]["pace"] or entry.get("bot"):
        return False
    entry.update(random=True, by="clock")
    return None


@lie("moved")
def made_for_late_seats_in_another_order(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """The second and the third of the moves for seats that were late together."""
    log = record["entries"]
    for n in range(len(log) - 2):
        if all(each["type"] == "moved" and each.get("random") for each in log[n : n + 3]):
            log[n + 1], log[n + 2] = log[n + 2], log[n + 1]
            return None
    return False


@lie("nudged")
def about_no_seat(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["nudge"]["seat"] = record["seats"]


@lie("replacement_agreed")
def given_away_without_being_there(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["replacement"]["seat"] = record["seats"]
