"""Lies about time: outages, time that is given, paces, days off, pauses, late seats, reserves."""

from __future__ import annotations

import copy
import random
from datetime import timedelta

import referee.clocks
from tests.campaigns.lying import Entry, Record, lie, shift
from tests.campaigns.tables import Table, anywhere


@lie("time_returned")
def returned_twice(choose: random.Random, entry: Entry, record: Record) -> None:
    """The same outage again, with deadlines that are later by as much."""
    log, at = record["entries"], record["entries"].index(entry)
    since, until = (referee.clocks.read_time(entry[name]) for name in ("since", "at"))
    assert since is not None
    assert until is not None
    again = copy.deepcopy(entry)
    again["deadlines"] = {
        seat: shift(time, seconds=(until - since).total_seconds())
        for seat, time in again["deadlines"].items()
    }
    log.insert(at + 1, again)


@lie("time_returned")
def returned_before_it_was_lost(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["since"] = shift(entry["at"], seconds=1)


@lie("time_returned")
def returned_since_the_entry_before_the_last(
    choose: random.Random, entry: Entry, record: Record
) -> bool | None:
    """From before a player's act, who was there then."""
    log, at = record["entries"], record["entries"].index(entry)
    earlier = log[at - 2]["at"]
    if at < 2 or earlier == log[at - 1]["at"]:
        return False
    entry["since"] = earlier
    return None


@lie("time_returned", "resumed", "time_added")
def to_a_friend_only(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """One deadline of several is left out, or is later than the others."""
    named = entry.get("deadlines") or {}
    if not named:
        return False
    seat = choose.choice([*named])
    if len(named) > 1 and choose.random() < 0.5:
        del named[seat]
    else:
        named[seat] = shift(named[seat], minutes=1)
    return None


@anywhere("time_returned")
def returned_where_no_clock_ran(choose: random.Random, table: Table) -> bool | None:
    if not table.pace or table.deadlines:
        return False
    table.insert(table.entry("time_returned", since=table.log[table.at - 1]["at"], deadlines={}))
    return None


@anywhere("time_returned", "time_added", "paused", "vacation_taken")
def time_in_a_game_without(choose: random.Random, table: Table) -> bool | None:
    if table.pace or not table.players:
        return False
    at, seat = table.log[table.at - 1]["at"], table.players[0]
    kinds = {
        "time_returned": {"since": at, "deadlines": {}},
        "time_added": {"added": {"seat": seat, "time": "PT1H"}, "deadlines": {str(seat): shift(at, hours=9)}},
        "vacation_taken": {
            **table.who(seat),
            "vacation": {"days": 1, "until": shift(at, days=1), "left": 0},
        },
    }
    kind = choose.choice([*kinds])
    table.insert(table.entry(kind, **kinds[kind]))
    return None


def added(table: Table, time: str, seat: str, deadline: str) -> Entry:
    return table.entry("time_added", added={"seat": int(seat), "time": time}, deadlines={seat: deadline})


@anywhere("time_added")
def added_to_a_stopped_clock(choose: random.Random, table: Table) -> bool | None:
    stopped = [seat for seat in table.held if str(seat) not in table.deadlines]
    if not table.pace or not stopped:
        return False
    at = shift(table.log[table.at - 1]["at"], hours=30)
    table.insert(added(table, "PT1H", str(stopped[0]), at))
    return None


@anywhere("time_added")
def time_that_is_taken_away(choose: random.Random, table: Table) -> bool | None:
    if not table.deadlines or table.pace.get("quiet_weekends"):
        return False
    seat, deadline = choose.choice([*table.deadlines.items()])
    table.insert(added(table, "-PT1H", seat, shift(deadline, hours=-1)))
    return None


@anywhere("time_added")
def added_to_no_seat(choose: random.Random, table: Table) -> bool | None:
    if not table.pace:
        return False
    table.insert(added(table, "PT1H", str(table.record["seats"]), shift(table.log[-1]["at"], days=9)))
    return None


@lie("created")
def begun_with_an_impossible_pace(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry["pace"]:
        return False
    wrong: tuple[Entry, ...] = (
        {"on_timeout": "resign", "out_after": 2},
        {"out_after": True, "on_timeout": "bot"},
        {"out_after": 0, "on_timeout": "bot"},
        {"out_after": 11, "on_timeout": "bot"},
        {"vacation_days": -1},
        {"vacation_days": 400},
        {"on_timeout": "nothing"},
        {"per_move": choose.choice(("P1M", "-PT1H", "PT1.5H", "P1.5D", "PT1,5S", "P1DT", "+PT1H"))},
        {"quiet_weekends": 1},
        {"reserve_cap": "soon", "increment": "PT1M"},
        {"night": "PT8H"},
        {"warn_before": "sometimes"},
        {"stand_in": 7},
        {"weekends": choose.choice((None, "+15:00", "Europe/Berlin", "+1:00"))},
    )
    entry["pace"].update(choose.choice(wrong))
    return None


def away(table: Table, seat: int, days: int, left: int, **other: object) -> Entry:
    at = table.log[table.at - 1]["at"]
    vacation = {"days": days, "until": shift(at, days=days), "left": left}
    return table.entry("vacation_taken", **table.who(seat), vacation=vacation, **other)


@anywhere("vacation_taken")
def more_days_off_than_there_are(choose: random.Random, table: Table) -> bool | None:
    if not table.players or not table.pace or str(table.players[0]) in table.deadlines:
        return False
    days = table.pace["vacation_days"] + 1
    table.insert(away(table, table.players[0], days, -1))
    return None


@anywhere("vacation_taken")
def no_day_off(choose: random.Random, table: Table) -> bool | None:
    if not table.players or not table.pace or not table.pace["vacation_days"]:
        return False
    table.insert(away(table, table.players[0], choose.choice((0, -1)), table.pace["vacation_days"]))
    return None


@lie("vacation_taken")
def days_off_given_back(choose: random.Random, entry: Entry, record: Record) -> None:
    """Which the seat has already taken."""
    log = record["entries"]
    again = copy.deepcopy(entry)
    again["at"] = log[log.index(entry)]["at"]
    log.insert(log.index(entry) + 1, again)


@anywhere("vacation_taken")
def days_off_for_a_bot(choose: random.Random, table: Table) -> bool | None:
    if not table.bots or not table.pace.get("vacation_days"):
        return False
    table.insert(away(table, table.bots[0], 1, table.pace["vacation_days"] - 1))
    return None


@lie("vacation_taken")
def no_later_deadline(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if entry.pop("deadlines", None) is None else None


@anywhere("paused")
def paused_by_nobody(choose: random.Random, table: Table) -> bool | None:
    if not table.pace or not table.players or table.log[table.at - 1]["type"] == "pause_agreed":
        return False
    table.end(table.entry("paused"), table.entry("cancelled"))
    table.record["result"] = None
    return None


@anywhere("paused")
def paused_by_bots(choose: random.Random, table: Table) -> bool | None:
    if not table.pace or not table.bots or not table.players:
        return False
    said = [table.entry("pause_agreed", **table.who(seat)) for seat in table.bots]
    table.end(*said, table.entry("paused"), table.entry("cancelled"))
    table.record["result"] = None
    return None


@lie("paused")
def paused_although_a_move_came_between(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """The consents stand before the last move."""
    log, at = record["entries"], record["entries"].index(entry)
    first = at
    while log[first - 1]["type"] == "pause_agreed":
        first -= 1
    if first == at or log[first - 1]["type"] != "moved" or log[first - 1].get("random"):
        return False
    move, consents = log[first - 1], log[first:at]
    for each in consents:
        each["at"] = log[first - 2]["at"]
    log[first - 1 : at] = [*consents, move]
    return None


@lie("paused")
def moved_in_the_pause(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    log, at = record["entries"], record["entries"].index(entry)
    moved = [n for n in range(at + 1, len(log)) if log[n]["type"] == "moved"]
    if not moved:
        return False
    log.insert(at + 1, {**log.pop(moved[0]), "at": entry["at"]})
    return None


@lie("resumed")
def resumed_by_a_bot(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    table = Table(record, record["entries"].index(entry))
    if not table.bots:
        return False
    entry.pop("signature", None)
    entry.update(table.who(table.bots[0]))
    return None


@lie("resumed")
def resumed_without_clocks(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if entry.pop("deadlines", None) is None else None


@lie("timed_out")
def a_moment_too_early(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """At the last microsecond of the seat's time."""
    log, at = record["entries"], record["entries"].index(entry)
    deadline = Table(record, at).deadlines.get(str(entry["seat"]))
    before = referee.clocks.read_time(log[at - 1]["at"])
    if deadline is None or before is None:
        return False
    moment = referee.clocks.read_time(shift(deadline, microseconds=-1))
    if moment is None or moment < before:
        return False
    entry["at"] = referee.clocks.timestamp(moment)
    return None


@lie("timed_out")
def late_and_not_named(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """With the move for the seat; the others play on hours later."""
    log, at = record["entries"], record["entries"].index(entry)
    forced = [n for n in range(at, len(log)) if log[n].get("random") and log[n]["seat"] == entry["seat"]]
    if not forced or log[at + 1 : at + 2] == [] or log[at + 1]["type"] == "timed_out":
        return False
    move = log[forced[0]]
    move.pop("random")
    move["by"] = "player"
    log.remove(entry)
    return None


@lie("timed_out")
def late_and_moved_all_the_same(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """Two seconds after its time, as if it had not been over."""
    log, at = record["entries"], record["entries"].index(entry)
    if at + 1 >= len(log) or not log[at + 1].get("random") or log[at + 1]["seat"] != entry["seat"]:
        return False
    move = log[at + 1]
    move.pop("random")
    move.update(by="player", at=shift(entry["at"], seconds=2))
    del log[at]
    return None


@lie("timed_out")
def called_late_by_the_app(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["by"] = "app"


@lie("timeout_undone")
def undone_twice(choose: random.Random, entry: Entry, record: Record) -> None:
    log = record["entries"]
    log.insert(log.index(entry) + 1, copy.deepcopy(entry))


@lie("timeout_undone")
def undone_for_another_seat(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if record["seats"] < 2:
        return False
    entry["undone"]["seat"] = (entry["undone"]["seat"] + 1) % record["seats"]
    return None


@anywhere("timeout_undone")
def a_move_of_its_own_undone(choose: random.Random, table: Table) -> bool | None:
    """The operator takes back the last move of a player."""
    made = [each for each in table.log[: table.at] if each["type"] == "moved"]
    if not made or made[-1].get("random"):
        return False
    undone = {"seat": made[-1]["seat"], "timed_out": made[-1]["seq"] - 1}
    table.insert(table.entry("timeout_undone", of=made[-1]["seq"], undone=undone))
    return None


@lie("moved")
def an_increment_too_many(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    seat = str(entry["seat"])
    if seat not in entry.get("reserve", {}):
        return False
    more = referee.clocks.duration(entry["reserve"][seat]) + timedelta(minutes=50)
    entry["reserve"][seat] = referee.clocks.duration_text(more)
    return None


@lie("moved", "joined", "started")
def time_for_a_seat_that_does_not_move(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry.get("deadlines"):
        return False
    others = [str(seat) for seat in range(record["seats"]) if str(seat) not in entry["deadlines"]]
    if not others:
        return False
    entry["deadlines"][others[0]] = next(iter(entry["deadlines"].values()))
    return None
