"""What verifiers do not find in a record alone, each kind with its row in docs/trust.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

# What the page says that it does not check, because it does not know the rules of the games: the checks of
# the referee, and what these say then.
BEYOND_PAGE = {
    "record": "^options",
    "verdicts": "",
    "bots": "",
    "transfers": "",
    "shuffles": "are not what happened|is not what that seat saw|outcome .* of chance|never drawn",
    "result": "the game came to|no finished entry",
    "clocks": "another move was made|the time of seat .* was (not over|over too)|not those that follow from"
    "|who moves in time",
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


# What passes in a log that was written anew, as docs/trust.md calls it → deeds, types of entries and members.
UNFOUND: dict[str, tuple[str, ...]] = {
    "what was said": ("* said.*", "* nudged.*", "swap *.said", "swap *.nudged"),
    "when it happened": (
        *("lie *.earlier", "lie *.a_longer_pause", "* *.at", "swap joined.*", "swap *.joined"),
        *("swap revealed.revealed", "swap timed_out.timed_out", "swap forfeited.forfeited"),
        *(f"swap {kind}.*" for kind in ("pause_agreed", "replacement_agreed", "vacation_taken")),
        *(f"swap *.{kind}" for kind in ("pause_agreed", "replacement_agreed", "vacation_taken")),
        *("swap take_back_agreed.take_back_agreed", "swap time_added.*", "swap *.time_added"),
        *("swap pace_changed.*", "swap *.pace_changed", "swap moved.moved"),
    ),
    "who acted": (
        *("* *.by", "lie *.by_somebody_else", "lie joined.under_another_name", "* joined.player"),
        *("* joined.public_key", "lie joined.no_key", "lie joined.a_bot", "* *.bot", "drop *.player"),
        *("* imported.imported_by", "lie imported.imported_by_another_app", "drop left.agreed"),
        *("add *.player", "lie resumed.by_another_seat", "lie joined.by_another_seat", "lie left.*"),
    ),
    "how the game began": (
        *("lie created.other_visibility", "lie created.older_number", "lie created.no_test"),
        *("lie created.other_options", "lie created.another_seed", "* created.visibility", "* created.pace"),
        *("lie created.other_pace", "change created.reveal_within"),
        *("* created.log", "* created.options", "drop created.test_clock", "* joined.entropy"),
        *("* joined.commitment", "lie joined.*", "lie revealed.other_entropy", "* revealed.entropy"),
        *("remove joined.", "remove left.", "remove revealed."),
    ),
    "what led to nothing": (
        *("* take_back_*.*", "* pause_agreed.*", "* replacement_agreed.*", "* vacation_taken.*"),
        *("double paused.", "remove paused.", "lie paused.left_out", "borrow paused.type", "* timed_out.*"),
        *("double imported.", "lie imported.told_twice"),
    ),
    "acts of the operator": ("* time_returned.*", "* time_added.*", "* pace_changed.*"),
    "how the game ended": (
        "remove moved.",
        *("remove forfeited.", "lie forfeited.left_out"),
        "* resigned.*",
        "* cancelled.*",
        "* finished.looks",
        "lie finished.another_result",
        "lie finished.no_looks",
    ),
    "another move": (
        "* moved.move",
        "double moved.",
        "lie moved.told_twice",
        *("lie moved.another_move", "lie moved.by_another_seat"),
        *("lie taken_back.left_out", "remove taken_back."),
        "lie moved.left_out",
    ),
    "orders": ("lie moved.marked_otherwise", "* moved.order"),
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
    done = f"{forgery.deed} {forgery.type}.{forgery.member}"
    return next(
        (name for name, deeds in UNFOUND.items() if any(fnmatchcase(done, deed) for deed in deeds)), None
    )
