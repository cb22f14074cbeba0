"""How games are found, and in which order."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError

import referee
from api.core.labels import LONGEST_TITLE
from api.core.paging import TIMED_CURSOR_PATTERN
from api.schemas.fields import Choice, Message, Several, Text
from api.schemas.patterns import CURSOR_PATTERN, Cursor, Id, Time
from api.schemas.requests.common import VISIBILITIES
from api.schemas.requests.queries import ORIGINS, STATUSES, LabelledPages

SORTS = ("created_at", "-created_at", "finished_at", "-finished_at")
REASONS = {"resigned", "timed_out"} | {  # and the reasons of all rulesets, including older versions
    reason
    for rules in referee.newest()
    for version in referee.versions(rules.ID)
    for reason in referee.find(rules.ID, version).REASONS
}


class Reason(Text):
    """Why a game ended. Not an enumeration: generated clients would give two spellings the same name."""

    def _deserialize(self, value: Any, *more: Any, **kwargs: Any) -> str:
        reason: str = super()._deserialize(value, *more, **kwargs)
        if reason not in REASONS:
            raise ValidationError(f"Must be one of: {', '.join(sorted(REASONS))}.")
        return reason


class GameCursor(Cursor):
    """Where a page of games begins. Cursors of earlier releases are accepted for the default order."""

    pattern = f"{CURSOR_PATTERN}|{TIMED_CURSOR_PATTERN}"

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        forms = [{"type": "string", "pattern": form} for form in (CURSOR_PATTERN, TIMED_CURSOR_PATTERN)]
        self.keywords = {"anyOf": forms}


class GameFilters(LabelledPages):
    """Which games to find. If a filter has several values, a game needs to match only one of them."""

    cursor = GameCursor(about="The `next` of the previous page, with the same filters and the same `sort`.")
    sort = Choice(
        *SORTS,
        about="The order; `-` puts the latest first. By `finished_at`, cancelled games are sorted by end "
        "too, running games as if they ended last. By default, the newest come first.",
    )
    status = Several(Choice(*STATUSES), alone=True, about="Only games of these statuses.")
    ruleset = Several(Text(1, 64), alone=True, about="Only games of these rulesets.")
    player = Several(Id(), alone=True, about="Only games in which one of these players has a seat.")
    to_act = Several(Id(), alone=True, about="Only games that wait for one of these players.")
    winner = Several(Id(), about="Only games that one of these players has won.")
    title = Several(
        Message(LONGEST_TITLE),
        commas=False,
        about="Only games with one of these titles. Repeat the parameter for several titles.",
    )
    reason = Several(Reason(1, 64), about="Only games whose result has one of these reasons.")
    visibility = Several(
        Choice(*VISIBILITIES),
        alone=True,
        about="Only games of these visibilities; `public` alone finds everyone's.",
    )
    test_clock = Several(Id(), alone=True, about="Only games on these test clocks.")
    origin = Several(
        Choice(*ORIGINS), alone=True, about="Only games that were dealt here, imported or forked."
    )
    created_after = Time(about="Only games created at this time or later.")
    created_before = Time(about="Only games created before this time.")
    updated_after = Time(about="Only games changed at this time or later.")
    updated_before = Time(about="Only games changed before this time.")
    finished_after = Time(about="Only games that were finished at this time or later.")
    finished_before = Time(about="Only games that were finished before this time.")
