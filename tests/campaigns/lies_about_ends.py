"""Lies about how a game ended: draws, rulings, seats that are out, resignations, cancellations."""

from __future__ import annotations

import random
from typing import Any

import referee
from tests.campaigns.lying import Entry, Record, lie, shift
from tests.campaigns.tables import NOBODY, Table, anywhere

DRAW: Entry = {"ending": "draw"}


def drawn(table: Table, **other: Any) -> list[Entry]:
    result = {"winners": [*range(table.record["seats"])], "losers": [], "reason": "drawn", **other}
    return [table.entry("drawn"), table.finished(result)]


def agreed(table: Table, seats: list[int], ending: str = "draw") -> list[Entry]:
    return [table.entry("ending_agreed", **table.who(seat), ending=ending) for seat in seats]


@anywhere("drawn")
def nobody_agreed(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*drawn(table))
    return None


@anywhere("drawn")
def all_but_one_agreed(choose: random.Random, table: Table) -> bool | None:
    if len(table.players) < 2:
        return False
    table.end(*agreed(table, table.players[1:]), *drawn(table))
    return None


@anywhere("drawn")
def agreed_to_something_else(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*agreed(table, table.players, "cancellation"), *drawn(table))
    return None


@anywhere("drawn")
def one_changed_its_mind(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*agreed(table, table.players), *agreed(table, table.players[:1], "cancellation"), *drawn(table))
    return None


@anywhere("drawn")
def agreed_by_bots_alone(choose: random.Random, table: Table) -> bool | None:
    if not table.bots or not table.players:
        return False
    table.end(*agreed(table, table.bots), *drawn(table))
    return None


@anywhere("drawn")
def agreed_before_the_last_move(choose: random.Random, table: Table) -> bool | None:
    log, at = table.log, table.at
    if log[at]["type"] != "moved" or log[at].get("random") or not table.players:
        return False
    if table.state() is None or (log[at + 1 : at + 2] and log[at + 1]["type"] == "finished"):
        return False
    move = log[at]
    table.end(*agreed(table, table.players), move, *drawn(table))
    return None


@anywhere("drawn")
def drawn_with_a_winner(choose: random.Random, table: Table) -> bool | None:
    if not table.players or table.record["seats"] < 2:
        return False
    table.end(*agreed(table, table.players), *drawn(table, winners=[0], losers=[1]))
    return None


@anywhere("drawn")
def drawn_for_another_reason(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*agreed(table, table.players), *drawn(table, reason="adjudicated"))
    return None


@anywhere("drawn")
def drawn_by_one_seat(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    first, last = drawn(table)
    table.end(*agreed(table, table.players), {**first, **table.who(table.players[0])}, last)
    return None


@anywhere("drawn")
def drawn_and_not_finished(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*agreed(table, table.players), drawn(table)[0])
    table.record["result"] = None
    return None


@anywhere("drawn")
def a_game_that_goes_on(choose: random.Random, table: Table) -> bool | None:
    """After the draw."""
    if not table.players:
        return False
    table.insert(*agreed(table, table.players), drawn(table)[0])
    return None


@anywhere("cancelled")
def cancelled_by_consent_of_nobody(choose: random.Random, table: Table) -> bool | None:
    table.end(table.entry("cancelled", agreed=True))
    table.record["result"] = None
    return None


@anywhere("cancelled")
def cancelled_by_those_who_wanted_a_draw(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*agreed(table, table.players), table.entry("cancelled", agreed=True))
    table.record["result"] = None
    return None


@lie("cancelled")
def agreed_without_being_asked(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "agreed" in entry:
        return False
    entry["agreed"] = True
    return None


@lie("finished")
def cancelled_although_decided(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A move has ended the game, and its result is not liked."""
    log = record["entries"]
    before = next(each for each in reversed(log[: log.index(entry)]) if each["type"] != "said")
    if before["type"] != "moved":
        return False
    log[log.index(entry) :] = [{"seq": 0, "type": "cancelled", "at": entry["at"]}]
    record["result"] = None
    return None


def ruled(table: Table, ruling: Entry, **result: Any) -> list[Entry]:
    decided = {**ruling, "reason": "adjudicated", **result}
    return [table.entry("adjudicated", ruling=ruling), table.finished(decided)]


@anywhere("adjudicated")
def a_winner_and_a_loser(choose: random.Random, table: Table) -> None:
    table.end(*ruled(table, {"winners": [0], "losers": [0]}))


@anywhere("adjudicated")
def twice_a_winner(choose: random.Random, table: Table) -> None:
    table.end(*ruled(table, {"winners": [0, 0], "losers": []}))


@anywhere("adjudicated")
def won_by_no_seat_of_the_table(choose: random.Random, table: Table) -> None:
    table.end(*ruled(table, {"winners": [table.record["seats"]], "losers": [0]}))


@anywhere("adjudicated")
def ruled_one_way_and_scored_another(choose: random.Random, table: Table) -> bool | None:
    if table.record["seats"] < 2:
        return False
    table.end(*ruled(table, {"winners": [0], "losers": [1]}, winners=[1], losers=[0]))
    return None


@anywhere("adjudicated")
def ruled_for_another_reason(choose: random.Random, table: Table) -> None:
    table.end(*ruled(table, {"winners": [0], "losers": []}, reason=choose.choice(("target", "resigned"))))


@anywhere("adjudicated")
def ruled_with_words(choose: random.Random, table: Table) -> None:
    table.end(*ruled(table, {"winners": [0], "losers": [], "why": "he cheated"}))


@anywhere("adjudicated")
def ruled_without_losers(choose: random.Random, table: Table) -> None:
    """The member is left out, not empty."""
    table.end(*ruled(table, {"winners": [0]}, losers=[]))


@anywhere("adjudicated")
def ruled_by_a_seat(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    first, last = ruled(table, {"winners": [table.players[0]], "losers": []})
    table.end({**first, **table.who(table.players[0])}, last)
    return None


@anywhere("adjudicated")
def ruled_and_played_on(choose: random.Random, table: Table) -> None:
    table.insert(ruled(table, {"winners": [0], "losers": []})[0])


@lie("finished")
def ruled_after_the_last_move(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    log = record["entries"]
    at = log.index(entry)
    if log[at - 1]["type"] != "moved":
        return False
    table = Table(record, at)
    table.end(*ruled(table, {"winners": [0], "losers": []}))
    return None


@lie("adjudicated", "drawn", "resigned", "dropped")
def ended_twice(choose: random.Random, entry: Entry, record: Record) -> None:
    log = record["entries"]
    log.insert(log.index(entry) + 1, {"seq": 0, "type": "drawn", "at": entry["at"]})


@lie("adjudicated", "drawn")
def said_between(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """An app's message between the end and `finished`, which no server writes there."""
    log, at = record["entries"], record["entries"].index(entry)
    said = {"seq": 0, "type": "said", "at": entry["at"], "seat": None, "player": None, "by": "app"}
    log.insert(at + 1, {**said, "text": "Fair enough"})
    return None


def given_up(table: Table, kind: str, *seats: int, by: str) -> list[Entry] | None:
    state = table.state()
    if state is None or state.result is not None:
        return None
    who = [table.entry(kind, **{**table.who(seat), "by": by}) for seat in seats]
    return [*who, table.finished(referee.resign(state, *seats, reason=kind))]


@anywhere("resigned")
def resigned_by_a_bot(choose: random.Random, table: Table) -> bool | None:
    if not table.bots or (end := given_up(table, "resigned", table.bots[0], by="app")) is None:
        return False
    table.end(*end)
    return None


@anywhere("resigned")
def resigned_in_the_name_of_nobody(choose: random.Random, table: Table) -> bool | None:
    if not table.players or (end := given_up(table, "resigned", table.players[0], by="app")) is None:
        return False
    end[0]["player"] = NOBODY
    table.end(*end)
    return None


@anywhere("resigned")
def resigned_by_the_clock(choose: random.Random, table: Table) -> bool | None:
    if not table.players or (end := given_up(table, "resigned", table.players[0], by="clock")) is None:
        return False
    table.end(*end)
    return None


@anywhere("resigned")
def resigned_with_another_loser(choose: random.Random, table: Table) -> bool | None:
    if len(table.players) < 2 or (end := given_up(table, "resigned", table.players[0], by="app")) is None:
        return False
    other = given_up(table, "resigned", table.players[1], by="app")
    if other is None or other[-1]["result"] == end[-1]["result"]:
        return False
    table.end(end[0], other[-1])
    return None


@anywhere("timed_out", "dropped")
def out_before_its_time(choose: random.Random, table: Table) -> bool | None:
    """A seat whose time is not over loses by it."""
    kind = "timed_out" if table.pace.get("on_timeout") == "resign" else "dropped"
    if not table.pace or not table.players:
        return False
    if kind == "dropped" and table.log[table.at - 1]["type"] == "dropped":
        return False
    if (end := given_up(table, kind, choose.choice(table.players), by="clock")) is None:
        return False
    table.end(*end)
    return None


@lie("dropped")
def dropped_although_a_bot_stands_in(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    for each in record["entries"]:
        if each.get("pace"):
            each["pace"]["stand_in"] = "random"
    return None


@lie("dropped")
def dropped_by_the_app(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["by"] = "app"


@lie("dropped")
def dropped_after_more_turns_than_agreed(choose: random.Random, entry: Entry, record: Record) -> None:
    for each in record["entries"]:
        if each.get("pace"):
            each["pace"]["out_after"] = each["pace"].get("out_after", 1) + 1


@lie("dropped")
def dropped_instead_of_somebody_else(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    table = Table(record, record["entries"].index(entry))
    others = [seat for seat in table.players if seat != entry["seat"]]
    if not others or (end := given_up(table, "dropped", others[0], by="clock")) is None:
        return False
    table.end(*end)
    return None


@lie("left")
def spared_although_out(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """The seat keeps its player until the game ends, which is before its next turn."""
    log, at = record["entries"], record["entries"].index(entry)
    if "dropped" not in entry:
        return False
    table = Table(record, at)
    if len(table.players) < 2 or entry["seat"] not in table.players:
        return False
    loser = next(seat for seat in table.players if seat != entry["seat"])
    if (end := given_up(table, "resigned", loser, by="player")) is None:
        return False
    log[at:] = end
    return None


@lie("left", "dropped")
def cancelled_to_spare_a_seat(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A seat is out, and the app calls the game off instead."""
    if entry["type"] == "left" and "dropped" not in entry:
        return False
    log, at = record["entries"], record["entries"].index(entry)
    log[at:] = [{"seq": 0, "type": "cancelled", "at": shift(entry["at"], hours=1)}]
    record["result"] = None
    return None


@lie("left")
def dropped_for_another_bot(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    log, at = record["entries"], record["entries"].index(entry)
    if "dropped" not in entry:
        return False
    bot = log[at + 1]["bot"]
    for each in log[at + 1 :]:
        if each.get("seat") == entry["seat"] and each.get("bot") == bot:
            each["bot"] = "cautious"
    return None


@lie("left")
def dropped_for_a_friend(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    log, at = record["entries"], record["entries"].index(entry)
    if "dropped" not in entry:
        return False
    log[at + 1].update(player=NOBODY, bot=None)
    log[at + 2 :] = [{"seq": 0, "type": "cancelled", "at": entry["at"]}]
    record["result"] = None
    return None


@lie("left", "joined")
def not_called_dropped(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if entry.pop("dropped", None) is None else None


@lie("left")
def handed_over_by_the_app_although_out(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A seat that is out is given to the same bot, but not because it is out."""
    log, at = record["entries"], record["entries"].index(entry)
    if entry.pop("dropped", None) is None:
        return False
    entry["by"] = "app"
    log[at + 1].pop("dropped")
    log[at + 1]["by"] = "app"
    return None


@lie("left")
def dropped_and_agreed(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "dropped" not in entry:
        return False
    entry["agreed"] = True
    return None
