"""Accounts of this server: signing in by mail, devices, name, address, and deletion."""

from __future__ import annotations

from operator import itemgetter
from typing import Any
from uuid import UUID

from api.callers.answers import Player
from api.context import Context
from api.features.accounts import devices, sign_ins
from api.features.accounts.answers import DeviceList, SignedIn, SignIn, SignInPreview
from api.features.guests.routes import count_newcomer, uncached
from api.http import auth, language
from api.http.fields import Flag, Input, Items, Name, Text
from api.http.operation import Operations
from api.http.patterns import EmailAddress
from api.http.queries import Pages

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


blueprint = Operations(
    "accounts", __name__, "Accounts of this server, to which people sign in by a link in a mail."
)


@blueprint.POST("/v1/sign-ins", auth.ANYBODY, body=NewSignIn, answers={202: SignIn}, problems=("conflict",))
def create_sign_in(context: Context, body: dict[str, Any]) -> SignIn:
    """Have a link mailed with which to sign in to this server, if it accepts guests and sends mail.

    The mail has the language of `Accept-Language`, if it is English, German, Spanish or Portuguese. The
    answer is the same whether the address has an account or not. The link, `/sign-in#id=…&code=…` on this
    server, is valid for 30 minutes and works once. Opening it changes nothing. The mail also has a code of
    six digits for those who cannot open it here: it is used with the `id` of the answer, for 10 minutes, and
    after five wrong ones not at all. Asked for with the token of a guest, the link carries that guest along:
    whoever signs in with it can adopt it.
    """
    count_newcomer()
    return sign_ins.ask(context, body, language.of_headers())


@blueprint.POST(
    "/v1/sign-ins/<uuid:sign_in>/preview", auth.ANYBODY, body=SignInCode, answers={200: SignInPreview}
)
def preview_sign_in(context: Context, sign_in: UUID, body: dict[str, Any]) -> SignInPreview:
    """Show whose link this is, before it is used: so that nobody signs in to somebody else's account.

    `player` is null if the address has no account. `guest` is who asked for it, and the games that come
    along: all of them if there is no account yet, otherwise those that are not over.
    """
    return sign_ins.preview(context, sign_in, body["code"])


@blueprint.POST(
    "/v1/sign-ins/<uuid:sign_in>/tokens",
    auth.ANYBODY,
    body=SignInTokens,
    problems=("conflict", "limit-reached"),
    idempotent=True,
    secret=itemgetter("code"),
    presents=uncached,
)
def complete_sign_in(context: Context, sign_in: UUID, body: dict[str, Any]) -> SignedIn:
    """Sign in on a device with the code of a link, which it uses up.

    If the address has no account, one is created. The first guest whom it adopts becomes that account, keeps
    all games, and its earlier tokens end, as do its push subscriptions; without one, it is a new
    player with `name`. In games of other guests that are not over, and of all of them if the account is there
    already, their seats are handed over to it, which the logs say. The token is valid for 180 days. A link
    that undoes a change of address (`restores`) gives the account its previous address back, and signs out
    all other devices.
    """
    return sign_ins.complete(context, sign_in, body)


@blueprint.POST(
    "/v1/sign-ins/<uuid:sign_in>/address",
    auth.GUESTS,
    body=SignInCode,
    answers={200: SignInPreview},
    problems=("conflict", "sign-in-again"),
)
def move_account(context: Context, sign_in: UUID, body: dict[str, Any]) -> SignInPreview:
    """Make the address of a link the address of my account, instead of the one that it has.

    Until then, I sign in with the previous one. It needs a token that is less than an hour old. The previous
    address is told, with a link that undoes the change for 7 days; links in mails that it got end.
    """
    return sign_ins.move(context, sign_in, body["code"])


@blueprint.PATCH("/v1/me", auth.GUESTS, body=OwnChange)
def change_me(context: Context, body: dict[str, Any]) -> Player:
    """Change my name, if I am a guest or an account of this server.

    Games keep the name with which I joined.
    """
    return devices.change_own(context, body)


@blueprint.DELETE(
    "/v1/me",
    auth.GUESTS,
    "The account is deleted, and all its tokens are revoked.",
    problems=("conflict", "sign-in-again"),
)
def delete_me(context: Context) -> None:
    """Delete my account, or the guest that I am, and sign out everywhere.

    Address, settings and orders are deleted, and my name and what I have said are erased in all games. These
    continue without me: at deadlines what their pace says happens. Their logs stay, because everybody's
    records depend on them. An account needs a token that is less than an hour old, and cannot be deleted
    while a change of its address can be undone.
    """
    sign_ins.delete(context)


@blueprint.GET("/v1/me/tokens", auth.PLAYERS, query=Pages)
def list_my_tokens(context: Context, query: dict[str, Any]) -> DeviceList:
    """List my valid tokens, one for each device on which I am signed in, newest first."""
    return devices.devices(context, query["page"])


@blueprint.DELETE("/v1/me/tokens", auth.PLAYERS, "All my tokens are revoked.")
def revoke_my_tokens(context: Context) -> None:
    """Sign out everywhere: revoke all my tokens permanently, this one too.

    My push subscriptions and links in mails that I got end as well.
    """
    devices.sign_out_everywhere(context)


@blueprint.DELETE(
    "/v1/me/tokens/<uuid:token>", auth.PLAYERS, "The token is revoked: requests with it are refused."
)
def revoke_my_token(context: Context, token: UUID) -> None:
    """Sign out on one device: revoke one of my tokens permanently. Its push subscriptions end with it."""
    devices.sign_out(context, token)
