"""Entries, records and proofs in answers: one shape for each type of entry."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from marshmallow import fields

import referee.records
from api.games.shapes import (
    IMPORTED_BY,
    ORIGIN,
    RECEIPT,
    TESTED,
    AppName,
    Game,
    Pace,
    PlayerId,
    PlayerName,
)
from api.http.fields import Choice, Fixed, QueryWhole, Several, Text
from api.http.members import (
    UUID,
    Boolean,
    Count,
    DateTime,
    EntryTime,
    Hash,
    Hex,
    List,
    Map,
    Nested,
    Object,
    Seats,
    String,
)
from api.http.patterns import FeedCursor, Id
from api.http.queries import MOST_ITEMS, ORIGINS, Labels
from api.http.shapes import (
    WHOLE,
    Answer,
    Input,
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
from api.rulesets.declared import Declared, Move, WithMoves, member
from api.rulesets.shapes import WAYS, Result, Transfer, Verdict

PUBLIC_MOVE = {
    "type": "object",
    "description": "A move of the ruleset; its secret members only for callers who may see them.",
    "properties": {"type": {"type": "string"}},
    "required": ["type"],
    "additionalProperties": True,
}
# The members of entries with shapes of their own.
NAMED: dict[str, Callable[..., fields.Field[Any]]] = {
    "player": partial(Nested, PlayerId, null=True),
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
    shape, about = referee.records.MEMBERS[name]
    more = {"about": about, "optional": not needed}
    return NAMED[name](**more) if name in NAMED else member(shape.schema(), NAMED, **more)


def _entry(kind: str) -> type[Shape]:
    """Return a shape such as `MovedEntry`: the entries of a type."""
    declared = referee.records.ENTRY_TYPES[kind]
    names = filter(declared.has, referee.records.MEMBERS)
    members = {name: _member(name, kind, name in (*EVERY, *declared.needed)) for name in names}
    return type(f"{camel(kind)}Entry", (Answer,), {"__doc__": f"{kind}: {declared.words}", **members})


class Entry(Opaque):
    """An entry of a game's log: one change of the game.

    `hash` is SHA-256 over the previous hash and the canonical JSON of all members except `hash` and
    `private`.
    """

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the shape of each type."""
        kinds = {kind: _entry(kind) for kind in referee.records.ENTRY_TYPES}
        return {"description": schema["description"], **one_of(kinds, "type", ref)}


class EntryList(page_of(Entry, "EntryList", "")):  # type: ignore[misc]
    """A page of a log, oldest entry first."""

    origin = Choice(*ORIGINS, optional=True, about="Missing for a game that was dealt here.")
    imported_by = Nested(AppName, null=True, optional=True, about="The app that has imported the game.")
    test_clock = TESTED


class FeedPages(Input):
    """Which part of a feed."""

    cursor = FeedCursor(about="Only items after this `cursor`; `now`: only future items.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    player = Several(Id(), about="Only games in which one of these players has a seat.")
    ruleset = Several(Text(1, 64), about="Only games of these rulesets.")
    type = Several(Choice(*referee.records.ENTRY_TYPES), about="Only entries of these types.")
    move_type = Several(Text(1, 64), about="Only moves of these types.")


class FeedEntry(Answer):
    """An entry of a game's log, as the caller sees it there, with the current labels of the game."""

    cursor = String(about="The place after this entry: reading can continue there.")
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


class ListedMove(Answer):
    """A move that was not taken back, and its entry."""

    seat = Count()
    move = Declared(PUBLIC_MOVE)
    seq = Count(1)
    at = EntryTime()


class GameLeaf(Answer):
    """A leaf of a game, and the proof that the tree of the checkpoint contains it."""

    index = Count()
    data = String(about="The content of the leaf, as canonical JSON.")
    proof = List(Hash())


class LogKey(Answer):
    """A key that signs receipts."""

    vkey = String(about="Name, id and Ed25519 key, as C2SP's signed notes write them.")
    valid_from = DateTime()
    valid_until = DateTime(null=True, about="It signs nothing after this time; null while it is used.")
    restored = Boolean(
        about="It was retired because a backup was restored, which may lack entries that it has signed."
    )
    endorsement = String(
        null=True, about="A note in which the key before says that this one follows; null for the first."
    )


class GameInclusion(Answer):
    """A game's leaves in the log of all games, for its beginning and end; missing for some seconds."""

    checkpoint = String(
        null=True, about="Size and root, signed (`c2sp.org/tlog-checkpoint`); null without a key."
    )
    size = Count()
    root = Hash()
    leaves = List(Nested(GameLeaf))
    keys = List(
        Nested(LogKey), optional=True, about="All keys of the server; a bundle has them beside its record."
    )


class Look(Answer):
    """A look at a seat's cards or moves during the game by others than its player, or a token for that."""

    what = Choice("cards", "moves", "token")
    by = Choice("app", "auditor")
    seat = Count(null=True, about="Null: all seats.")
    at = DateTime()


LookList = page_of(Look, "LookList", "The first look of each credential at each seat, the earliest first.")


class GameRecord(OpenAnswer, Labels):
    """A game as a file, with its log."""

    format = Fixed("card-referee/1")
    game = UUID(optional=True, about="The game's id on this server, which receipts name too.")
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
    names = Object(
        about="The names of newcomers, by the numbers of their entries, which have only hashes of them: each "
        "with a `name` and a random `salt`. Names of people who were erased are missing."
    )
    entries = List(Nested(Entry))
    ended = part(
        "How it ended, if not by a move.",
        type=String(),
        seat=Count(null=True),
        seats=Seats(optional=True, about="All seats that ran out of time, if there are several."),
        winners=Seats(optional=True, about="Who wins by the director's decision."),
        losers=Seats(optional=True, about="Who loses by the director's decision."),
        optional=True,
    )
    chance = List(Object(), optional=True, about="Every shuffle and random pick, once the game is over.")
    title = String(optional=True)
    test_clock = TESTED
    inclusion = Nested(GameInclusion, optional=True, about="Proof that the game is in the log of all games.")
    looks = List(Nested(Look), optional=True, about="Once the game is over. No receipt covers them.")


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
    """The result of the verification of a game."""

    ok = Boolean()
    origin = ORIGIN
    imported_by = IMPORTED_BY
    test_clock = TESTED
    checks = CHECKS


class LegalMoves(WithMoves):
    """The legal moves of a seat now."""

    ruleset = String()
    version = Count()
    seat = Count()
    moves = List(Nested(Move))
    complete = Boolean(about="False if the ruleset accepts more moves than are listed.")


class Suggestion(WithMoves):
    """What the strongest bot would do."""

    ruleset = String()
    version = Count()
    seat = Count()
    move = Nested(Move, null=True)
    transfers = List(Nested(Transfer), about=WAYS)


class Moved(Answer):
    """The entry that was added, and the game after it."""

    entry = Nested(Entry)
    game = Nested(Game)
    receipt = String(null=True, about=RECEIPT)


class Message(Answer):
    """What was said after the end of a game. It is not in the log, so no receipt and no proof covers it."""

    number = Count(1, about="From 1, in the order of the messages.")
    seat = Count(null=True, about="Null if the game's app speaks.")
    player = Nested(PlayerName, null=True)
    by = Choice("player", "app", about="Who wrote: the player, or the app, also for the player.")
    text = String()
    at = DateTime()


class MessageList(Answer):
    """What was said after the end of a game, the first message first."""

    items = List(Nested(Message))
    next = WHOLE


class Said(Answer):
    """What was said: an entry of the log or, after the end, a message beside it."""

    entry = Nested(Entry, null=True)
    version = Count()
    receipt = String(null=True, about=RECEIPT)
    message = Nested(Message, optional=True, about="After the end of the game.")


class DryRun(Answer):
    """The verdict of the referee."""

    verdict = Nested(Verdict)
    version = Count()
