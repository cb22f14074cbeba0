"""Bodies and queries that the API accepts, one class each."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from marshmallow import ValidationError, fields, post_load, validates_schema

import referee
from api.core.paging import Page
from api.http.deprecation import Deprecation
from api.play.automatic.bots import BOTS
from api.schemas.fields import (
    AnyObject,
    Anything,
    Choice,
    Cursor,
    Duration,
    DurationText,
    Fixed,
    Flag,
    Hexadecimal,
    Id,
    Items,
    Message,
    Name,
    Pattern,
    PublicKey,
    QueryWhole,
    Several,
    Text,
    Time,
    TurnCursor,
    Whole,
)
from api.schemas.labels import EXTERNAL_ID, METADATA, TITLE, Filters
from api.schemas.rulesets import AnyPosition, AnyRecord
from api.schemas.rulesets.declared import Move, new_games
from api.schemas.shapes import Input, Json, Ref, one_of

MOST_SEATS = 16
MOST_GAMES = 100  # of a series
MOST_ENTROPY = 64
MOST_ORDERS = 10
LONGEST_TO_REVEAL = timedelta(days=30)
COMMITTED = "SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`."
SCOPES = ("read", "write", "audit", "keys")
STATUSES = ("open", "running", "finished", "cancelled")
VISIBILITIES = ("public", "unlisted", "private")
ORIGINS = ("dealt", "imported")


def _short_enough(entropy: str) -> None:
    if len(entropy.encode()) > MOST_ENTROPY:
        raise ValidationError(f"Must be at most {MOST_ENTROPY} bytes of UTF-8.")


class Entropy(Text):
    """What a seat adds to the chance of the deal."""

    def __init__(self, **more: Any) -> None:
        super().__init__(0, MOST_ENTROPY, **more)
        self.validators = [*self.validators, _short_enough]


# --- bodies -----------------------------------------------------------------------------------------


class Commitment(Pattern):
    """What a seat commits to its entropy with."""

    pattern, what = "^[0-9a-f]{64}$", "a SHA-256 hash, 64 hexadecimal digits in lower case"

    def read(self, text: str) -> str:
        """Return it as it is."""
        return text


class NewPlayer(Input):
    """A player to make."""

    name = Name(required=True)
    external_id = EXTERNAL_ID
    metadata = METADATA


class PlayerChange(Input):
    """What to change of a player."""

    name = Name()
    external_id = EXTERNAL_ID
    metadata = METADATA


PUBLIC_KEY = PublicKey(about="Ed25519: from now on what is done for the seat has to be signed with it.")


class Signed(Input):
    """The signature of the seat's key; `docs/log-format.md` says of what."""

    previous = Hexadecimal(32, required=True, about="The hash of the newest entry that the signer has seen.")
    signature = Hexadecimal(64, required=True, about="Ed25519.")


SIGNED = fields.Nested(
    Signed, load_default=None, metadata={"description": "Needed where the seat has a public key."}
)


class SeatGuest(Input):
    """Who sits down by an invite code alone."""

    invite = Text(1, 64, required=True)
    name = Name(required=True)
    entropy = Entropy(load_default="")
    public_key = PUBLIC_KEY
    commitment = Commitment(about=COMMITTED)


class NewToken(Input):
    """A player token to make; it expires with the key that makes it unless `expires_in` says sooner."""

    expires_in = Duration(load_default=None)


class NewKey(Input):
    """An app key to make."""

    scopes = Items(
        Choice(*SCOPES), 1, len(SCOPES), load_default=["read", "write"], metadata={"uniqueItems": True}
    )
    expires_in = Duration(load_default=None)

    @post_load
    def once(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Each scope counts once."""
        if len(set(data["scopes"])) != len(data["scopes"]):
            raise ValidationError("Each scope once.", "scopes")
        return data


class PlayerSeat(Input):
    """A seat for this player, who may add entropy."""

    player = Id(required=True)
    entropy = Entropy()
    public_key = PUBLIC_KEY
    commitment = Commitment(about=COMMITTED)


class OpenSeat(Input):
    """A seat that a player may take."""

    open = Fixed(True, required=True)


class BotSeat(Input):
    """A seat for a bot."""

    bot = Choice(*sorted(BOTS), required=True)


class NewSeat(PlayerSeat, OpenSeat, BotSeat):
    """A seat of a new game."""

    def load(self, data: Any, **more: Any) -> Any:
        """Read a seat of whichever kind. Raises ValidationError."""
        return super().load(data, **{**more, "partial": True})

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Exactly one of the three; entropy comes from players."""
        if sum(kind in data for kind in ("player", "open", "bot")) != 1:
            raise ValidationError("Must have exactly one of player, open, bot.")
        for name in ("entropy", "commitment", "public_key"):
            if name in data and "player" not in data:
                raise ValidationError("This is given by a player.", name)

    def published(self, found: Json, ref: Ref) -> Json:
        """Name the kinds."""
        kinds = (PlayerSeat, OpenSeat, BotSeat)
        return {"description": found["description"], "oneOf": [ref(kind) for kind in kinds]}


class NewPace(Input):
    """How fast moves have to come."""

    per_move = DurationText(required=True)
    on_timeout = Choice("resign", "random_move", load_default="resign")
    warn_before = DurationText(load_default=None, allow_none=True)
    reserve = DurationText(load_default=None, allow_none=True)
    quiet_weekends = Flag(load_default=False)
    vacation_days = Whole(0, 365, load_default=0)

    @validates_schema
    def warns_in_time(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse a warning that would come before the turn begins: it would never come."""
        warn_before = data.get("warn_before")
        if warn_before is not None and referee.duration(warn_before) >= referee.duration(data["per_move"]):
            raise ValidationError("Must be shorter than per_move.", "warn_before")


class AnyGame(Input):
    """A game to make, of any ruleset."""

    ruleset = Text(1, 64, required=True)
    options = AnyObject(load_default=dict)
    seats = Items(fields.Nested(NewSeat), 1, MOST_SEATS, required=True)
    visibility = Choice(*VISIBILITIES, load_default="private")
    pace = fields.Nested(NewPace, load_default=None, allow_none=True)
    series_games = Whole(
        1, MOST_GAMES, load_default=None, allow_none=True, about="Begin a series of so many games."
    )
    seats_private = Flag(
        load_default=False, about="Only players act for their seats, and no app key on their behalf."
    )
    distinct_players = Flag(load_default=False, about="Let no player hold two seats.")
    test_clock = Id(
        load_default=None,
        allow_none=True,
        about="Let the game's time be that of a test clock of the app, and not the real one.",
    )
    entropy = Choice(
        "given",
        referee.COMMIT,
        load_default="given",
        about="Seats give their entropy on joining, or join with its hash and reveal it when all are taken.",
    )
    reveal_within = DurationText(
        load_default=None,
        allow_none=True,
        about="With `commit`: how long they have to reveal; an hour unless said. Whoever does not in time "
        "forfeits the seat, and the game is called off.",
    )
    beacon = Flag(
        load_default=False,
        about="Add the first round of the server's public beacon after all seats are settled to the chance.",
    )
    external_id = EXTERNAL_ID
    metadata = METADATA
    title = TITLE

    @validates_schema
    def reveals(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Where nothing is revealed there is no time for it."""
        within = data.get("reveal_within")
        if within is None:
            return
        if data.get("entropy") != referee.COMMIT:
            raise ValidationError("Only with entropy `commit`.", "reveal_within")
        if referee.duration(within) > LONGEST_TO_REVEAL:
            raise ValidationError("Must be 30 days at most.", "reveal_within")


class Rematch(Input):
    """Who sits where in a rematch."""

    seats = Choice(
        "rotated",
        "same",
        load_default="rotated",
        about="Everybody moves up by one seat, or stays where they are.",
    )


class NewGame(AnyGame):
    """A game to make."""

    def published(self, found: Json, ref: Ref) -> Json:
        """Name each ruleset's own."""
        return {"description": found["description"], **one_of(new_games(AnyGame, NewSeat), "ruleset", ref)}


class SeatTaking(Input):
    """How to sit down: with an invite code where the seat needs one; an app key says who."""

    invite = Text(1, 64)
    entropy = Entropy()
    commitment = Commitment(about=COMMITTED)
    player = Id()
    public_key = PUBLIC_KEY


class Acting(Input):
    """For which seat something is done, where the caller holds, or acts for, several."""

    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class Signing(Acting):
    """The same, signed where the seat has a key."""

    signed = SIGNED


class Reveal(Acting):
    """The entropy that a seat has committed to."""

    entropy = Entropy(required=True)


class NewMove(Signing):
    """A move to append; `seat` is needed where the caller holds, or acts for, several."""

    move = fields.Nested(Move, required=True)


class NewMessage(Acting):
    """Something to say at the table."""

    text = Message(2000, required=True)


class Resignation(Signing):
    """Which seat gives up, where the caller holds, or acts for, several."""


class Question(Input):
    """A move to judge in a position, or at the end of a record; chance as outcomes, then from a seed."""

    position = fields.Nested(AnyPosition)
    record = fields.Nested(AnyRecord)
    seat = Whole(0, MOST_SEATS - 1, required=True)
    move = Anything(required=True, allow_none=True)
    chance = fields.List(AnyObject())
    seed = fields.String()

    @validates_schema
    def one_start(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Take a position or a record; a record brings its own chance."""
        if ("position" in data) == ("record" in data):
            raise ValidationError("Must have a position or a record.")
        for name in ("chance", "seed"):
            if name in data and "record" in data:
                raise ValidationError("The record brings its own.", name)


class LegalQuestion(Input):
    """A position and a seat."""

    position = fields.Nested(AnyPosition, required=True)
    seat = Whole(0, MOST_SEATS - 1, required=True)


class Vacation(Signing):
    """How many days of vacation to take, and for which seat where the caller acts for several."""

    days = Whole(1, 365, required=True)


class VacationEverywhere(Input):
    """How many days of vacation to take in all of one's games."""

    days = Whole(1, 365, required=True)


class Nudge(Acting):
    """Who nudges, where the caller acts for several."""


class TakeBack(Signing):
    """Which seat asks, where the caller holds, or acts for, several."""


class TakeBackAnswer(Signing):
    """Whether a seat agrees that the move be taken back."""

    agree = Flag(required=True)


class Condition(Input):
    """How another seat has to have moved last; more may stand in its move."""

    seat = Whole(0, MOST_SEATS - 1, required=True)
    move = AnyObject(required=True)


class NewOrder(Input):
    """A move to be played when it is the seat's turn, if it is legal then.

    `when`: only where each of these seats has moved like this since the seat's own last move; otherwise the
    order waits for a later turn, and the next one is looked at. `if_illegal`: cancel all orders (as where
    nothing is said), skip this one for good, or let it wait too. `repeat`: keep it once it was played.
    """

    move = fields.Nested(Move, required=True)
    when = Items(fields.Nested(Condition), 1, MOST_SEATS)
    if_illegal = Choice("cancel", "skip", "wait")
    repeat = Flag()


class Automatic(Signing):
    """What is done for a seat at each of its turns."""

    always_pass = Flag(load_default=False, about="Pass wherever the rules let one pass.")
    only_move = Flag(load_default=False, about="Make the move where only one is legal.")


class NewOrders(Signing):
    """Moves to be played one after the other, each as soon as it is the seat's turn."""

    orders = Items(fields.Nested(NewOrder), 1, MOST_ORDERS, required=True)


class Replacement(Input):
    """Who takes a seat over: a player or a bot."""

    player = Id()
    bot = Choice(*BOTS)
    signed = SIGNED

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Exactly one of the two."""
        if ("player" in data) == ("bot" in data):
            raise ValidationError("Must have either a player or a bot.")

    def published(self, found: Json, ref: Ref) -> Json:
        """Allow neither both nor none; by `not`, for beside a oneOf generated clients forget the members."""
        either = [{"properties": {kind: {}}, "required": [kind]} for kind in ("player", "bot")]
        return {**found, "not": {"anyOf": [{"allOf": either}, {"not": {"anyOf": either}}]}}


# --- queries ----------------------------------------------------------------------------------------


class Importing(Input):
    """How a record becomes a game."""

    visibility = Choice(*VISIBILITIES, load_default="private", about="Who is to see the game.")


class Pages(Input):
    """Which page of a list."""

    limit = QueryWhole(1, 200, load_default=50, about="How many items a page has at most.")
    cursor = Cursor(about="The `next` of the page before.")

    @post_load
    def page(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Put both together."""
        return {"page": Page(data.pop("limit"), data.pop("cursor", None)), **data}


class TurnPages(Pages):
    """Which page of the inbox."""

    cursor = TurnCursor(about="The `next` of the page before.")
    wait = Duration(about="Where no game waits, wait for one, so long at most (and as the server lets).")


class LabelledPages(Pages, Filters):
    """Which page of a list of things that an app writes on."""


class GameFilters(LabelledPages):
    """What games to find."""

    status = Choice(*STATUSES, about="Only games of this status.")
    ruleset = Text(1, 64, about="Only games of this ruleset.")
    player = Id(about="Only games where this player sits.")
    to_act = Id(about="Only games that wait for this player.")
    visibility = Choice(*VISIBILITIES, about="Only games of this visibility; `public` finds everyone's.")
    test_clock = Id(about="Only games on this test clock.")
    origin = Choice(*ORIGINS, about="Only games that were dealt here, or only imported ones.")
    created_after = Time(about="Only games made at this time or later.")
    created_before = Time(about="Only games made before this time.")
    updated_after = Time(about="Only games changed at this time or later.")
    updated_before = Time(about="Only games not changed since this time.")


class EventPages(Input):
    """Which part of the log."""

    after = QueryWhole(0, load_default=0, about="Only entries after this seq.")
    cursor = QueryWhole(0, about="The `next` of the page before.")
    limit = QueryWhole(1, 200, load_default=50, about="How many items a page has at most.")
    wait = Duration(
        about="Where there is no entry yet, wait for one, so long at most (and as the server lets)."
    )
    type = Several(Choice(*referee.ENTRY_TYPES), about="Only entries of these types.")
    seat = QueryWhole(0, MOST_SEATS - 1, about="Only entries that name this seat as the one it is about.")
    since = Time(about="Only entries of this time or later.")


class AtVersion(Input):
    """Which version of a game."""

    version = QueryWhole(1, about="The game as it was at this version.")


class ForSeat(Input):
    """For which seat."""

    seat = QueryWhole(0, MOST_SEATS - 1, about="For this seat, where the caller holds, or acts for, several.")


class Revocation(Input):
    """What a revoked key takes along."""

    keep_tokens = Flag(
        query=True,
        load_default=False,
        about="Leave the player tokens that were made with the key as they are.",
    )


OLD_DRY_RUN = Deprecation(since=date(2026, 11, 22), sunset=date(2027, 6, 30))


class DryRun(Input):
    """Whether to judge only, as it was asked for before there was an operation for it."""

    dry_run = Flag(
        query=True,
        load_default=False,
        about="Use `try_move`. With `true` the move is only judged, and the answer is that operation's.",
        metadata=OLD_DRY_RUN.metadata(),
    )
