"""Games in answers: their seats, terms and lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, get_type_hints

from marshmallow import fields

import referee.clocks
import referee.records
import referee.table
from api.games import seat as game_seat
from api.http.fields import Choice
from api.http.members import (
    UUID,
    Boolean,
    Count,
    DateTime,
    Hash,
    Hex,
    List,
    Nested,
    Object,
    Period,
    Seats,
    String,
)
from api.http.queries import ORIGINS, STATUSES, VISIBILITIES, Labels
from api.http.shapes import Answer, page_of, part
from api.rulesets.shapes import Result, View

RECEIPT = (
    "The server's signature of the log: a checkpoint as a C2SP signed note. Its size is the version, its root"
    " the last entry's hash. Null if the server cannot read its key."
)


class AppName(Answer):
    """An app."""

    id = UUID()
    name = String()


class PlayerId(Answer):
    """A player in the log, by the id alone. Where a player comes, the entry has the hash of the name."""

    id = UUID()
    commitment = Hash(optional=True, about="SHA-256 of the canonical JSON of a name and a random salt.")


class PlayerName(Answer):
    """A player, with the name at the time of joining, or `erased person`."""

    id = UUID()
    name = String()


ORIGIN = Choice(*ORIGINS, about="Dealt by this server, or imported from a record.")
IMPORTED_BY = Nested(AppName, null=True, about="The app that has imported the game.")
TEST_CLOCK = UUID(null=True, about="The test clock of the game; null: real time.")
TESTED = UUID(optional=True, about="The game runs on this test clock, so its times are not real.")


class Pace(Answer):
    """The time control of a game."""

    per_move = Period()
    on_timeout = Choice(*referee.clocks.ON_TIMEOUT)
    warn_before = Period(null=True)
    reserve = Period(null=True, about="The extra time of a seat for the whole game.")
    quiet_weekends = Boolean(about="Saturdays and Sundays do not count.")
    vacation_days = Count(about="How many days of vacation each seat may take.")
    increment = Period(null=True, optional=True, about="What each move made in turn adds to the reserve.")
    reserve_cap = Period(optional=True, about="Increments fill the reserve up to this.")
    out_after = Count(1, optional=True, about="A seat that misses so many turns in a row is out of the game.")
    stand_in = String(
        optional=True,
        about="The bot that takes the seat then; without one, the seat loses and the game ends.",
    )
    weekends = String(optional=True, about="Where they do not: how much later it is there than in UTC.")


JOIN_URL = String(
    optional=True,
    about="The page on which a person takes a seat with the code `invite`, relative to the server's address.",
)


class SeatAndClock(Answer):
    """A seat of a game."""

    seat = Count()
    player = Nested(PlayerName, null=True)
    bot = String(null=True)
    open = Boolean()
    deadline = DateTime(null=True)
    invite = String(optional=True, about="The code for taking the seat; shown only to the creator.")
    join_url = JOIN_URL
    reserve = Period(optional=True, about="What is left of its reserve.")
    vacation_days = Count(optional=True, about="How many days of vacation it has left.")
    away_until = DateTime(null=True, optional=True, about="The end of its last vacation.")


# The forms of facts of a seat, by their types or, where these say too little, by their names.
FORMS: dict[Any, Callable[..., fields.Field[Any]]] = {
    bool: Boolean,
    str: String,
    str | None: String,
    "public_key": Hex,
    "ending_agreed": partial(Choice, *referee.records.ENDINGS_AGREED),
    "previous": partial(Nested, PlayerName),
}


def _with_facts(base: type[Answer]) -> type[Answer]:
    """Return the shape of a seat with the facts that are shown if they are not as usual."""
    types = get_type_hints(game_seat.Seat)
    members = {
        name: FORMS[name if name in FORMS else types[name]](optional=True, about=about)
        for name, about in game_seat.MEANINGS.items()
    }
    return type("Seat", (base,), {"__doc__": base.__doc__, **members})


Seat = _with_facts(SeatAndClock)


class GameSummary(Labels):
    """A game without its view."""

    id = UUID()
    ruleset = String()
    ruleset_version = Count()
    ruleset_installed = Boolean(
        optional=True, about="False if the server no longer has this ruleset: the game can only be read."
    )
    options = Object()
    status = Choice(*STATUSES)
    version = Count(about="The seq of the last entry of the log; the ETag.")
    visibility = Choice(*VISIBILITIES)
    pace = Nested(Pace, null=True)
    commitment = Hash(about="SHA-256 of the seed, which is shown once the game is over.")
    dealing = part(
        "What determines the deal in addition to the seed and the entropy given when joining; null: nothing.",
        entropy=Choice(referee.table.COMMIT),
        reveal_within=Period(about="How long seats have to reveal, once all are taken."),
        reveal_by=DateTime(null=True, about="The end of the time; null if nobody has to reveal."),
        seats_to_reveal=Seats(about="The seats that have to reveal their entropy now."),
        null=True,
    )
    seats = List(Nested(Seat))
    paused = Boolean(about="The game is paused by agreement, and all clocks stand still.")
    to_act = Seats(about="The seats that the game waits for.")
    result = Nested(Result, null=True)
    created_at = DateTime()
    updated_at = DateTime()
    finished_at = DateTime(
        null=True, about="The time at which the result was reached; null unless the game is finished."
    )
    origin = ORIGIN
    imported_by = IMPORTED_BY
    title = String(null=True)
    invite = String(
        optional=True, about="The code for taking any of the open seats; shown only to the creator."
    )
    join_url = JOIN_URL
    test_clock = TEST_CLOCK
    rematch_of = UUID(null=True, about="The game of which this one is a rematch.")
    rematch = UUID(null=True, about="The rematch of this game.")
    seats_private = Boolean(about="Only players can act for their seats; no app key can act for them.")
    distinct_players = Boolean(about="Each player has only one seat.")


class Game(GameSummary):
    """A game as the caller sees it."""

    head = Hash(about="The hash of the log's last entry: `previous` in what is signed.")
    receipt = String(null=True, about=RECEIPT)
    viewer = part("Who looks.", seats=Seats(about="The seats that the caller holds."))
    view = Nested(View, null=True)
    talk = part(
        "What seats may say now, where the rules limit it. Others talk freely, and all after the end.",
        kind=Choice(*referee.table.TALK_KINDS, about="`move`: each message is a move of the type `move`."),
        move=String(optional=True, about="The type of that move, whose field `text` is what is said."),
        rule=String(optional=True, about="The rule that forbids everything, or all but the phrases."),
        phrases=List(String(), optional=True, about="All that may be said."),
        optional=True,
    )


GameList = page_of(GameSummary, "GameList", "A page of games, newest first.")
