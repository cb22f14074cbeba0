"""What these operations accept and answer."""

from __future__ import annotations

import referee.table
from api.callers.shapes import NewGuest
from api.games.shapes import Game, Pace
from api.http.fields import Choice, Name, Text
from api.http.members import Boolean, Count, DateTime, List, Nested, Object, String
from api.http.queries import COMMITTED, PUBLIC_KEY, Commitment, Entropy
from api.http.shapes import Answer, Input


class NewSeatGuest(NewGuest):
    """A guest who has taken a seat, with a token that is shown only once and ends with the game."""

    expires_at = DateTime(null=True)
    game = Nested(Game)


class Seated(Answer):
    """Somebody who has a seat: a player or a bot."""

    seat = Count()
    name = String(null=True)
    bot = String(null=True)


class Invitation(Answer):
    """The game to which an invite code belongs."""

    ruleset = String()
    ruleset_version = Count()
    options = Object()
    title = String(null=True)
    seats = Count(1)
    players = List(Nested(Seated), about="Who has a seat already.")
    pace = Nested(Pace, null=True)
    entropy = Choice(
        "given",
        referee.table.COMMIT,
        about="With `commit` a seat is taken with a `commitment` to its entropy.",
    )
    guests = Boolean(about="Guests and accounts of this server can take a seat as themselves.")


class InviteCode(Input):
    """The invite code of a seat."""

    invite = Text(1, 64, required=True)


class TableCode(Input):
    """The invite code of all open seats of a game; a public game needs none."""

    invite = Text(1, 64)


class SeatGuest(InviteCode):
    """A guest to create, who takes a seat with an invite code."""

    name = Name(required=True)
    entropy = Entropy(load_default="")
    public_key = PUBLIC_KEY
    commitment = Commitment(about=COMMITTED)
