"""Games in answers: their seats, terms and lists."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

import referee.clocks
import referee.records
import referee.table
from api.core.names import WithLabels
from api.games.seat import MEANINGS
from api.http.answers import (
    Count,
    Hash,
    Hex,
    Json,
    Period,
    Positive,
    Seats,
    Timestamp,
    Uuid,
    choice,
    published,
)
from api.rulesets.answers import Result, View

STATUSES = ("open", "running", "finished", "cancelled")
VISIBILITIES = ("public", "unlisted", "private")
ORIGINS = ("dealt", "imported")

Receipt = Annotated[
    str | None,
    "The server's signature of the log: a checkpoint as a C2SP signed note. Its size is the version, its root"
    " the last entry's hash. Null if the server cannot read its key.",
]


class AppName(TypedDict):
    """An app."""

    id: Uuid
    name: str


class PlayerId(TypedDict):
    """A player in the log, by the id alone. Where a player comes, the entry has the hash of the name."""

    id: Uuid
    commitment: NotRequired[Annotated[Hash, "SHA-256 of the canonical JSON of a name and a random salt."]]


class PlayerName(TypedDict):
    """A player, with the name at the time of joining, or `erased person`."""

    id: Uuid
    name: str


Named = referee.table.Named
Source = Annotated[str, choice(*ORIGINS), "Dealt by this server, or imported from a record."]
ImportedBy = Annotated[Annotated[Named, AppName] | None, "The app that has imported the game."]
Tested = Annotated[Uuid, "The game runs on this test clock, so its times are not real."]


class Origin(TypedDict):
    """Where a game comes from."""

    origin: Source
    imported_by: ImportedBy
    test_clock: NotRequired[Tested]


class Pace(TypedDict):
    """The time control of a game."""

    per_move: Period
    on_timeout: Annotated[str, choice(*referee.clocks.ON_TIMEOUT)]
    warn_before: Period | None
    reserve: Annotated[Period | None, "The extra time of a seat for the whole game."]
    quiet_weekends: Annotated[bool, "Saturdays and Sundays do not count."]
    vacation_days: Annotated[Count, "How many days of vacation each seat may take."]
    increment: NotRequired[Annotated[Period | None, "What each move made in turn adds to the reserve."]]
    reserve_cap: NotRequired[Annotated[Period, "Increments fill the reserve up to this."]]
    out_after: NotRequired[
        Annotated[Positive, "A seat that misses so many turns in a row is out of the game."]
    ]
    stand_in: NotRequired[
        Annotated[str, "The bot that takes the seat then; without one, the seat loses and the game ends."]
    ]
    weekends: NotRequired[Annotated[str, "Where weekends are quiet: how much later it is there than in UTC."]]


JoinUrl = Annotated[
    str,
    "The page on which a person takes a seat with the code `invite`, relative to the server's address.",
]


class Seat(TypedDict):
    """A seat of a game."""

    seat: Count
    player: Annotated[Named, PlayerName] | None
    bot: str | None
    open: bool
    deadline: Timestamp | None
    invite: NotRequired[Annotated[str, "The code for taking the seat; shown only to the creator."]]
    join_url: NotRequired[JoinUrl]
    reserve: NotRequired[Annotated[Period, "What is left of its reserve."]]
    vacation_days: NotRequired[Annotated[Count, "How many days of vacation it has left."]]
    away_until: NotRequired[Annotated[Timestamp | None, "The end of its last vacation."]]
    public_key: NotRequired[Annotated[Hex, MEANINGS["public_key"]]]
    pause_agreed: NotRequired[Annotated[bool, MEANINGS["pause_agreed"]]]
    ending_agreed: NotRequired[
        Annotated[str, choice(*referee.records.ENDINGS_AGREED), MEANINGS["ending_agreed"]]
    ]
    previous: NotRequired[Annotated[Named, PlayerName, MEANINGS["previous"]]]
    name: NotRequired[Annotated[str, MEANINGS["name"]]]


@published(inline=True)
class Dealing(TypedDict):
    """What determines the deal in addition to the seed and the entropy given when joining; null: nothing."""

    entropy: Annotated[str, choice(referee.table.COMMIT)]
    reveal_within: Annotated[Period, "How long seats have to reveal, once all are taken."]
    reveal_by: Annotated[Timestamp | None, "The end of the time; null if nobody has to reveal."]
    seats_to_reveal: Annotated[Seats, "The seats that have to reveal their entropy now."]


class GameSummary(WithLabels):
    """A game without its view."""

    id: Uuid
    ruleset: str
    ruleset_version: Count
    ruleset_installed: NotRequired[
        Annotated[bool, "False if the server no longer has this ruleset: the game can only be read."]
    ]
    unreadable: NotRequired[
        Annotated[
            bool,
            "True in a list for a game that the server cannot read: its options and seats may be missing.",
        ]
    ]
    options: Json
    status: Annotated[str, choice(*STATUSES)]
    version: Annotated[Count, "The seq of the last entry of the log; the ETag."]
    visibility: Annotated[str, choice(*VISIBILITIES)]
    pace: Annotated[Json, Pace] | None
    commitment: Annotated[Hash, "SHA-256 of the seed, which is shown once the game is over."]
    dealing: Annotated[Json, Dealing] | None
    seats: list[Seat]
    paused: Annotated[bool, "The game is paused by agreement, and all clocks stand still."]
    to_act: Annotated[Seats, "The seats that the game waits for."]
    result: Result | None
    created_at: Timestamp
    updated_at: Timestamp
    finished_at: Annotated[
        Timestamp | None, "The time at which the result was reached; null unless the game is finished."
    ]
    origin: Source
    imported_by: ImportedBy
    title: str | None
    invite: NotRequired[
        Annotated[str, "The code for taking any of the open seats; shown only to the creator."]
    ]
    join_url: NotRequired[JoinUrl]
    test_clock: Annotated[Uuid | None, "The test clock of the game; null: real time."]
    rematch_of: Annotated[Uuid | None, "The game of which this one is a rematch."]
    rematch: Annotated[Uuid | None, "The rematch of this game."]
    seats_private: Annotated[bool, "Only players can act for their seats; no app key can act for them."]
    distinct_players: Annotated[bool, "Each player has only one seat."]


@published(inline=True)
class Viewer(TypedDict):
    """Who is looking."""

    seats: Annotated[Seats, "The seats that the caller holds."]


@published(inline=True)
class Talk(TypedDict):
    """What seats may say now, where the rules limit it. Others talk freely, and all after the end."""

    kind: Annotated[
        str, choice(*referee.table.TALK_KINDS), "`move`: each message is a move of the type `move`."
    ]
    move: NotRequired[Annotated[str, "The type of that move, whose field `text` is what is said."]]
    rule: NotRequired[Annotated[str, "The rule that forbids everything, or all but the phrases."]]
    phrases: NotRequired[Annotated[list[str], "All that may be said."]]


class Game(GameSummary):
    """A game as the caller sees it."""

    head: Annotated[Hash, "The hash of the log's last entry: `previous` in what is signed."]
    receipt: Receipt
    viewer: Viewer
    view: View | None
    talk: NotRequired[Annotated[Json, Talk]]
