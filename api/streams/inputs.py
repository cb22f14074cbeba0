"""Which part of a stream is asked for."""

from __future__ import annotations

import referee.records
from api.http.fields import Choice, Input, QueryWhole, Several, Text
from api.http.patterns import FeedCursor, Id
from api.http.queries import MOST_ITEMS


class FeedPages(Input):
    """Which part of a feed."""

    cursor = FeedCursor(about="Only items after this `cursor`; `now`: only future items.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    player = Several(Id(), about="Only games in which one of these players has a seat.")
    ruleset = Several(Text(1, 64), about="Only games of these rulesets.")
    type = Several(Choice(*referee.records.ENTRY_TYPES), about="Only entries of these types.")
    move_type = Several(Text(1, 64), about="Only moves of these types.")
