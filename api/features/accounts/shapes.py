"""What these operations accept and answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.callers.shapes import NewGuest, Player, Token
from api.core.paging import PageOf
from api.http.answers import Count, Timestamp, Uuid
from api.http.fields import Flag, Items, Name, Text
from api.http.patterns import EmailAddress
from api.http.shapes import Input

MOST_GUESTS = 20  # that an account adopts at once


class SignIn(TypedDict):
    """A request to sign in; the link that was mailed has its id."""

    id: Uuid
    expires_at: Annotated[Timestamp, "The end of the link."]


class CarriedGuest(TypedDict):
    """The guest who asked for a link, and the games that the account gets if it adopts that guest."""

    player: Player
    games: Count


class SignInPreview(TypedDict):
    """The address of a link, and the player who signs in with it."""

    address: str
    player: Player | None
    restores: Annotated[bool, "The link undoes a change: the account gets this address back."]
    guest: Annotated[CarriedGuest | None, "Who asked for the link, if it was a guest."]


class SignedIn(NewGuest):
    """The account, with a token of this device that is shown only once."""

    id: Annotated[Uuid, "The token's."]
    device_key: Annotated[
        str, "With it, the next link for this address is mailed even if strangers have asked for too many."
    ]


class NewSignIn(Input):
    """The address to which a link is mailed."""

    address = EmailAddress(required=True)
    device_key = Text(
        1, 100, about="From an earlier `SignedIn` to the account of this address, if there is one."
    )


class SignInCode(Input):
    """The code of a link that was mailed, or the six digits in the mail."""

    code = Text(1, 64, required=True)


class SignInTokens(SignInCode):
    """The code of a link, the guests to adopt, the name of a new account without one, and of the device."""

    adopt = Flag(about="Adopt the guest of the link (`guest` of its preview).")
    guests = Items(
        Text(1, 100),
        0,
        MOST_GUESTS,
        about="Tokens of guests on this device, whom the account adopts after the guest of the link.",
    )
    name = Name()
    device = Text(1, 100, about="What to call the device in the list of devices.")


class OwnChange(Input):
    """The changes of the caller."""

    name = Name(required=True)


class Device(Token):
    """A device on which a player is signed in: a token, without the token itself."""

    device: Annotated[str | None, "What it was called at signing in."]
    current: Annotated[bool, "This request has this token."]
    watch: Annotated[bool, "It is a link with which anybody may watch `game`, no device."]


class DeviceList(PageOf[Device]):
    """A page of valid tokens, newest first."""
