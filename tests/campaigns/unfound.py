"""What verifiers do not find in a record alone, each kind with its row in docs/trust.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from tests.campaigns.lying import TALK

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
OF_TALK = ("other_words", "told_twice", "left_out", "by_another_seat")
# What passes in a log that was written anew, as docs/trust.md calls it → deeds, types of entries and members.
UNFOUND: dict[str, tuple[str, ...]] = {
    "what was said": (
        *(f"* {kind}.{text}" for kind, text in TALK.items()),
        *(f"{deed} {kind}." for kind in TALK for deed in ("double", "remove", "cut")),
        *(form.format(kind) for kind in TALK for form in ("borrow {}.type", "swap {}.*", "swap *.{}")),
        *("double nudged.", "remove nudged.", "borrow nudged.type", "swap nudged.*", "swap *.nudged"),
    ),
    "when it happened": (
        *("* *.at", "swap joined.*", "swap *.joined"),
        *("swap revealed.revealed", "swap timed_out.timed_out", "swap forfeited.forfeited"),
        *(f"swap {kind}.*" for kind in AGREEMENTS),
        *(f"swap *.{kind}" for kind in AGREEMENTS),
        *("swap take_back_*.*", "swap time_added.*", "swap *.time_added"),
        "swap moved.moved",
    ),
    "who acted": (
        *("* *.by", "* joined.player", "* joined.public_key", "* joined.bot", "add *.bot", "drop *.bot"),
        *("drop *.player", "add *.player", "drop left.agreed", "drop cancelled.agreed"),
    ),
    "how the game began": (
        *("* created.visibility", "* created.pace", "change created.reveal_within"),
        *("* created.options", "drop created.test_clock", "* joined.entropy", "* joined.commitment"),
        *("* revealed.entropy", "remove joined.", "remove left.", "remove revealed."),
    ),
    "what led to nothing": (
        *(f"{deed} {kind}." for kind in ASIDE for deed in ("double", "remove")),
        *(f"borrow {kind}.type" for kind in ASIDE),
        *("* ending_agreed.ending", "* replacement_agreed.replacement"),
        *(
            "double paused.",
            "remove paused.",
            "borrow paused.type",
            "remove timed_out.",
            "remove key_retired.",
        ),
    ),
    "acts of the operator": (
        *("remove time_returned.", "remove time_added."),
        "* time_returned.since",
    ),
    "how the game ended": (
        *("remove moved.", "remove forfeited.", "* resigned.seat", "cut cancelled.", "remove cancelled."),
        "* adjudicated.ruling",
        *("borrow cancelled.type", "borrow drawn.type", "borrow adjudicated.type"),
    ),
    "another move": ("change moved.move", "borrow moved.move", "double moved.", "remove taken_back."),
    "orders": ("add moved.order", "drop moved.order"),
}
# Lies that pass, each by its name: of every other one, and of all that are added, nobody may be deceived.
UNFOUND_LIES: dict[str, tuple[str, ...]] = {
    "what was said": (
        *(f"{kind}.{name}" for kind in TALK for name in OF_TALK),
        *("nudged.told_twice", "nudged.left_out", "nudged.by_another_seat"),
    ),
    "when it happened": ("*.earlier", "paused.a_longer_pause", "resumed.a_longer_pause"),
    "who acted": (
        *("*.by_somebody_else", "joined.under_another_name", "joined.no_key", "joined.a_bot"),
        *("joined.by_another_seat", "resumed.by_another_seat", "left.agreed"),
        "timed_out.late_and_not_named",
    ),
    "how the game began": (
        *("created.other_visibility", "created.older_number", "created.no_test", "created.other_options"),
        *("created.another_seed", "created.other_pace", "joined.other_entropy", "revealed.other_entropy"),
    ),
    "what led to nothing": (
        *(f"{kind}.{name}" for kind in ASIDE for name in ("told_twice", "left_out", "by_another_seat")),
        *("take_back_agreed.the_other_answer", "take_back_refused.the_other_answer"),
        *("replacement_agreed.for_somebody_else", "paused.left_out", "timed_out.left_out"),
        "key_retired.left_out",
    ),
    "acts of the operator": (
        *("time_returned.longer_outage", "time_returned.left_out", "time_added.left_out"),
    ),
    "how the game ended": (
        *("forfeited.left_out", "resigned.by_another_seat", "cancelled.left_out"),
        "finished.another_result",
    ),
    "another move": (
        *("moved.another_move", "moved.by_another_seat", "moved.left_out", "moved.told_twice"),
        "taken_back.left_out",
    ),
    "orders": ("moved.marked_otherwise",),
}
# Parts of a record that are not in its log; without the others, a report says what it did not check.
LABELS = ("title", "metadata", "game", "imported_by")


def reason(forgery: Any) -> str | None:
    """Return why nobody finds such a forgery, as it is called in docs/trust.md, or None."""
    if forgery.type == "record":
        is_beside = forgery.deed == "drop" or forgery.member in LABELS
        return "parts beside the log" if is_beside and forgery.member != "format" else None
    if forgery.kind == "plain":  # nothing follows the last message, so nobody misses it
        return "what was said" if (forgery.deed, forgery.type) == ("cut", "said") else None
    is_lie = forgery.deed == "lie"
    done = f"{forgery.type}.{forgery.member}"
    done, table = (done, UNFOUND_LIES) if is_lie else (f"{forgery.deed} {done}", UNFOUND)
    return next(
        (name for name, deeds in table.items() if any(fnmatchcase(done, deed) for deed in deeds)), None
    )
