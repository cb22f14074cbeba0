"""The words of mails, push messages and calendars.

What players have chosen, such as titles and names, is shown without links, addresses and hidden characters:
otherwise a stranger could have any text mailed by this server.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import referee
from api.notify import events as n
from api.notify.people.phrases import count, say
from api.notify.people.preferences import Preferences

LONGEST = 60  # characters of a title or name
LEFT_OUT = "…"
SPACES = ("Cc", "Zl", "Zp", "Zs")
HIDDEN = ("Cf", "Cn", "Co", "Cs")
LINK = re.compile(r"://|@|^www\b|\w[.\u3002]\s*[^\W\d_]{2,}", re.IGNORECASE)
WORDS = {
    n.GAME_INVITED: "You are invited to {game}.",
    n.REVEAL_DUE: "{game} can be dealt once you have revealed your entropy{until}.",
    n.TURN_BEGAN: "It is your turn in {game}{until}.",
    n.TURN_WARNING: "Your time in {game} is nearly over{until}.",
    n.TURN_NUDGED: "You are asked to move in {game}.",
    n.DEADLINE_MOVED: "{Who} now {has} more time in {game}{until}.",
    n.TURN_TIMED_OUT: "You ran out of time in {game}.",
    n.ORDERS_CANCELLED: "Your orders in {game} could not be played and were cancelled.",
    n.GAME_STARTED: "{game} has begun.",
    n.GAME_FINISHED: "{game} is over{result}.",
    n.GAME_CANCELLED: "{game} was called off.",
    n.SEAT_RESIGNED: "{Who} {has} resigned in {game}.",
    n.SEAT_REPLACED: "{Who} {has} taken over {seat} in {game}.",
    n.TAKE_BACK_REQUESTED: "{Who} asks to take a move back in {game}.",
    n.REPLACEMENT_AGREED: "{Who} {has} agreed that somebody else take over {seat} in {game}.",
    n.ENDING_AGREED: "{Who} would like to end {game} by {ending}.",
    n.PAUSE_AGREED: "{Who} would like a pause in {game}.",
    n.GAME_PAUSED: "{game} is paused.",
    n.GAME_RESUMED: "The pause in {game} is over.",
    n.VACATION_TAKEN: "{Who} {has} gone on vacation in {game}.",
    n.MESSAGE_POSTED: "There is a new message in {game}.",
}
KINDS = {
    n.REVEAL_DUE: "You have to reveal your entropy",
    n.TURN_BEGAN: "It is your turn",
    n.TURN_WARNING: "Your time is nearly over",
    n.TURN_NUDGED: "Somebody asks you to move",
    n.TURN_TIMED_OUT: "You ran out of time",
    n.ORDERS_CANCELLED: "Your orders were cancelled",
    n.GAME_STARTED: "A game has begun",
    n.GAME_FINISHED: "A game is over",
    n.GAME_CANCELLED: "A game was called off",
    n.SEAT_RESIGNED: "Somebody has resigned",
    n.TAKE_BACK_REQUESTED: "Somebody asks to take a move back",
    n.REPLACEMENT_AGREED: "Somebody agrees to a replacement",
    n.SEAT_REPLACED: "A seat was taken over",
    n.ENDING_AGREED: "Somebody would like to cancel a game, or a draw",
    n.PAUSE_AGREED: "Somebody would like a pause",
    n.GAME_PAUSED: "A game is paused",
    n.GAME_RESUMED: "A pause is over",
    n.VACATION_TAKEN: "Somebody has gone on vacation",
    n.DEADLINE_MOVED: "A deadline was moved",
    n.MESSAGE_POSTED: "There is a new message",
}
"""What a page calls the kinds of notices, among which a player chooses."""
URGENT_FIRST = {
    n.TURN_WARNING: "Your time is nearly over in {number} games",
    n.TURN_BEGAN: "It is your turn in {number} games",
    n.TURN_NUDGED: "You are asked to move in {number} games",
    n.GAME_FINISHED: "{number} games are over",
}
"""What a subject names first, in this order, and how it names several of them."""
UNTIL = ", until {time}"
REASONS = {
    "resigned": "by resignation",
    "timed_out": "on time",
    "dropped": "because of missed turns",
    "drawn": "together, in an agreed draw",
    "adjudicated": "by decision of the director",
}


def plain(text: str) -> str:
    """Return a text of somebody else on one line, without hidden characters, links and addresses."""
    kinds = [(c, unicodedata.category(c)) for c in text]
    visible = "".join(" " if kind in SPACES else c for c, kind in kinds if kind not in HIDDEN)
    words: list[str] = []
    for word in visible.split():
        shown = LEFT_OUT if LINK.search(unicodedata.normalize("NFKC", word)) else word
        if shown != LEFT_OUT or words[-1:] != [LEFT_OUT]:
            words.append(shown)
    whole = " ".join(words)
    return whole if len(whole) <= LONGEST else whole[: LONGEST - 1].rstrip() + LEFT_OUT


def name_of_seat(name: str | None, number: int, *, bot: bool) -> str:
    """Return the name of who has a seat, which differs from those of bots at the same table."""
    if name is None and bot:
        return f"Bot {number}"
    shown = plain(name or "")
    return shown if shown.strip(LEFT_OUT) else f"Seat {number}"


def name_of(ruleset: str, title: str | None) -> str:
    """Return the name of a game.

    For a ruleset that is no longer installed, this is its id, so that notices of other games can be read.
    """
    try:
        name = referee.find(ruleset).NAME
    except referee.Malformed:
        name = ruleset
    words = plain(title or "")
    return f"{name} “{words}”" if words.strip(LEFT_OUT) else name


def line(payload: dict[str, Any], preferences: Preferences, *, until: bool = True) -> str:
    """Return a notice as a sentence, with or without the deadline."""
    data, now = payload["data"], payload.get("now") or {"you": [], "names": []}
    game = name_of(data["ruleset"], data.get("title")) if data.get("ruleset") else "a game"
    deadline, seat = data.get("deadline"), data.get("seat")
    yours = seat is not None and seat in now["you"]
    handed = (data.get("replacement") or {}).get("seat")
    return say(
        WORDS[payload["type"]],
        game=game,
        until=until_when(preferences, deadline) if deadline and until else "",
        Who="You" if yours else _capital(_name(now["names"], seat)),
        has="have" if yours else "has",
        seat="your seat" if now.get("former") or handed in now["you"] else "a seat",
        result=_result(now),
        ending=data.get("ending", ""),
    )


def _name(names: Sequence[str | None], seat: int | None) -> str:
    """Return the name of who has a seat."""
    if seat is None or seat >= len(names):
        return "a player"
    name = names[seat]
    if name is None:
        return "a bot"
    shown = plain(name)
    return shown if shown.strip(LEFT_OUT) else "a player"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _result(now: dict[str, Any]) -> str:
    """Return who has won, as the end of a sentence; nothing if the result is not known."""
    result = now.get("result")
    if not result:
        return ""
    you, names = set(now["you"]), now["names"]
    winners, losers = result["winners"], result["losers"]
    others = dict.fromkeys(_name(names, seat) for seat in winners if seat not in you)
    parts = []
    if you & set(winners):
        parts.append(" with ".join(["you have won", *([listed(list(others))] if others else [])]))
    else:
        parts += ["you have lost"] if you & set(losers) else []
        parts += [f"{listed(list(others))} {'has' if len(others) == 1 else 'have'} won"] if others else []
    why = REASONS.get(result.get("reason", ""))
    return f": {', '.join(parts)}{f' {why}' if why else ''}" if parts else ": nobody has won"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def subject(payloads: Sequence[dict[str, Any]], preferences: Preferences) -> str:
    """Return the subject of a mail: what is most urgent, until when, and whether there is more."""
    games = dict.fromkeys(each["data"].get("game") for each in payloads)
    for event, several in URGENT_FIRST.items():
        urgent = {each["data"].get("game"): each for each in payloads if each["type"] == event}
        if len(urgent) == 1:
            (only,) = urgent.values()
            return f"{_title(only, preferences)}{_more(len(games) - 1)}"
        if urgent:
            return f"{say(several, number=len(urgent))}{_more(len(games) - len(urgent))}"
    if len(games) == 1:
        return _title(payloads[-1], preferences)
    return say("News of {number} games", number=len(games))


def _title(payload: dict[str, Any], preferences: Preferences) -> str:
    """Return a notice as a subject, with a short deadline."""
    deadline = payload["data"].get("deadline") if "{until}" in WORDS[payload["type"]] else None
    until = say(UNTIL, time=preferences.short(datetime.fromisoformat(deadline))) if deadline else ""
    return line(payload, preferences, until=False).removesuffix(".") + until


def until_when(preferences: Preferences, deadline: str) -> str:
    """Return the end of a sentence that says until when."""
    return say(UNTIL, time=preferences.local(datetime.fromisoformat(deadline)))


def _more(games: int) -> str:
    return count(games, ", and news of another game", ", and news of {number} games") if games else ""
