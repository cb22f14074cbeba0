"""What several requests share: seats, entropy, keys and signatures."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields

from api.schemas.fields import SeatNumber, Text
from api.schemas.patterns import Hexadecimal, Pattern, PublicKey
from api.schemas.shapes import Input

MOST_SEATS = 16
MOST_ENTROPY = 64
COMMITTED = "SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`."
VISIBILITIES = ("public", "unlisted", "private")


def _short_enough(entropy: str) -> None:
    if len(entropy.encode()) > MOST_ENTROPY:
        raise ValidationError(f"Must be at most {MOST_ENTROPY} bytes of UTF-8.")


class Entropy(Text):
    """What a seat contributes to the randomness of the deal."""

    def __init__(self, **more: Any) -> None:
        super().__init__(0, MOST_ENTROPY, **more)
        self.validators = [*self.validators, _short_enough]


class Commitment(Pattern):
    """A seat's commitment to its entropy."""

    pattern, what = "^[0-9a-f]{64}$", "a SHA-256 hash, 64 hexadecimal digits in lower case"


PUBLIC_KEY = PublicKey(about="An Ed25519 key: from now on, actions of the seat must be signed with it.")


class Signed(Input):
    """The signature with the seat's key; `docs/log-format.md` says what is signed."""

    previous = Hexadecimal(32, required=True, about="The hash of the newest entry that the signer has seen.")
    signature = Hexadecimal(64, required=True, about="Ed25519.")


SIGNED = fields.Nested(
    Signed, load_default=None, metadata={"description": "Required if the seat has a public key."}
)


class Acting(Input):
    """The seat, if the caller holds or acts for several."""

    seat = SeatNumber(0, MOST_SEATS - 1, load_default=None)


class Signing(Acting):
    """The same, with a signature if the seat has a key."""

    signed = SIGNED
