"""Feeds: all entries of an app's games, or of a player's."""

from __future__ import annotations

import referee
from api.schemas.fields import Choice, QueryWhole, Several, Text
from api.schemas.logs.entries import Entry
from api.schemas.members import UUID, List, Map, Nested, String
from api.schemas.patterns import Duration, FeedCursor, Id
from api.schemas.requests.queries import MOST_ITEMS
from api.schemas.shapes import Answer, Input


class FeedPages(Input):
    """Which part of a feed."""

    cursor = FeedCursor(about="Only items after this `cursor`; `now`: only future items.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    wait = Duration(about="If there is nothing yet, wait for up to this long (limited by the server).")
    player = Several(Id(), about="Only games in which one of these players has a seat.")
    ruleset = Several(Text(1, 64), about="Only games of these rulesets.")
    type = Several(Choice(*referee.ENTRY_TYPES), about="Only entries of these types.")
    move_type = Several(Text(1, 64), about="Only moves of these types.")


class FeedEntry(Answer):
    """An entry of a game's log, as the caller sees it there, with the current labels of the game."""

    cursor = String(about="The seq of the last entry that is known already.")
    game = UUID()
    ruleset = String()
    title = String(null=True)
    external_id = String(null=True, optional=True, about="The app's id of the game; shown only to the app.")
    metadata = Map(String(), optional=True, about="Data of the app about the game; shown only to the app.")
    entry = Nested(Entry)


class Feed(Answer):
    """A page of a feed, oldest entry first. It may have no items but still a next page."""

    items = List(Nested(FeedEntry))
    next = String(null=True, about="The cursor of the next page; null if there is nothing more yet.")
    cursor = String(about="The end of this page; reading can continue there later.")
