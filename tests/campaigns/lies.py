"""Plausible lies in a log, for each type of entry, told by a forger who can make hashes fit."""

from __future__ import annotations

import copy
import random
from datetime import timedelta

import referee
import referee.clocks
import referee.records
from tests.campaigns.lying import TALK, Entry, Record, lie, shift

SEATED = tuple(name for name, kind in referee.records.ENTRY_TYPES.items() if kind.has("seat"))
CLOCKED = tuple(name for name, kind in referee.records.ENTRY_TYPES.items() if kind.has("deadlines"))


@lie(*SEATED)
def by_another_seat(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """The same, done by another seat and its player."""
    others = [
        other
        for other in record["entries"]
        if other["type"] in ("joined", "moved") and other.get("seat") != entry.get("seat")
    ]
    if not others:
        return False
    other = choose.choice(others)
    entry.pop("bot", None)
    entry.update({name: other[name] for name in ("seat", "player", "bot") if name in other})
    return None


@lie(*SEATED)
def under_another_name(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry.get("player"):
        return False
    entry["player"] = {**entry["player"], "name": "Mallory"}
    return None


@lie(*SEATED)
def by_somebody_else(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """`by` says something else."""
    if "by" not in entry:
        return False
    entry["by"] = choose.choice(
        [by for by in ("player", "app", "order", "clock", "bot") if by != entry["by"]]
    )
    return None


@lie(*referee.records.ENTRY_TYPES)
def earlier(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """At the time of the entry before."""
    at = record["entries"].index(entry)
    before = record["entries"][at - 1]["at"]
    if not at or before == entry["at"]:
        return False
    entry["at"] = before
    return None


@lie(*referee.records.ENTRY_TYPES)
def left_out(choose: random.Random, entry: Entry, record: Record) -> None:
    record["entries"].remove(entry)


@lie(*referee.records.ENTRY_TYPES)
def told_twice(choose: random.Random, entry: Entry, record: Record) -> None:
    record["entries"].insert(record["entries"].index(entry), copy.deepcopy(entry))


@lie(*CLOCKED)
def later_deadline(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry.get("deadlines"):
        return False
    seat = choose.choice([*entry["deadlines"]])
    entry["deadlines"][seat] = shift(entry["deadlines"][seat], hours=1)
    return None


@lie(*CLOCKED)
def no_deadline(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if entry.pop("deadlines", None) is None else None


@lie("joined", "left", "moved", "taken_back", "timeout_undone")
def more_reserve(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry.get("reserve"):
        return False
    seat = choose.choice([*entry["reserve"]])
    entry["reserve"][seat] = referee.clocks.duration_text(
        referee.clocks.duration(entry["reserve"][seat]) + timedelta(hours=1)
    )
    return None


@lie("joined", "left", "moved", "taken_back", "timeout_undone")
def no_reserve(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if entry.pop("reserve", None) is None else None


@lie("created")
def other_pace(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry["pace"]:
        return False
    entry["pace"].update(
        choose.choice(({"per_move": "PT99H"}, {"reserve": "PT99H"}, {"on_timeout": "resign"}))
    )
    return None


@lie("created")
def other_options(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """In the record too."""
    numbers = [name for name, value in entry["options"].items() if type(value) is int]
    if not numbers:
        return False
    name = choose.choice(numbers)
    entry["options"][name] = record["options"][name] = entry["options"][name] + 1
    return None


@lie("created")
def another_seed(choose: random.Random, entry: Entry, record: Record) -> None:
    """With its commitment, everywhere."""
    seed = choose.randbytes(32)
    record["seed"], record["commitment"] = seed.hex(), referee.commitment(seed)
    entry["commitment"] = record["commitment"]
    for last in record["entries"]:
        if last["type"] == "finished":
            last["seed"] = seed.hex()


@lie("created")
def other_visibility(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["visibility"] = "private" if entry["visibility"] == "public" else "public"


@lie("created")
def no_test(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if record.pop("test_clock", None) != entry.pop("test_clock", 0) else None


@lie("joined", "revealed")
def other_entropy(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """In the record too."""
    if record["entropy"][entry["seat"]] != entry["entropy"] or entry.get("replaced") or not entry["entropy"]:
        return False
    entry["entropy"] = record["entropy"][entry["seat"]] = "another text"
    return None


@lie("joined")
def no_key(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """The key is removed, and what was signed stays."""
    return False if entry.pop("public_key", None) is None else None


@lie("joined")
def a_bot(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A bot from the beginning, in all entries of the seat."""
    if not entry.get("player"):
        return False
    for other in record["entries"]:
        if other.get("player") == entry["player"] and "seat" in other:
            other.update(player=None, bot="random")
    return None


@lie("left")
def agreed(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry.get("replaced"):
        return False
    entry.update({"agreed": True}) if "agreed" not in entry else entry.pop("agreed")
    return None


@lie("started", "moved")
def other_cards(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """Two cards change places, in P and in all shares."""
    shares = [share for share in (entry, *entry.get("private", {}).values()) if share.get("transfers")]
    cards = sorted(
        {
            card
            for share in shares
            for each in share["transfers"]
            for card in each["cards"]
            if card is not None
        }
    )
    if len(cards) < 2:
        return False
    one, two = choose.sample(cards, 2)
    swap = {one: two, two: one}
    for share in shares:
        for each in share["transfers"]:
            each["cards"] = [swap.get(card, card) for card in each["cards"]]
    return None


@lie("started", "moved")
def a_card_less(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry["transfers"]:
        return False
    at = choose.randrange(len(entry["transfers"]))
    for share in (entry, *entry.get("private", {}).values()):
        if share.get("transfers"):
            share["transfers"][at]["cards"] = share["transfers"][at]["cards"][:-1]
    return None


@lie("moved")
def another_move(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A move that the same seat has made at another time."""
    moves = [
        other["move"]
        for other in record["entries"]
        if other["type"] == "moved" and other["seat"] == entry["seat"] and other["move"] != entry["move"]
    ]
    if not moves:
        return False
    entry["move"] = copy.deepcopy(choose.choice(moves))
    return None


@lie("moved")
def other_scores(choose: random.Random, entry: Entry, record: Record) -> None:
    scores = entry.get("scores") or [0] * record["seats"]
    entry["scores"] = [scores[0] + 1, *scores[1:]]


@lie("moved")
def another_winner(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["won_by"] = (entry.get("won_by", 0) + 1) % record["seats"]


@lie("moved")
def marked_otherwise(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A player's move as an order, or a forced one as a player's."""
    if entry.get("bot"):
        return False
    if "random" in entry or "order" in entry:
        entry.pop("random", None)
        entry.pop("order", None)
        entry["by"] = "player"
    else:
        mark = choose.choice(("random", "order"))
        entry.update({mark: True, "by": {"random": "clock"}.get(mark, mark)})
        entry.pop("signature", None)
    return None


@lie(*TALK)
def other_words(choose: random.Random, entry: Entry, record: Record) -> None:
    entry[TALK[entry["type"]]] = "I resign!"


@lie("take_back_requested", "take_back_agreed", "take_back_refused", "taken_back", "timeout_undone")
def another_entry(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    moves = [
        n for n, other in enumerate(record["entries"], 1) if other["type"] == "moved" and n != entry["of"]
    ]
    if not moves:
        return False
    entry["of"] = choose.choice(moves)
    return None


@lie("take_back_refused", "take_back_agreed")
def the_other_answer(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["type"] = "take_back_agreed" if entry["type"] == "take_back_refused" else "take_back_refused"


@lie("vacation_taken")
def more_days(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["vacation"].update(choose.choice(({"days": 2}, {"left": 9}, {"until": shift(entry["at"], days=9)})))


@lie("time_returned")
def longer_outage(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["since"] = shift(entry["since"], hours=-3)


@lie("time_added")
def more_time(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["added"].update(
        choose.choice(({"time": "PT99H"}, {"seat": (entry["added"]["seat"] + 1) % record["seats"]}))
    )


@lie("timeout_undone")
def another_time_out(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["undone"] = {**entry["undone"], "timed_out": entry["undone"]["timed_out"] - 1}


@lie("nudged")
def to_nobody(choose: random.Random, entry: Entry, record: Record) -> None:
    del entry["nudge"]


@lie("nudged")
def to_another_seat(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["nudge"]["seat"] = (entry["nudge"]["seat"] + 1) % record["seats"]


@lie("replacement_agreed")
def for_somebody_else(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["replacement"].update(player=None, bot="cautious")


@lie("finished")
def another_result(choose: random.Random, entry: Entry, record: Record) -> None:
    result = entry["result"]
    entry["result"] = choose.choice(
        (
            {**result, "winners": result["losers"], "losers": result["winners"]},
            {**result, "reason": "resigned" if result["reason"] != "resigned" else "timed_out"},
        )
    )


@lie("finished")
def called_off(choose: random.Random, entry: Entry, record: Record) -> None:
    """The end of the game is replaced by a cancellation."""
    at = entry["at"]
    entry.clear()
    entry.update(type="cancelled", at=at)
    record["result"] = None


@lie("paused", "resumed")
def a_longer_pause(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """All entries from here on come later."""
    for other in record["entries"][record["entries"].index(entry) :]:
        other["at"] = shift(other["at"], hours=2)


@lie("resigned", "timed_out", "forfeited", "moved")
def a_nudge_after_it(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """Something happens after the end of the game."""
    log = record["entries"]
    following = log[log.index(entry) + 1 : log.index(entry) + 2]
    if not following or following[0]["type"] not in ("finished", "cancelled"):
        return False
    who = {name: entry[name] for name in ("seat", "player", "bot") if name in entry}
    nudge = {"seat": 0, "player": {"id": "x", "name": "x"}}
    log.insert(
        log.index(entry) + 1, {"type": "nudged", "at": entry["at"], **who, "by": "app", "nudge": nudge}
    )
    return None
