"""Generated from the specification by `generate.py`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from collections.abc import Mapping, Sequence


class Advance(TypedDict):
    """How far to advance a clock: to a time, or by a duration."""

    to: NotRequired[str]
    """The time to which to advance."""

    by: NotRequired[str]
    """The duration by which to advance."""


class AnyPosition(TypedDict):
    """The whole state of a game, nothing hidden: an answered `Position`, or a handwritten one."""

    ruleset: str
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: str
    to_act: Sequence[int]
    zones: Mapping[str, Sequence[str]]
    facts: Mapping[str, Any]
    scores: Sequence[int]
    result: Result | None


class AnyRecord(TypedDict):
    """A game record from this or another server; it may have more members."""

    format: Literal["card-referee/1"]
    ruleset: str
    """The id of a ruleset."""

    version: NotRequired[int | None]
    """The version of the ruleset; by default, the newest."""

    seats: int
    options: NotRequired[Mapping[str, Any]]
    seed: str | None
    """Null in the record of a running game, which cannot be replayed."""

    entropy: NotRequired[Sequence[str]]
    """One for each seat."""

    moves: Sequence[AnyRecordMoves]
    result: NotRequired[Mapping[str, Any] | None]


class AnyRecordMoves(TypedDict):
    """A move of a record."""

    seat: int
    move: Any
    """A value that is not a move is refused by a rule."""


class AppName(TypedDict):
    """An app."""

    id: str
    name: str


class Automatic(TypedDict):
    """What is done automatically at each turn of a seat."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""

    always_pass: NotRequired[bool]
    """Pass whenever the rules allow it. Default: false."""

    only_move: NotRequired[bool]
    """Make the move if only one is legal; not in rulesets whose lists are not `complete`. Default: false."""


BiscaCard: TypeAlias = "Literal['2C', '3C', '4C', '5C', '6C', 'QC', 'JC', 'KC', '7C', 'AC', '2D', '3D', '4D', '5D', '6D', 'QD', 'JD', 'KD', '7D', 'AD', '2H', '3H', '4H', '5H', '6H', 'QH', 'JH', 'KH', '7H', 'AH', '2S', '3S', '4S', '5S', '6S', 'QS', 'JS', 'KS', '7S', 'AS']"
"""A card of Bisca, by its id."""


class BiscaCut(TypedDict):
    """A move of type `cut` in Bisca."""

    type: Literal["cut"]
    at: int
    """how many cards are lifted; the lowest of them is flipped"""


class BiscaExchange(TypedDict):
    """A move of type `exchange` in Bisca."""

    type: Literal["exchange"]


class BiscaFacts(TypedDict):
    """The facts of Bisca."""

    dealer: int
    """who deals this hand"""

    leader: None | int
    """who leads the current trick; null in cut"""

    trump: None | Literal["C", "D", "H", "S"]
    """trump suit; null in cut"""

    flipped: (
        None
        | Literal[
            "2C",
            "3C",
            "4C",
            "5C",
            "6C",
            "QC",
            "JC",
            "KC",
            "7C",
            "AC",
            "2D",
            "3D",
            "4D",
            "5D",
            "6D",
            "QD",
            "JD",
            "KD",
            "7D",
            "AD",
            "2H",
            "3H",
            "4H",
            "5H",
            "6H",
            "QH",
            "JH",
            "KH",
            "7H",
            "AH",
            "2S",
            "3S",
            "4S",
            "5S",
            "6S",
            "QS",
            "JS",
            "KS",
            "7S",
            "AS",
        ]
    )
    """what the cut showed; null after a tap"""


BiscaMove: TypeAlias = "BiscaCut | BiscaTap | BiscaPlay | BiscaExchange"
"""A move in Bisca."""


class BiscaPlay(TypedDict):
    """A move of type `play` in Bisca."""

    type: Literal["play"]
    card: str
    """a card of one's hand, played face up to the trick"""


class BiscaPosition(TypedDict):
    """A position of Bisca."""

    ruleset: Literal["bisca"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["cut", "play", "over"]
    to_act: Sequence[int]
    zones: BiscaPositionZones
    facts: BiscaFacts
    scores: Sequence[int]
    result: Result | None


BiscaPositionZones = TypedDict(
    "BiscaPositionZones",
    {
        "stock": "Sequence[BiscaCard]",
        "turned": "Sequence[BiscaCard]",
        "trick": "Sequence[BiscaCard]",
        "hand.0": "Sequence[BiscaCard]",
        "hand.1": "Sequence[BiscaCard]",
        "won.0": "Sequence[BiscaCard]",
        "won.1": "Sequence[BiscaCard]",
        "hand.2": "NotRequired[Sequence[BiscaCard]]",
        "won.2": "NotRequired[Sequence[BiscaCard]]",
        "hand.3": "NotRequired[Sequence[BiscaCard]]",
        "won.3": "NotRequired[Sequence[BiscaCard]]",
    },
)
"""The zones of a position of Bisca, `.0` of seat 0."""

BiscaSeen: TypeAlias = "Sequence[BiscaCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class BiscaTap(TypedDict):
    """A move of type `tap` in Bisca."""

    type: Literal["tap"]


class BiscaView(TypedDict):
    """A view of Bisca."""

    ruleset: Literal["bisca"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["cut", "play", "over"]
    to_act: Sequence[int]
    zones: BiscaViewZones
    facts: BiscaFacts
    scores: Sequence[int]
    result: Result | None


BiscaViewZones = TypedDict(
    "BiscaViewZones",
    {
        "stock": "BiscaSeen",
        "turned": "Sequence[BiscaCard]",
        "trick": "Sequence[BiscaCard]",
        "hand.0": "BiscaSeen",
        "hand.1": "BiscaSeen",
        "won.0": "Sequence[BiscaCard]",
        "won.1": "Sequence[BiscaCard]",
        "hand.2": "NotRequired[BiscaSeen]",
        "won.2": "NotRequired[Sequence[BiscaCard]]",
        "hand.3": "NotRequired[BiscaSeen]",
        "won.3": "NotRequired[Sequence[BiscaCard]]",
    },
)
"""The zones of a view of Bisca, `.0` of seat 0."""


class BotSeat(TypedDict):
    """A seat for a bot."""

    bot: Literal["cautious", "random"]


class CalendarAddress(TypedDict):
    """The address of a player's calendar; anyone who has it can read the calendar."""

    url: str | None


class CancelledEntry(TypedDict):
    """cancelled: The game is called off."""

    seq: int
    type: Literal["cancelled"]
    at: str
    hash: str
    looks: NotRequired[Sequence[CancelledEntryLooks]]
    """Looks at a seat's cards or moves during the game by an app or an auditor, and tokens that were created for its player."""


class CancelledEntryLooks(TypedDict):
    what: Literal["cards", "moves", "token"]
    by: Literal["app", "auditor"]
    seat: None | int
    at: str


CatsAndDogsCard: TypeAlias = "Literal['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8', 'C9', 'D1', 'D2', 'D3', 'D4', 'D5', 'D6', 'D7', 'D8', 'D9']"
"""A card of Cats and Dogs, by its id."""


class CatsAndDogsFacts(TypedDict):
    """The facts of Cats and Dogs."""

    round: int
    """the round being played, from 1"""

    lead: int
    """who plays first to the current trick"""

    recent: Sequence[int]
    """winners of tricks in this game, most recent first, each once"""


CatsAndDogsMove: TypeAlias = "CatsAndDogsPlay"
"""A move in Cats and Dogs."""


class CatsAndDogsPlay(TypedDict):
    """A move of type `play` in Cats and Dogs."""

    type: Literal["play"]
    card: str
    """a card of one's hand, played face up to the trick"""


class CatsAndDogsPosition(TypedDict):
    """A position of Cats and Dogs."""

    ruleset: Literal["cats_and_dogs"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["play", "over"]
    to_act: Sequence[int]
    zones: CatsAndDogsPositionZones
    facts: CatsAndDogsFacts
    scores: Sequence[int]
    result: Result | None


CatsAndDogsPositionZones = TypedDict(
    "CatsAndDogsPositionZones",
    {
        "hand.0": "Sequence[CatsAndDogsCard]",
        "trick": "Sequence[CatsAndDogsCard]",
        "won.0": "Sequence[CatsAndDogsCard]",
        "out": "Sequence[CatsAndDogsCard]",
        "open": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hidden": "NotRequired[Sequence[CatsAndDogsCard]]",
        "table": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.1": "NotRequired[Sequence[CatsAndDogsCard]]",
        "won.1": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.2": "NotRequired[Sequence[CatsAndDogsCard]]",
        "won.2": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.3": "NotRequired[Sequence[CatsAndDogsCard]]",
        "won.3": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.4": "NotRequired[Sequence[CatsAndDogsCard]]",
        "won.4": "NotRequired[Sequence[CatsAndDogsCard]]",
    },
)
"""The zones of a position of Cats and Dogs, `.0` of seat 0."""

CatsAndDogsSeen: TypeAlias = "Sequence[CatsAndDogsCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class CatsAndDogsView(TypedDict):
    """A view of Cats and Dogs."""

    ruleset: Literal["cats_and_dogs"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["play", "over"]
    to_act: Sequence[int]
    zones: CatsAndDogsViewZones
    facts: CatsAndDogsFacts
    scores: Sequence[int]
    result: Result | None


CatsAndDogsViewZones = TypedDict(
    "CatsAndDogsViewZones",
    {
        "hand.0": "CatsAndDogsSeen",
        "trick": "Sequence[CatsAndDogsCard]",
        "won.0": "Sequence[CatsAndDogsCard]",
        "out": "CatsAndDogsSeen",
        "open": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hidden": "NotRequired[CatsAndDogsSeen]",
        "table": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.1": "NotRequired[CatsAndDogsSeen]",
        "won.1": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.2": "NotRequired[CatsAndDogsSeen]",
        "won.2": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.3": "NotRequired[CatsAndDogsSeen]",
        "won.3": "NotRequired[Sequence[CatsAndDogsCard]]",
        "hand.4": "NotRequired[CatsAndDogsSeen]",
        "won.4": "NotRequired[Sequence[CatsAndDogsCard]]",
    },
)
"""The zones of a view of Cats and Dogs, `.0` of seat 0."""


class ClocksChangedNotice(TypedDict):
    """clocks.changed: Time was given back after an outage, or the operator changed the clocks."""

    type: Literal["clocks.changed"]
    timestamp: str
    data: OfGame


class Condition(TypedDict):
    """A condition on the last move of another seat; the move may have more members."""

    seat: int
    move: Mapping[str, Any]


class Consistency(TypedDict):
    """The proof that the log of all games has only grown (RFC 9162, 2.1.4)."""

    first: int
    second: int
    proof: Sequence[str]


class Counted(TypedDict):
    """The statistics of a player for one ruleset."""

    ruleset: str
    games: int
    """Games that the player has finished."""

    wins: int
    """Games that the player has won; in a comparison, those that the other player has not won."""

    points: int
    """The sum of the player's final scores."""

    timeouts: int
    """How often the player ran out of time, including games whose seat was taken over afterwards."""

    opponent: Opponent | None


class CreatedEntry(TypedDict):
    """created: A game of {ruleset} is set up."""

    seq: int
    type: Literal["created"]
    at: str
    hash: str
    entropy: NotRequired[str]
    """The seat's entropy for the deal; in `created`: `commit`, if seats join with its hash."""

    reveal_within: NotRequired[str]
    """How long seats have to reveal it after all are taken."""

    beacon: NotRequired[CreatedEntryBeacon]
    """The public beacon whose first round after the seats is added to the chance."""

    ruleset: NotRequired[str]
    ruleset_version: NotRequired[int]
    options: NotRequired[Mapping[str, Any]]
    seats: NotRequired[int]
    test_clock: NotRequired[str]
    """The game runs on a test clock: its app sets the time, and no time in the log is real."""

    visibility: Literal["public", "unlisted", "private"]
    pace: Pace | None
    commitment: NotRequired[str]
    """SHA-256 of the game's seed; in `joined`, of the entropy to be revealed."""

    log: NotRequired[int]
    """The number of the log's format; 1 if it is missing."""

    origin: NotRequired[Literal["imported"]]
    imported_by: NotRequired[AppName]
    """The app that imported the game."""


class CreatedEntryBeacon(TypedDict):
    """The public beacon whose first round after the seats is added to the chance."""

    scheme: Literal["bls-unchained-g1-rfc9380"]
    public_key: str
    genesis_time: int
    period: int


class DeadlineMovedNotice(TypedDict):
    """deadline.moved: The deadline of a current turn has changed."""

    type: Literal["deadline.moved"]
    timestamp: str
    data: OfTurn


class Delivery(TypedDict):
    """A notification and the status of its delivery."""

    id: str
    """The `webhook-id` of every attempt."""

    event: str
    game: str | None
    status: Literal["pending", "delivered", "failed", "skipped"]
    """`failed` includes what a disabled webhook missed; `skipped`: given up by you, never received."""

    created_at: str
    next_at: str | None
    """The time of the next attempt."""

    delivered_at: str | None
    """When it was received. A retry keeps it until it is received again, or has failed for good."""

    payload: Notice
    attempts: Sequence[DeliveryAttempts]


class DeliveryAttempts(TypedDict):
    """One attempt to deliver."""

    at: str
    request: DeliveryAttemptsRequest
    """What was sent, without the payload."""

    answer: DeliveryAttemptsAnswer | None
    """The beginning of the answer."""

    error: str | None
    """Why there was no answer, or why nothing was sent."""


class DeliveryAttemptsRequest(TypedDict):
    """What was sent, without the payload."""

    url: str
    headers: Mapping[str, Any]


class DeliveryAttemptsAnswer(TypedDict):
    """The beginning of the answer."""

    status: int
    body: str


class DeliveryList(TypedDict):
    """A page of deliveries, newest first."""

    items: Sequence[Delivery]
    next: str | None
    """The cursor of the next page; null on the last one."""


class DogCardsBuy(TypedDict):
    """A move of type `buy` in Dog Cards."""

    type: Literal["buy"]
    card: str
    """a card of one's hand"""

    position: int
    """the open row's, 1 to 13"""


DogCardsCard: TypeAlias = (
    "Literal['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '12', '13', '14', 'J', 'R']"
)
"""A card of Dog Cards, by its id."""


class DogCardsDiscard(TypedDict):
    """A move of type `discard` in Dog Cards."""

    type: Literal["discard"]
    card: str
    """a card of one's hand"""


class DogCardsFacts(TypedDict):
    """The facts of Dog Cards."""

    turn: int
    """whose turn it is, is to be first, or was last"""

    turns: int
    """the number of finished turns"""


class DogCardsGive(TypedDict):
    """A move of type `give` in Dog Cards."""

    type: Literal["give"]
    card: str
    """the card put face down before the partner"""


class DogCardsLay(TypedDict):
    """A move of type `lay` in Dog Cards."""

    type: Literal["lay"]
    card: str
    """a card of one's hand"""

    owner: int
    """whose row"""

    row: int
    """1 or 2"""


class DogCardsLook(TypedDict):
    """A move of type `look` in Dog Cards."""

    type: Literal["look"]


DogCardsMove: TypeAlias = "DogCardsGive | DogCardsLay | DogCardsBuy | DogCardsLook | DogCardsTake | DogCardsSearch | DogCardsRob | DogCardsSwap | DogCardsDiscard"
"""A move in Dog Cards."""


class DogCardsPosition(TypedDict):
    """A position of Dog Cards."""

    ruleset: Literal["dog_cards"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["exchange", "play", "look", "over"]
    to_act: Sequence[int]
    zones: DogCardsPositionZones
    facts: DogCardsFacts
    scores: Sequence[int]
    result: Result | None


DogCardsPositionZones = TypedDict(
    "DogCardsPositionZones",
    {
        "draw": "Sequence[DogCardsCard]",
        "discard": "Sequence[DogCardsCard]",
        "open": "Sequence[DogCardsCard]",
        "look": "Sequence[DogCardsCard]",
        "hand.0": "Sequence[DogCardsCard]",
        "hand.1": "Sequence[DogCardsCard]",
        "row1.0": "Sequence[DogCardsCard]",
        "row1.1": "Sequence[DogCardsCard]",
        "row2.0": "NotRequired[Sequence[DogCardsCard]]",
        "row2.1": "NotRequired[Sequence[DogCardsCard]]",
        "done.0": "Sequence[DogCardsCard]",
        "done.1": "Sequence[DogCardsCard]",
        "hand.2": "NotRequired[Sequence[DogCardsCard]]",
        "row1.2": "NotRequired[Sequence[DogCardsCard]]",
        "row2.2": "NotRequired[Sequence[DogCardsCard]]",
        "done.2": "NotRequired[Sequence[DogCardsCard]]",
        "hand.3": "NotRequired[Sequence[DogCardsCard]]",
        "row1.3": "NotRequired[Sequence[DogCardsCard]]",
        "done.3": "NotRequired[Sequence[DogCardsCard]]",
        "gift.0": "NotRequired[Sequence[DogCardsCard]]",
        "gift.1": "NotRequired[Sequence[DogCardsCard]]",
        "gift.2": "NotRequired[Sequence[DogCardsCard]]",
        "gift.3": "NotRequired[Sequence[DogCardsCard]]",
    },
)
"""The zones of a position of Dog Cards, `.0` of seat 0."""


class DogCardsRob(TypedDict):
    """A move of type `rob` in Dog Cards."""

    type: Literal["rob"]
    owner: int
    """whose row"""

    row: int
    """1 or 2"""


class DogCardsSearch(TypedDict):
    """A move of type `search` in Dog Cards."""

    type: Literal["search"]
    take: str
    """the card wanted from the discard pile"""


DogCardsSeen: TypeAlias = "Sequence[DogCardsCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class DogCardsSwap(TypedDict):
    """A move of type `swap` in Dog Cards."""

    type: Literal["swap"]
    card: str
    """a card of one's hand"""

    owner: int
    """whose row"""

    row: int
    """1 or 2"""

    place: int
    """the joker's, 1 to 13"""


class DogCardsTake(TypedDict):
    """A move of type `take` in Dog Cards."""

    type: Literal["take"]
    place: int
    """of a card looked at, 1 on top"""


class DogCardsView(TypedDict):
    """A view of Dog Cards."""

    ruleset: Literal["dog_cards"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["exchange", "play", "look", "over"]
    to_act: Sequence[int]
    zones: DogCardsViewZones
    facts: DogCardsFacts
    scores: Sequence[int]
    result: Result | None


DogCardsViewZones = TypedDict(
    "DogCardsViewZones",
    {
        "draw": "DogCardsSeen",
        "discard": "Sequence[DogCardsCard]",
        "open": "Sequence[DogCardsCard]",
        "look": "DogCardsSeen",
        "hand.0": "DogCardsSeen",
        "hand.1": "DogCardsSeen",
        "row1.0": "Sequence[DogCardsCard]",
        "row1.1": "Sequence[DogCardsCard]",
        "row2.0": "NotRequired[Sequence[DogCardsCard]]",
        "row2.1": "NotRequired[Sequence[DogCardsCard]]",
        "done.0": "Sequence[DogCardsCard]",
        "done.1": "Sequence[DogCardsCard]",
        "hand.2": "NotRequired[DogCardsSeen]",
        "row1.2": "NotRequired[Sequence[DogCardsCard]]",
        "row2.2": "NotRequired[Sequence[DogCardsCard]]",
        "done.2": "NotRequired[Sequence[DogCardsCard]]",
        "hand.3": "NotRequired[DogCardsSeen]",
        "row1.3": "NotRequired[Sequence[DogCardsCard]]",
        "done.3": "NotRequired[Sequence[DogCardsCard]]",
        "gift.0": "NotRequired[DogCardsSeen]",
        "gift.1": "NotRequired[DogCardsSeen]",
        "gift.2": "NotRequired[DogCardsSeen]",
        "gift.3": "NotRequired[DogCardsSeen]",
    },
)
"""The zones of a view of Dog Cards, `.0` of seat 0."""


class DryRun(TypedDict):
    """The verdict of the referee."""

    verdict: Verdict
    version: int


Entry: TypeAlias = "CreatedEntry | JoinedEntry | LeftEntry | RevealedEntry | ForfeitedEntry | StartedEntry | MovedEntry | SaidEntry | TakeBackRequestedEntry | TakeBackAgreedEntry | TakeBackRefusedEntry | VacationTakenEntry | NudgedEntry | ReplacementAgreedEntry | PauseAgreedEntry | PausedEntry | ResumedEntry | TimeReturnedEntry | TimeAddedEntry | PaceChangedEntry | ResignedEntry | TimedOutEntry | FinishedEntry | CancelledEntry | TakenBackEntry | TimeoutUndoneEntry | ImportedEntry"
"""An entry of a game's log: one change of the game. `hash` is SHA-256 over the previous hash and the canonical JSON of all members except `hash` and `private`."""


class EntryList(TypedDict):
    """A page of a log, oldest entry first."""

    items: Sequence[Entry]
    next: str | None
    """The cursor of the next page; null on the last one."""

    origin: NotRequired[Literal["dealt", "imported"]]
    """Dealt by this server, or imported from a record."""

    imported_by: NotRequired[AppName | None]
    """The app that has imported the game."""

    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""


class Feed(TypedDict):
    """A page of a feed, oldest entry first. It may have no items but still a next page."""

    items: Sequence[FeedEntry]
    next: str | None
    """The cursor of the next page; null if there is nothing more yet."""

    cursor: str
    """The end of this page; reading can continue there later."""


class FeedEntry(TypedDict):
    """An entry of a game's log, as the caller sees it there, with the current labels of the game."""

    cursor: str
    """The seq of the last entry that is known already."""

    game: str
    ruleset: str
    title: str | None
    external_id: NotRequired[str | None]
    """The app's id of the game; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the game; shown only to the app."""

    entry: Entry


class FinishedEntry(TypedDict):
    """finished: The game is over."""

    seq: int
    type: Literal["finished"]
    at: str
    hash: str
    result: NotRequired[Result | None]
    seed: NotRequired[str]
    looks: NotRequired[Sequence[FinishedEntryLooks]]
    """Looks at a seat's cards or moves during the game by an app or an auditor, and tokens that were created for its player."""


class FinishedEntryLooks(TypedDict):
    what: Literal["cards", "moves", "token"]
    by: Literal["app", "auditor"]
    seat: None | int
    at: str


class ForfeitedEntry(TypedDict):
    """forfeited: {who} has not revealed in time."""

    seq: int
    type: Literal["forfeited"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""


class Game(TypedDict):
    """A game as the caller sees it."""

    external_id: NotRequired[str | None]
    """The app's own id; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app; shown only to the app."""

    id: str
    ruleset: str
    ruleset_version: int
    ruleset_installed: NotRequired[bool]
    """False if the server no longer has this ruleset: the game can only be read."""

    options: Mapping[str, Any]
    status: Literal["open", "running", "finished", "cancelled"]
    version: int
    """The seq of the last entry of the log; the ETag."""

    visibility: Literal["public", "unlisted", "private"]
    pace: Pace | None
    commitment: str
    """SHA-256 of the seed, which is shown once the game is over."""

    dealing: GameDealing | None
    """What determines the deal in addition to the seed and the entropy given when joining; null: nothing."""

    seats: Sequence[Seat]
    paused: bool
    """The game is paused by agreement, and all clocks stand still."""

    to_act: Sequence[int]
    """The seats that the game waits for."""

    result: Result | None
    created_at: str
    updated_at: str
    finished_at: str | None
    """The time at which the result was reached; null unless the game is finished."""

    origin: Literal["dealt", "imported"]
    """Dealt by this server, or imported from a record."""

    imported_by: AppName | None
    """The app that has imported the game."""

    title: str | None
    test_clock: str | None
    """The test clock of the game; null: real time."""

    rematch_of: str | None
    """The game of which this one is a rematch."""

    rematch: str | None
    """The rematch of this game."""

    series: GameSeries | None
    """The position of the game in its series."""

    seats_private: bool
    """Only players can act for their seats; no app key can act for them."""

    distinct_players: bool
    """Each player has only one seat."""

    head: str
    """The hash of the log's last entry: `previous` in what is signed."""

    receipt: str | None
    """The server's signature of the log: a checkpoint as a C2SP signed note. Its size is the version, its root the last entry's hash. The keys are at /v1/log-keys. Null if the server cannot read its key."""

    webhook: NotRequired[WebhookSecret]
    """The webhook and its secret, shown only once."""

    viewer: GameViewer
    """Who looks."""

    view: View | None


class GameDealing(TypedDict):
    """What determines the deal in addition to the seed and the entropy given when joining; null: nothing."""

    entropy: Literal["given", "commit"]
    reveal_within: str | None
    """How long seats have to reveal, once all are taken."""

    reveal_by: str | None
    """The end of the time; null if nobody has to reveal."""

    unrevealed: Sequence[int]
    """The seats that have to reveal their entropy now."""

    beacon: GameDealingBeacon | None
    """The public beacon whose first round after the seats are settled is added to the chance."""

    round: int | None
    """That round."""

    signature: str | None
    """Its signature, once published."""


class GameDealingBeacon(TypedDict):
    """The public beacon whose first round after the seats are settled is added to the chance."""

    scheme: str
    public_key: str
    genesis_time: int
    period: int


class GameSeries(TypedDict):
    """The position of the game in its series."""

    id: str
    number: int
    games: int | None
    """The number of games in the series; null: not fixed."""


class GameViewer(TypedDict):
    """Who looks."""

    seats: Sequence[int]
    """The seats that the caller holds."""


class GameCancelledNotice(TypedDict):
    """game.cancelled: A game has been cancelled."""

    type: Literal["game.cancelled"]
    timestamp: str
    data: OfResult


class GameCreatedNotice(TypedDict):
    """game.created: A game has been created."""

    type: Literal["game.created"]
    timestamp: str
    data: OfGame


class GameFinishedNotice(TypedDict):
    """game.finished: A game has finished with a result."""

    type: Literal["game.finished"]
    timestamp: str
    data: OfResult


class GameImportedNotice(TypedDict):
    """game.imported: A game has been imported. Its earlier log is not sent."""

    type: Literal["game.imported"]
    timestamp: str
    data: OfGame


class GameInclusion(TypedDict):
    """A game's leaves in the log of all games, for its beginning and end; missing for some seconds."""

    checkpoint: str | None
    """Size and root, signed (`c2sp.org/tlog-checkpoint`); null without a key."""

    size: int
    root: str
    leaves: Sequence[GameLeaf]


class GameLeaf(TypedDict):
    """A leaf of a game, and the proof that the tree of the checkpoint contains it."""

    index: int
    data: str
    """The content of the leaf, as canonical JSON."""

    proof: Sequence[str]


class GameList(TypedDict):
    """A page of games, newest first."""

    items: Sequence[GameSummary]
    next: str | None
    """The cursor of the next page; null on the last one."""


class GamePausedNotice(TypedDict):
    """game.paused: All players have agreed to a pause; the clocks stand still."""

    type: Literal["game.paused"]
    timestamp: str
    data: OfSeat


class GameRecord(TypedDict):
    """A game as a file, with its log."""

    external_id: NotRequired[str | None]
    """The app's own id; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app; shown only to the app."""

    format: Literal["card-referee/1"]
    game: NotRequired[str]
    """The game's id on this server, which receipts name too."""

    ruleset: str
    version: int
    seats: int
    options: Mapping[str, Any]
    seed: str | None
    """Null until the game is over."""

    entropy: Sequence[str]
    origin: Literal["dealt", "imported"]
    """Dealt by this server, or imported from a record."""

    imported_by: AppName | None
    """The app that has imported the game."""

    moves: Sequence[ListedMove]
    result: Result | None
    commitment: str
    entries: Sequence[Entry]
    ended: NotRequired[GameRecordEnded]
    """How it ended, if not by a move."""

    chance: NotRequired[Sequence[Mapping[str, Any]]]
    """Every shuffle and random pick, once the game is over."""

    title: NotRequired[str]
    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""

    randomness: NotRequired[GameRecordRandomness]
    """The round of a public beacon that was added to the chance."""

    inclusion: NotRequired[GameInclusion]
    """Proof that the game is in the log of all games."""


class GameRecordEnded(TypedDict):
    """How it ended, if not by a move."""

    type: str
    seat: int | None
    seats: NotRequired[Sequence[int]]
    """All seats that ran out of time, if there are several."""


class GameRecordRandomness(TypedDict):
    """The round of a public beacon that was added to the chance."""

    round: int
    signature: str


class GameResumedNotice(TypedDict):
    """game.resumed: A seat has ended the pause; current turns continue."""

    type: Literal["game.resumed"]
    timestamp: str
    data: OfSeat


class GameStartedNotice(TypedDict):
    """game.started: Every seat is taken and the cards are dealt."""

    type: Literal["game.started"]
    timestamp: str
    data: OfGame


class GameSummary(TypedDict):
    """A game without its view."""

    external_id: NotRequired[str | None]
    """The app's own id; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app; shown only to the app."""

    id: str
    ruleset: str
    ruleset_version: int
    ruleset_installed: NotRequired[bool]
    """False if the server no longer has this ruleset: the game can only be read."""

    options: Mapping[str, Any]
    status: Literal["open", "running", "finished", "cancelled"]
    version: int
    """The seq of the last entry of the log; the ETag."""

    visibility: Literal["public", "unlisted", "private"]
    pace: Pace | None
    commitment: str
    """SHA-256 of the seed, which is shown once the game is over."""

    dealing: GameSummaryDealing | None
    """What determines the deal in addition to the seed and the entropy given when joining; null: nothing."""

    seats: Sequence[Seat]
    paused: bool
    """The game is paused by agreement, and all clocks stand still."""

    to_act: Sequence[int]
    """The seats that the game waits for."""

    result: Result | None
    created_at: str
    updated_at: str
    finished_at: str | None
    """The time at which the result was reached; null unless the game is finished."""

    origin: Literal["dealt", "imported"]
    """Dealt by this server, or imported from a record."""

    imported_by: AppName | None
    """The app that has imported the game."""

    title: str | None
    test_clock: str | None
    """The test clock of the game; null: real time."""

    rematch_of: str | None
    """The game of which this one is a rematch."""

    rematch: str | None
    """The rematch of this game."""

    series: GameSummarySeries | None
    """The position of the game in its series."""

    seats_private: bool
    """Only players can act for their seats; no app key can act for them."""

    distinct_players: bool
    """Each player has only one seat."""


class GameSummaryDealing(TypedDict):
    """What determines the deal in addition to the seed and the entropy given when joining; null: nothing."""

    entropy: Literal["given", "commit"]
    reveal_within: str | None
    """How long seats have to reveal, once all are taken."""

    reveal_by: str | None
    """The end of the time; null if nobody has to reveal."""

    unrevealed: Sequence[int]
    """The seats that have to reveal their entropy now."""

    beacon: GameSummaryDealingBeacon | None
    """The public beacon whose first round after the seats are settled is added to the chance."""

    round: int | None
    """That round."""

    signature: str | None
    """Its signature, once published."""


class GameSummaryDealingBeacon(TypedDict):
    """The public beacon whose first round after the seats are settled is added to the chance."""

    scheme: str
    public_key: str
    genesis_time: int
    period: int


class GameSummarySeries(TypedDict):
    """The position of the game in its series."""

    id: str
    number: int
    games: int | None
    """The number of games in the series; null: not fixed."""


class GameWebhook(TypedDict):
    """A webhook to create for one game, until the game is over."""

    url: str
    events: NotRequired[
        Sequence[
            Literal[
                "game.created",
                "seat.joined",
                "seat.left",
                "seat.replaced",
                "reveal.due",
                "seat.revealed",
                "seat.forfeited",
                "game.started",
                "turn.began",
                "turn.warning",
                "turn.timed_out",
                "turn.nudged",
                "deadline.moved",
                "clocks.changed",
                "move.made",
                "take_back.requested",
                "take_back.answered",
                "move.taken_back",
                "vacation.taken",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "replacement.agreed",
                "seat.resigned",
                "game.finished",
                "game.cancelled",
                "game.imported",
                "message.posted",
                "orders.cancelled",
                "mail.failed",
                "webhook.created",
                "webhook.changed",
                "webhook.secret_replaced",
                "webhook.disabled",
                "webhook.enabled",
                "webhook.ended",
                "webhook.deleted",
            ]
        ]
    ]
    include: NotRequired[Sequence[Literal["entry"]]]
    """What notifications include: `entry` is the log entry, as it is shown without a seat."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""


class Health(TypedDict):
    """The state of the service."""

    status: Literal["ok"]


class Hidden(TypedDict):
    """The number of cards that the viewer may not see."""

    count: int


class ImportedEntry(TypedDict):
    """imported: {imported_by.name} imports the game and goes on with it here."""

    seq: int
    type: Literal["imported"]
    at: str
    hash: str
    imported_by: NotRequired[AppName]
    """The app that imported the game."""


class Inclusion(TypedDict):
    """The proof that a leaf is in the log of all games (RFC 9162, 2.1.3)."""

    index: int
    size: int
    leaf: str
    """The hash of the leaf."""

    proof: Sequence[str]


class Invitation(TypedDict):
    """The game to which an invite code belongs."""

    ruleset: str
    ruleset_version: int
    options: Mapping[str, Any]
    seats: int
    pace: Pace | None
    entropy: Literal["given", "commit"]
    """With `commit` a seat is taken with a `commitment` to its entropy."""


class InviteCode(TypedDict):
    """The invite code of a seat."""

    invite: str


class JoinedEntry(TypedDict):
    """joined: {newcomer} takes seat {seat}."""

    seq: int
    type: Literal["joined"]
    at: str
    hash: str
    seat: int | None
    player: PlayerName | None
    bot: str | None
    entropy: str
    """The seat's entropy for the deal; in `created`: `commit`, if seats join with its hash."""

    commitment: NotRequired[str]
    """SHA-256 of the game's seed; in `joined`, of the entropy to be revealed."""

    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    reserve: NotRequired[Mapping[str, str]]
    """Seat → what is left of its reserve."""

    replaced: NotRequired[bool]
    """The seat was handed over while the game was running."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    public_key: NotRequired[str]
    """The seat's Ed25519 key, with which its player's actions are signed."""


class Judged(TypedDict):
    """A verdict; for a legal move also the next position and the transfers."""

    verdict: Verdict
    position: NotRequired[Position]
    transfers: NotRequired[Sequence[Transfer]]


class Key(TypedDict):
    """An app key, without the key itself."""

    id: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    scopes: Sequence[Literal["read", "write", "audit", "keys"]]
    parent: str | None
    """The key that created it; null if it was created on the command line."""


class KeyList(TypedDict):
    """A page of keys, newest first."""

    items: Sequence[Key]
    next: str | None
    """The cursor of the next page; null on the last one."""


LandlordCard: TypeAlias = "Literal['3C', '3D', '3H', '3S', '4C', '4D', '4H', '4S', '5C', '5D', '5H', '5S', '6C', '6D', '6H', '6S', '7C', '7D', '7H', '7S', '8C', '8D', '8H', '8S', '9C', '9D', '9H', '9S', 'TC', 'TD', 'TH', 'TS', 'JC', 'JD', 'JH', 'JS', 'QC', 'QD', 'QH', 'QS', 'KC', 'KD', 'KH', 'KS', 'AC', 'AD', 'AH', 'AS', '2C', '2D', '2H', '2S', 'XB', 'XR']"
"""A card of Landlord, by its id."""


class LandlordFacts(TypedDict):
    """The facts of Landlord."""

    hand_number: int
    """the hand being played, from 1"""

    face_up: str
    """the card that was face up in the pack"""

    first: int
    """who was dealt that card and is asked first"""

    landlord: None | int
    """who plays alone; null until someone takes"""

    shown: Sequence[str]
    """the six cards that the landlord took"""

    combo: None | LandlordFactsCombo
    """what lies on the table; null while a lead is due"""


class LandlordFactsCombo(TypedDict):
    kind: Literal[
        "single",
        "pair",
        "triplet",
        "triplet_card",
        "triplet_pair",
        "sequence",
        "pair_sequence",
        "triplet_sequence",
        "triplet_sequence_cards",
        "triplet_sequence_pairs",
        "multiple_card",
        "multiple_pair",
        "multiple_cards",
        "bomb",
        "rocket",
    ]
    size: int
    rank: Literal["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "XB", "XR"]
    seat: int


LandlordMove: TypeAlias = "LandlordTake | LandlordPass | LandlordPlay"
"""A move in Landlord."""


class LandlordPass(TypedDict):
    """A move of type `pass` in Landlord."""

    type: Literal["pass"]


class LandlordPlay(TypedDict):
    """A move of type `play` in Landlord."""

    type: Literal["play"]
    cards: Sequence[str]
    """cards of one's hand that make one combination"""


class LandlordPosition(TypedDict):
    """A position of Landlord."""

    ruleset: Literal["landlord"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["choose", "play", "over"]
    to_act: Sequence[int]
    zones: LandlordPositionZones
    facts: LandlordFacts
    scores: Sequence[int]
    result: Result | None


LandlordPositionZones = TypedDict(
    "LandlordPositionZones",
    {
        "hand.0": "Sequence[LandlordCard]",
        "hand.1": "Sequence[LandlordCard]",
        "hand.2": "Sequence[LandlordCard]",
        "hand.3": "Sequence[LandlordCard]",
        "kitty": "Sequence[LandlordCard]",
        "table": "Sequence[LandlordCard]",
        "discard": "Sequence[LandlordCard]",
        "hand.4": "NotRequired[Sequence[LandlordCard]]",
    },
)
"""The zones of a position of Landlord, `.0` of seat 0."""

LandlordSeen: TypeAlias = "Sequence[LandlordCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class LandlordTake(TypedDict):
    """A move of type `take` in Landlord."""

    type: Literal["take"]


class LandlordView(TypedDict):
    """A view of Landlord."""

    ruleset: Literal["landlord"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["choose", "play", "over"]
    to_act: Sequence[int]
    zones: LandlordViewZones
    facts: LandlordFacts
    scores: Sequence[int]
    result: Result | None


LandlordViewZones = TypedDict(
    "LandlordViewZones",
    {
        "hand.0": "LandlordSeen",
        "hand.1": "LandlordSeen",
        "hand.2": "LandlordSeen",
        "hand.3": "LandlordSeen",
        "kitty": "LandlordSeen",
        "table": "Sequence[LandlordCard]",
        "discard": "Sequence[LandlordCard]",
        "hand.4": "NotRequired[LandlordSeen]",
    },
)
"""The zones of a view of Landlord, `.0` of seat 0."""


class LeftEntry(TypedDict):
    """left: Seat {seat} is free again."""

    seq: int
    type: Literal["left"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    reserve: NotRequired[Mapping[str, str]]
    """Seat → what is left of its reserve."""

    replaced: NotRequired[bool]
    """The seat was handed over while the game was running."""

    agreed: NotRequired[bool]
    """All other seats have agreed that the seat be handed over; else the app did it."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""


class LegalMoves(TypedDict):
    """The legal moves of a seat now."""

    version: int
    seat: int
    moves: Sequence[Move]
    complete: bool
    """False if the ruleset accepts more moves than are listed."""


class LegalQuestion(TypedDict):
    """A position and a seat."""

    position: AnyPosition
    seat: int


class ListedMove(TypedDict):
    """A move that was not taken back, and its entry."""

    seat: int
    move: Any
    """The whole position, or what the caller may see of it."""

    seq: int
    at: str


class LogKey(TypedDict):
    """A key that signs receipts."""

    vkey: str
    """Name, id and Ed25519 key, as C2SP's signed notes write them."""

    valid_from: str
    valid_until: str | None
    """It signs nothing after this time; null while it is used."""

    restored: bool
    """It was retired because a backup was restored, which may lack entries that it has signed."""


class LogKeyList(TypedDict):
    """Every key of the server, newest first, on one page."""

    items: Sequence[LogKey]
    next: str | None
    """The cursor of the next page; null on the last one."""


class MailFailedNotice(TypedDict):
    """mail.failed: Mail to a player could not be delivered and is not tried again."""

    type: Literal["mail.failed"]
    timestamp: str
    data: OfFailedMail


class MauMauAnnounce(TypedDict):
    """A move of type `announce` in Mau-Mau."""

    type: Literal["announce"]


MauMauCard: TypeAlias = "Literal['2C', '3C', '4C', '5C', '6C', '7C', '8C', '9C', 'TC', 'JC', 'QC', 'KC', 'AC', '2D', '3D', '4D', '5D', '6D', '7D', '8D', '9D', 'TD', 'JD', 'QD', 'KD', 'AD', '2H', '3H', '4H', '5H', '6H', '7H', '8H', '9H', 'TH', 'JH', 'QH', 'KH', 'AH', '2S', '3S', '4S', '5S', '6S', '7S', '8S', '9S', 'TS', 'JS', 'QS', 'KS', 'AS']"
"""A card of Mau-Mau, by its id."""


class MauMauCatch(TypedDict):
    """A move of type `catch` in Mau-Mau."""

    type: Literal["catch"]
    seat: int
    """who has not announced a last card"""


class MauMauDraw(TypedDict):
    """A move of type `draw` in Mau-Mau."""

    type: Literal["draw"]


class MauMauFacts(TypedDict):
    """The facts of Mau-Mau."""

    dealer: int
    """who dealt"""

    turn: int
    """whose turn it is or follows; in the end the winner"""

    direction: Literal[1, -1]
    """1: to the left, -1: to the right"""

    drawn: bool
    """the seat in turn has drawn in this turn"""

    attack: None | Literal["2", "5H", "TH", "KH"]
    """what the seat in turn must answer or take"""

    pending: int
    """the cards that the attack costs"""

    suit: None | Literal["C", "D", "H", "S"]
    """the suit called with the ace on top"""

    announce_due: Sequence[int]
    """who owes an announcement"""

    thumbs: Sequence[int]
    """thumbs on the table, in order"""


MauMauMove: TypeAlias = "MauMauPlay | MauMauDraw | MauMauTake | MauMauPass | MauMauThumb | MauMauAnnounce | MauMauCatch | MauMauSay"
"""A move in Mau-Mau."""


class MauMauPass(TypedDict):
    """A move of type `pass` in Mau-Mau."""

    type: Literal["pass"]


class MauMauPlay(TypedDict):
    """A move of type `play` in Mau-Mau."""

    type: Literal["play"]
    cards: Sequence[str]
    """cards of one rank in the order laid; the last lies on top"""

    suit: NotRequired[Literal["C", "D", "H", "S"]]
    """the suit called with aces"""

    announce: NotRequired[bool]
    """true announces the last card along with the play"""


class MauMauPosition(TypedDict):
    """A position of Mau-Mau."""

    ruleset: Literal["mau_mau"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["play", "thumbs", "over"]
    to_act: Sequence[int]
    zones: MauMauPositionZones
    facts: MauMauFacts
    scores: Sequence[int]
    result: Result | None


MauMauPositionZones = TypedDict(
    "MauMauPositionZones",
    {
        "hand.0": "Sequence[MauMauCard]",
        "hand.1": "Sequence[MauMauCard]",
        "stock": "Sequence[MauMauCard]",
        "pile": "Sequence[MauMauCard]",
        "hand.2": "NotRequired[Sequence[MauMauCard]]",
        "hand.3": "NotRequired[Sequence[MauMauCard]]",
        "hand.4": "NotRequired[Sequence[MauMauCard]]",
        "hand.5": "NotRequired[Sequence[MauMauCard]]",
    },
)
"""The zones of a position of Mau-Mau, `.0` of seat 0."""


class MauMauSay(TypedDict):
    """A move of type `say` in Mau-Mau."""

    type: Literal["say"]
    text: str
    """what is said"""

    finger: NotRequired[bool]
    """true while a finger lies on the pile"""


MauMauSeen: TypeAlias = "Sequence[MauMauCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class MauMauTake(TypedDict):
    """A move of type `take` in Mau-Mau."""

    type: Literal["take"]


class MauMauThumb(TypedDict):
    """A move of type `thumb` in Mau-Mau."""

    type: Literal["thumb"]


class MauMauView(TypedDict):
    """A view of Mau-Mau."""

    ruleset: Literal["mau_mau"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["play", "thumbs", "over"]
    to_act: Sequence[int]
    zones: MauMauViewZones
    facts: MauMauFacts
    scores: Sequence[int]
    result: Result | None


MauMauViewZones = TypedDict(
    "MauMauViewZones",
    {
        "hand.0": "MauMauSeen",
        "hand.1": "MauMauSeen",
        "stock": "MauMauSeen",
        "pile": "Sequence[MauMauCard]",
        "hand.2": "NotRequired[MauMauSeen]",
        "hand.3": "NotRequired[MauMauSeen]",
        "hand.4": "NotRequired[MauMauSeen]",
        "hand.5": "NotRequired[MauMauSeen]",
    },
)
"""The zones of a view of Mau-Mau, `.0` of seat 0."""


class Me(TypedDict):
    """The owner of the token."""

    type: Literal["app", "player"]
    app: MeApp
    """The app."""

    player: Player | None
    scopes: Sequence[str]
    expires_at: str | None


class MeApp(TypedDict):
    """The app."""

    id: str
    name: str


class MessagePostedNotice(TypedDict):
    """message.posted: A chat message has been posted."""

    type: Literal["message.posted"]
    timestamp: str
    data: OfSeat


class MissedRetry(TypedDict):
    """The earliest time; by default, everything that is kept."""

    since: NotRequired[str]


Move: TypeAlias = "DogCardsMove | MauMauMove | PalaceMove | CatsAndDogsMove | TrucoMove | LandlordMove | PiesMove | BiscaMove | PedroMove"
"""A move of any ruleset."""


class MoveMadeNotice(TypedDict):
    """move.made: A move has been made. Only for webhooks that name this event."""

    type: Literal["move.made"]
    timestamp: str
    data: OfSeat


class MoveTakenBackNotice(TypedDict):
    """move.taken_back: A seat's move has been taken back."""

    type: Literal["move.taken_back"]
    timestamp: str
    data: OfSeat


class Moved(TypedDict):
    """The entry that was added, and the game after it."""

    entry: Entry
    game: Game
    receipt: str | None
    """The server's signature of the log: a checkpoint as a C2SP signed note. Its size is the version, its root the last entry's hash. The keys are at /v1/log-keys. Null if the server cannot read its key."""


class MovedEntry(TypedDict):
    """moved: {who} moves."""

    seq: int
    type: Literal["moved"]
    at: str
    hash: str
    sealed: NotRequired[str]
    """A salted hash of the part that not everyone sees."""

    seals: NotRequired[Mapping[str, str]]
    """Seat → hash of its share of that part, which the seat can check with the salt in it."""

    private: NotRequired[Mapping[str, MovedEntryPrivate]]
    """What only the caller's seats see."""

    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    move: NotRequired[MovedEntryMove]
    """A move as everybody sees it; its secret members are in the share of its seat."""

    transfers: NotRequired[Sequence[Transfer]]
    scores: NotRequired[Sequence[int]]
    """The scores, where the move has changed them."""

    won_by: NotRequired[int]
    """The seat that wins a trick with this move."""

    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    reserve: NotRequired[Mapping[str, str]]
    """Seat → what is left of its reserve."""

    order: NotRequired[bool]
    """Played from the seat's standing orders."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""

    random: NotRequired[bool]
    """Made for a seat that ran out of time."""


class MovedEntryPrivate(TypedDict):
    transfers: NotRequired[Sequence[MovedEntryPrivateTransfers]]
    move: NotRequired[MovedEntryPrivateMove]
    salt: NotRequired[str]
    signature: NotRequired[str]


MovedEntryPrivateTransfers = TypedDict(
    "MovedEntryPrivateTransfers", {"from": "None | str", "to": "None | str", "cards": "Sequence[None | str]"}
)


class MovedEntryPrivateMove(TypedDict):
    type: NotRequired[str]


class MovedEntryMove(TypedDict):
    """A move as everybody sees it; its secret members are in the share of its seat."""

    type: str


class NewBiscaGame(TypedDict):
    """A game of Bisca to make."""

    ruleset: Literal["bisca"]
    options: NotRequired[NewBiscaGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewBiscaGameOptions(TypedDict):
    target: NotRequired[int]
    """game points that end the game. Default: 4."""

    partners: NotRequired[bool]
    """seats 0 and 2 play together against 1 and 3; four seats only. Default: false."""


class NewCatsAndDogsGame(TypedDict):
    """A game of Cats and Dogs to make."""

    ruleset: Literal["cats_and_dogs"]
    options: NotRequired[Mapping[str, Any]]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewDogCardsGame(TypedDict):
    """A game of Dog Cards to make."""

    ruleset: Literal["dog_cards"]
    options: NotRequired[NewDogCardsGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewDogCardsGameOptions(TypedDict):
    youngest: NotRequired[None | int]
    """the seat that begins; null: a chance pick"""

    turn_limit: NotRequired[int]
    """turns after which the game ends undecided; 0: no limit. Default: 0."""


class NewEmail(TypedDict):
    """A mail address."""

    address: str


NewGame: TypeAlias = "NewCatsAndDogsGame | NewTrucoGame | NewLandlordGame | NewPiesGame | NewBiscaGame | NewDogCardsGame | NewMauMauGame | NewPedroGame | NewPalaceGame"
"""A game to create."""


class NewGuest(TypedDict):
    """A guest of this server, with a token that is shown only once."""

    player: Player
    token: str
    expires_at: str


class NewKey(TypedDict):
    """An app key to create."""

    scopes: NotRequired[Sequence[Literal["read", "write", "audit", "keys"]]]
    """Default: ["read", "write"]."""

    expires_in: NotRequired[str | None]


class NewKeyShown(TypedDict):
    """An app key, which is shown only once."""

    id: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    scopes: Sequence[Literal["read", "write", "audit", "keys"]]
    parent: str | None
    """The key that created it; null if it was created on the command line."""

    key: str


class NewLandlordGame(TypedDict):
    """A game of Landlord to make."""

    ruleset: Literal["landlord"]
    options: NotRequired[NewLandlordGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewLandlordGameOptions(TypedDict):
    hands: NotRequired[int]
    """number of hands (deals) in the game. Default: 1."""


class NewMauMauGame(TypedDict):
    """A game of Mau-Mau to make."""

    ruleset: Literal["mau_mau"]
    options: NotRequired[NewMauMauGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewMauMauGameOptions(TypedDict):
    must_play: NotRequired[bool]
    """who can play may not draw instead. Default: true."""

    ace_wild: NotRequired[bool]
    """an ace fits on every card, but answers no attack. Default: false."""


class NewMessage(TypedDict):
    """A chat message to post."""

    seat: NotRequired[int | None]
    text: str


class NewMove(TypedDict):
    """A move to make; `seat` is required if the caller holds or acts for several."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""

    move: Move


class NewOrder(TypedDict):
    """A move to be played when it is the seat's turn, if it is legal then. `when`: only if each of these seats has made such a move since the seat's own last move; otherwise the order waits for a later turn, and the next order is considered. `if_illegal`: cancel all orders (the default), skip this one permanently, or keep it waiting. `repeat`: keep the order after it was played."""

    move: Move
    when: NotRequired[Sequence[Condition]]
    if_illegal: NotRequired[Literal["cancel", "skip", "wait"]]
    repeat: NotRequired[bool]


class NewOrders(TypedDict):
    """Moves to make one after the other, each as soon as it is the seat's turn."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""

    orders: Sequence[NewOrder]


class NewPace(TypedDict):
    """The time control of a game."""

    per_move: str
    on_timeout: NotRequired[Literal["resign", "random_move", "bot"]]
    """Default: "resign"."""

    warn_before: NotRequired[str | None]
    """When to warn before the deadline; if left out, at a quarter of `per_move`. Null: never."""

    reserve: NotRequired[str | None]
    quiet_weekends: NotRequired[bool]
    """Default: false."""

    vacation_days: NotRequired[int]
    """Default: 0."""

    increment: NotRequired[str | None]
    own_hours: NotRequired[str | None]


class NewPalaceGame(TypedDict):
    """A game of Palace to make."""

    ruleset: Literal["palace"]
    options: NotRequired[NewPalaceGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewPalaceGameOptions(TypedDict):
    out_of_turn: NotRequired[bool]
    """whether a run of four may be completed out of turn. Default: true."""

    move_limit: NotRequired[int]
    """moves after which the game stops; 0: no limit. Default: 0."""


class NewPedroGame(TypedDict):
    """A game of Pedro to make."""

    ruleset: Literal["pedro"]
    options: NotRequired[NewPedroGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewPedroGameOptions(TypedDict):
    target: NotRequired[int]
    """points that end the game. Default: 50."""

    defenders_score: NotRequired[bool]
    """a made bid leaves the other pair the points it took. Default: false."""


class NewPiesGame(TypedDict):
    """A game of Pies to make."""

    ruleset: Literal["pies"]
    options: NotRequired[NewPiesGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewPiesGameOptions(TypedDict):
    blocking: NotRequired[Literal["top", "table"]]
    """what blocks: the top card or the whole heap. Default: "top"."""

    move_limit: NotRequired[int]
    """moves after which the game is drawn; 0: no limit. Default: 0."""


class NewPlayer(TypedDict):
    """A player to create."""

    name: str
    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""


class NewPushSubscription(TypedDict):
    """The result of a browser's `PushSubscription.toJSON()`."""

    endpoint: str
    keys: PushKeys
    expirationTime: NotRequired[Any]


NewSeat: TypeAlias = "PlayerSeat | OpenSeat | BotSeat"
"""A seat of a new game."""


class NewSeatGuest(TypedDict):
    """A guest who has taken a seat, with a token that is shown only once and ends with the game."""

    player: Player
    token: str
    expires_at: str | None
    game: Game


class NewTestClock(TypedDict):
    """A test clock to create; its time is the server's by default."""

    name: NotRequired[str | None]
    """The subject of the test."""

    time: NotRequired[str | None]
    """The time that the clock shows."""


class NewToken(TypedDict):
    """A player token to create. It expires with the key that creates it, or earlier with `expires_in`."""

    expires_in: NotRequired[str | None]


class NewTokenShown(TypedDict):
    """A player token, which is shown only once."""

    id: str
    token: str
    created_at: str
    expires_at: str | None


class NewTrucoGame(TypedDict):
    """A game of Truco to make."""

    ruleset: Literal["truco"]
    options: NotRequired[NewTrucoGameOptions]
    seats: Sequence[NewSeat]
    visibility: NotRequired[Literal["public", "unlisted", "private"]]
    """Default: "private"."""

    pace: NotRequired[NewPace | None]
    series_games: NotRequired[int | None]
    """Start a series with this number of games."""

    seats_private: NotRequired[bool]
    """Only players can act for their seats; no app key can act for them. Default: false."""

    distinct_players: NotRequired[bool]
    """Allow each player only one seat. Default: false."""

    test_clock: NotRequired[str | None]
    """Use the time of a test clock of the app instead of real time."""

    entropy: NotRequired[Literal["given", "commit"]]
    """Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given"."""

    reveal_within: NotRequired[str | None]
    """With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled."""

    beacon: NotRequired[bool]
    """Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""

    webhook: NotRequired[GameWebhook | None]
    """A webhook for this game only, until it is over."""


class NewTrucoGameOptions(TypedDict):
    target: NotRequired[int]
    """points that win the game. Default: 12."""

    stake: NotRequired[int]
    """points a hand is worth before any truco. Default: 2."""

    doublings: NotRequired[int]
    """accepted trucos allowed in one hand. Default: 1."""


class NewWebhook(TypedDict):
    """A webhook to create. Without `events`, it receives all events except `move.made`."""

    url: str
    events: NotRequired[
        Sequence[
            Literal[
                "game.created",
                "seat.joined",
                "seat.left",
                "seat.replaced",
                "reveal.due",
                "seat.revealed",
                "seat.forfeited",
                "game.started",
                "turn.began",
                "turn.warning",
                "turn.timed_out",
                "turn.nudged",
                "deadline.moved",
                "clocks.changed",
                "move.made",
                "take_back.requested",
                "take_back.answered",
                "move.taken_back",
                "vacation.taken",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "replacement.agreed",
                "seat.resigned",
                "game.finished",
                "game.cancelled",
                "game.imported",
                "message.posted",
                "orders.cancelled",
                "mail.failed",
                "webhook.created",
                "webhook.changed",
                "webhook.secret_replaced",
                "webhook.disabled",
                "webhook.enabled",
                "webhook.ended",
                "webhook.deleted",
            ]
        ]
    ]
    include: NotRequired[Sequence[Literal["entry"]]]
    """What notifications include: `entry` is the log entry, as it is shown without a seat."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    game: NotRequired[str | None]
    """Only notices of this game of the app, until it is over."""


Notice: TypeAlias = "GameCreatedNotice | SeatJoinedNotice | SeatLeftNotice | SeatReplacedNotice | RevealDueNotice | SeatRevealedNotice | SeatForfeitedNotice | GameStartedNotice | TurnBeganNotice | TurnWarningNotice | TurnTimedOutNotice | TurnNudgedNotice | DeadlineMovedNotice | ClocksChangedNotice | MoveMadeNotice | TakeBackRequestedNotice | TakeBackAnsweredNotice | MoveTakenBackNotice | VacationTakenNotice | PauseAgreedNotice | GamePausedNotice | GameResumedNotice | ReplacementAgreedNotice | SeatResignedNotice | GameFinishedNotice | GameCancelledNotice | GameImportedNotice | MessagePostedNotice | OrdersCancelledNotice | MailFailedNotice | WebhookCreatedNotice | WebhookChangedNotice | WebhookSecretReplacedNotice | WebhookDisabledNotice | WebhookEnabledNotice | WebhookEndedNotice | WebhookDeletedNotice | WebhookTestNotice"
"""A notice to a webhook. Everything else can be read with a token."""


class Nudge(TypedDict):
    """The seat that sends the reminder, if the caller acts for several."""

    seat: NotRequired[int | None]


class NudgedEntry(TypedDict):
    """nudged: {who} nudges seat {nudge.seat}."""

    seq: int
    type: Literal["nudged"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    nudge: NudgedEntryNudge
    """The seat that is asked to move, and who sits there."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""


class NudgedEntryNudge(TypedDict):
    """The seat that is asked to move, and who sits there."""

    seat: int
    player: PlayerName | None


class OfChange(TypedDict):
    """The settings of a webhook that have changed."""

    webhook: str
    game: NotRequired[str]
    """The game whose notifications it gets."""

    url: NotRequired[str]
    external_id: NotRequired[str | None]
    """The app's own id of the webhook."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the webhook."""

    changed: Sequence[str]


class OfDisabled(TypedDict):
    """Why a webhook is disabled: it failed for five days, answered 410, or you disabled it."""

    webhook: str
    game: NotRequired[str]
    """The game whose notifications it gets."""

    url: NotRequired[str]
    external_id: NotRequired[str | None]
    """The app's own id of the webhook."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the webhook."""

    reason: NotRequired[Literal["failed", "gone", "asked"]]


class OfFailedMail(TypedDict):
    """The player, and the mail server's last answer, which contains no address."""

    player: str
    status: int | None
    """The status of the mail server; null if it could not be reached."""

    error: str
    address_disabled: bool
    """The address does not exist, and gets no more mail until it is set again."""


class OfGame(TypedDict):
    """The game, with the app's labels. Notices queued by older releases have fewer members."""

    game: str
    version: int
    """The number of the last entry of the log at that time."""

    ruleset: NotRequired[str]
    title: NotRequired[str | None]
    external_id: NotRequired[str | None]
    """The app's own id of the game."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the game."""

    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""

    entry: NotRequired[Entry]
    """The entry that this notification is about, if included."""


class OfResult(TypedDict):
    """The end of a game."""

    game: str
    version: int
    """The number of the last entry of the log at that time."""

    ruleset: NotRequired[str]
    title: NotRequired[str | None]
    external_id: NotRequired[str | None]
    """The app's own id of the game."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the game."""

    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""

    entry: NotRequired[Entry]
    """The entry that this notification is about, if included."""

    result: NotRequired[Result | None]


class OfSeat(TypedDict):
    """The seat of a game and its player; null if the seat is open."""

    game: str
    version: int
    """The number of the last entry of the log at that time."""

    ruleset: NotRequired[str]
    title: NotRequired[str | None]
    external_id: NotRequired[str | None]
    """The app's own id of the game."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the game."""

    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""

    entry: NotRequired[Entry]
    """The entry that this notification is about, if included."""

    seat: NotRequired[int | None]
    player: NotRequired[str | None]


class OfTest(TypedDict):
    """The webhook, and nothing else."""

    webhook: str


class OfTurn(TypedDict):
    """The seat whose turn it is, and the deadline."""

    game: str
    version: int
    """The number of the last entry of the log at that time."""

    ruleset: NotRequired[str]
    title: NotRequired[str | None]
    external_id: NotRequired[str | None]
    """The app's own id of the game."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the game."""

    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""

    entry: NotRequired[Entry]
    """The entry that this notification is about, if included."""

    seat: NotRequired[int | None]
    player: NotRequired[str | None]
    deadline: str | None


class OfWebhook(TypedDict):
    """The webhook."""

    webhook: str
    game: NotRequired[str]
    """The game whose notifications it gets."""

    url: NotRequired[str]
    external_id: NotRequired[str | None]
    """The app's own id of the webhook."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app about the webhook."""


class OpenSeat(TypedDict):
    """An open seat, which a player can take later."""

    open: Literal[True]


class Opponent(TypedDict):
    """The results of the other player in the same games."""

    wins: int
    """Games that the other player has won and this player has not."""

    points: int
    timeouts: int


class Orders(TypedDict):
    """The standing orders of a seat, shown only to its player."""

    seat: int
    orders: Sequence[OrdersOrders]
    automatic: NotRequired[OrdersAutomatic]
    """What is done at every other turn; missing if nothing is."""

    held: NotRequired[bool]
    """They rest until the seat has moved, because it has taken a move back."""

    cancelled: OrdersCancelled | None
    """Why there are no orders any more: the next one could not be played."""


class OrdersOrders(TypedDict):
    """A future move and its conditions."""

    move: Mapping[str, Any]
    when: NotRequired[Sequence[OrdersOrdersWhen]]
    if_illegal: NotRequired[Literal["cancel", "skip", "wait"]]
    repeat: NotRequired[bool]


class OrdersOrdersWhen(TypedDict):
    """How another seat must have moved."""

    seat: int
    move: Mapping[str, Any]


class OrdersAutomatic(TypedDict):
    """What is done at every other turn; missing if nothing is."""

    always_pass: bool
    only_move: bool


class OrdersCancelled(TypedDict):
    """Why there are no orders any more: the next one could not be played."""

    at: str
    move: Mapping[str, Any]
    verdict: Verdict


class OrdersCancelledNotice(TypedDict):
    """orders.cancelled: A seat's standing order was not legal; all its orders are cancelled."""

    type: Literal["orders.cancelled"]
    timestamp: str
    data: OfTurn


class Pace(TypedDict):
    """The time control of a game."""

    per_move: str
    on_timeout: Literal["resign", "random_move", "bot"]
    warn_before: str | None
    reserve: str | None
    """The extra time of a seat for the whole game."""

    quiet_weekends: bool
    """Saturdays and Sundays (UTC) do not count."""

    vacation_days: int
    """How many days of vacation each seat may take."""

    increment: NotRequired[str | None]
    """What each move made in turn adds to the reserve."""

    own_hours: NotRequired[str | None]
    """The maximum total delay of a deadline because of the player's sleeping hours and days off."""


class PaceChangedEntry(TypedDict):
    """pace_changed: The operator changes the pace of the game."""

    seq: int
    type: Literal["pace_changed"]
    at: str
    hash: str
    pace: Pace | None


PalaceCard: TypeAlias = "Literal['2C', '3C', '4C', '5C', '6C', '7C', '8C', '9C', 'TC', 'JC', 'QC', 'KC', 'AC', '2D', '3D', '4D', '5D', '6D', '7D', '8D', '9D', 'TD', 'JD', 'QD', 'KD', 'AD', '2H', '3H', '4H', '5H', '6H', '7H', '8H', '9H', 'TH', 'JH', 'QH', 'KH', 'AH', '2S', '3S', '4S', '5S', '6S', '7S', '8S', '9S', 'TS', 'JS', 'QS', 'KS', 'AS']"
"""A card of Palace, by its id."""


class PalaceComplete(TypedDict):
    """A move of type `complete` in Palace."""

    type: Literal["complete"]
    cards: Sequence[str]
    """all that the run on top of the pile lacks of four"""


class PalaceFacts(TypedDict):
    """The facts of Palace."""

    dealer: int
    """who dealt"""

    turn: int
    """whose turn it is, or while swapping who will begin"""

    ready: Sequence[int]
    """who is done swapping, ascending"""

    swaps: Sequence[int]
    """swaps made"""

    out: Sequence[int]
    """who has got rid of all, first one first"""

    moves: int
    """moves made in phase play"""


class PalaceFlip(TypedDict):
    """A move of type `flip` in Palace."""

    type: Literal["flip"]
    position: int
    """which face-down card, from 0"""


PalaceMove: TypeAlias = "PalaceSwap | PalaceReady | PalacePlay | PalacePickUp | PalaceFlip | PalaceComplete"
"""A move in Palace."""


class PalacePickUp(TypedDict):
    """A move of type `pick_up` in Palace."""

    type: Literal["pick_up"]


class PalacePlay(TypedDict):
    """A move of type `play` in Palace."""

    type: Literal["play"]
    cards: Sequence[str]
    """cards of one rank, in the order laid"""


class PalacePosition(TypedDict):
    """A position of Palace."""

    ruleset: Literal["palace"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["swap", "play", "over"]
    to_act: Sequence[int]
    zones: PalacePositionZones
    facts: PalaceFacts
    scores: Sequence[int]
    result: Result | None


PalacePositionZones = TypedDict(
    "PalacePositionZones",
    {
        "hand.0": "Sequence[PalaceCard]",
        "hand.1": "Sequence[PalaceCard]",
        "up.0": "Sequence[PalaceCard]",
        "up.1": "Sequence[PalaceCard]",
        "down.0": "Sequence[PalaceCard]",
        "down.1": "Sequence[PalaceCard]",
        "stock": "Sequence[PalaceCard]",
        "pile": "Sequence[PalaceCard]",
        "burned": "Sequence[PalaceCard]",
        "hand.2": "NotRequired[Sequence[PalaceCard]]",
        "up.2": "NotRequired[Sequence[PalaceCard]]",
        "down.2": "NotRequired[Sequence[PalaceCard]]",
        "hand.3": "NotRequired[Sequence[PalaceCard]]",
        "up.3": "NotRequired[Sequence[PalaceCard]]",
        "down.3": "NotRequired[Sequence[PalaceCard]]",
        "hand.4": "NotRequired[Sequence[PalaceCard]]",
        "up.4": "NotRequired[Sequence[PalaceCard]]",
        "down.4": "NotRequired[Sequence[PalaceCard]]",
        "hand.5": "NotRequired[Sequence[PalaceCard]]",
        "up.5": "NotRequired[Sequence[PalaceCard]]",
        "down.5": "NotRequired[Sequence[PalaceCard]]",
    },
)
"""The zones of a position of Palace, `.0` of seat 0."""


class PalaceReady(TypedDict):
    """A move of type `ready` in Palace."""

    type: Literal["ready"]


PalaceSeen: TypeAlias = "Sequence[PalaceCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class PalaceSwap(TypedDict):
    """A move of type `swap` in Palace."""

    type: Literal["swap"]
    hand: str
    """a card of one's hand, to lie face up"""

    up: str
    """a face-up card of another rank, to go into the hand"""


class PalaceView(TypedDict):
    """A view of Palace."""

    ruleset: Literal["palace"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["swap", "play", "over"]
    to_act: Sequence[int]
    zones: PalaceViewZones
    facts: PalaceFacts
    scores: Sequence[int]
    result: Result | None


PalaceViewZones = TypedDict(
    "PalaceViewZones",
    {
        "hand.0": "PalaceSeen",
        "hand.1": "PalaceSeen",
        "up.0": "Sequence[PalaceCard]",
        "up.1": "Sequence[PalaceCard]",
        "down.0": "PalaceSeen",
        "down.1": "PalaceSeen",
        "stock": "PalaceSeen",
        "pile": "Sequence[PalaceCard]",
        "burned": "Sequence[PalaceCard]",
        "hand.2": "NotRequired[PalaceSeen]",
        "up.2": "NotRequired[Sequence[PalaceCard]]",
        "down.2": "NotRequired[PalaceSeen]",
        "hand.3": "NotRequired[PalaceSeen]",
        "up.3": "NotRequired[Sequence[PalaceCard]]",
        "down.3": "NotRequired[PalaceSeen]",
        "hand.4": "NotRequired[PalaceSeen]",
        "up.4": "NotRequired[Sequence[PalaceCard]]",
        "down.4": "NotRequired[PalaceSeen]",
        "hand.5": "NotRequired[PalaceSeen]",
        "up.5": "NotRequired[Sequence[PalaceCard]]",
        "down.5": "NotRequired[PalaceSeen]",
    },
)
"""The zones of a view of Palace, `.0` of seat 0."""


class Pause(TypedDict):
    """The seat that agrees to a pause or ends one, if the caller acts for several."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""


class PauseAgreedEntry(TypedDict):
    """pause_agreed: {who} agrees to a pause."""

    seq: int
    type: Literal["pause_agreed"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class PauseAgreedNotice(TypedDict):
    """pause.agreed: A seat has agreed to pause the game."""

    type: Literal["pause.agreed"]
    timestamp: str
    data: OfSeat


class PausedEntry(TypedDict):
    """paused: The game is paused."""

    seq: int
    type: Literal["paused"]
    at: str
    hash: str


class PedroBid(TypedDict):
    """A move of type `bid` in Pedro."""

    type: Literal["bid"]
    points: int
    """the points that the pair undertakes to win"""


PedroCard: TypeAlias = "Literal['2C', '3C', '4C', '5C', '6C', '7C', '8C', '9C', 'TC', 'JC', 'QC', 'KC', 'AC', '2D', '3D', '4D', '5D', '6D', '7D', '8D', '9D', 'TD', 'JD', 'QD', 'KD', 'AD', '2H', '3H', '4H', '5H', '6H', '7H', '8H', '9H', 'TH', 'JH', 'QH', 'KH', 'AH', '2S', '3S', '4S', '5S', '6S', '7S', '8S', '9S', 'TS', 'JS', 'QS', 'KS', 'AS']"
"""A card of Pedro, by its id."""


class PedroCut(TypedDict):
    """A move of type `cut` in Pedro."""

    type: Literal["cut"]
    at: int
    """how many cards are lifted off the top and put below"""


class PedroDeclare(TypedDict):
    """A move of type `declare` in Pedro."""

    type: Literal["declare"]
    suit: Literal["C", "D", "H", "S"]
    """the suit that becomes trumps"""


class PedroDiscard(TypedDict):
    """A move of type `discard` in Pedro."""

    type: Literal["discard"]
    cards: Sequence[str]
    """cards of one's hand, thrown away"""


class PedroFacts(TypedDict):
    """The facts of Pedro."""

    dealer: int
    """dealer of this hand"""

    bids: Sequence[None | int]
    """by seat; null: not spoken, 0: passed"""

    declarer: None | int
    """the highest bidder, once all have spoken"""

    trump: None | Literal["C", "D", "H", "S"]
    """trumps, once declared"""

    leader: None | int
    """who leads the current trick; null before play"""


PedroMove: TypeAlias = "PedroCut | PedroBid | PedroPass | PedroDeclare | PedroDiscard | PedroPlay"
"""A move in Pedro."""


class PedroPass(TypedDict):
    """A move of type `pass` in Pedro."""

    type: Literal["pass"]


class PedroPlay(TypedDict):
    """A move of type `play` in Pedro."""

    type: Literal["play"]
    card: str
    """a card of one's hand, played face up to the trick"""


class PedroPosition(TypedDict):
    """A position of Pedro."""

    ruleset: Literal["pedro"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["cut", "bid", "declare", "discard", "play", "over"]
    to_act: Sequence[int]
    zones: PedroPositionZones
    facts: PedroFacts
    scores: Sequence[int]
    result: Result | None


PedroPositionZones = TypedDict(
    "PedroPositionZones",
    {
        "stock": "Sequence[PedroCard]",
        "hand.0": "Sequence[PedroCard]",
        "hand.1": "Sequence[PedroCard]",
        "hand.2": "Sequence[PedroCard]",
        "hand.3": "Sequence[PedroCard]",
        "discards.0": "Sequence[PedroCard]",
        "discards.1": "Sequence[PedroCard]",
        "discards.2": "Sequence[PedroCard]",
        "discards.3": "Sequence[PedroCard]",
        "aside": "Sequence[PedroCard]",
        "trick": "Sequence[PedroCard]",
        "points.0": "Sequence[PedroCard]",
        "points.1": "Sequence[PedroCard]",
        "points.2": "Sequence[PedroCard]",
        "points.3": "Sequence[PedroCard]",
        "tricks.0": "Sequence[PedroCard]",
        "tricks.1": "Sequence[PedroCard]",
        "tricks.2": "Sequence[PedroCard]",
        "tricks.3": "Sequence[PedroCard]",
    },
)
"""The zones of a position of Pedro, `.0` of seat 0."""

PedroSeen: TypeAlias = "Sequence[PedroCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class PedroView(TypedDict):
    """A view of Pedro."""

    ruleset: Literal["pedro"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["cut", "bid", "declare", "discard", "play", "over"]
    to_act: Sequence[int]
    zones: PedroViewZones
    facts: PedroFacts
    scores: Sequence[int]
    result: Result | None


PedroViewZones = TypedDict(
    "PedroViewZones",
    {
        "stock": "PedroSeen",
        "hand.0": "PedroSeen",
        "hand.1": "PedroSeen",
        "hand.2": "PedroSeen",
        "hand.3": "PedroSeen",
        "discards.0": "Sequence[PedroCard]",
        "discards.1": "Sequence[PedroCard]",
        "discards.2": "Sequence[PedroCard]",
        "discards.3": "Sequence[PedroCard]",
        "aside": "Sequence[PedroCard]",
        "trick": "Sequence[PedroCard]",
        "points.0": "Sequence[PedroCard]",
        "points.1": "Sequence[PedroCard]",
        "points.2": "Sequence[PedroCard]",
        "points.3": "Sequence[PedroCard]",
        "tricks.0": "Sequence[PedroCard]",
        "tricks.1": "Sequence[PedroCard]",
        "tricks.2": "Sequence[PedroCard]",
        "tricks.3": "Sequence[PedroCard]",
    },
)
"""The zones of a view of Pedro, `.0` of seat 0."""


class PiesAdd(TypedDict):
    """A move of type `add` in Pies."""

    type: Literal["add"]
    card: str
    """a second card of one's hand, to be beaten by the next seat"""


class PiesBeat(TypedDict):
    """A move of type `beat` in Pies."""

    type: Literal["beat"]
    card: str
    """a card of one's hand that beats the top card"""


PiesCard: TypeAlias = "Literal['9C', 'TC', 'JC', 'QC', 'KC', 'AC', '9D', 'TD', 'JD', 'QD', 'KD', 'AD', '9H', 'TH', 'JH', 'QH', 'KH', 'AH', '9S', 'TS', 'JS', 'QS', 'KS', 'AS']"
"""A card of Pies, by its id."""


class PiesFacts(TypedDict):
    """The facts of Pies."""

    tura: int
    """number of the present deal, from 1"""

    opening: bool
    """true until the first card of the game is led"""

    colours: None | Sequence[Literal["C", "S", "H", "D"]]
    """each seat's colour"""

    moves: int
    """moves made in the game so far"""


class PiesLead(TypedDict):
    """A move of type `lead` in Pies."""

    type: Literal["lead"]
    card: str
    """a card of one's hand, led to the empty table"""


PiesMove: TypeAlias = "PiesLead | PiesBeat | PiesAdd | PiesTake"
"""A move in Pies."""


class PiesPosition(TypedDict):
    """A position of Pies."""

    ruleset: Literal["pies"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["lead", "beat", "add", "over"]
    to_act: Sequence[int]
    zones: PiesPositionZones
    facts: PiesFacts
    scores: Sequence[int]
    result: Result | None


PiesPositionZones = TypedDict(
    "PiesPositionZones",
    {
        "hand.0": "Sequence[PiesCard]",
        "hand.1": "Sequence[PiesCard]",
        "hand.2": "Sequence[PiesCard]",
        "hand.3": "Sequence[PiesCard]",
        "table": "Sequence[PiesCard]",
        "removed": "Sequence[PiesCard]",
    },
)
"""The zones of a position of Pies, `.0` of seat 0."""

PiesSeen: TypeAlias = "Sequence[PiesCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class PiesTake(TypedDict):
    """A move of type `take` in Pies."""

    type: Literal["take"]


class PiesView(TypedDict):
    """A view of Pies."""

    ruleset: Literal["pies"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["lead", "beat", "add", "over"]
    to_act: Sequence[int]
    zones: PiesViewZones
    facts: PiesFacts
    scores: Sequence[int]
    result: Result | None


PiesViewZones = TypedDict(
    "PiesViewZones",
    {
        "hand.0": "PiesSeen",
        "hand.1": "PiesSeen",
        "hand.2": "PiesSeen",
        "hand.3": "PiesSeen",
        "table": "Sequence[PiesCard]",
        "removed": "Sequence[PiesCard]",
    },
)
"""The zones of a view of Pies, `.0` of seat 0."""


class Player(TypedDict):
    """A player of an app."""

    external_id: NotRequired[str | None]
    """The app's own id; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app; shown only to the app."""

    id: str
    name: str
    created_at: str


class PlayerChange(TypedDict):
    """The changes of a player."""

    name: NotRequired[str]
    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""


class PlayerList(TypedDict):
    """A page of players, newest first."""

    items: Sequence[Player]
    next: str | None
    """The cursor of the next page; null on the last one."""


class PlayerName(TypedDict):
    """A player, with the name at the time of joining."""

    id: str
    name: str


class PlayerNotice(TypedDict):
    """A notification to a player, and its status."""

    id: str
    channel: Literal["mail", "push"]
    event: Literal[
        "reveal.due",
        "turn.began",
        "turn.warning",
        "turn.nudged",
        "turn.timed_out",
        "orders.cancelled",
        "game.started",
        "game.finished",
        "game.cancelled",
        "seat.resigned",
        "take_back.requested",
        "replacement.agreed",
        "seat.replaced",
        "pause.agreed",
        "game.paused",
        "game.resumed",
        "vacation.taken",
        "deadline.moved",
        "message.posted",
        "email.confirmation",
    ]
    game: str | None
    status: Literal["pending", "delivered", "failed", "held"]
    created_at: str
    next_at: str | None
    """The time of the next attempt."""

    delivered_at: str | None
    payload: PlayerNoticePayload
    """The content of the notification: its game, and members that depend on the type."""

    attempts: Sequence[PlayerNoticeAttempts]


class PlayerNoticePayload(TypedDict):
    """The content of the notification: its game, and members that depend on the type."""

    type: str
    timestamp: str
    data: Mapping[str, Any]


class PlayerNoticeAttempts(TypedDict):
    """One attempt to deliver."""

    at: str
    status: int | None
    """The answer of the mail server or the push service."""

    error: str | None
    """What went wrong."""


class PlayerNoticeList(TypedDict):
    """A page of notices, newest first."""

    items: Sequence[PlayerNotice]
    next: str | None
    """The cursor of the next page; null on the last one."""


class PlayerSeat(TypedDict):
    """A seat for this player, with the player's entropy if given."""

    player: str
    entropy: NotRequired[str]
    public_key: NotRequired[str]
    """An Ed25519 key: from now on, actions of the seat must be signed with it."""

    commitment: NotRequired[str]
    """SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`."""


Position: TypeAlias = "CatsAndDogsPosition | TrucoPosition | LandlordPosition | PiesPosition | BiscaPosition | DogCardsPosition | MauMauPosition | PedroPosition | PalacePosition"
"""The whole state of a game, nothing hidden."""


class PositionMoves(TypedDict):
    """The legal moves of a seat in a position."""

    moves: Sequence[Move]
    complete: bool


class Preferences(TypedDict):
    """The notification settings of a player."""

    email: PreferencesEmail | None
    """The address for mail, used after it is confirmed, and no longer after it was refused."""

    frequency: Literal["until_visit", "each", "daily", "never"]
    mail: Sequence[
        Literal[
            "reveal.due",
            "turn.began",
            "turn.warning",
            "turn.nudged",
            "turn.timed_out",
            "orders.cancelled",
            "game.started",
            "game.finished",
            "game.cancelled",
            "seat.resigned",
            "take_back.requested",
            "replacement.agreed",
            "seat.replaced",
            "pause.agreed",
            "game.paused",
            "game.resumed",
            "vacation.taken",
            "deadline.moved",
            "message.posted",
        ]
    ]
    """The events that are sent by mail."""

    push: Sequence[
        Literal[
            "reveal.due",
            "turn.began",
            "turn.warning",
            "turn.nudged",
            "turn.timed_out",
            "orders.cancelled",
            "game.started",
            "game.finished",
            "game.cancelled",
            "seat.resigned",
            "take_back.requested",
            "replacement.agreed",
            "seat.replaced",
            "pause.agreed",
            "game.paused",
            "game.resumed",
            "vacation.taken",
            "deadline.moved",
            "message.posted",
        ]
    ]
    """The events that are sent to browsers, at once."""

    time_zone: str
    """An IANA time zone, such as `Europe/Berlin`."""

    digest_at: str
    """The time of the daily mail, such as `08:00`."""

    sleep: PreferencesSleep | None
    """The time during which the player sleeps, in the player's time zone."""

    days_off: Sequence[Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]]
    """Days of the week on which the player's time does not count."""


class PreferencesEmail(TypedDict):
    """The address for mail, used after it is confirmed, and no longer after it was refused."""

    address: str
    confirmed_at: str | None
    refused_at: str | None
    """The mail server reported that the address does not exist."""


PreferencesSleep = TypedDict("PreferencesSleep", {"from": "str", "until": "str"})
"""The time during which the player sleeps, in the player's time zone."""


class PreferencesChange(TypedDict):
    """The settings to change. `sleep` and `days_off` affect new deadlines of games that have `own_hours`."""

    frequency: NotRequired[Literal["until_visit", "each", "daily", "never"]]
    mail: NotRequired[
        Sequence[
            Literal[
                "reveal.due",
                "turn.began",
                "turn.warning",
                "turn.nudged",
                "turn.timed_out",
                "orders.cancelled",
                "game.started",
                "game.finished",
                "game.cancelled",
                "seat.resigned",
                "take_back.requested",
                "replacement.agreed",
                "seat.replaced",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "vacation.taken",
                "deadline.moved",
                "message.posted",
            ]
        ]
    ]
    push: NotRequired[
        Sequence[
            Literal[
                "reveal.due",
                "turn.began",
                "turn.warning",
                "turn.nudged",
                "turn.timed_out",
                "orders.cancelled",
                "game.started",
                "game.finished",
                "game.cancelled",
                "seat.resigned",
                "take_back.requested",
                "replacement.agreed",
                "seat.replaced",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "vacation.taken",
                "deadline.moved",
                "message.posted",
            ]
        ]
    ]
    time_zone: NotRequired[str]
    digest_at: NotRequired[str]
    sleep: NotRequired[Sleep | None]
    days_off: NotRequired[
        Sequence[Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]]
    ]


class PushKeys(TypedDict):
    """The browser's keys."""

    p256dh: str
    auth: str


class PushSubscription(TypedDict):
    """A browser that receives push messages."""

    id: str
    service: str
    """The push service that it uses."""

    created_at: str


class PushSubscriptions(TypedDict):
    """The browsers that receive a player's push messages."""

    key: str
    """The `applicationServerKey` to subscribe with."""

    subscriptions: Sequence[PushSubscription]


class Question(TypedDict):
    """A move to judge in a position or at a record's end. Chance comes from `chance`, then the seed."""

    position: NotRequired[AnyPosition]
    record: NotRequired[AnyRecord]
    seat: int
    move: Any
    chance: NotRequired[Sequence[Mapping[str, Any]]]
    seed: NotRequired[str]


class Queued(TypedDict):
    """How many deliveries were queued again."""

    queued: int


class Rematch(TypedDict):
    """The seats in a rematch."""

    seats: NotRequired[Literal["rotated", "same"]]
    """Whether everybody moves up by one seat or keeps their seat. Default: "rotated"."""


class Replacement(TypedDict):
    """The player or bot that takes over a seat."""

    player: NotRequired[str]
    bot: NotRequired[Literal["random", "cautious"]]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""


class ReplacementAgreedEntry(TypedDict):
    """replacement_agreed: {who} agrees that {newcomer} take over seat {replacement.seat}."""

    seq: int
    type: Literal["replacement_agreed"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    replacement: ReplacementAgreedEntryReplacement
    """An agreement that a player or a bot takes over a seat."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class ReplacementAgreedEntryReplacement(TypedDict):
    """An agreement that a player or a bot takes over a seat."""

    seat: int
    player: PlayerName | None
    bot: NotRequired[str | None]


class ReplacementAgreedNotice(TypedDict):
    """replacement.agreed: A seat has agreed to a replacement for another seat."""

    type: Literal["replacement.agreed"]
    timestamp: str
    data: OfSeat


class Replayed(TypedDict):
    """How far a record could be replayed."""

    ok: bool
    """Every move is legal and the result is the one that the record says."""

    moves: int
    """How many moves were legal."""

    position: Position
    result: Result | None
    refused: ReplayedRefused | None
    """The first illegal move."""


class ReplayedRefused(TypedDict):
    """The first illegal move."""

    n: int
    seat: int
    move: Any
    verdict: Verdict


class Resignation(TypedDict):
    """The seat that resigns, if the caller holds or acts for several."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""


class ResignedEntry(TypedDict):
    """resigned: {who} gives up."""

    seq: int
    type: Literal["resigned"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class Result(TypedDict):
    """How a game ended."""

    winners: Sequence[int]
    losers: Sequence[int]
    reason: str


class ResumedEntry(TypedDict):
    """resumed: {who} ends the pause."""

    seq: int
    type: Literal["resumed"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class Reveal(TypedDict):
    """The entropy to which a seat has committed."""

    seat: NotRequired[int | None]
    entropy: str


class RevealDueNotice(TypedDict):
    """reveal.due: All seats are taken, and a player has to reveal the seat's entropy in time."""

    type: Literal["reveal.due"]
    timestamp: str
    data: OfTurn


class RevealedEntry(TypedDict):
    """revealed: {who} reveals the entropy of the seat."""

    seq: int
    type: Literal["revealed"]
    at: str
    hash: str
    seat: int | None
    player: PlayerName | None
    bot: NotRequired[str | None]
    entropy: str
    """The seat's entropy for the deal; in `created`: `commit`, if seats join with its hash."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""


class Ruleset(TypedDict):
    """A ruleset, with its rules."""

    id: str
    version: int
    versions: Sequence[int]
    name: str
    seats: Sequence[int]
    """How many seats may play."""

    options: Mapping[str, Any]
    """The options, as JSON Schema."""

    moves: Mapping[str, Mapping[str, Any]]
    """Each type of move, as JSON Schema."""

    phases: Mapping[str, Sequence[str]]
    """The types of move that are possible in each phase."""

    complete: bool
    facts: Mapping[str, Mapping[str, Any]]
    """Each fact, as JSON Schema."""

    cards: Sequence[RulesetCards]
    teams: Sequence[RulesetTeams]
    zones: Sequence[RulesetZones]
    rules: Sequence[RulesetRules]
    text: str
    """The rules as Markdown."""


class RulesetCards(TypedDict):
    """A card."""

    id: str
    name: str
    suit: str | None
    rank: str
    colour: str
    points: int | None
    """Null if it depends on the game, or cards have no points."""


class RulesetTeams(TypedDict):
    """The teams for a number of seats and these options."""

    seats: int
    options: Mapping[str, Any]
    teams: Sequence[Sequence[int]]


class RulesetZones(TypedDict):
    """A zone."""

    name: str
    per_seat: bool
    ordered: bool
    seen_by: str


class RulesetRules(TypedDict):
    """A rule."""

    id: str
    text: str
    refuses: bool


class RulesetList(TypedDict):
    """The available rulesets."""

    items: Sequence[RulesetSummary]
    next: str | None
    """The cursor of the next page; null on the last one."""


class RulesetSummary(TypedDict):
    """A ruleset."""

    id: str
    version: int
    versions: Sequence[int]
    name: str
    seats: Sequence[int]


class Said(TypedDict):
    """What was said."""

    entry: Entry
    version: int
    receipt: str | None
    """The server's signature of the log: a checkpoint as a C2SP signed note. Its size is the version, its root the last entry's hash. The keys are at /v1/log-keys. Null if the server cannot read its key."""


class SaidEntry(TypedDict):
    """said: {who}: {text}"""

    seq: int
    type: Literal["said"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    text: str
    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    take_back: NotRequired[SaidEntryTakeBack]
    """In logs before number 3: a request to take back the move of entry `of`, or an answer."""

    replacement: NotRequired[SaidEntryReplacement]
    """An agreement that a player or a bot takes over a seat."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    vacation: NotRequired[SaidEntryVacation]
    """Days of vacation, their end, and how many are left."""


class SaidEntryTakeBack(TypedDict):
    """In logs before number 3: a request to take back the move of entry `of`, or an answer."""

    of: int
    asks: NotRequired[bool]
    agrees: NotRequired[bool]


class SaidEntryReplacement(TypedDict):
    """An agreement that a player or a bot takes over a seat."""

    seat: int
    player: PlayerName | None
    bot: NotRequired[str | None]


class SaidEntryVacation(TypedDict):
    """Days of vacation, their end, and how many are left."""

    days: int
    until: str
    left: int


class Seat(TypedDict):
    """A seat of a game."""

    seat: int
    player: PlayerName | None
    bot: str | None
    open: bool
    deadline: str | None
    invite: NotRequired[str]
    """The code for taking the seat; shown only to the creator."""

    reserve: NotRequired[str]
    """What is left of its reserve."""

    vacation_days: NotRequired[int]
    """How many days of vacation it has left."""

    away_until: NotRequired[str | None]
    """The end of its last vacation."""

    pause_agreed: NotRequired[bool]
    """The seat agrees to a pause now."""

    public_key: NotRequired[str]
    """An Ed25519 key with which actions of the seat are signed."""

    name: NotRequired[str]
    """The name of the player, if an imported game has only the name."""


class SeatForfeitedNotice(TypedDict):
    """seat.forfeited: A seat has not revealed its entropy in time; the game is cancelled."""

    type: Literal["seat.forfeited"]
    timestamp: str
    data: OfSeat


class SeatGuest(TypedDict):
    """A guest to create, who takes a seat with an invite code."""

    invite: str
    name: str
    entropy: NotRequired[str]
    """Default: ""."""

    public_key: NotRequired[str]
    """An Ed25519 key: from now on, actions of the seat must be signed with it."""

    commitment: NotRequired[str]
    """SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`."""


class SeatJoinedNotice(TypedDict):
    """seat.joined: A player or a bot has taken a seat."""

    type: Literal["seat.joined"]
    timestamp: str
    data: OfSeat


class SeatLeftNotice(TypedDict):
    """seat.left: A player has left a seat, before the start or to be replaced."""

    type: Literal["seat.left"]
    timestamp: str
    data: OfSeat


class SeatReplacedNotice(TypedDict):
    """seat.replaced: Another player has taken over a seat of a running game."""

    type: Literal["seat.replaced"]
    timestamp: str
    data: OfSeat


class SeatResignedNotice(TypedDict):
    """seat.resigned: A seat has resigned."""

    type: Literal["seat.resigned"]
    timestamp: str
    data: OfSeat


class SeatRevealedNotice(TypedDict):
    """seat.revealed: A seat has revealed the entropy that it had committed to."""

    type: Literal["seat.revealed"]
    timestamp: str
    data: OfSeat


class SeatTaking(TypedDict):
    """How to take a seat: with an invite code if the seat needs one; an app key names the player."""

    invite: NotRequired[str]
    entropy: NotRequired[str]
    commitment: NotRequired[str]
    """SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`."""

    player: NotRequired[str]
    public_key: NotRequired[str]
    """An Ed25519 key: from now on, actions of the seat must be signed with it."""


class SecretReplacement(TypedDict):
    """How long the old secret is also used for signing; one day by default."""

    overlap: NotRequired[str]


class Series(TypedDict):
    """A series of games, with the score so far."""

    id: str
    games: int | None
    """The number of games; null: not fixed."""

    played: int
    """How many are over."""

    score: Sequence[SeriesScore]
    """The number of games that each player has won, highest first."""

    items: Sequence[GameSummary]
    """Its games, in order."""


class SeriesScore(TypedDict):
    """A player's score in a series."""

    player: PlayerName | None
    bot: str | None
    wins: int


class Signed(TypedDict):
    """The signature with the seat's key; `docs/log-format.md` says what is signed."""

    previous: str
    """The hash of the newest entry that the signer has seen."""

    signature: str
    """Ed25519."""


Sleep = TypedDict("Sleep", {"from": "str", "until": "str"})
"""The hours during which a player sleeps: at most twelve."""


class Specification(TypedDict):
    """An OpenAPI document."""

    openapi: str


class StartedEntry(TypedDict):
    """started: The cards are dealt."""

    seq: int
    type: Literal["started"]
    at: str
    hash: str
    sealed: NotRequired[str]
    """A salted hash of the part that not everyone sees."""

    seals: NotRequired[Mapping[str, str]]
    """Seat → hash of its share of that part, which the seat can check with the salt in it."""

    private: NotRequired[Mapping[str, StartedEntryPrivate]]
    """What only the caller's seats see."""

    randomness: NotRequired[StartedEntryRandomness]
    """That round: its number and signature, whose SHA-256 is added."""

    transfers: NotRequired[Sequence[Transfer]]
    scores: NotRequired[Sequence[int]]
    """The scores, where the move has changed them."""

    won_by: NotRequired[int]
    """The seat that wins a trick with this move."""

    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    reserve: NotRequired[Mapping[str, str]]
    """Seat → what is left of its reserve."""


class StartedEntryPrivate(TypedDict):
    transfers: NotRequired[Sequence[StartedEntryPrivateTransfers]]
    move: NotRequired[StartedEntryPrivateMove]
    salt: NotRequired[str]
    signature: NotRequired[str]


StartedEntryPrivateTransfers = TypedDict(
    "StartedEntryPrivateTransfers",
    {"from": "None | str", "to": "None | str", "cards": "Sequence[None | str]"},
)


class StartedEntryPrivateMove(TypedDict):
    type: NotRequired[str]


class StartedEntryRandomness(TypedDict):
    """That round: its number and signature, whose SHA-256 is added."""

    round: int
    signature: str


class Statistics(TypedDict):
    """The statistics of a player, in total and for each ruleset, alone or compared with another player."""

    player: str
    against: str | None
    """The other player."""

    games: int
    """Games that the player has finished."""

    wins: int
    """Games that the player has won; in a comparison, those that the other player has not won."""

    points: int
    """The sum of the player's final scores."""

    timeouts: int
    """How often the player ran out of time, including games whose seat was taken over afterwards."""

    opponent: Opponent | None
    rulesets: Sequence[Counted]
    """Each ruleset of which the player has such games."""


class TakeBack(TypedDict):
    """The seat that asks, if the caller holds or acts for several."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""


class TakeBackAgreedEntry(TypedDict):
    """take_back_agreed: {who} agrees to take back move {of}."""

    seq: int
    type: Literal["take_back_agreed"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    of: int
    """The entry whose move is or may be taken back, with everything after it."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class TakeBackAnswer(TypedDict):
    """Whether a seat agrees to take back the move."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""

    agree: bool


class TakeBackAnsweredNotice(TypedDict):
    """take_back.answered: A seat has answered a request to take back a move."""

    type: Literal["take_back.answered"]
    timestamp: str
    data: OfSeat


class TakeBackRefusedEntry(TypedDict):
    """take_back_refused: {who} does not agree to take back move {of}."""

    seq: int
    type: Literal["take_back_refused"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    of: int
    """The entry whose move is or may be taken back, with everything after it."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class TakeBackRequestedEntry(TypedDict):
    """take_back_requested: {who} asks to take back move {of}."""

    seq: int
    type: Literal["take_back_requested"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    of: int
    """The entry whose move is or may be taken back, with everything after it."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""


class TakeBackRequestedNotice(TypedDict):
    """take_back.requested: A seat asks to take back its last move."""

    type: Literal["take_back.requested"]
    timestamp: str
    data: OfSeat


class TakenBackEntry(TypedDict):
    """taken_back: {who} takes move {of} back."""

    seq: int
    type: Literal["taken_back"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    reserve: NotRequired[Mapping[str, str]]
    """Seat → what is left of its reserve."""

    of: NotRequired[int]
    """The entry whose move is or may be taken back, with everything after it."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""


class TestClock(TypedDict):
    """A clock that stands still until it is advanced, for the games that were created on it."""

    id: str
    name: str | None
    time: str
    """The current time in its games."""

    created_at: str
    """The time of its creation, by the server's clock."""


class TestClockList(TypedDict):
    """A page of test clocks, newest first."""

    items: Sequence[TestClock]
    next: str | None
    """The cursor of the next page; null on the last one."""


class TimeAddedEntry(TypedDict):
    """time_added: The operator gives seat {added.seat} more time."""

    seq: int
    type: Literal["time_added"]
    at: str
    hash: str
    deadlines: Mapping[str, str]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    added: TimeAddedEntryAdded
    """A seat, and the time added to its running turn."""


class TimeAddedEntryAdded(TypedDict):
    """A seat, and the time added to its running turn."""

    seat: int
    time: str


class TimeReturnedEntry(TypedDict):
    """time_returned: The server was down since {since}: every clock gets the time back."""

    seq: int
    type: Literal["time_returned"]
    at: str
    hash: str
    deadlines: Mapping[str, str]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    since: str
    """The beginning of an outage of the server, whose end is the time of the entry."""


class TimedOutEntry(TypedDict):
    """timed_out: {who} runs out of time."""

    seq: int
    type: Literal["timed_out"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""


class TimeoutUndoneEntry(TypedDict):
    """timeout_undone: The operator undoes the time-out of seat {undone.seat}: move {of} does not count."""

    seq: int
    type: Literal["timeout_undone"]
    at: str
    hash: str
    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    reserve: NotRequired[Mapping[str, str]]
    """Seat → what is left of its reserve."""

    of: int
    """The entry whose move is or may be taken back, with everything after it."""

    undone: TimeoutUndoneEntryUndone
    """The time-out that the operator has undone: its seat, and the entry that named it."""


class TimeoutUndoneEntryUndone(TypedDict):
    """The time-out that the operator has undone: its seat, and the entry that named it."""

    seat: int
    timed_out: int


class Titled(TypedDict):
    """Changes of a game's title, external id or metadata."""

    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""

    title: NotRequired[str | None]
    """The title, visible to everybody who sees the object."""


class Token(TypedDict):
    """A player token, without the token itself."""

    id: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class TokenList(TypedDict):
    """A page of tokens, newest first."""

    items: Sequence[Token]
    next: str | None
    """The cursor of the next page; null on the last one."""


Transfer = TypedDict("Transfer", {"from": "str | None", "to": "str | None", "cards": "Sequence[str | None]"})
"""Cards that moved; null for a card that the viewer may not see, or for no zone."""


class TrucoAccept(TypedDict):
    """A move of type `accept` in Truco."""

    type: Literal["accept"]


TrucoCard: TypeAlias = "Literal['AC', '2C', '3C', '4C', '5C', '6C', '7C', 'JC', 'QC', 'KC', 'AD', '2D', '3D', '4D', '5D', '6D', '7D', 'JD', 'QD', 'KD', 'AH', '2H', '3H', '4H', '5H', '6H', '7H', 'JH', 'QH', 'KH', 'AS', '2S', '3S', '4S', '5S', '6S', '7S', 'JS', 'QS', 'KS']"
"""A card of Truco, by its id."""


class TrucoFacts(TypedDict):
    """The facts of Truco."""

    playing: Sequence[int]
    """the teams that play, ascending"""

    waiting: Sequence[int]
    """the queue, next first"""

    dealer: int
    """dealer of this hand"""

    leader: int
    """who leads the current trick"""

    tricks: Sequence[None | int]
    """winners, null: a tie"""

    show: None | Sequence[int]
    """who shows, in order"""

    stake: int
    """what the hand is worth now"""

    raiser: None | int
    """whose truco was accepted last"""

    call: None | int
    """who called the truco that waits for an answer"""


class TrucoFold(TypedDict):
    """A move of type `fold` in Truco."""

    type: Literal["fold"]


TrucoMove: TypeAlias = "TrucoPlay | TrucoTruco | TrucoAccept | TrucoFold"
"""A move in Truco."""


class TrucoPlay(TypedDict):
    """A move of type `play` in Truco."""

    type: Literal["play"]
    card: str
    """a card of one's hand, played face up to the trick"""


class TrucoPosition(TypedDict):
    """A position of Truco."""

    ruleset: Literal["truco"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["play", "answer", "over"]
    to_act: Sequence[int]
    zones: TrucoPositionZones
    facts: TrucoFacts
    scores: Sequence[int]
    result: Result | None


TrucoPositionZones = TypedDict(
    "TrucoPositionZones",
    {
        "stock": "Sequence[TrucoCard]",
        "hand.0": "Sequence[TrucoCard]",
        "hand.1": "Sequence[TrucoCard]",
        "hand.2": "Sequence[TrucoCard]",
        "hand.3": "Sequence[TrucoCard]",
        "trick": "Sequence[TrucoCard]",
        "played": "Sequence[TrucoCard]",
        "hand.4": "NotRequired[Sequence[TrucoCard]]",
        "hand.5": "NotRequired[Sequence[TrucoCard]]",
        "hand.6": "NotRequired[Sequence[TrucoCard]]",
        "hand.7": "NotRequired[Sequence[TrucoCard]]",
        "hand.8": "NotRequired[Sequence[TrucoCard]]",
        "hand.9": "NotRequired[Sequence[TrucoCard]]",
    },
)
"""The zones of a position of Truco, `.0` of seat 0."""

TrucoSeen: TypeAlias = "Sequence[TrucoCard | None] | Hidden"
"""Cards that not everybody sees, or their number."""


class TrucoTruco(TypedDict):
    """A move of type `truco` in Truco."""

    type: Literal["truco"]


class TrucoView(TypedDict):
    """A view of Truco."""

    ruleset: Literal["truco"]
    version: int
    seats: int
    options: Mapping[str, Any]
    phase: Literal["play", "answer", "over"]
    to_act: Sequence[int]
    zones: TrucoViewZones
    facts: TrucoFacts
    scores: Sequence[int]
    result: Result | None


TrucoViewZones = TypedDict(
    "TrucoViewZones",
    {
        "stock": "TrucoSeen",
        "hand.0": "TrucoSeen",
        "hand.1": "TrucoSeen",
        "hand.2": "TrucoSeen",
        "hand.3": "TrucoSeen",
        "trick": "Sequence[TrucoCard]",
        "played": "Sequence[TrucoCard]",
        "hand.4": "NotRequired[TrucoSeen]",
        "hand.5": "NotRequired[TrucoSeen]",
        "hand.6": "NotRequired[TrucoSeen]",
        "hand.7": "NotRequired[TrucoSeen]",
        "hand.8": "NotRequired[TrucoSeen]",
        "hand.9": "NotRequired[TrucoSeen]",
    },
)
"""The zones of a view of Truco, `.0` of seat 0."""


class Turn(TypedDict):
    """A seat of mine whose turn it is."""

    game: str
    ruleset: str
    seat: int
    version: int
    since: str
    deadline: str | None
    title: str | None
    """The game's."""


class TurnBeganNotice(TypedDict):
    """turn.began: It is a seat's turn, until the deadline if there is one."""

    type: Literal["turn.began"]
    timestamp: str
    data: OfTurn


class TurnList(TypedDict):
    """A page of turns, the most urgent deadline first."""

    items: Sequence[Turn]
    next: str | None
    """The cursor of the next page; null on the last one."""


class TurnNudgedNotice(TypedDict):
    """turn.nudged: Another player has reminded this seat to move."""

    type: Literal["turn.nudged"]
    timestamp: str
    data: OfSeat


class TurnTimedOutNotice(TypedDict):
    """turn.timed_out: A seat's deadline has passed."""

    type: Literal["turn.timed_out"]
    timestamp: str
    data: OfSeat


class TurnWarningNotice(TypedDict):
    """turn.warning: A seat's deadline is near."""

    type: Literal["turn.warning"]
    timestamp: str
    data: OfTurn


class Vacation(TypedDict):
    """The days of vacation to take, and the seat if the caller acts for several."""

    seat: NotRequired[int | None]
    signed: NotRequired[Signed | None]
    """Required if the seat has a public key."""

    days: int


class VacationEverywhere(TypedDict):
    """The days of vacation to take in all of the player's games."""

    days: int


class VacationTakenEntry(TypedDict):
    """vacation_taken: {who} is away until {vacation.until}."""

    seq: int
    type: Literal["vacation_taken"]
    at: str
    hash: str
    seat: NotRequired[int | None]
    player: NotRequired[PlayerName | None]
    bot: NotRequired[str | None]
    deadlines: NotRequired[Mapping[str, str]]
    """Seat → deadline of a turn that begins."""

    delays: NotRequired[Mapping[str, str]]
    """Seat → how much its deadline is delayed because of its player's own hours."""

    by: NotRequired[Literal["player", "app", "order", "clock", "bot"]]
    """Who acted: the player, the app for the player, a standing order of the player, the clock for a late seat, or a bot."""

    signature: NotRequired[str]
    """The signature with the seat's key, over the game, the previous hash and the action."""

    vacation: VacationTakenEntryVacation
    """Days of vacation, their end, and how many are left."""


class VacationTakenEntryVacation(TypedDict):
    """Days of vacation, their end, and how many are left."""

    days: int
    until: str
    left: int


class VacationTakenNotice(TypedDict):
    """vacation.taken: A seat has gone on vacation."""

    type: Literal["vacation.taken"]
    timestamp: str
    data: OfSeat


class VacationsTaken(TypedDict):
    """The games in which a player is now on vacation."""

    games: Sequence[VacationsTakenGames]


class VacationsTakenGames(TypedDict):
    """A seat in a running game with deadlines."""

    game: str
    seat: int
    until: str | None
    """The end of the seat's vacation; null if it was refused."""

    left: int
    """How many days of vacation are left."""

    refused: str | None
    """Why it was refused."""


class Verdict(TypedDict):
    """The referee's answer to a move."""

    legal: bool
    rule: NotRequired[str]
    """The id of the rule that the move breaks."""

    reason: NotRequired[str]
    link: NotRequired[str]
    """The address of the rule's text."""


class Verification(TypedDict):
    """The result of the verification of a game."""

    ok: bool
    origin: Literal["dealt", "imported"]
    """Dealt by this server, or imported from a record."""

    imported_by: AppName | None
    """The app that has imported the game."""

    test_clock: NotRequired[str]
    """The game runs on this test clock, so its times are not real."""

    checks: Sequence[VerificationChecks]


class VerificationChecks(TypedDict):
    """A check: whether it holds, what was found, and the first entry that fails."""

    name: str
    ok: bool
    detail: str
    seq: int | None


View: TypeAlias = "CatsAndDogsView | TrucoView | LandlordView | PiesView | BiscaView | DogCardsView | MauMauView | PedroView | PalaceView"
"""A position as one viewer sees it: hidden cards are a number, and a single hidden card is null."""


class Webhook(TypedDict):
    """An address of an app for notifications."""

    external_id: NotRequired[str | None]
    """The app's own id; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app; shown only to the app."""

    id: str
    url: str
    events: Sequence[
        Literal[
            "game.created",
            "seat.joined",
            "seat.left",
            "seat.replaced",
            "reveal.due",
            "seat.revealed",
            "seat.forfeited",
            "game.started",
            "turn.began",
            "turn.warning",
            "turn.timed_out",
            "turn.nudged",
            "deadline.moved",
            "clocks.changed",
            "move.made",
            "take_back.requested",
            "take_back.answered",
            "move.taken_back",
            "vacation.taken",
            "pause.agreed",
            "game.paused",
            "game.resumed",
            "replacement.agreed",
            "seat.resigned",
            "game.finished",
            "game.cancelled",
            "game.imported",
            "message.posted",
            "orders.cancelled",
            "mail.failed",
            "webhook.created",
            "webhook.changed",
            "webhook.secret_replaced",
            "webhook.disabled",
            "webhook.enabled",
            "webhook.ended",
            "webhook.deleted",
        ]
    ]
    """The events that it receives; empty: all except `move.made`."""

    include: Sequence[Literal["entry"]]
    """What notifications include in addition to ids."""

    game: str | None
    """The game whose notifications it gets, until the game is over; null: all games."""

    enabled: bool
    created_at: str
    failing_since: str | None
    """Nothing has been received since then."""

    disabled_at: str | None
    ended_at: str | None
    """The end of its game; the webhook is kept as long as its deliveries."""


class WebhookChange(TypedDict):
    """The changes of a webhook; `enabled` disables or enables it."""

    url: NotRequired[str]
    events: NotRequired[
        Sequence[
            Literal[
                "game.created",
                "seat.joined",
                "seat.left",
                "seat.replaced",
                "reveal.due",
                "seat.revealed",
                "seat.forfeited",
                "game.started",
                "turn.began",
                "turn.warning",
                "turn.timed_out",
                "turn.nudged",
                "deadline.moved",
                "clocks.changed",
                "move.made",
                "take_back.requested",
                "take_back.answered",
                "move.taken_back",
                "vacation.taken",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "replacement.agreed",
                "seat.resigned",
                "game.finished",
                "game.cancelled",
                "game.imported",
                "message.posted",
                "orders.cancelled",
                "mail.failed",
                "webhook.created",
                "webhook.changed",
                "webhook.secret_replaced",
                "webhook.disabled",
                "webhook.enabled",
                "webhook.ended",
                "webhook.deleted",
            ]
        ]
    ]
    include: NotRequired[Sequence[Literal["entry"]]]
    """What notifications include: `entry` is the log entry, as it is shown without a seat."""

    enabled: NotRequired[bool]
    external_id: NotRequired[str | None]
    """The app's own id, unique among its objects of this kind."""

    metadata: NotRequired[Mapping[str, str | None] | None]
    """Any data of the app; a value of null removes the key."""


class WebhookChangedNotice(TypedDict):
    """webhook.changed: Another webhook of the app has been changed."""

    type: Literal["webhook.changed"]
    timestamp: str
    data: OfChange


class WebhookCreatedNotice(TypedDict):
    """webhook.created: Another webhook of the app has been created."""

    type: Literal["webhook.created"]
    timestamp: str
    data: OfWebhook


class WebhookDeletedNotice(TypedDict):
    """webhook.deleted: Another webhook of the app has been deleted."""

    type: Literal["webhook.deleted"]
    timestamp: str
    data: OfWebhook


class WebhookDisabledNotice(TypedDict):
    """webhook.disabled: Another webhook of the app has been disabled; `reason` says why."""

    type: Literal["webhook.disabled"]
    timestamp: str
    data: OfDisabled


class WebhookEnabledNotice(TypedDict):
    """webhook.enabled: Another webhook of the app has been enabled."""

    type: Literal["webhook.enabled"]
    timestamp: str
    data: OfWebhook


class WebhookEndedNotice(TypedDict):
    """webhook.ended: A webhook of one game has ended with it."""

    type: Literal["webhook.ended"]
    timestamp: str
    data: OfWebhook


class WebhookList(TypedDict):
    """A page of webhooks, newest first."""

    items: Sequence[Webhook]
    next: str | None
    """The cursor of the next page; null on the last one."""


class WebhookSecret(TypedDict):
    """A webhook with its secret, which is shown only once."""

    external_id: NotRequired[str | None]
    """The app's own id; shown only to the app."""

    metadata: NotRequired[Mapping[str, str]]
    """Data of the app; shown only to the app."""

    id: str
    url: str
    events: Sequence[
        Literal[
            "game.created",
            "seat.joined",
            "seat.left",
            "seat.replaced",
            "reveal.due",
            "seat.revealed",
            "seat.forfeited",
            "game.started",
            "turn.began",
            "turn.warning",
            "turn.timed_out",
            "turn.nudged",
            "deadline.moved",
            "clocks.changed",
            "move.made",
            "take_back.requested",
            "take_back.answered",
            "move.taken_back",
            "vacation.taken",
            "pause.agreed",
            "game.paused",
            "game.resumed",
            "replacement.agreed",
            "seat.resigned",
            "game.finished",
            "game.cancelled",
            "game.imported",
            "message.posted",
            "orders.cancelled",
            "mail.failed",
            "webhook.created",
            "webhook.changed",
            "webhook.secret_replaced",
            "webhook.disabled",
            "webhook.enabled",
            "webhook.ended",
            "webhook.deleted",
        ]
    ]
    """The events that it receives; empty: all except `move.made`."""

    include: Sequence[Literal["entry"]]
    """What notifications include in addition to ids."""

    game: str | None
    """The game whose notifications it gets, until the game is over; null: all games."""

    enabled: bool
    created_at: str
    failing_since: str | None
    """Nothing has been received since then."""

    disabled_at: str | None
    ended_at: str | None
    """The end of its game; the webhook is kept as long as its deliveries."""

    secret: str
    """The key of the signatures, `whsec_` and base64."""


class WebhookSecretReplacedNotice(TypedDict):
    """webhook.secret_replaced: The secret of another webhook of the app has been replaced."""

    type: Literal["webhook.secret_replaced"]
    timestamp: str
    data: OfWebhook


class WebhookTestNotice(TypedDict):
    """webhook.test: A test that you requested."""

    type: Literal["webhook.test"]
    timestamp: str
    data: OfTest
