"""How games are found, and in which order.

Each filter is declared once, in FILTERS: the shape of the query, its conditions in SQL, the table in
docs/guides/searching.md and what `tests.campaigns.search` tries follow from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from marshmallow import ValidationError
from marshmallow.fields import Field
from sqlalchemy import ColumnElement, Select, and_, any_, exists, func, select

import referee
from api.core.paging import read_time, write_time
from api.games.answers import ORIGINS, STATUSES, VISIBILITIES
from api.http.fields import Choice, Several, Text
from api.http.patterns import CURSOR_PATTERN, Cursor, Id, Time
from api.http.queries import LabelledPages
from api.store.tables.columns import among
from api.store.tables.games import games, player_games, turns

SORTS = ("created_at", "-created_at", "finished_at", "-finished_at")
FINISHED = "finished"
REASONS = {"resigned", "timed_out"} | {  # and the reasons of all rulesets, including older versions
    reason
    for rules in referee.newest()
    for version in referee.versions(rules.ID)
    for reason in referee.find(rules.ID, version).REASONS
}
Condition = ColumnElement[bool]
seat = player_games.alias("seat").c
one = games.alias("one").c


class Reason(Text):
    """Why a game ended. Not an enumeration: generated clients would give two spellings the same name."""

    def _deserialize(self, value: Any, *more: Any, **kwargs: Any) -> str:
        reason: str = super()._deserialize(value, *more, **kwargs)
        if reason not in REASONS:
            raise ValidationError(f"Must be one of: {', '.join(sorted(REASONS))}.")
        return reason


class Filter(NamedTuple):
    """A filter: its parameter, unless the service sets it or all lists have it, and its conditions."""

    field: Field[Any] | None = None
    both: Callable[[Any, Any], Condition] | None = None  # on the columns of games or those of player_games
    by_id: Callable[[ColumnElement[UUID], Any], Condition] | None = None  # on the id of the game
    of_games: Callable[[Any], Condition] | None = None  # on columns that only games has
    example: Any = None  # for the campaign, which knows itself times and what depends on its own games


def _any(column: ColumnElement[Any], values: Sequence[Any]) -> Condition:
    return column == values[0] if len(values) == 1 else among(column, values)


def _plays(id_: ColumnElement[UUID], players: Sequence[UUID], *more: Condition) -> Condition:
    return exists().where(seat.game_id == id_, _any(seat.player_id, players), *more)


def _waits(id_: ColumnElement[UUID], players: Sequence[UUID]) -> Condition:
    """Return the condition that a game waits for one of these."""
    return _among_few(id_, select(turns.c.game_id).where(_any(turns.c.player_id, players)))


def _is(id_: ColumnElement[UUID], *conditions: Condition) -> Condition:
    """Return the condition that a game is one of the few for which these hold."""
    return _among_few(id_, select(one.id).where(*conditions))


def _among_few(id_: ColumnElement[UUID], few: Select[tuple[UUID]]) -> Condition:
    """Return the condition that an id is among these, which are looked up first."""
    return id_ == any_(func.array(few.scalar_subquery()))


def _among(name: str, item: Field[Any], about: str, example: str, *, alone: bool = True) -> Filter:
    field = Several(item, alone=alone, about=about)
    return Filter(field, lambda t, values: _any(t[name], values), example=[example])


FILTERS = {  # in an order on which cursors depend (`_fingerprint`); a new one may stand anywhere
    "app_id": Filter(both=lambda t, app_id: t.app_id == app_id),
    "seated": Filter(by_id=lambda id_, player: _plays(id_, [player])),
    "visibility": _among(
        "visibility",
        Choice(*VISIBILITIES),
        "Only games of these visibilities; `public` alone finds everyone's.",
        "unlisted",
    ),
    "origin": Filter(
        Several(Choice(*ORIGINS), alone=True, about="Only games that were dealt here or imported."),
        lambda t, values: _any(t.imported, sorted({value != "dealt" for value in values})),
        example=["imported"],
    ),
    "status": _among("status", Choice(*STATUSES), "Only games of these statuses.", "finished"),
    "ruleset": _among("ruleset", Text(1, 64), "Only games of these rulesets.", "pies"),
    "reason": _among(
        "reason", Reason(1, 64), "Only games whose result has one of these reasons.", "resigned", alone=False
    ),
    "test_clock": Filter(
        Several(Id(), alone=True, about="Only games on these test clocks."),
        by_id=lambda id_, clocks: _is(id_, _any(one.test_clock, clocks)),
    ),
    "external_id": Filter(
        by_id=lambda id_, of_app: _is(id_, one.app_id == of_app[0], one.external_id == of_app[1])
    ),
    "player": Filter(
        Several(Id(), alone=True, about="Only games in which one of these players has a seat."), by_id=_plays
    ),
    "winner": Filter(
        Several(Id(), about="Only games that one of these players has won."),
        by_id=lambda id_, players: _plays(id_, players, seat.won),
    ),
    "to_act": Filter(
        Several(Id(), alone=True, about="Only games that wait for one of these players."), by_id=_waits
    ),
    "created_after": Filter(
        Time(about="Only games created at this time or later."), lambda t, time: t.created_at >= time
    ),
    "created_before": Filter(
        Time(about="Only games created before this time."), lambda t, time: t.created_at < time
    ),
    "updated_after": Filter(
        Time(about="Only games changed at this time or later."),
        lambda t, time: t.ended_at >= time,
        of_games=lambda time: games.c.updated_at >= time,
    ),
    "updated_before": Filter(
        Time(about="Only games changed before this time."),
        lambda t, time: t.created_at < time,
        of_games=lambda time: games.c.updated_at < time,
    ),
    "finished_after": Filter(
        Time(about="Only games that were finished at this time or later."),
        lambda t, time: and_(t.status == FINISHED, t.ended_at >= time),
    ),
    "finished_before": Filter(
        Time(about="Only games that were finished before this time."),
        lambda t, time: and_(t.status == FINISHED, t.ended_at < time),
    ),
}
# A time in microseconds (all f: none), an id, and a fingerprint of the query.
TIMED_CURSOR_PATTERN = "^[0-9a-f]{56}$"
PARAMETERS = {name: declared.field for name, declared in FILTERS.items() if declared.field}


class TimedPlace(NamedTuple):
    """A place in a list sorted by a time, if any, and then by id; `query` identifies the list."""

    id: UUID
    time: datetime | None = None
    query: str = ""


def write_place(place: TimedPlace) -> str:
    """Return the cursor of a place."""
    return f"{write_time(place.time)}{place.id.hex}{place.query}"


def read_place(cursor: str) -> TimedPlace:
    """Return the place that a cursor names."""
    if len(cursor) == 32:
        return TimedPlace(UUID(hex=cursor))
    return TimedPlace(UUID(hex=cursor[16:48]), read_time(cursor[:16]), cursor[48:])


class GameCursor(Cursor):
    """Where a page of games begins; in another order than that of creation, with a time."""

    pattern = f"{CURSOR_PATTERN}|{TIMED_CURSOR_PATTERN}"

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        forms = [{"type": "string", "pattern": form} for form in (CURSOR_PATTERN, TIMED_CURSOR_PATTERN)]
        self.keywords = {"anyOf": forms}


class GameFilters(LabelledPages):
    """Which games to find. If a filter has several values, a game needs to match only one of them."""

    class Meta(LabelledPages.Meta):
        """All filters are parameters, besides those of a page."""

        include = PARAMETERS

    cursor = GameCursor(about="The `next` of the previous page, with the same filters and the same `sort`.")
    sort = Choice(
        *SORTS,
        about="The order; `-` puts the latest first. By `finished_at`, cancelled games are sorted by end "
        "too, running games as if they ended last. By default, the newest come first.",
    )
