"""What a reader wants to know first: how a match ended, who sat where, and what others did."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from referee.dispute.wording import in_words
from referee.dispute.words import isolated, listed, name
from referee.log.entries import LAST
from referee.verification.assessment import Assessment
from referee.verification.findings import PROVED, SERVER
from referee.verification.signing import CHECK as SIGNATURES

Entry = dict[str, Any]
OPERATOR = (
    "time_returned",
    "time_added",
    "timeout_undone",
    "adjudicated",
    "cancelled",
)
CONSENTS = (
    *("take_back_requested", "take_back_agreed", "take_back_refused", "taken_back"),
    *("pause_agreed", "paused", "resumed", "replacement_agreed", "ending_agreed"),
    "key_retired",
)
# The type of the entries that ended a match → why it ended, with the names of their seats.
MANNERS = {
    "moved": "by the last move, of {}",
    "resigned": "because {} resigned",
    "timed_out": "because the time of {} was over",
    "forfeited": "because {} did not reveal what the deal needed",
    "dropped": "because {} missed too many turns",
    "drawn": "as a draw, to which all players agreed",
    "adjudicated": "by the decision of the director",
    "cancelled": "because it was called off",
}


class Ending(NamedTuple):
    """How a match ended: the manner as HTML, the entry, and the time of its start and its end."""

    manner: str
    seq: int | None
    began: str | None
    ended: str | None


class Holder(NamedTuple):
    """Somebody who has held a seat, from a time to another (None: to the end)."""

    seat: int
    name: str
    id: str
    since: str
    until: str | None
    key: str | None


class Act(NamedTuple):
    """An entry in words: pieces of a sentence, each with whether it is foreign text."""

    seq: int
    at: str
    pieces: list[tuple[str, bool]]


def evidence(found: Assessment) -> str:
    """Return what the evidence says, as a sentence."""
    broken = found.broken
    if not broken:
        checked = [one for one in found.promises if one.ok]
        follow = "The deal, every move, the times and the result follow from the seed, the rules and the log"
        return f"{follow}: {len(checked)} checks hold, and none fails. The verdict is: {found.sentence}."
    return f"The record is contradicted by its check of {broken[0].name}: {broken[0].finding}."


def liars(found: Assessment) -> str:
    """Return who would have to lie for the evidence to be false, as a sentence."""
    if found.broken:
        return (
            "For this to be wrong nobody has to lie but whoever made this file: compare it with the copies of"
            " others. If theirs are the same, the server has written a log that cannot be true."
        )
    lying = ["the server" if by == SERVER else by for by in found.vouchers]
    if any(one.name == SIGNATURES and one.ok for one in found.promises):
        lying.append("whoever has the keys of the players, for what they signed")
    if not lying:
        return (
            "For it to be false, it is enough that whoever gave you this file wrote another game, with"
            " another seed. A receipt that the server signed would prevent that."
        )
    together = listed(lying)
    alone = found.verdict != PROVED
    but = " Without a key of the server that you trust, whoever gave you this file may have written the rest."
    return f"For it to be false, {together} would have to lie{' together' * (len(lying) > 1)}.{but * alone}"


def ending(entries: Sequence[Entry], names: Sequence[list[str]]) -> Ending:
    """Return how a match ended; a log that does not say it has no end.

    `names` are those of the seats at the entry of each number.
    """
    began = next((str(entry.get("at")) for entry in entries if entry.get("type") == "started"), None)
    kinds = ["", *(str(entry.get("type")) for entry in entries)]  # by number
    last = next((n for n in range(len(entries), 0, -1) if kinds[n] in LAST), None)
    if last is None:
        return Ending("in a way that the record does not tell", None, began, None)
    ended = str(entries[last - 1].get("at"))
    before = [n for n in range(last - 1, 0, -1) if kinds[n] != "said"]
    kind = kinds[before[0]] if before else ""
    if kind not in MANNERS or (kinds[last] == "cancelled" and kind != "forfeited"):
        return Ending("because it was called off", last, began, ended)
    together = before[:1] if kind == "moved" else [*takewhile(lambda n: kinds[n] == kind, before)]
    seats = [(n, entries[n - 1].get("seat")) for n in reversed(together)]
    who = listed([f"{name(names[n], seat)} (seat {isolated(str(seat))})" for n, seat in seats])
    return Ending(MANNERS[kind].format(who), before[0], began, ended)


def holders(entries: Sequence[Entry]) -> list[Holder]:
    """Return everybody who ever held a seat, in the order in which they came."""
    result: list[Holder] = []
    seated: dict[int, int] = {}
    for entry in entries:
        seat, at = entry.get("seat"), str(entry.get("at"))
        if type(seat) is not int:
            continue
        if entry.get("type") in ("joined", "left") and seat in seated:
            place = seated.pop(seat)
            result[place] = result[place]._replace(until=at)
        if entry.get("type") == "joined":
            seated[seat] = len(result)
            result.append(_holder(entry, seat, at))
    return result


def _holder(entry: Entry, seat: int, at: str) -> Holder:
    player, bot = entry.get("player"), entry.get("bot")
    key = str(entry["public_key"]) if "public_key" in entry else None
    if type(player) is dict:
        return Holder(seat, str(player.get("name")), str(player.get("id")), at, None, key)
    return Holder(seat, f"bot {bot}" if bot else "the app", "", at, None, key)


def acts_of_others(entries: Sequence[Entry], names: Sequence[list[str]]) -> Iterator[Act]:
    """Yield what the app did for seats, and what it or the server's operator did to the game.

    `names` are those of the seats at the entry of each number.
    """
    for number, entry in enumerate(entries, 1):
        if entry.get("type") in OPERATOR or entry.get("by") == "app":
            yield _act(number, entry, names)


def consents(entries: Sequence[Entry], names: Sequence[list[str]]) -> Iterator[Act]:
    """Yield who asked and agreed to what; `names` are those of the seats at the entry of each number."""
    for number, entry in enumerate(entries, 1):
        if entry.get("type") in CONSENTS:
            yield _act(number, entry, names)


def _act(number: int, entry: Entry, names: Sequence[list[str]]) -> Act:
    return Act(number, str(entry.get("at")), [*in_words(entry, names[number])])
