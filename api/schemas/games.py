"""Games, their logs and their records, as they are answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from marshmallow import fields

import referee
from api.schemas.fields import Anything, Choice, Fixed
from api.schemas.labels import Labels
from api.schemas.members import (
    UUID,
    Boolean,
    Count,
    DateTime,
    EntryTime,
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
from api.schemas.rulesets import Result, Transfer, Verdict, View
from api.schemas.rulesets.declared import Declared, Move, member
from api.schemas.shapes import (
    Answer,
    Json,
    Opaque,
    OpenAnswer,
    Ref,
    Shape,
    camel,
    one_of,
    page_of,
    part,
)

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


class Pace(Answer):
    """How fast moves have to come."""

    per_move = Period()
    on_timeout = Choice("resign", "random_move")
    warn_before = Period(null=True)
    reserve = Period(null=True, about="What a seat may use beyond, over the whole game.")
    quiet_weekends = Boolean(about="Saturdays and Sundays (UTC) do not count.")
    vacation_days = Count(about="How many days of vacation each seat may take.")


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
    to_act = Seats(about="The seats that the game waits for.")
    result = Nested(Result, null=True)
    created_at = DateTime()
    updated_at = DateTime()
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


class LegalMoves(Answer):
    """What a seat may play now."""

    version = Count()
    seat = Count()
    moves = List(Nested(Move))
    complete = Boolean(about="False where the ruleset accepts more than is listed.")


PUBLIC_MOVE = {
    "type": "object",
    "description": "A move as everybody sees it: what is secret of it stands in the share of its seat.",
    "properties": {"type": {"type": "string"}},
    "required": ["type"],
    "additionalProperties": True,
}
# Members of entries that have shapes of their own.
NAMED: dict[str, Callable[..., fields.Field[Any]]] = {
    "player": partial(Nested, PlayerName, null=True),
    "imported_by": partial(Nested, AppName),
    "pace": partial(Nested, Pace, null=True),
    "result": partial(Nested, Result, null=True),
    "transfers": partial(List, Nested(Transfer)),
    "move": partial(Declared, PUBLIC_MOVE),
}
EVERY = ("seq", "type", "at", "hash")


def _member(name: str, kind: str, needed: bool) -> fields.Field[Any]:
    if name == "type":
        return Fixed(kind)
    shape, about = referee.MEMBERS[name]
    more = {"about": about, "optional": not needed}
    return NAMED[name](**more) if name in NAMED else member(shape.schema(), NAMED, **more)


def _entry(kind: str) -> type[Shape]:
    """Return `MovedEntry`, …: the entries of a type, with the members that older logs had in them."""
    declared = referee.ENTRY_TYPES[kind]
    names = [name for name in referee.MEMBERS if declared.has(name) or name in referee.earlier_members(kind)]
    members = {name: _member(name, kind, name in (*EVERY, *declared.needed)) for name in names}
    return type(f"{camel(kind)}Entry", (Answer,), {"__doc__": f"{kind}: {declared.words}", **members})


class Entry(Opaque):
    """An entry of a game's log: what has happened.

    `hash` is SHA-256 over the previous hash and the canonical JSON of all members but `hash` and `private`.
    """

    def published(self, found: Json, ref: Ref) -> Json:
        """Name each type's."""
        kinds = {kind: _entry(kind) for kind in referee.ENTRY_TYPES}
        return {"description": found["description"], **one_of(kinds, "type", ref)}


class EntryList(page_of(Entry, "EntryList", "")):  # type: ignore[misc]
    """A page of a log, oldest entry first."""

    origin = Choice(*ORIGINS, optional=True, about="Dealt by this server, or imported from a record.")
    imported_by = Nested(AppName, null=True, optional=True, about="The app that imported the game.")
    test_clock = TESTED


class Moved(Answer):
    """What was appended, and the game after it."""

    entry = Nested(Entry)
    game = Nested(Game)
    receipt = String(null=True, about=RECEIPT)


class Said(Answer):
    """What was said."""

    entry = Nested(Entry)
    version = Count()
    receipt = String(null=True, about=RECEIPT)


class LogKey(Answer):
    """A key that receipts are signed with."""

    vkey = String(about="Name, id and Ed25519 key, as C2SP's signed notes write them.")
    valid_from = DateTime()
    valid_until = DateTime(null=True, about="Nothing is signed with it later; null while it is used.")


LogKeyList = page_of(LogKey, "LogKeyList", "Every key of the server, newest first, on one page.")


class DryRun(Answer):
    """What the referee would say."""

    verdict = Nested(Verdict)
    version = Count()


class ListedMove(Answer):
    """A move that stands, and the entry that it was made by."""

    seat = Count()
    move = Anything(about="The whole of it, or what the caller may see.")
    seq = Count(1)
    at = EntryTime()


class GameLeaf(Answer):
    """A leaf of a game, and the proof that it is in the tree of the checkpoint."""

    index = Count()
    data = String(about="What the leaf is made of: canonical JSON.")
    proof = List(Hash())


class GameInclusion(Answer):
    """A game's leaves in the log of all games: of its beginning, and of its end; none for some seconds."""

    checkpoint = String(
        null=True, about="Size and root, signed (`c2sp.org/tlog-checkpoint`); null without a key."
    )
    size = Count()
    root = Hash()
    leaves = List(Nested(GameLeaf))


class GameRecord(OpenAnswer, Labels):
    """A game as a file that any replay understands, with its log."""

    format = Fixed("card-referee/1")
    ruleset = String()
    version = Count()
    seats = Count()
    options = Object()
    seed = Hex(null=True, about="Null until the game is over.")
    entropy = List(String())
    origin = ORIGIN
    imported_by = IMPORTED_BY
    moves = List(Nested(ListedMove))
    result = Nested(Result, null=True)
    commitment = Hash()
    entries = List(Nested(Entry))
    ended = part(
        "How it ended, if not by a move.",
        type=String(),
        seat=Count(null=True),
        seats=Seats(optional=True, about="All who ran out of time, where several did."),
        optional=True,
    )
    chance = List(Object(), optional=True, about="Every shuffle and pick, once the game is over.")
    title = String(optional=True)
    test_clock = TESTED
    randomness = part(
        "The round of a public beacon that was added to the chance.",
        round=Count(1),
        signature=Hex(),
        optional=True,
    )
    inclusion = Nested(GameInclusion, optional=True, about="That it is in the log of all games.")


CHECKS = List(
    part(
        "A check: whether it holds, what was found, and the first entry that fails.",
        name=String(),
        ok=Boolean(),
        detail=String(),
        seq=Count(1, null=True),
    )
)


class Verification(Answer):
    """What of a game holds and what does not."""

    ok = Boolean()
    origin = ORIGIN
    imported_by = IMPORTED_BY
    test_clock = TESTED
    checks = CHECKS


class Orders(Answer):
    """The moves that a seat has left with the server, for its player alone."""

    seat = Count()
    orders = List(
        part(
            "A move to come, and under which conditions.",
            move=Object(),
            when=List(
                part("How another seat has to have moved.", seat=Count(), move=Object()), optional=True
            ),
            if_illegal=Choice("cancel", "skip", "wait", optional=True),
            repeat=Boolean(optional=True),
        )
    )
    automatic = part(
        "What is done at every turn beside that; not there where nothing is.",
        optional=True,
        always_pass=Boolean(),
        only_move=Boolean(),
    )
    cancelled = part(
        "Why there are none any more: the next one could not be played.",
        at=DateTime(),
        move=Object(),
        verdict=Nested(Verdict),
        null=True,
    )
