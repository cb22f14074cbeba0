"""Names, cards, places, times and durations in words, escaped for a page."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from html import escape
from typing import Any

from referee.engine.position import EVERYONE, Moved, Position, layout, seats_of, sees

SYMBOLS = dict(zip("CDHS", "♣♦♥♠", strict=True))
RED = ("D", "H")
FRENCH = re.compile(r"([2-9TJQKA])([CDHS])").fullmatch
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
MINUTE = 60
UNITS = (("day", 86_400), ("hour", 3_600), ("minute", MINUTE))


def isolated(text: str) -> str:
    """Escape a foreign text, so that it neither reverses the text around it nor moves the cursor."""
    return f"<bdi>{escape(CONTROLS.sub(REPLACEMENT, text))}</bdi>"


def plain(value: Any) -> str:
    """Return a JSON value as text."""
    if value is None:
        return "none"
    if type(value) is bool:
        return "yes" if value else "no"
    if type(value) is list:
        return ", ".join(map(plain, value)) or "none"
    if type(value) is dict:
        return ", ".join(f"{key}: {plain(item)}" for key, item in value.items())
    return str(value)


def words(name: str) -> str:
    """Return a name of the rules in words: `hand_number` is a hand number, `row1` a row 1."""
    return re.sub(r"([a-z])(\d)", r"\1 \2", name.replace("_", " "))


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def count(number: int, thing: str) -> str:
    """Return a number of things."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def length(given: timedelta) -> str:
    """Return a duration as people say it, such as "1 hour and 30 minutes": in seconds at most.

    Less than a minute is told in tenths of seconds.
    """
    seconds = round(given.total_seconds(), 1)
    if seconds >= MINUTE:
        seconds = round(seconds)
    parts = []
    for unit, size in UNITS:
        number, seconds = divmod(seconds, size)
        parts += [count(int(number), unit)] if number else []
    if seconds or not parts:
        parts.append("1 second" if seconds == 1 else f"{seconds:g} seconds")
    return listed(parts)


def moment(at: Any) -> str:
    """Return a time of the log for a sentence."""
    return f"{isolated(str(at)[:19].replace('T', ' '))} UTC"


def time(at: Any) -> str:
    """Return the time of an entry, as shown next to it."""
    return f" <time>{isolated(str(at)[:19].replace('T', ' '))}</time>" if at else ""


# --- seats ------------------------------------------------------------------------------------------


def seat_names(entries: Iterable[dict[str, Any]], seats: int) -> list[list[str]]:
    """Return the names of the seats at the beginning, and at the entry of each number.

    A seat has the name of who holds it or held it last; if nobody ever did, its number.
    """
    names = [f"Seat {seat}" for seat in range(seats)]
    by_version = [names]
    for entry in entries:
        seat = entry.get("seat")
        if entry.get("type") == "joined" and type(seat) is int and 0 <= seat < seats:
            player = entry.get("player")
            name = player.get("name") if type(player) is dict else entry.get("bot") and f"bot {entry['bot']}"
            if name:
                names = [*names[:seat], str(name), *names[seat + 1 :]]
        by_version.append(names)
    return by_version


def named(names: list[str], seat: int) -> str:
    """Return a seat's name, with its number where it has another name."""
    label = "" if names[seat] == f"Seat {seat}" else f" <span class=seat>seat {seat}</span>"
    return isolated(names[seat]) + label


def name(names: list[str], seat: Any) -> str:
    """Return the name of a seat in a log, which may not be a seat at all."""
    known = type(seat) is int and 0 <= seat < len(names)
    return isolated(names[seat]) if known else "Somebody"


# --- cards and places -------------------------------------------------------------------------------


def place(state: Position, zone: str | None, names: list[str]) -> str:
    """Return the usual name of a zone: "the stock", "Anna’s hand"."""
    if zone is None:
        return "the shuffled pack"
    base, _, seat = zone.partition(".")
    called = escape(layout(type(state)).zones[base].called or words(base))
    return f"{isolated(names[int(seat)])}’s {called}" if seat else f"the {called}"


def transfers(moved: Iterable[Moved], state: Position, names: list[str], seat: int) -> str:
    """Return a sentence for each transfer, and who saw its cards; cards unseen by the seat are hatched."""
    lines = []
    for source, target, shown, left, came in moved:
        if source == target:
            way = f"Cards changed places within {place(state, source, names)}"
        elif target is None:
            way = f"From {place(state, source, names)} into the pack, to be shuffled"
        else:
            way = f"From {place(state, source, names)} to {place(state, target, names)}"
        seen = sees(seat, left) or sees(seat, came)
        who = _who({*seats_of(left), *seats_of(came)}, names, len(shown))
        lines.append(f"<li>{way}: {cards(shown, seen) or 'no card'}. <span class=who>{who}</span></li>")
    return f"<ul class=transfers>{''.join(lines)}</ul>" if lines else ""


def _who(viewers: Collection[int], names: list[str], number: int) -> str:
    them = "it" if number == 1 else "them"
    if EVERYONE in viewers:
        return f"Everyone saw {them}."
    if not viewers:
        return f"Nobody saw {them}."
    return f"Only {listed([isolated(names[seat]) for seat in sorted(viewers)])} saw {them}."


def cards(value: Any, seen: bool = True) -> str:
    """Return a card or a list of cards, hatched if they were not seen."""
    return " ".join(_card(str(card), seen) for card in (value if type(value) is list else [value]))


def _card(card: str, seen: bool) -> str:
    match = FRENCH(card)
    text = match[1].replace("T", "10") + SYMBOLS[match[2]] if match else card
    kinds = ["card", *(["red"] if match and match[2] in RED else []), *([] if seen else ["unseen"])]
    return f'<span class="{" ".join(kinds)}">{escape(text)}</span>'
