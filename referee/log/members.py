"""The members of entries, each declared once: its type, its shape, and its meaning."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, TypedDict, get_type_hints

from referee.engine.shapes import (
    BOOLEAN,
    COUNT,
    INTEGER,
    STRING,
    Int,
    Kind,
    ListOf,
    Maybe,
    Object,
    OneOf,
    Text,
)
from referee.log.keys import is_key
from referee.log.pace import LONGEST_VACATION, MOST_MISSED, ON_TIMEOUT
from referee.log.parts import (
    Added,
    Json,
    Name,
    Named,
    Newcomer,
    Nudged,
    Result,
    Ruling,
    Shares,
    Undone,
    Vacation,
)
from referee.log.times import duration, read_time

ENDINGS_AGREED = ("cancellation", "draw")
ENDLESS = "table.endless"


@dataclass(frozen=True, slots=True)
class Form:
    """A string with a special form."""

    what: str
    fits: Callable[[str], object]
    published: Mapping[str, str]

    def accepts(self, value: object) -> bool:
        """Return whether the value is such a string."""
        try:
            return type(value) is str and self.fits(value) is not None
        except ValueError:
            return False

    def schema(self) -> Json:
        """Describe as JSON Schema."""
        return {"type": "string", **self.published}


@dataclass(frozen=True, slots=True)
class Map:
    """An object with any keys whose values share a shape; without a shape, the rules judge its content.

    `known` are the shapes of some keys, which may be missing.
    """

    inner: Kind | None = None
    known: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """Return what is accepted."""
        return f"an object, each value {self.inner.what}" if self.inner else "an object"

    def accepts(self, value: object) -> bool:
        """Return whether the value is such an object."""
        if type(value) is not dict or not all(
            kind.accepts(value[name]) for name, kind in self.known.items() if name in value
        ):
            return False
        return self.inner is None or all(map(self.inner.accepts, value.values()))

    def schema(self) -> Json:
        """Describe as JSON Schema."""
        known = {name: kind.schema() for name, kind in self.known.items()}
        return {
            "type": "object",
            **({"properties": known} if known else {}),
            "additionalProperties": self.inner.schema() if self.inner else True,
        }


def _pattern(what: str, pattern: str) -> Form:
    return Form(what, re.compile(pattern).fullmatch, {"pattern": f"^{pattern}$"})


# Times have no format in the schema, because clients must keep the exact text that was hashed.
TIME = Form(
    "a time in RFC 3339, UTC",
    read_time,
    {"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$"},
)
DURATION = Form("a duration in ISO 8601", duration, {"format": "duration"})
OFFSET = _pattern("an offset from UTC such as +01:00", "[+-](0[0-9]|1[0-4]):[0-5][0-9]")
HASH = _pattern("64 hexadecimal digits", "[0-9a-f]{64}")
SIGNATURE = _pattern("128 hexadecimal digits", "[0-9a-f]{128}")
HEX = _pattern("hexadecimal digits", "[0-9a-f]*")
ID = Form(
    "a UUID",
    re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch,
    {"format": "uuid"},
)
PUBLIC_KEY = Form(
    "an Ed25519 public key, 64 hexadecimal digits",
    lambda text: is_key(text) or None,
    {"pattern": "^[0-9a-f]{64}$"},
)
SEAT = Maybe(COUNT)
BOT = Maybe(Text(1, 64))
NAME = Text(1, 100)
NAMED = Object({"id": ID, "name": NAME})
PLAYER = Maybe(Object({"id": ID, "commitment": HASH}, optional=("commitment",)))
MARK = OneOf((True,))
PACE = Object(
    {
        "per_move": DURATION,
        "on_timeout": OneOf(ON_TIMEOUT),
        "warn_before": Maybe(DURATION),
        "reserve": Maybe(DURATION),
        "quiet_weekends": BOOLEAN,
        "vacation_days": Int(0, LONGEST_VACATION),
        "increment": Maybe(DURATION),
        "reserve_cap": DURATION,
        "out_after": Int(1, MOST_MISSED),
        "stand_in": Text(1, 64),
        "weekends": OFFSET,
    },
    optional=("increment", "reserve_cap", "out_after", "stand_in", "weekends"),
)
TRANSFER = Object({"from": Maybe(STRING), "to": Maybe(STRING), "cards": ListOf(Maybe(STRING))})


MOVE = Map(known={"type": STRING})
LONGEST_TEXT = 2000
SHARE = Map(
    known={
        "transfers": ListOf(TRANSFER),
        "move": MOVE,
        "text": Text(1, LONGEST_TEXT),
        "salt": STRING,
        "signature": SIGNATURE,
    }
)
RESULT = Map(known={"winners": ListOf(COUNT), "losers": ListOf(COUNT), "reason": STRING})


class Members(TypedDict, total=False):
    """What an entry says: each member with its type, its shape, and what it means.

    A name means the same in every type of entry, and each type has some of them. What happens has names of
    players and a `text`; in the public form of an entry, hashes stand for these (`referee.log.words`).
    """

    seq: Annotated[int, Int(1), "1, 2, 3 … without a gap."]
    type: Annotated[str, STRING, "The type of the entry."]
    at: Annotated[str, TIME, "When it happened, in UTC; never before the previous entry."]
    hash: Annotated[str, HASH, "SHA-256 of the previous hash and of the public form."]
    sealed: Annotated[str, HASH, "A salted hash of the part that not everyone sees."]
    seals: Annotated[
        dict[str, str],
        Map(HASH),
        "Seat → hash of its share of that part, which the seat can check with the salt in it; `all` → that "
        "of the share that everybody sees, until what it says is erased.",
    ]
    private: Annotated[
        Shares,
        Map(SHARE),
        "Seat → what the caller sees because of it; `all` → a text, which everybody sees.",
    ]
    seat: Annotated[int, SEAT, "The seat that it is about; null: the game's app."]
    player: Annotated[
        Named | None, PLAYER, "The player who holds the seat; a newcomer with the hash of the name."
    ]
    bot: Annotated[str | None, BOT, "The bot that holds the seat."]
    entropy: Annotated[
        str, STRING, "The seat's entropy for the deal; in `created`: `commit`, if seats join with its hash."
    ]
    reveal_within: Annotated[str | None, DURATION, "How long seats have to reveal it after all are taken."]
    move: Annotated[Json, MOVE, "A legal move, without its secret fields."]
    transfers: Annotated[list[Json], ListOf(TRANSFER), "Cards that went from one zone to another, in order."]
    text: str
    result: Annotated[Result, Maybe(RESULT), "Who wins and who loses, and why."]
    seed: Annotated[str, HEX, "The seed, which the commitment promised."]
    ruleset: Annotated[str, STRING, "The rules of the game."]
    ruleset_version: Annotated[int, COUNT, "The version of these rules."]
    options: Annotated[Json, Map(), "The options of these rules; one that is missing has its default."]
    seats: Annotated[int, COUNT, "How many seats there are."]
    test_clock: Annotated[
        str, ID, "The game runs on a test clock: its app sets the time, and no time in the log is real."
    ]
    visibility: Annotated[str, OneOf(("public", "unlisted", "private")), "Who may see the game."]
    pace: Annotated[Json | None, Maybe(PACE), "How long a turn may last; null: there are no clocks."]
    commitment: Annotated[
        str, HASH, "SHA-256 of the game's seed; in `joined`, of the entropy to be revealed."
    ]
    scores: Annotated[list[int], ListOf(INTEGER), "The scores, where the move has changed them."]
    won_by: Annotated[int, COUNT, "The seat that wins a trick with this move."]
    deadlines: Annotated[dict[str, str], Map(TIME), "Seat → deadline of a turn that begins."]
    since: Annotated[
        str, TIME, "The beginning of an outage of the server, whose end is the time of the entry."
    ]
    added: Annotated[
        Added, Object({"seat": COUNT, "time": DURATION}), "A seat, and the time added to its running turn."
    ]
    reserve: Annotated[dict[str, str], Map(DURATION), "Seat → what is left of its reserve."]
    of: Annotated[int, COUNT, "The entry whose move is or may be taken back, with everything after it."]
    undone: Annotated[
        Undone,
        Object({"seat": COUNT, "timed_out": COUNT}),
        "The time-out that the operator has undone: its seat, and the entry that named it.",
    ]
    origin: Annotated[str, OneOf(("imported",)), "The log was written from a record that had none."]
    imported_by: Annotated[Named | None, NAMED, "The app that imported the game."]
    replacement: Annotated[
        Newcomer,
        Object({"seat": COUNT, "player": PLAYER, "bot": BOT}, optional=("bot",)),
        "An agreement that a player or a bot takes over a seat.",
    ]
    nudge: Annotated[
        Nudged,
        Object({"seat": COUNT, "player": Object({"id": ID})}),
        "The seat that is asked to move, and who sits there.",
    ]
    replaced: Annotated[bool, MARK, "The seat was handed over while the game was running."]
    agreed: Annotated[
        bool,
        MARK,
        "All other seats have agreed that the seat be handed over, or all seats that the game be cancelled; "
        "else the app did it.",
    ]
    dropped: Annotated[bool, MARK, "The seat is handed over to a bot because it has missed too many turns."]
    ending: Annotated[str, OneOf(ENDINGS_AGREED), "How the seat agrees to end the game."]
    reason: Annotated[
        str, OneOf((ENDLESS,)), "Why the server has ended a game that only bots play: it would not end."
    ]
    ruling: Annotated[
        Ruling,
        Object({"winners": ListOf(COUNT), "losers": ListOf(COUNT)}),
        "Who wins and who loses, as the director has decided.",
    ]
    order: Annotated[bool, MARK, "Played from the seat's standing orders."]
    by: Annotated[
        str,
        OneOf(("player", "app", "order", "clock", "bot", "operator")),
        "Who acted: the player, the app for the player, a standing order of the player, the clock for a "
        "late seat, or a bot. Where there is no seat: the game's app, or the server's operator.",
    ]
    public_key: Annotated[
        str | None, PUBLIC_KEY, "The seat's Ed25519 key, with which its player's actions are signed."
    ]
    signature: Annotated[
        str, SIGNATURE, "The signature with the seat's key, over the game, the previous hash and the action."
    ]
    random: Annotated[bool, MARK, "Made for a seat that ran out of time."]
    vacation: Annotated[
        Vacation,
        Object({"days": COUNT, "until": TIME, "left": COUNT}),
        "Days of vacation, their end, and how many are left.",
    ]


class Entry(NamedTuple):
    """A log entry as it is stored: its public form, each seat's share, and the hash of the chain.

    If somebody comes, or is to come, the public form has only the hash of the `name`.
    """

    public: Members
    private: Shares
    hash: bytes
    name: Name | None = None


class Member(NamedTuple):
    """A member of an entry: its shape and its meaning."""

    kind: Kind
    about: str = ""


MEMBERS = {
    name: Member(*declared.__metadata__)
    for name, declared in get_type_hints(Members, include_extras=True).items()
    if name != "text"
}
MARKS = tuple(name for name, member in MEMBERS.items() if member.kind is MARK)


def inner(name: str) -> Object | None:
    """Return the shape of a member that is an object with certain members of its own; None for others."""
    kind = MEMBERS[name].kind
    kind = kind.inner if isinstance(kind, Maybe) else kind
    return kind if isinstance(kind, Object) else None
