"""The words of mails and push messages.

What players have chosen, such as titles and names, is shown without links, addresses and hidden characters:
otherwise a stranger could have any text mailed by this server.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import referee
import referee.clocks
from api.features.mail.kinds import ABOUT_YOU, OF_WHOM, YOUR_SEAT, kinds
from api.features.mail.phrases import many, mark, translate, write_length
from api.features.mail.preferences import Preferences
from api.features.notices import events as n

LONGEST = 60  # characters of a title or name
LEFT_OUT = "…"
SPACES = ("Cc", "Zl", "Zp", "Zs")
HIDDEN = ("Cf", "Cn", "Co", "Cs")
LINK = re.compile(r"://|@|^www\b|\w[.\u3002]\s*[^\W\d_]{2,}", re.IGNORECASE)
INVITED_BY = mark("{host} invites you to {game}.")
TO_ANSWER = mark("You can accept or decline at the table, or in the list of your games.")
PER_MOVE = mark("Each move has {time}.")
LATE = {
    "resign": mark("When the time is over, you lose the game."),
    "random_move": mark("When the time is over, a move is made for you by chance."),
    "bot": mark("When the time is over, a bot moves for you."),
}
"""What happens to who is late."""
OUT = mark("If you are late again, you are out, and lose the game.")
OUT_BY_BOT = mark("If you are late again, you are out: a bot takes your seat.")
OUT_AT_ONCE = mark("If you are late, you are out, and lose the game.")
OUT_AT_ONCE_BY_BOT = mark("If you are late, you are out: a bot takes your seat.")
RESERVE = mark("This includes your reserve: {time}.")
AGAIN = mark("At the table you can play again, and check the deal and every move.")
BECAUSE = {
    "time_added": mark("The director has given this time."),
    "time_returned": mark("The server was down; it gives the time back."),
    "vacation_taken": mark("The reason is a vacation."),
    "resumed": mark("The reason is a pause, which is over."),
}
"""Why a deadline has moved, by the type of the entry."""
CANCELLATION = mark("{who} would like to cancel {game}.")
URGENT_FIRST = {
    n.TURN_WARNING: mark("Your time is nearly over in {number} games"),
    n.TURN_BEGAN: mark("It is your turn in {number} games"),
    n.GAME_NUDGED: mark("You are asked to move in {number} games"),
    n.GAME_FINISHED: mark("{number} games are over"),
}
"""What a subject names first, in this order, and how it names several of them."""
UNTIL = mark(", until {time}")
REASONS = {
    "resigned": mark("by resignation"),
    "timed_out": mark("on time"),
    "dropped": mark("because of missed turns"),
    "drawn": mark("together, in an agreed draw"),
    "adjudicated": mark("by decision of the director"),
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


def _left(text: str | None) -> str:
    """Return a text of somebody else as `plain` does, empty if nothing of it is left."""
    shown = plain(text or "")
    return shown if shown.strip(LEFT_OUT) else ""


def name_of_seat(name: str | None, number: int, *, bot: bool) -> str:
    """Return the name of who has a seat, which differs from those of bots at the same table."""
    if name is None and bot:
        return translate("Bot {number}", number=number)
    return _left(name) or translate("Player {number}", number=number + 1)


def name_of(ruleset: str, title: str | None) -> str:
    """Return the name of a game.

    For a ruleset that is no longer installed, this is its id, so that notices of other games can be read.
    """
    try:
        name = referee.find(ruleset).NAME
    except referee.Malformed:
        name = ruleset
    words = _left(title)
    return f"{name} “{words}”" if words else name


def line(payload: dict[str, Any], preferences: Preferences, *, until: bool = True) -> str:
    """Return a notice as a sentence, with or without the deadline."""
    data, now = payload["data"], payload.get("now") or {"you": [], "names": []}
    game = name_of(data["ruleset"], data.get("title"))
    deadline = data.get("deadline") if until else None
    said = capital(
        translate(
            _phrase(payload["type"], data, now),
            game=game,
            until=until_when(preferences, deadline) if deadline else "",
            who=_name(now.get("who", "")),
            before=_left(now.get("before")),
            host=_left(now.get("host")),
            result=_result(now),
        )
    )
    return " ".join([said, *(_explained(payload["type"], data, now) if until else ())])


def _explained(event: str, data: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield what to add to a notice, such as what being late means, and how an invitation is answered."""
    pace = now.get("pace")
    if event == n.DEADLINE_MOVED and data.get("because") in BECAUSE:
        yield translate(BECAUSE[data["because"]])
    if now.get("reserve"):
        yield translate(RESERVE, time=write_length(_rounded(referee.clocks.duration(now["reserve"]))))
    if event == n.TURN_WARNING and pace:
        out = pace.get("out_after")
        if out is not None and now.get("missed", 0) + 1 >= out:
            by_bot, again = bool(pace.get("stand_in")), out > 1
            both = (OUT_BY_BOT, OUT) if again else (OUT_AT_ONCE_BY_BOT, OUT_AT_ONCE)
            yield translate(both[0] if by_bot else both[1])
        else:
            yield translate(LATE[pace["on_timeout"]])
    if event == n.GAME_FINISHED and now["you"]:
        yield translate(AGAIN)
    if event == n.GAME_INVITED:
        if pace:
            yield translate(PER_MOVE, time=write_length(referee.clocks.duration(pace["per_move"])))
        yield translate(TO_ANSWER)


def _rounded(length: timedelta) -> timedelta:
    """Return a length of time in whole days, hours or minutes, whichever are at least two."""
    units = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
    unit = next((unit for unit in units if length >= 2 * unit), units[-1])
    return length // unit * unit


def _phrase(event: str, data: dict[str, Any], now: dict[str, Any]) -> str:
    """Return the words for an event, which depend on whose seat it is about."""
    handed = (data.get("replacement") or {}).get("seat")
    if event in YOUR_SEAT and (now.get("former") or handed in now["you"]):
        return YOUR_SEAT[event]
    if event == n.GAME_INVITED and _left(now.get("host")):
        return INVITED_BY
    is_you = event in ABOUT_YOU and data.get("seat") in now["you"]
    said = ABOUT_YOU[event] if is_you else kinds()[event].said
    if _left(now.get("before")):
        said = OF_WHOM.get(said, said)
    return CANCELLATION if data.get("ending") == "cancellation" else said


def _name(name: str | None) -> str:
    """Return the name of a player, which is empty if it is not known; None is a bot."""
    return translate("a bot") if name is None else _left(name) or translate("a player")


def capital(text: str) -> str:
    """Return a text as the beginning of a line."""
    return text[:1].upper() + text[1:]


def _result(now: dict[str, Any]) -> str:
    """Return who has won, as the end of a sentence; nothing if the result is not known."""
    result = now.get("result")
    if not result:
        return ""
    you, names = set(now["you"]), now["names"]
    winners, losers = result["winners"], result["losers"]
    others = list(dict.fromkeys(_name(names[seat]) for seat in winners if seat not in you))
    parts = []
    if you & set(winners):
        won = (
            translate("you have won with {names}", names=listed(others))
            if others
            else translate("you have won")
        )
        parts.append(won)
    else:
        parts += [translate("you have lost")] if you & set(losers) else []
        parts += [translate("{names} has won", names=others[0])] if len(others) == 1 else []
        parts += [translate("{names} have won", names=listed(others))] if len(others) > 1 else []
    why = REASONS.get(result.get("reason", ""))
    said = ", ".join(parts) or translate("nobody has won")
    if why:
        said = translate("{result} {why}", result=said, why=translate(why))
    return f": {said}"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    *before, last = names
    return translate("{names} and {last}", names=", ".join(before), last=last) if before else last


def subject(payloads: Sequence[dict[str, Any]], preferences: Preferences) -> str:
    """Return the subject of a mail: what is most urgent, until when, and whether there is more."""
    games = dict.fromkeys(each["data"].get("game") for each in payloads)
    for event, several in URGENT_FIRST.items():
        urgent = {each["data"].get("game"): each for each in payloads if each["type"] == event}
        if len(urgent) == 1:
            (only,) = urgent.values()
            return f"{_title(only, preferences)}{_more(len(games) - 1)}"
        if urgent:
            return f"{translate(several, number=len(urgent))}{_more(len(games) - len(urgent))}"
    if len(games) == 1:
        return _title(payloads[-1], preferences)
    return translate("News of {number} games", number=len(games))


def _title(payload: dict[str, Any], preferences: Preferences) -> str:
    """Return a notice as a subject, with a short deadline."""
    deadline = payload["data"].get("deadline") if "{until}" in kinds()[payload["type"]].said else None
    until = translate(UNTIL, time=preferences.short(datetime.fromisoformat(deadline))) if deadline else ""
    return line(payload, preferences, until=False).removesuffix(".") + until


def until_when(preferences: Preferences, deadline: str) -> str:
    """Return the end of a sentence that says until when."""
    return translate(UNTIL, time=preferences.local(datetime.fromisoformat(deadline)))


def _more(games: int) -> str:
    return many(games, ", and news of another game", ", and news of {number} games") if games else ""
