"""Lies in the first entry, before the deal, and beside the log."""

from __future__ import annotations

import copy
import random

from tests.campaigns.lying import Entry, Record, lie, shift
from tests.campaigns.tables import NOBODY, Table


@lie("created")
def another_version(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["ruleset_version"] = choose.choice((0, entry["ruleset_version"] + 1, None))


@lie("created")
def more_seats(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["seats"] += 1


@lie("created")
def options_left_to_their_defaults(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry["options"]:
        return False
    del entry["options"][choose.choice([*entry["options"]])]
    return None


@lie("created")
def an_option_that_is_none(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["options"]["house_wins"] = record["options"]["house_wins"] = True


@lie("created")
def a_commitment_in_capitals(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["commitment"] = record["commitment"] = entry["commitment"].upper()


@lie("created")
def created_later(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["at"] = shift(record["entries"][1]["at"], seconds=1)


@lie("created")
def imported_without_saying_so(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if record["origin"] == "imported":
        return False
    entry.update(origin="imported", imported_by=NOBODY)
    return None


@lie("created")
def commitments_that_nobody_made(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "entropy" in entry:
        return False
    entry.update(entropy="commit", reveal_within="PT2H")
    return None


@lie("created")
def commitments_called_off(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    return False if entry.pop("entropy", None) is None else entry.pop("reveal_within") and None


@lie("joined")
def somebody_else_instead_of_the_second(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """Only in the entry that takes the seat."""
    if not entry["player"] or not any(
        each.get("player") == entry["player"] for each in record["entries"] if each is not entry
    ):
        return False
    entry["player"] = NOBODY
    return None


@lie("joined")
def entropy_too_long(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if entry.get("replaced") or record["entropy"][entry["seat"]] != entry["entropy"]:
        return False
    entry["entropy"] = record["entropy"][entry["seat"]] = "x" * 65
    return None


@lie("joined")
def joined_before_it_was_created(choose: random.Random, entry: Entry, record: Record) -> None:
    log = record["entries"]
    log.remove(entry)
    log.insert(0, {**entry, "at": log[0]["at"]})


@lie("joined")
def replaced_before_the_start(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if entry.get("replaced"):
        return False
    entry["replaced"] = True
    return None


@lie("started")
def dealt_twice(choose: random.Random, entry: Entry, record: Record) -> None:
    log = record["entries"]
    log.insert(log.index(entry) + 1, copy.deepcopy(entry))


@lie("started")
def dealt_to_a_free_seat(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    log = record["entries"]
    table = Table(record, log.index(entry))
    if not table.players:
        return False
    seat = table.players[0]
    log.insert(log.index(entry), table.entry("left", **table.who(seat)))
    record["entropy"][seat] = ""
    return None


@lie("started")
def dealt_before_the_table_was_full(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """The deal was made before the last seat was taken, and with its entropy."""
    log, at = record["entries"], record["entries"].index(entry)
    if log[at - 1]["type"] != "joined":
        return False
    log[at - 1], log[at] = entry, log[at - 1]
    return None


@lie("started")
def a_shuffle_of_the_operator(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """In the record too."""
    shuffles = [each for each in record["chance"] if "shuffle" in each]
    if not shuffles:
        return False
    cards = shuffles[0]["shuffle"]
    cards[0], cards[-1] = cards[-1], cards[0]
    return None


@lie("created")
def an_outcome_too_many(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not record["chance"]:
        return False
    record["chance"].append(copy.deepcopy(record["chance"][0]))
    return None


@lie("created")
def an_outcome_kept_back(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not record["chance"]:
        return False
    record["chance"].pop()
    return None


@lie("finished")
def a_result_with_a_note(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["result"]["fair"] = True


@lie("finished")
def no_result(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["result"] = None


@lie("finished")
def no_seed(choose: random.Random, entry: Entry, record: Record) -> None:
    del entry["seed"]


@lie("finished")
def a_seed_in_capitals(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if entry["seed"].upper() == entry["seed"]:
        return False
    entry["seed"] = entry["seed"].upper()
    return None


@lie("finished")
def finished_twice(choose: random.Random, entry: Entry, record: Record) -> None:
    log = record["entries"]
    log.insert(log.index(entry) + 1, copy.deepcopy(entry))


@lie("finished", "cancelled")
def something_after_the_end(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    log, at = record["entries"], record["entries"].index(entry)
    table = Table(record, at)
    if not table.players:
        return False
    kind = choose.choice(("resigned", "pause_agreed", "take_back_requested", "ending_agreed", "left"))
    more = {"take_back_requested": {"of": 1}, "ending_agreed": {"ending": "draw"}, "left": {"replaced": True}}
    said = {"seq": 0, "type": kind, "at": entry["at"], **table.who(table.players[0]), **more.get(kind, {})}
    log.insert(at + 1, said)
    return None


@lie("finished")
def talk_of_a_former_player(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    left = [each for each in record["entries"] if each["type"] == "left" and each.get("player")]
    table = Table(record, record["entries"].index(entry))
    gone = [each for each in left if table.held.get(each["seat"], {}).get("player") != each["player"]]
    if not gone:
        return False
    who = {name: gone[0][name] for name in ("seat", "player")}
    said = {"seq": 0, "type": "said", "at": entry["at"], **who, "by": "player", "text": "I was cheated"}
    record["entries"].append(said)
    return None


@lie("moved")
def a_deadline_in_other_words(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry.get("deadlines"):
        return False
    seat = choose.choice([*entry["deadlines"]])
    entry["deadlines"][seat] = entry["deadlines"][seat].replace("Z", "+00:00")
    return None
