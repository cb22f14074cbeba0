"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.callers.answers import NewGuest, Player, Token
from api.core.paging import PageOf
from api.http.answers import Count, Timestamp, Uuid


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


class Device(Token):
    """A device on which a player is signed in: a token, without the token itself."""

    device: Annotated[str | None, "What it was called at signing in."]
    current: Annotated[bool, "This request has this token."]
    watch: Annotated[bool, "It is a link with which anybody may watch `game`, no device."]


class DeviceList(PageOf[Device]):
    """A page of valid tokens, newest first."""
