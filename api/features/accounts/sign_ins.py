"""Accounts of this server, to which people sign in by a link that is mailed, without a password.

An account is a player of the guests' app whose address is confirmed: whoever has the link reads its mail. A
guest who signs in for the first time becomes an account and keeps all games. Asking for a link does the same
for every address, so that nobody learns who has an account.

A token alone does not take an account from its owner. Another address, or deletion, needs one that is new,
and the previous address gets a link with which it has the account again.
"""

from __future__ import annotations

import hmac
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg

from api.callers import players
from api.context import Context
from api.core.callers import APP, GUEST, SEAT_GUEST
from api.core.errors import Conflict, Forbidden, NotFound, ProblemType, ServiceError, Unauthorized
from api.core.names import account_form
from api.features.accounts import store
from api.features.accounts.mails import WITHIN, digest
from api.features.accounts.store import SignIn
from api.features.mail import allowances, links
from api.features.mail import store as contacts
from api.features.mail.contacts import contact_of
from api.features.mail.store import Contact
from api.games import quotas
from api.http import idempotency, tokens
from api.store import credentials
from api.store import players as player_store
from api.store.players import Player
from referee.clocks import timestamp

STAY = timedelta(days=180)  # how long a device stays signed in
RECENT = timedelta(hours=1)  # so old may a token be for what could take the account from its owner
UNDO = timedelta(days=7)  # how long a change of address can be undone by who reads mail to the previous one
NEW_NAME = "Player"
INVALID = "The link is invalid, has expired or was used before."


class SignInAgain(ServiceError):
    """What the caller asks for needs a token that is new: an old one may have been stolen."""

    problem = ProblemType(
        403,
        "sign-in-again",
        "A recent sign-in is needed",
        "This could take an account from its owner, so it needs a token that is less than an hour old:"
        " sign in again.",
    )


def ask(context: Context, request: dict[str, Any], network: str, language: str) -> dict[str, Any]:
    """Have a link mailed in a language, for a caller in this network. Raises Forbidden, Conflict."""
    if not context.settings.guests:
        raise Forbidden("This server has no accounts.")
    if not context.settings.mail_from:
        raise Conflict("This server sends no mail.")
    now, address = context.now(), request["address"]
    asked = SignIn(context.new_id(), address, now, now + WITHIN, language)
    account = _account(context, address, request.get("device_key"))
    with context.session.transaction():
        allowances.take_sign_in(context, address, network, account)
        store.insert(context.session, asked)
    return {"id": str(asked.id), "expires_at": timestamp(asked.expires_at)}


def _account(context: Context, address: str, device_key: str | None) -> UUID | None:
    """Return the player of an address's account, if the key was given to a device that signed in to it."""
    try:
        contact = links.follow(context, links.DEVICE, device_key) if device_key else None
    except NotFound:
        return None
    mine = contact is not None and contact.account == _hash(context, address)
    return contact.player_id if contact is not None and mine else None


def preview(context: Context, sign_in_id: UUID, code: str) -> dict[str, Any]:
    """Return the address of a link, and the name of its account, to whoever has the link. Raises NotFound."""
    app_id = _see_guests(context)
    asked = _valid(context, sign_in_id, code)
    player_id = asked.restores
    if player_id is None:
        account = contacts.of_account(context.session, _hash(context, asked.address))
        player_id = account and account.player_id
    player = player_store.get(context.session, app_id, player_id) if player_id else None
    return _preview(asked, players.show_name(player) if player else None)


def _preview(asked: SignIn, player: dict[str, Any] | None) -> dict[str, Any]:
    return {"address": asked.address, "player": player, "restores": asked.restores is not None}


def complete(context: Context, sign_in_id: UUID, request: dict[str, Any]) -> dict[str, Any]:
    """Sign in to the account of a link's address on one device; create the account if there is none.

    A caller who is a guest becomes that new account. A link that undoes a change of address signs out all
    other devices. Raises NotFound, Forbidden, Conflict, LimitReached.
    """
    app_id = _see_guests(context)
    idempotency.belongs_to(context, app_id)
    try:
        with idempotency.transaction(context):
            asked = _valid(context, sign_in_id, request["code"], lock=True)
            store.use(context.session, asked.id, context.now())
            account = _hash(context, asked.address)
            contact = contacts.of_account(context.session, account)
            if asked.restores is not None:
                contact = _restore(context, asked, account, contact)
            elif contact is None:
                player_id = _guest(context, app_id) or _new_player(context, app_id, request.get("name"))
                contact = _confirm(context, app_id, player_id, asked.address, account)
            return _signed_in(context, app_id, contact, request.get("device"))
    except psycopg.errors.UniqueViolation:
        raise Conflict("An account with this address was created a moment ago: repeat the request.") from None


def move(context: Context, sign_in_id: UUID, code: str) -> dict[str, Any]:
    """Make the address of a link the address of the caller's account; its previous address is told.

    Raises NotFound, Conflict, SignInAgain, Unauthorized.
    """
    try:
        with context.session.transaction():
            asked = _valid(context, sign_in_id, code, lock=True)
            if asked.restores is not None:
                raise NotFound(INVALID)
            tokens.hold(context)  # before the contact, as whoever undoes a change: it may have ended by then
            account = _hash(context, asked.address)
            own = contacts.get(context.session, context.player_id, lock=True)
            if own is None or own.account is None:
                raise Conflict("Sign in with an address first.")
            other = contacts.of_account(context.session, account)
            if other is not None and other.player_id != own.player_id:
                raise Conflict("Another account has this address.")
            if own.account != account:
                _require_recent(context)
                _require_settled(context)
                _tell(context, own)
            store.use(context.session, asked.id, context.now())
            contacts.update(context.session, _at(context, own, asked.address, account))
    except psycopg.errors.UniqueViolation:
        raise Conflict("Another account has this address.") from None
    return _preview(asked, players.me(context)["player"])


def delete(context: Context) -> None:
    """Delete the caller, a guest or an account. Raises SignInAgain, Conflict, Unauthorized."""
    contact = contacts.get(context.session, context.player_id)
    if contact is not None and contact.account is not None:
        _require_recent(context)
        _require_settled(context)
    try:
        players.delete(context, context.player_id)
    except NotFound:  # deleted a moment ago, and its tokens with it
        raise Unauthorized(tokens.UNKNOWN) from None


def _require_recent(context: Context) -> None:
    """Raise SignInAgain if the caller's token is not new: somebody else may have it."""
    assert context.caller.credential_id is not None
    if context.now() - credentials.created_at(context.session, context.caller.credential_id) > RECENT:
        raise SignInAgain("Sign in again first: this needs a sign-in within the last hour.")


def _require_settled(context: Context) -> None:
    """Raise Conflict if the account's owner may still have to undo a change of its address."""
    if store.can_be_restored(context.session, context.player_id, context.now()):
        raise Conflict(
            f"The address of this account was changed less than {UNDO.days} days ago. That can still be"
            " undone with the link that its previous address got."
        )


def _tell(context: Context, own: Contact) -> None:
    """Mail a link to the address that an account has until now, with which it gets the account again."""
    assert own.email is not None
    now, language = context.now(), own.preferences.language
    undo = SignIn(context.new_id(), own.email, now, now + UNDO, language, restores=own.player_id)
    store.insert(context.session, undo)


def _at(context: Context, contact: Contact, address: str, account: bytes) -> Contact:
    """Return the contact of an account with this address, which is confirmed."""
    known = contact if contact.account == account else contact.moved()
    return known._replace(email=address, confirmed_at=context.now(), refused_at=None, account=account)


def _restore(context: Context, asked: SignIn, account: bytes, other: Contact | None) -> Contact:
    """Give an account the address of a link back, which it had before; nothing else that it had works on."""
    assert asked.restores is not None
    if other is not None and other.player_id != asked.restores:
        raise Conflict(
            "Another account has this address now. Give it another address or delete it, then open the link"
            " again."
        )
    credentials.revoke_all_tokens(context.session, asked.restores, context.now())
    players.signed_out(context, asked.restores)
    contact = contacts.get(context.session, asked.restores, lock=True)
    if contact is None:
        raise NotFound(INVALID)
    contact = _at(context, contact, asked.address, account)
    contacts.update(context.session, contact)
    return contact


def _see_guests(context: Context) -> UUID:
    """See the rows of the guests' app. Raises Forbidden for callers of other apps."""
    app_id = credentials.ensure_app(context.session, context.new_id(), credentials.GUESTS, context.now())
    if context.caller.app_id not in (None, app_id) or context.caller.kind == APP:
        raise Forbidden("Only guests and accounts of this server sign in.")
    context.session.see(app_id)
    return app_id


def _valid(context: Context, sign_in_id: UUID, code: str, *, lock: bool = False) -> SignIn:
    """Return the request of a link that can be used. Raises NotFound."""
    asked = store.get(context.session, sign_in_id, lock=lock)
    if asked is not None and asked.used_at is None and context.now() < asked.expires_at:
        given = digest(code)
        if any(hmac.compare_digest(given, bytes(known)) for known in asked.codes):
            return asked
    raise NotFound(INVALID)


def _hash(context: Context, address: str) -> bytes:
    """Return the hash by which the account with an address is found.

    Its key is the database's own, which does not change when another key encrypts the database.
    """
    about = b"account " + account_form(address).encode()
    return hmac.digest(context.session.history.secret, about, "sha256")


def _guest(context: Context, app_id: UUID) -> UUID | None:
    """Return the caller if it is a guest without an account; what others may have of it then ends.

    Somebody else may have its tokens, and must not have the account.
    """
    caller = context.caller
    if caller.player_id is None or not caller.scopes & {GUEST, SEAT_GUEST}:
        return None
    if player_store.get(context.session, app_id, caller.player_id, lock=True) is None:
        return None  # deleted meanwhile
    # After the lock: of two who have the token and sign in at the same time, one becomes the account.
    contact = contacts.get(context.session, caller.player_id)
    if contact is not None and contact.account is not None:
        return None
    credentials.revoke_all_tokens(context.session, caller.player_id, context.now())
    players.signed_out(context, caller.player_id)
    return caller.player_id


def _new_player(context: Context, app_id: UUID, name: str | None) -> UUID:
    quotas.require_room_for_player(context, app_id)
    player = Player(context.new_id(), name or NEW_NAME, context.now())
    player_store.insert(context.session, player, app_id)
    return player.id


def _confirm(context: Context, app_id: UUID, player_id: UUID, address: str, account: bytes) -> Contact:
    """Store the confirmed address of a new account."""
    contact = _at(context, contact_of(context, app_id, player_id), address, account)
    contacts.update(context.session, contact)
    return contact


def _signed_in(context: Context, app_id: UUID, contact: Contact, device: str | None) -> dict[str, Any]:
    """Create the token of a device, in the open transaction."""
    player_id, expires_at = contact.player_id, context.now() + STAY
    quotas.require_room_for_token(context, player_id)
    player = player_store.several(context.session, app_id, [player_id])[player_id]
    token_id, token = players.new_token(context, app_id, player_id, [GUEST], expires_at, device=device)
    answer = {
        "id": str(token_id),
        "token": token,
        "expires_at": timestamp(expires_at),
        "player": players.show_name(player),
        "device_key": links.make(contact, links.DEVICE),
    }
    return idempotency.keep(context, answer, secret=token)


def forget(context: Context, player_id: UUID) -> None:
    """Delete the addresses that an account had, in the open transaction."""
    store.delete_restoring(context.session, player_id)
