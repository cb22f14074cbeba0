"""What these operations accept."""

from __future__ import annotations

from api.http.fields import Flag, Input, Items, Name, Text
from api.http.patterns import EmailAddress

MOST_GUESTS = 20  # that an account adopts at once


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
