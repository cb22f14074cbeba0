"""Queries: which part of a list, a log or a game to return."""

from __future__ import annotations

from typing import Any

from marshmallow import post_load

import referee
import referee.records
import referee.texts
from api.core import languages
from api.core.paging import Page
from api.schemas.fields import Choice, QueryWhole, Several
from api.schemas.labels import Filters
from api.schemas.patterns import Cursor, Duration, Id, Time, TurnCursor
from api.schemas.requests.common import MOST_SEATS
from api.schemas.shapes import Input

STATUSES = ("open", "running", "finished", "cancelled")
ORIGINS = ("dealt", "imported", "forked")
GUIDES = {tag for rules in referee.newest() for tag in referee.texts.guide_languages(rules.ID, rules.VERSION)}
MOST_ITEMS = "The maximum number of items on a page. As NDJSON, the maximum number of lines; by default, all."


class Pages(Input):
    """Which page of a list."""

    limit = QueryWhole(1, 200, load_default=50, about="The maximum number of items on a page.")
    cursor = Cursor(about="The `next` of the previous page.")

    @post_load
    def page(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Put both together."""
        return {"page": Page(data.pop("limit"), data.pop("cursor", None)), **data}


class InLanguage(Input):
    """In which language a game's own words are to be."""

    language = Choice(
        *languages.NAMES,
        *sorted(GUIDES - languages.NAMES.keys()),
        load_default=languages.ENGLISH,
        about="The language of `summary`, `how_to_play`, `rules`, `text` and `words`. Texts that the ruleset"
        " does not have in it stay English.",
    )


class TurnPages(Pages):
    """Which page of the inbox."""

    cursor = TurnCursor(about="The `next` of the previous page.")
    wait = Duration(about="If no game is waiting, wait for one, up to this long (limited by the server).")


class LabelledPages(Pages, Filters):
    """Which page of a list of labelled objects."""


class KeysForGame(Input):
    """Whose keys, where one address leads to several servers."""

    game = Id(
        about="The game whose receipts are to be checked. Behind one address there may be several servers "
        "with keys of their own; with this parameter, the server that has the game answers."
    )


class SeqCursor(QueryWhole):
    """The `next` of a page of a log: a seq, as text like every `next`; older clients send an integer."""

    def __init__(self, **more: Any) -> None:
        super().__init__(0, **more)
        self.keywords = {**self.keywords, "type": ["string", "integer"], "pattern": "^[0-9]{1,10}$"}


class EventPages(Input):
    """Which part of the log."""

    after = QueryWhole(0, load_default=0, about="Only entries after this seq.")
    cursor = SeqCursor(about="The `next` of the previous page.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    wait = Duration(about="If there is no entry yet, wait for one, up to this long (limited by the server).")
    type = Several(Choice(*referee.records.ENTRY_TYPES), about="Only entries of these types.")
    seat = QueryWhole(0, MOST_SEATS - 1, about="Only entries whose `seat` is this one.")
    since = Time(about="Only entries at this time or later.")


class AtVersion(Input):
    """Which version of a game."""

    version = QueryWhole(1, about="The game as it was at this version.")


class ForSeat(Input):
    """For which seat."""

    seat = QueryWhole(0, MOST_SEATS - 1, about="The seat, if the caller holds or acts for several.")
