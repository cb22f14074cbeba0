"""Games as they are answered: their seats, their terms, series, and lists of them."""

from __future__ import annotations

import referee
from api.schemas.fields import Choice
from api.schemas.labels import Labels
from api.schemas.members import (
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
from api.schemas.requests.common import VISIBILITIES
from api.schemas.requests.queries import ORIGINS, STATUSES
from api.schemas.rulesets import Result, View
from api.schemas.shapes import Answer, page_of, part
from api.schemas.webhooks import WebhookSecret

RECEIPT = (
    "What the server signs of the log: a checkpoint as a C2SP signed note. Its size is the version, its root"
    " the last entry's hash. The keys are those of /v1/log-keys. Null where the server cannot read its key."
)


class AppName(Answer):
    """An app."""

    id = UUID()
    name = String()


class PlayerName(Answer):
    """A player, by the name it sat down with."""

    id = UUID()
    name = String()


ORIGIN = Choice(*ORIGINS, about="Dealt by this server, or imported from a record.")
IMPORTED_BY = Nested(AppName, null=True, about="The app that imported the game.")
TEST_CLOCK = UUID(
    null=True, about="The test clock that the times of the game come from; null: they are real."
)
TESTED = UUID(optional=True, about="The game runs on this test clock, and no time of it is real.")
OWN_HOURS = (
    "How much later a deadline may be, in all, because time does not count while the player sleeps or is off."
)


class Pace(Answer):
    """How fast moves have to come."""

    per_move = Period()
    on_timeout = Choice("resign", "random_move")
    warn_before = Period(null=True)
    reserve = Period(null=True, about="What a seat may use beyond, over the whole game.")
    quiet_weekends = Boolean(about="Saturdays and Sundays (UTC) do not count.")
    vacation_days = Count(about="How many days of vacation each seat may take.")
    increment = Period(null=True, optional=True, about="What each move in one's turn adds to the reserve.")
    own_hours = Period(null=True, optional=True, about=OWN_HOURS)


class Seat(Answer):
    """A seat of a game."""

    seat = Count()
    player = Nested(PlayerName, null=True)
    bot = String(null=True)
    open = Boolean()
    deadline = DateTime(null=True)
    invite = String(optional=True, about="Lets a player take the seat; shown to the maker only.")
    reserve = Period(optional=True, about="What is left of its reserve.")
    vacation_days = Count(optional=True, about="How many days of vacation it has left.")
    away_until = DateTime(null=True, optional=True, about="The end of its last vacation.")
    pause_agreed = Boolean(optional=True, about="It agrees that the game be paused now.")
    public_key = Hex(optional=True, about="Ed25519: what is done for the seat is signed with it.")
    name = String(optional=True, about="Who sat there, where an imported game knows only the name.")


class GameSummary(Labels):
    """A game without its view."""

    id = UUID()
    ruleset = String()
    ruleset_version = Count()
    options = Object()
    status = Choice(*STATUSES)
    version = Count(about="The seq of the last entry of the log; the ETag.")
    visibility = Choice(*VISIBILITIES)
    pace = Nested(Pace, null=True)
    commitment = Hash(about="SHA-256 of the seed, which is shown once the game is over.")
    dealing = part(
        "What the deal follows from beside the seed and what seats give on joining; null: nothing.",
        entropy=Choice("given", referee.COMMIT),
        reveal_within=Period(null=True, about="How long seats have to reveal, once all are taken."),
        reveal_by=DateTime(null=True, about="Until when; null where nothing is waited for."),
        unrevealed=Seats(about="The seats that have to reveal their entropy now."),
        beacon=part(
            "The public beacon whose first round after the seats are settled is added to the chance.",
            scheme=String(),
            public_key=Hex(),
            genesis_time=Count(),
            period=Count(1),
            null=True,
        ),
        round=Count(1, null=True, about="That round."),
        signature=Hex(null=True, about="Its signature, once it is there."),
        null=True,
    )
    seats = List(Nested(Seat))
    paused = Boolean(about="All clocks stand, by agreement.")
    to_act = Seats(about="The seats that the game waits for.")
    result = Nested(Result, null=True)
    created_at = DateTime()
    updated_at = DateTime()
    finished_at = DateTime(null=True, about="When it was over by its result; null unless it is finished.")
    origin = ORIGIN
    imported_by = IMPORTED_BY
    title = String(null=True)
    test_clock = TEST_CLOCK
    rematch_of = UUID(null=True, about="The game that this one is the rematch of.")
    rematch = UUID(null=True, about="The rematch of this game.")
    series = part(
        "The place of the game in a series.",
        id=UUID(),
        number=Count(1),
        games=Count(null=True, about="How many games the series has; null: as many as they like."),
        null=True,
    )
    seats_private = Boolean(about="Only players act for their seats, and no app key on their behalf.")
    distinct_players = Boolean(about="No player holds two seats.")


class Game(GameSummary):
    """A game as the caller sees it."""

    head = Hash(about="The hash of the log's last entry: `previous` in what is signed.")
    receipt = String(null=True, about=RECEIPT)
    webhook = Nested(WebhookSecret, optional=True, about="What was given when it was made; shown this once.")
    viewer = part("Who looks.", seats=Seats(about="The seats that the caller holds."))
    view = Nested(View, null=True)


class SeriesScore(Answer):
    """What somebody has won in a series."""

    player = Nested(PlayerName, null=True)
    bot = String(null=True)
    wins = Count()


class Series(Answer):
    """A series of games, with the score so far."""

    id = UUID()
    games = Count(null=True, about="How many games it has; null: as many as they like.")
    played = Count(about="How many are over.")
    score = List(Nested(SeriesScore), about="Who has won how often, the best first.")
    items = List(Nested(GameSummary), about="Its games, in order.")


GameList = page_of(GameSummary, "GameList", "A page of games, newest first.")
