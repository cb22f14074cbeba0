"""What these operations accept."""

from __future__ import annotations

from api.http.fields import Input, Name, Text
from api.http.queries import COMMITTED, PUBLIC_KEY, Commitment, Entropy


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
