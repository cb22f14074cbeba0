"""Bodies and queries that the API accepts, one class each."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

import referee
from api.core.paging import Page
from api.play.automatic.bots import BOTS
from api.schemas.fields import (
    AnyObject,
    Anything,
    Choice,
    Cursor,
    Duration,
    DurationText,
    Flag,
    Id,
    Input,
    Items,
    Message,
    Name,
    QueryWhole,
    Text,
    Time,
    TurnCursor,
    Whole,
)

MOST_SEATS = 16
MOST_ENTROPY = 64
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


class NewPlayer(Input):
    """A player to make, or a name to give."""

    name = Name(required=True)


class SeatGuest(Input):
    """Who sits down by an invite code alone."""

    invite = Text(1, 64, required=True)
    name = Name(required=True)
    entropy = Entropy(load_default="")


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


class NewSeat(Input):
    """A seat of a new game: a player (with entropy), open, or a bot."""

    player = Id()
    entropy = Entropy()
    open = Flag(validate=validate.Equal(True))
    bot = Choice(*BOTS)

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Exactly one of the three; entropy comes from players."""
        if sum(kind in data for kind in ("player", "open", "bot")) != 1:
            raise ValidationError("Must have exactly one of player, open, bot.")
        if "entropy" in data and "player" not in data:
            raise ValidationError("Entropy is given by a player.", "entropy")


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


class NewGame(Input):
    """A game to make."""

    ruleset = Text(1, 64, required=True)
    options = AnyObject(load_default=dict)
    seats = Items(fields.Nested(NewSeat), 1, MOST_SEATS, required=True)
    visibility = Choice(*VISIBILITIES, load_default="private")
    pace = fields.Nested(NewPace, load_default=None, allow_none=True)


class SeatTaking(Input):
    """How to sit down: with an invite code where the seat needs one; an app key says who."""

    invite = Text(1, 64)
    entropy = Entropy()
    player = Id()


class NewMove(Input):
    """A move to append; `seat` is needed where the caller holds, or acts for, several."""

    move = AnyObject(required=True)
    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class NewMessage(Input):
    """Something to say at the table."""

    text = Message(2000, required=True)
    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class Resignation(Input):
    """Which seat gives up, where the caller holds, or acts for, several."""

    seat = Whole(0, MOST_SEATS - 1, load_default=None)


class Question(Input):
    """A move to judge in a position, or at the end of a record; chance as outcomes, then from a seed."""

    position = AnyObject()
    record = AnyObject()
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

    position = AnyObject(required=True)
    seat = Whole(0, MOST_SEATS - 1, required=True)


class AnyRecord(Input):
    """A game record; the referee reads it."""

    class Meta:
        """Whatever else a record carries is let in."""

        unknown = "include"


# --- queries ----------------------------------------------------------------------------------------


class Importing(Input):
    """How a record becomes a game."""

    visibility = Choice(*VISIBILITIES, load_default="private")


class Pages(Input):
    """Which page of a list."""

    limit = QueryWhole(1, 200, load_default=50)
    cursor = Cursor()

    @post_load
    def page(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Put both together."""
        return {"page": Page(data.pop("limit"), data.pop("cursor", None)), **data}


class TurnPages(Pages):
    """Which page of the inbox."""

    cursor = TurnCursor()


class GameFilters(Pages):
    """What games to find."""

    status = Choice(*STATUSES)
    ruleset = Text(1, 64)
    player = Id()
    to_act = Id()
    visibility = Choice(*VISIBILITIES)
    origin = Choice(*ORIGINS)
    created_after = Time()
    created_before = Time()
    updated_after = Time()
    updated_before = Time()


class EventPages(Input):
    """Which part of the log."""

    after = QueryWhole(0, load_default=0)
    cursor = QueryWhole(0)
    limit = QueryWhole(1, 200, load_default=50)
    wait = Duration()


class AtVersion(Input):
    """Which version of a game."""

    version = QueryWhole(1)


class ForSeat(Input):
    """For which seat."""

    seat = QueryWhole(0, MOST_SEATS - 1)


class Revocation(Input):
    """What a revoked key takes along."""

    keep_tokens = Flag(query=True, load_default=False)


class DryRun(Input):
    """Whether to judge only."""

    dry_run = Flag(query=True, load_default=False)


ABOUT = {
    "limit": "How many items a page has at most.",
    "cursor": "The `next` of the page before.",
    "after": "Only entries after this seq.",
    "wait": "Where there is no entry yet, wait for one, so long at most (and as the server lets).",
    "status": "Only games of this status.",
    "ruleset": "Only games of this ruleset.",
    "player": "Only games where this player sits.",
    "to_act": "Only games that wait for this player.",
    "visibility": "Only games of this visibility (`public` finds everyone's); of a record: who is to see it.",
    "origin": "Only games that were dealt here, or only imported ones.",
    "created_after": "Only games made at this time or later.",
    "created_before": "Only games made before this time.",
    "updated_after": "Only games changed at this time or later.",
    "updated_before": "Only games not changed since this time.",
    "version": "The game as it was at this version.",
    "seat": "For this seat, where the caller holds, or acts for, several.",
    "keep_tokens": "Leave the player tokens that were made with the key as they are.",
    "dry_run": "Judge the move and append nothing.",
}
