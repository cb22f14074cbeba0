"""What is said of the fairness of games, on the command line and on pages, in four languages."""

import json
from functools import cache
from importlib.resources import files

ENGLISH = "en"
# Of one game, on pages too: the verdict with its reason.
SHARED = {
    "proved": "{game} is fair: proved by {by}.",
    "consistent": "{game} is consistent; nobody vouches for it: no key was given to trust, so anybody could"
    " have written it.",
    "keys": "{game} is signed with a key that nobody you trust endorses: fetch the server’s keys"
    " (/v1/log-keys).",
    "lacks_inclusion": "{game} is not in the log of all games yet: fetch it again after {until}.",
    "lacks_witnessed": "{game} lacks a witness: fetch it again after {until}.",
    "lacks_receipts": "{game} lacks the receipt of its last entry: fetch it again.",
    "unseeded": "{game} hides its seed: whoever hides it may have rigged the deal.",
    "receipts": "{game} is contradicted by {receipt}.",
    "signatures": "{game} is contradicted by the own key of a player.",
    "inclusion": "{game} is contradicted by the server’s log of all games.",
    "by_entry": "{game} is contradicted by its own log at entry {entry} (check “{check}”).",
    "by_record": "{game} is contradicted by its own record (check “{check}”).",
    "server": "the server’s key",
    "quorum": "{n} of the witnesses {names}",
    "witness": "the witness {names}",
    "servers_receipt": "the server’s receipt",
    "and": "{others} and {last}",
}
TEXTS = {
    **SHARED,
    "all_proved": "{n} games are fair: proved by {by}.",
    "all_consistent": "{n} games are consistent; nobody vouches for them: no key was given to trust, so"
    " anybody could have written them.",
    "running": "{game} is not over: fetch it again when it is.",
    "log": "{game} has a log of a kind that is not known here: use a newer program.",
    "unreadable": "{game} cannot be read.",
    "altered": "{game} was altered after entry {entry}: {receipt} shows it.",
    "test_clock": "{n}× a test game: its app set the time.",
    "imported": "{n}× an imported game: the server that wrote the record did not deal it.",
    "practice": "{n}× a practice game: all seats but one were played by bots.",
    "erased": "{n}× a game of which names or texts were erased: everything else is checked.",
    "no_log": "{n}× a record without a log: who played, and when, is not checked.",
    "game": "Game {n}",
    "game_of": "Game {n} ({names})",
    "receipt_of": "the receipt of {holder}",
    "seat": "seat {seat}",
    "won": "{names} won",
    "nobody_won": "nobody won",
    "no_result": "no result",
    "not_counted": "contradicted, and not counted",
    "points": "{result} (points {points})",
    "player": "Player",
    "games": "Games",
    "wins": "Won",
    "score": "Points",
    "results": "The games",
    "standings": "Who played",
    "unknowable": "What nobody can know",
    "checks": "The checks",
}

# What nobody can know from a record, whatever it proves.
UNKNOWABLE = {
    "who": "Who chose the moves: the player, a friend, or a program.",
    "talk": "Whether players told each other their cards outside of the game.",
    "names": "Who is behind a name, and whether two players are the same person.",
    "looks": "Whether the operator of the server looked at hands while the game ran.",
    "times": "Whether the times are right: they are the server’s word, and witnesses only limit it.",
    "rewritten": "Whether a game of which nobody kept a receipt, and which no witness saw, is the one that"
    " was played.",
    "seeds": "In a game without commitments of the seats: whether the operator tried seeds until a deal"
    " suited.",
}


def languages() -> tuple[str, ...]:
    """Return the languages in which fairness is told."""
    return (ENGLISH, *translations())


def say(name: str, language: str = ENGLISH, **values: object) -> str:
    """Return a text in a language, with values in its places."""
    return translations().get(language, {**TEXTS, **UNKNOWABLE})[name].format(**values)


@cache
def translations() -> dict[str, dict[str, str]]:
    """Return the texts of each other language by their names."""
    text = (files("referee.texts") / "fairness.json").read_text("utf-8")
    texts: dict[str, dict[str, str]] = json.loads(text)
    return texts
