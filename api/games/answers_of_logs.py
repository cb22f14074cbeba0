"""Entries, records and proofs in answers: one shape for each type of entry."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

import referee.records
from api.core.names import WithLabels
from api.core.paging import PageOf
from api.games.answers import (
    ORIGINS,
    AppName,
    Game,
    ImportedBy,
    Named,
    Pace,
    PlayerId,
    PlayerName,
    Receipt,
    Source,
    Tested,
)
from api.http.answers import (
    Component,
    Count,
    EntryTime,
    Hash,
    Hex,
    Json,
    OnePage,
    Positive,
    Ref,
    Seats,
    Timestamp,
    Uuid,
    camel,
    choice,
    one_of,
    or_null,
    published,
    schema_of,
)
from api.rulesets.answers import WAYS, Result, Transfer, Verdict
from api.rulesets.declared import of_each_ruleset


@published(inline=True, extensible=True)
class PublicMove(TypedDict):
    """A move of the ruleset; its secret members only for callers who may see them."""

    type: str


# The members of entries, and of what is in them, with shapes of their own.
NAMED: dict[str, object] = {
    "player": PlayerId | None,
    "imported_by": AppName,
    "pace": Pace | None,
    "result": Result | None,
    "transfers": list[Transfer],
    "move": PublicMove,
}
EVERY = ("seq", "type", "at", "hash")


def _member(name: str, kind: str, ref: Ref) -> Json:
    """Describe a member of the entries of a type."""
    if name == "type":
        return {"type": "string", "const": kind}
    shape, about = referee.records.MEMBERS[name]
    if name in NAMED:
        return schema_of(Annotated[NAMED[name], about], ref)
    return {**_inside(shape.schema(), ref), "description": about}


def _inside(schema: Json, ref: Ref) -> Json:
    """Return the referee's schema of a member, with references to the shapes in NAMED."""
    if "oneOf" in schema:
        return or_null(_inside(schema["oneOf"][1], ref))
    if "enum" in schema:
        return {"type": "boolean"} if schema["enum"] == [True] else {"type": "string", **schema}
    if "properties" not in schema:
        return schema
    inner = {
        name: schema_of(NAMED[name], ref) if name in NAMED else _inside(part, ref)
        for name, part in schema["properties"].items()
    }
    return {**schema, "properties": inner, "required": sorted(schema["required"])}


def _entry(kind: str) -> Component:
    """Return a component such as `MovedEntry`: the entries of a type."""
    declared = referee.records.ENTRY_TYPES[kind]

    def schema(ref: Ref) -> Json:
        names = filter(declared.has, referee.records.MEMBERS)
        return {
            "type": "object",
            "properties": {name: _member(name, kind, ref) for name in names},
            "required": sorted({*EVERY, *declared.needed}),
            "description": f"{kind}: {declared.words}",
        }

    return Component(f"{camel(kind)}Entry", schema)


def _any_entry(ref: Ref) -> Json:
    """Describe each type."""
    kinds = {kind: _entry(kind) for kind in referee.records.ENTRY_TYPES}
    about = (
        "An entry of a game's log: one change of the game. `hash` is SHA-256 over the previous hash and the "
        "canonical JSON of all members except `hash` and `private`."
    )
    return {"description": about, **one_of(kinds, "type", ref)}


ENTRY = Component("Entry", _any_entry)
Entry = Annotated[Json, ENTRY]


class EntryList(PageOf[Entry]):
    """A page of a log, oldest entry first."""

    origin: NotRequired[Annotated[str, choice(*ORIGINS), "Missing for a game that was dealt here."]]
    imported_by: NotRequired[ImportedBy]
    test_clock: NotRequired[Tested]


class FeedEntry(TypedDict):
    """An entry of a game's log, as the caller sees it there, with the current labels of the game."""

    cursor: Annotated[str, "The place after this entry: reading can continue there."]
    game: Uuid
    ruleset: str
    title: str | None
    external_id: NotRequired[Annotated[str | None, "The app's id of the game; shown only to the app."]]
    metadata: NotRequired[Annotated[dict[str, str], "Data of the app about the game; shown only to the app."]]
    entry: Entry


class Feed(TypedDict):
    """A page of a feed, oldest entry first. It may have no items but still a next page."""

    items: list[FeedEntry]
    next: Annotated[str | None, "The cursor of the next page; null if there is nothing more yet."]
    cursor: Annotated[str, "The end of this page; reading can continue there later."]


class ListedMove(TypedDict):
    """A move that was not taken back, and its entry."""

    seat: Count
    move: Annotated[Json, PublicMove]
    seq: Positive
    at: EntryTime


class GameLeaf(TypedDict):
    """A leaf of a game, and the proof that the tree of the checkpoint contains it."""

    index: Count
    data: Annotated[str, "The content of the leaf, as canonical JSON."]
    proof: list[Hash]


class LogKey(TypedDict):
    """A key that signs receipts."""

    vkey: Annotated[str, "Name, id and Ed25519 key, as C2SP's signed notes write them."]
    valid_from: Timestamp
    valid_until: Annotated[Timestamp | None, "It signs nothing after this time; null while it is used."]
    restored: Annotated[
        bool, "It was retired because a backup was restored, which may lack entries that it has signed."
    ]
    endorsement: Annotated[
        str | None, "A note in which the key before says that this one follows; null for the first."
    ]


class GameInclusion(TypedDict):
    """A game's leaves in the log of all games, for its beginning and end; missing for some seconds."""

    checkpoint: Annotated[
        str | None, "Size and root, signed (`c2sp.org/tlog-checkpoint`); null without a key."
    ]
    size: Count
    root: Hash
    leaves: list[GameLeaf]
    keys: NotRequired[Annotated[list[LogKey], "All keys of the server; a bundle has them beside its record."]]


class Look(TypedDict):
    """A look at a seat's cards or moves during the game by others than its player, or a token for that."""

    what: Annotated[str, choice("cards", "moves", "token")]
    by: Annotated[str, choice("app", "auditor")]
    seat: Annotated[Count | None, "Null: all seats."]
    at: Timestamp


class LookList(PageOf[Look]):
    """The first look of each credential at each seat, the earliest first."""


@published(inline=True)
class Ended(TypedDict):
    """How it ended, if not by a move."""

    type: str
    seat: Count | None
    seats: NotRequired[Annotated[Seats, "All seats that ran out of time, if there are several."]]
    winners: NotRequired[Annotated[Seats, "Who wins by the director's decision."]]
    losers: NotRequired[Annotated[Seats, "Who loses by the director's decision."]]


@published(extensible=True)
class GameRecord(WithLabels):
    """A game as a file, with its log."""

    format: Literal["card-referee/1"]
    game: NotRequired[Annotated[Uuid, "The game's id on this server, which receipts name too."]]
    ruleset: str
    version: Count
    seats: Count
    options: Json
    seed: Annotated[Hex | None, "Null until the game is over."]
    entropy: list[str]
    origin: Source
    imported_by: ImportedBy
    moves: list[ListedMove]
    result: Result | None
    commitment: Hash
    names: Annotated[
        Json,
        "The names of newcomers, by the numbers of their entries, which have only hashes of them: each "
        "with a `name` and a random `salt`. Names of people who were erased are missing.",
    ]
    entries: list[Entry]
    ended: NotRequired[Ended]
    chance: NotRequired[Annotated[list[Json], "Every shuffle and random pick, once the game is over."]]
    title: NotRequired[str]
    test_clock: NotRequired[Tested]
    inclusion: NotRequired[Annotated[GameInclusion, "Proof that the game is in the log of all games."]]
    looks: NotRequired[Annotated[list[Look], "Once the game is over. No receipt covers them."]]


@published(inline=True)
class Check(TypedDict):
    """A check: whether it holds, what was found, and the first entry that fails."""

    name: str
    ok: bool
    detail: str
    seq: Positive | None


class Verification(TypedDict):
    """The result of the verification of a game."""

    ok: bool
    origin: Source
    imported_by: ImportedBy
    test_clock: NotRequired[Tested]
    checks: list[Annotated[Json, Check]]


@published(schema=of_each_ruleset)
class LegalMoves(TypedDict):
    """The legal moves of a seat now."""

    version: Count
    seat: Count
    complete: Annotated[bool, "False if the ruleset accepts more moves than are listed."]
    ruleset: str
    moves: list[Json]


@published(schema=of_each_ruleset)
class Suggestion(TypedDict):
    """What the strongest bot would do."""

    version: Count
    seat: Count
    transfers: Annotated[list[Annotated[Json, Transfer]], WAYS]
    ruleset: str
    move: Json | None


class Moved(TypedDict):
    """The entry that was added, and the game after it."""

    entry: Entry
    game: Game
    receipt: Receipt


class Message(TypedDict):
    """What was said after the end of a game. It is not in the log, so no receipt and no proof covers it."""

    number: Annotated[Positive, "From 1, in the order of the messages."]
    seat: Annotated[Count | None, "Null if the game's app speaks."]
    player: Annotated[Named, PlayerName] | None
    by: Annotated[str, choice("player", "app"), "Who wrote: the player, or the app, also for the player."]
    text: str
    at: Timestamp


class MessageList(TypedDict):
    """What was said after the end of a game, the first message first."""

    items: list[Message]
    next: OnePage


@published(inline=True)
class SaidAfter(TypedDict):
    """A message after the end of a game."""

    game: Uuid
    text: str
    at: EntryTime


class Said(TypedDict):
    """What was said: an entry of the log or, after the end, a message beside it."""

    entry: Entry | None
    version: Count
    receipt: Receipt
    message: NotRequired[Annotated[Message, "After the end of the game."]]


class DryRun(TypedDict):
    """The verdict of the referee."""

    verdict: Annotated[Json, Verdict]
    version: Count
