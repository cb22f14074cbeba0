"""Lies about who agreed to what: take-backs, hand-overs, seats, and who acted at all."""

from __future__ import annotations

import copy
import random

from tests.campaigns.lying import TALK, Entry, Record, lie
from tests.campaigns.tables import NOBODY, Table, anywhere


def asked(table: Table, of: int, by: int, *agreeing: int) -> list[Entry]:
    requested = table.entry("take_back_requested", **table.who(by), of=of)
    return [
        requested,
        *(table.entry("take_back_agreed", **table.who(seat), of=of) for seat in agreeing if seat != by),
    ]


def last_move(table: Table) -> Entry | None:
    made = [n for n, each in enumerate(table.log[: table.at]) if each["type"] == "moved"]
    gone = [each for each in table.log[: table.at] if each["type"] in ("taken_back", "timeout_undone")]
    return table.log[made[-1]] if made and not gone else None


def back(table: Table, seat: int, of: int) -> Entry:
    return table.entry("taken_back", **table.who(seat), of=of)


@anywhere("taken_back")
def taken_back_without_asking(choose: random.Random, table: Table) -> bool | None:
    move = last_move(table)
    if move is None or table.pace or move["seat"] not in table.players:
        return False
    table.insert(back(table, move["seat"], move["seq"]))
    return None


@anywhere("taken_back")
def taken_back_although_one_was_silent(choose: random.Random, table: Table) -> bool | None:
    move = last_move(table)
    if move is None or table.pace or move["seat"] not in table.players or len(table.players) < 2:
        return False
    others = [seat for seat in table.players if seat != move["seat"]]
    table.insert(
        *asked(table, move["seq"], move["seat"], *others[1:]), back(table, move["seat"], move["seq"])
    )
    return None


@anywhere("taken_back")
def taken_back_after_a_refusal(choose: random.Random, table: Table) -> bool | None:
    move = last_move(table)
    if move is None or table.pace or move["seat"] not in table.players or len(table.players) < 2:
        return False
    other = next(seat for seat in table.players if seat != move["seat"])
    table.insert(
        *asked(table, move["seq"], move["seat"], *table.players),
        table.entry("take_back_refused", **table.who(other), of=move["seq"]),
        back(table, move["seat"], move["seq"]),
    )
    return None


@anywhere("taken_back")
def taken_back_for_a_bot(choose: random.Random, table: Table) -> bool | None:
    """All players agree, but a bot asks for nothing."""
    move = last_move(table)
    if move is None or table.pace or move["seat"] not in table.bots:
        return False
    table.insert(
        *asked(table, move["seq"], move["seat"], *table.players), back(table, move["seat"], move["seq"])
    )
    return None


@anywhere("taken_back")
def taken_back_by_another_seat(choose: random.Random, table: Table) -> bool | None:
    move = last_move(table)
    if move is None or table.pace or move["seat"] not in table.players or len(table.players) < 2:
        return False
    other = next(seat for seat in table.players if seat != move["seat"])
    table.insert(*asked(table, move["seq"], move["seat"], *table.players), back(table, other, move["seq"]))
    return None


@anywhere("taken_back")
def taken_back_by_consent_to_something_else(choose: random.Random, table: Table) -> bool | None:
    """The request is replaced by another, to which nobody agreed."""
    move = last_move(table)
    if move is None or table.pace or move["seat"] not in table.players or len(table.players) < 2:
        return False
    others = [
        each for each in table.log[: table.at] if each["type"] == "moved" and each["seat"] != move["seat"]
    ]
    if not others or others[-1]["seat"] not in table.players:
        return False
    table.insert(
        *asked(table, move["seq"], move["seat"], *table.players),
        *asked(table, others[-1]["seq"], others[-1]["seat"]),
        back(table, move["seat"], move["seq"]),
    )
    return None


@anywhere("take_back_requested")
def asked_for_the_deal(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    started = next(each["seq"] for each in table.log if each["type"] == "started")
    table.insert(*asked(table, started, table.players[0]))
    return None


@anywhere("take_back_agreed")
def answered_without_a_request(choose: random.Random, table: Table) -> bool | None:
    move = last_move(table)
    before = table.log[table.at - 1]["type"]
    if move is None or not table.players or before != "moved":
        return False
    kind = choose.choice(("take_back_agreed", "take_back_refused"))
    table.insert(table.entry(kind, **table.who(table.players[0]), of=move["seq"]))
    return None


BOT_ACTS = {
    "pause_agreed": {},
    "ending_agreed": {"ending": "draw"},
    "take_back_agreed": None,
    "replacement_agreed": None,
    "nudged": None,
    **{kind: {text: "I am no bot"} for kind, text in TALK.items()},
}


@anywhere(*BOT_ACTS)
def by_a_bot(choose: random.Random, table: Table) -> bool | None:
    """Bots do nothing but move."""
    if not table.bots or not table.players:
        return False
    kind = choose.choice([*BOT_ACTS])
    other, move = table.players[0], last_move(table)
    player = table.held[other]["player"]
    more = {
        "take_back_agreed": {"of": move["seq"] if move else 0},
        "replacement_agreed": {"replacement": {"seat": other, "player": None, "bot": "random"}},
        "nudged": {"nudge": {"seat": other, "player": player}},
    }
    members = BOT_ACTS[kind] if BOT_ACTS[kind] is not None else more[kind]
    before: list[Entry] = []
    if kind == "take_back_agreed":
        if move is None or move["seat"] not in table.players:
            return False
        before = asked(table, move["seq"], move["seat"])
    table.insert(*before, table.entry(kind, **table.who(table.bots[0]), **(members or {})))
    return None


def replaced(table: Table, seat: int, following: Entry, by: str = "app", **marks: bool) -> list[Entry]:
    who = {**table.who(seat), "by": by}
    left = table.entry("left", **who, replaced=True, **marks)
    joined = {"seat": seat, **following, "by": "app", "entropy": "", "replaced": True}
    return [left, table.entry("joined", **joined), table.entry("cancelled")]


def wanted(table: Table, seat: int, following: Entry, *by: int) -> list[Entry]:
    named = {"seat": seat, **following}
    return [table.entry("replacement_agreed", **table.who(each), replacement=named) for each in by]


FRIEND: Entry = {"player": NOBODY, "bot": None}


@anywhere("left")
def given_away_by_nobody(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    table.end(*replaced(table, table.players[0], FRIEND, by="player"))
    table.record["result"] = None
    return None


@anywhere("left")
def given_away_although_one_was_silent(choose: random.Random, table: Table) -> bool | None:
    if len(table.players) < 3:
        return False
    seat, *others = table.players
    votes = wanted(table, seat, FRIEND, *others[1:])
    table.end(*votes, *replaced(table, seat, FRIEND, by="player", agreed=True))
    table.record["result"] = None
    return None


@anywhere("left")
def given_to_somebody_else(choose: random.Random, table: Table) -> bool | None:
    if len(table.players) < 2:
        return False
    seat, *others = table.players
    votes = wanted(table, seat, {"player": None, "bot": "random"}, *others)
    table.end(*votes, *replaced(table, seat, FRIEND, by="player", agreed=True))
    table.record["result"] = None
    return None


@anywhere("left")
def given_by_a_split_vote(choose: random.Random, table: Table) -> bool | None:
    if len(table.players) < 3:
        return False
    seat, *others = table.players
    votes = [
        *wanted(table, seat, FRIEND, *others[:-1]),
        *wanted(table, seat, {"player": None, "bot": "random"}, others[-1]),
    ]
    table.end(*votes, *replaced(table, seat, FRIEND, by="player", agreed=True))
    table.record["result"] = None
    return None


@anywhere("left")
def given_by_its_own_vote(choose: random.Random, table: Table) -> bool | None:
    """The seat itself agrees, and none of the others."""
    if len(table.players) < 2:
        return False
    seat = table.players[0]
    votes = wanted(table, seat, FRIEND, seat)
    table.end(*votes, *replaced(table, seat, FRIEND, by="player", agreed=True))
    table.record["result"] = None
    return None


@anywhere("left")
def left_and_taken_later(choose: random.Random, table: Table) -> bool | None:
    """A message stands in between."""
    if not table.players:
        return False
    left, joined, end = replaced(table, table.players[0], FRIEND)
    said = table.entry("said", seat=None, player=None, by="app", text="Wait")
    table.end(left, said, joined, end)
    table.record["result"] = None
    return None


@anywhere("left")
def left_for_good(choose: random.Random, table: Table) -> bool | None:
    if not table.players:
        return False
    left, _, end = replaced(table, table.players[0], FRIEND)
    table.end(left, end)
    table.record["result"] = None
    return None


@anywhere("left")
def dropped_in_time(choose: random.Random, table: Table) -> bool | None:
    """A seat that has missed nothing."""
    if not table.players or not table.pace.get("stand_in"):
        return False
    left, joined, end = replaced(
        table, table.players[0], {"player": None, "bot": table.pace["stand_in"]}, by="clock", dropped=True
    )
    joined.update(dropped=True, by="clock")
    table.end(left, joined, end)
    table.record["result"] = None
    return None


@anywhere("joined")
def joined_beside_its_holder(choose: random.Random, table: Table) -> None:
    seat = choose.choice([*table.held])
    table.insert(table.entry("joined", seat=seat, **FRIEND, by="app", entropy="", replaced=True))


@anywhere("joined")
def gives_entropy_when_all_is_dealt(choose: random.Random, table: Table) -> bool | None:
    if "entropy" not in table.log[0] or not table.players:
        return False
    left, joined, end = replaced(table, table.players[0], FRIEND)
    joined["entropy"] = "mine"
    table.end(left, joined, end)
    table.record["result"] = None
    return None


@lie("joined")
def a_bot_with_a_key(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if not entry["bot"]:
        return False
    entry["public_key"] = "5e537e386120d513f1d596a517e0ab59a68071bc21deca394d04271682d552e1"
    return None


@lie("joined")
def a_key_of_small_order(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "public_key" not in entry:
        return False
    entry["public_key"] = choose.choice(("01" + "00" * 31, "00" * 32, "ec" + "ff" * 30 + "7f"))
    return None


@lie("joined")
def a_key_in_capitals(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "public_key" not in entry or entry["public_key"].upper() == entry["public_key"]:
        return False
    entry["public_key"] = entry["public_key"].upper()
    return None


@lie("moved", "resigned", "pause_agreed", "ending_agreed", "replacement_agreed", "resumed", "vacation_taken")
def by_the_app_for_a_player_with_a_key(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if entry.pop("signature", None) is None:
        return False
    entry["by"] = "app"
    return None


@lie(*TALK, "nudged", "timed_out", "revealed")
def signed_although_it_never_is(choose: random.Random, entry: Entry, record: Record) -> None:
    entry["signature"] = "ab" * 64


@lie("moved")
def signed_by_nothing(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    if "signature" in entry or (entry["by"] == "player" and "public_key" in str(record["entries"])):
        return False
    entry["signature"] = choose.choice((None, "", "ab" * 64))
    return None


@lie("moved")
def a_bots_order(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A bot's move is called an order's."""
    if not entry.get("bot"):
        return False
    entry.update(order=True, by="order")
    return None


@lie("moved")
def marked_twice(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A move for a late seat is called an order's too."""
    if not entry.get("random"):
        return False
    entry["order"] = True
    return None


@lie("moved")
def a_hand_shown_to_another_seat(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """A share is copied for a seat that sees less."""
    shares = entry.get("private") or {}
    others = [str(seat) for seat in range(record["seats"]) if str(seat) not in shares]
    if not shares or not others:
        return False
    share = copy.deepcopy(next(iter(shares.values())))
    share.pop("signature", None)
    shares[others[0]] = share
    return None


@lie("moved", "started")
def a_share_kept_back(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    shares = entry.get("private") or {}
    if len(shares) < 2:
        return False
    del shares[next(iter(shares))]
    return None


@lie("moved", "started")
def a_share_with_a_note(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    shares = entry.get("private") or {}
    if not shares:
        return False
    next(iter(shares.values()))["note"] = "for you alone"
    return None


@lie("started", "moved")
def everything_shown_to_everybody(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    shares = [share for share in (entry.get("private") or {}).values() if "transfers" in share]
    if not shares:
        return False
    entry["transfers"] = copy.deepcopy(shares[0]["transfers"])
    return None


@lie("replacement_agreed")
def agreed_to_nobody(choose: random.Random, entry: Entry, record: Record) -> bool | None:
    """In the consents and in the hand-over."""
    log = record["entries"]
    following = [each for each in log[log.index(entry) :] if each["type"] == "joined"]
    if not following or following[0]["seat"] != entry["replacement"]["seat"]:
        return False
    for each in log:
        if each["type"] == "replacement_agreed" and each["replacement"]["seat"] == following[0]["seat"]:
            each["replacement"].update(player=None, bot=None)
    following[0].update(player=None, bot=None)
    return None
