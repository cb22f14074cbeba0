"""Requests for games, their seats and pace, and of those who play."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from marshmallow import ValidationError, fields, post_load, validates_schema

import referee.clocks
import referee.table
from api.games.answers import VISIBILITIES
from api.games.bots import BOTS
from api.http.answers import Json, Ref, one_of
from api.http.fields import AnyObject, Choice, Fixed, Flag, Input, Items, Message, Text, Whole
from api.http.patterns import DurationText, Id, Offset
from api.http.queries import (
    COMMITTED,
    EXTERNAL_ID,
    METADATA,
    MOST_SEATS,
    PUBLIC_KEY,
    TITLE,
    Acting,
    Commitment,
    Entropy,
    Signing,
)
from api.rulesets.inputs import MoveToJudge, new_games

SECOND = timedelta(seconds=1)
LONGEST = timedelta(days=3650)  # all durations of a pace together
LONGEST_TO_REVEAL = timedelta(days=30)


class PlayerSeat(Input):
    """A seat for this player, with the player's entropy if given."""

    player = Id(required=True)
    entropy = Entropy()
    public_key = PUBLIC_KEY
    commitment = Commitment(about=COMMITTED)


class OpenSeat(Input):
    """An open seat, which a player can take later."""

    open = Fixed(True, required=True)


class BotSeat(Input):
    """A seat for a bot."""

    bot = Choice(*sorted(BOTS), required=True)


class NewSeat(PlayerSeat, OpenSeat, BotSeat):
    """A seat of a new game."""

    def load(self, data: Any, **more: Any) -> Any:
        """Read a seat of any of the three kinds. Raises ValidationError."""
        return super().load(data, **{**more, "partial": True})

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that it is exactly one of the three; only players give entropy."""
        if sum(kind in data for kind in ("player", "open", "bot")) != 1:
            raise ValidationError("Must have exactly one of player, open, bot.")
        for name in ("entropy", "commitment", "public_key"):
            if name in data and "player" not in data:
                raise ValidationError("Only a player can give this.", name)

    def published(self, schema: Json, ref: Ref) -> Json:
        """Name the kinds."""
        kinds = (PlayerSeat, OpenSeat, BotSeat)
        return {"description": schema["description"], "oneOf": [ref(kind) for kind in kinds]}


class NewPace(Input):
    """The time control of a game."""

    per_move = DurationText(required=True, about="The time for a move.")
    on_timeout = Choice(
        *referee.clocks.ON_TIMEOUT,
        load_default="resign",
        about="What happens when it runs out: the seat resigns, or the server makes a random legal move, or "
        "one of the bot `cautious`. Where the rules have a move that does nothing, it makes that one.",
    )
    warn_before = DurationText(
        allow_none=True,
        about="When to warn before the deadline; if left out, at a quarter of `per_move`. Null: never.",
    )
    reserve = DurationText(
        load_default=None,
        allow_none=True,
        about="The extra time of a seat for the whole game, used after the time for a move.",
    )
    quiet_weekends = Flag(load_default=False, about="Saturdays and Sundays do not count.")
    vacation_days = Whole(0, 365, load_default=0, about="How many days of vacation each seat may take.")
    increment = DurationText(
        load_default=None, allow_none=True, about="What each move made in turn adds to the reserve."
    )
    reserve_cap = DurationText(about="Increments fill the reserve up to this.")
    out_after = Whole(
        1,
        referee.clocks.MOST_MISSED,
        about="A seat that misses so many turns in a row is out of the game; not with `resign`.",
    )
    stand_in = Choice(
        *sorted(BOTS),
        about="The bot that takes the seat then; without one, the seat loses and the game ends.",
    )
    weekends = Offset(about="Where weekends are quiet, how much later it is than in UTC; without it, UTC.")

    @post_load
    def warns(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Warn by default: whoever is warned loses no game unawares."""
        if "warn_before" not in data:
            quarter = referee.clocks.duration(data["per_move"]) // 4 // SECOND * SECOND
            data["warn_before"] = referee.clocks.duration_text(quarter) if quarter else None
        return data

    @validates_schema
    def warns_in_time(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse a warning that would be due before the turn begins: it would never be sent."""
        warn_before = data.get("warn_before")
        if warn_before is not None and referee.clocks.duration(warn_before) >= referee.clocks.duration(
            data["per_move"]
        ):
            raise ValidationError("Must be shorter than per_move.", "warn_before")

    @validates_schema
    def fits_together(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse members that mean nothing beside the others."""
        cap, reserve = data.get("reserve_cap"), data.get("reserve")
        if cap is not None and not data.get("increment"):
            raise ValidationError("Needs an increment.", "reserve_cap")
        if (
            cap is not None
            and reserve is not None
            and referee.clocks.duration(reserve) > referee.clocks.duration(cap)
        ):
            raise ValidationError("Must be at least the reserve.", "reserve_cap")
        if "out_after" in data and data["on_timeout"] == "resign":
            raise ValidationError("With `resign`, the first missed turn ends the game.", "out_after")
        if "stand_in" in data and "out_after" not in data:
            raise ValidationError("Needs out_after.", "stand_in")
        if "weekends" in data and not data["quiet_weekends"]:
            raise ValidationError("Needs quiet_weekends.", "weekends")

    @validates_schema
    def sums_are_bounded(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse durations that together are longer than any game."""
        names = ("per_move", "reserve", "increment")
        lengths = {name: referee.clocks.duration(data[name]) for name in names if data.get(name)}
        lengths["vacation_days"] = timedelta(days=data.get("vacation_days") or 0)
        total = timedelta()
        for name, length in lengths.items():
            total += length
            if total > LONGEST:
                raise ValidationError("All durations and days off together must be at most P3650D.", name)


class AnyGame(Input):
    """A game of any ruleset to create."""

    ruleset = Text(1, 64, required=True)
    options = AnyObject(load_default=dict)
    seats = Items(fields.Nested(NewSeat), 1, MOST_SEATS, required=True)
    visibility = Choice(*VISIBILITIES, load_default="private")
    pace = fields.Nested(NewPace, load_default=None, allow_none=True)
    seats_private = Flag(
        load_default=False, about="Only players can act for their seats; no app key can act for them."
    )
    distinct_players = Flag(load_default=False, about="Allow each player only one seat.")
    test_clock = Id(
        load_default=None,
        allow_none=True,
        about="Use the time of a test clock of the app instead of real time.",
    )
    entropy = Choice(
        "given",
        referee.table.COMMIT,
        load_default="given",
        about="Seats give their entropy when joining, or join with its hash and reveal it later.",
    )
    reveal_within = DurationText(
        load_default=None,
        allow_none=True,
        about="With `commit`: the time to reveal, one hour by default. A player who does not reveal in time "
        "forfeits the seat, and the game is cancelled.",
    )
    external_id = EXTERNAL_ID
    metadata = METADATA
    title = TITLE

    @validates_schema
    def reveals(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse a time to reveal if nothing is revealed."""
        within = data.get("reveal_within")
        if within is None:
            return
        if data.get("entropy") != referee.table.COMMIT:
            raise ValidationError("Only with entropy `commit`.", "reveal_within")
        if referee.clocks.duration(within) > LONGEST_TO_REVEAL:
            raise ValidationError("Must be 30 days at most.", "reveal_within")


class NewGame(AnyGame):
    """A game to create."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Name each ruleset's own."""
        return {"description": schema["description"], **one_of(new_games(AnyGame, NewSeat), "ruleset", ref)}


FIRST_GAMES: dict[str, tuple[str, Json]] = {
    "open": (
        "A game with a bot that waits for three players",
        {
            "ruleset": "pies",
            "options": {"blocking": "top"},
            "visibility": "public",
            "pace": None,
            "seats": [{"open": True}, {"open": True}, {"open": True}, {"bot": "random"}],
        },
    ),
    "bots": (
        "A game of bots, played at once",
        {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3},
    ),
}
"""Examples of games to create, each with its summary."""


class SeatTaking(Input):
    """How to take a seat: with an invite code if the seat needs one; an app key names the player.

    Whoever made the game may give the seat to a `bot` instead.
    """

    invite = Text(1, 64)
    entropy = Entropy()
    commitment = Commitment(about=COMMITTED)
    player = Id()
    public_key = PUBLIC_KEY
    bot = Choice(*sorted(BOTS))

    @validates_schema
    def bot_alone(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that nothing else is said of a bot."""
        if "bot" in data and len(data) > 1:
            raise ValidationError("A bot sits down without anything else.", "bot")


class Reveal(Acting):
    """The entropy to which a seat has committed."""

    entropy = Entropy(required=True)


class NewMove(Signing):
    """A move to make; `seat` is required if the caller holds or acts for several."""

    move = fields.Nested(MoveToJudge, required=True)


class NewMessage(Signing):
    """A chat message to post. Where it is a move, a seat with a public key signs that move."""

    text = Message(2000, required=True)


class Resignation(Signing):
    """The seat that resigns, if the caller holds or acts for several."""
