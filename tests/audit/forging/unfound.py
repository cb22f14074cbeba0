"""What verifiers do not find in a record alone, each kind with its row in docs/explanation/trust.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from referee.records import ENTRY_TYPES

TALK = {name: "private" for name, kind in ENTRY_TYPES.items() if kind.says}
# What the page says that it does not check, because it does not know the rules of the games: the checks of
# the referee, and what these say then.
BEYOND_PAGE = {
    "record": "^options",
    "verdicts": "",
    "bots": "",
    "seats": "for whom the game does not wait",
    "transfers": "",
    "shuffles": "are not what happened|is not what that seat saw|outcome .* of chance|never drawn",
    "result": "the game came to|no finished entry",
    "clocks": "another move was made|the time of seat .* was (not over|over too)|not those that follow from"
    "|who moves in time|before others whose time was over earlier",
    "order": "the game is over, but no finished|takes back|the game has a result",
}


def is_beyond_page(findings: Mapping[str, str]) -> bool:
    """Return whether the findings of the referee's verifier need the rules of the game.

    What it finds after an illegal move only follows from that.
    """
    return "verdicts" in findings or all(
        name in BEYOND_PAGE and re.search(BEYOND_PAGE[name], detail) is not None
        for name, detail in findings.items()
    )


AGREEMENTS = ("pause_agreed", "replacement_agreed", "ending_agreed", "vacation_taken")
ASIDE = (*AGREEMENTS, "take_back_requested", "take_back_agreed", "take_back_refused")
SAID = (*TALK, "nudged")
# What passes in a log that was written anew, by docs/explanation/trust.md → deeds, types, members.
# tests/audit/passing.txt has each of the deeds that pass about certain games.
UNFOUND: dict[str, tuple[str, ...]] = {
    "what was said": (
        *(f"* {kind}.{text}" for kind, text in TALK.items()),
        "change moved.private",
        *(f"{deed} {kind}." for kind in SAID for deed in ("double", "remove", "cut", "reseat")),
        *(form.format(kind) for kind in SAID for form in ("* {}.type", "swap {}.*", "swap *.{}")),
        *(f"lie {kind}.invented_by_a_player" for kind in SAID),
    ),
    "when it happened": (
        *(
            "* *.at",
            "swap joined.*",
            "swap *.joined",
            "lie paused.a_longer_pause",
            "lie resumed.a_longer_pause",
        ),
        *("swap revealed.revealed", "swap timed_out.timed_out", "swap forfeited.forfeited"),
        *(form.format(kind) for kind in AGREEMENTS for form in ("swap {}.*", "swap *.{}")),
        *(
            "swap take_back_*.*",
            "swap time_added.*",
            "swap *.time_added",
            "swap moved.moved",
            "swap key_retired.*",
            "swap *.key_retired",
        ),
    ),
    "who acted": (
        *("* *.by", "* joined.player", "* joined.public_key", "* joined.bot", "add *.bot"),
        *("add *.player", "drop left.agreed", "drop cancelled.agreed"),
        *("reseat joined.", "reseat resumed.", "lie joined.a_bot", "lie timed_out.late_and_not_named"),
    ),
    "how the game began": (
        *("* created.visibility", "* created.pace", "change created.reveal_within"),
        *("* created.options", "* created.test_clock", "* joined.entropy", "* joined.commitment"),
        *(
            "* revealed.entropy",
            "remove joined.",
            "remove left.",
            "remove revealed.",
            "lie created.another_seed",
        ),
    ),
    "what led to nothing": (
        *(f"{deed} {kind}." for kind in ASIDE for deed in ("double", "remove", "reseat")),
        *(form.format(kind) for kind in ASIDE for form in ("* {}.type", "lie {}.invented_by_a_player")),
        *("* ending_agreed.ending", "* replacement_agreed.replacement"),
        *(
            "double paused.",
            "remove paused.",
            "borrow paused.type",
            "remove timed_out.",
            "remove key_retired.",
        ),
    ),
    "acts of the operator": ("remove time_returned.", "remove time_added.", "* time_returned.since"),
    "how the game ended": (
        *("remove moved.", "remove forfeited.", "* resigned.seat", "reseat resigned.", "cut cancelled."),
        *(
            "remove cancelled.",
            "drop cancelled.reason",
            "* adjudicated.ruling",
            "lie finished.another_result",
        ),
        *("borrow cancelled.type", "borrow drawn.type", "borrow adjudicated.type"),
        *("lie adjudicated.invented_by_a_player", "lie resigned.invented_by_a_player"),
    ),
    "another move": (
        *("change moved.move", "borrow moved.move", "reseat moved.", "double moved.", "remove taken_back."),
        "lie moved.another_move",
    ),
    "orders": ("add moved.order", "drop moved.order", "lie moved.marked_otherwise"),
}
# Parts of a record that are not in its log; without the others, a report says what it did not check.
LABELS = ("title", "metadata", "game", "imported_by")


def reason(forgery: Any) -> str | None:
    """Return why nobody finds such a forgery, as it is called in docs/explanation/trust.md, or None."""
    if forgery.type == "record":
        is_beside = forgery.deed == "drop" or forgery.member in LABELS
        return "parts beside the log" if is_beside and forgery.member != "format" else None
    if (
        forgery.deed == "retype" and forgery.member != "options"
    ):  # another value of an option is another option
        return None
    if forgery.kind == "plain":  # nothing follows the last message, so nobody misses it
        return "what was said" if (forgery.deed, forgery.type) == ("cut", "said") else None
    done = f"{forgery.deed} {forgery.type}.{forgery.member}"
    return next(
        (name for name, deeds in UNFOUND.items() if any(fnmatchcase(done, deed) for deed in deeds)), None
    )
