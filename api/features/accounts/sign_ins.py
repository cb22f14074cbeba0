"""Accounts of this server, to which people sign in by a link that is mailed, without a password.

An account is a player of the guests' app whose address is confirmed: whoever has the link reads its mail. A
guest who signs in for the first time becomes an account and keeps all games; an account that is there already
takes over the seats of its guests. Asking for a link does the same for every address, so that nobody learns
who has an account.

A link carries the guest along who asked for it, wherever it is opened. Instead of opening it, a code of six
digits can be typed where it was asked for; it is for this link alone, lasts for ten minutes, and can be
guessed five times.

A token alone does not take an account from its owner. Another address, or deletion, needs one that is new,
and the previous address gets a link with which it has the account again.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from api.callers import answers as callers
from api.callers import players
from api.context import Context
from api.core.callers import APP, GUEST, SEAT_GUEST
from api.core.errors import Conflict, Forbidden, NotFound, ProblemType, ServiceError, Unauthorized
from api.core.names import ascii_form
from api.features.accounts import answers, store
from api.features.accounts.mails import DIGITS, WITHIN, digest, typed_digest
from api.features.accounts.store import SignIn
from api.features.mail import allowances, links
from api.features.mail import store as contacts
from api.features.mail.contacts import contact_of, end_links
from api.features.mail.store import Contact
from api.games import quotas
from api.games.game import OPEN, RUNNING, Game
from api.games.saving import change_all
from api.http import idempotency, tokens
from api.store import credentials
from api.store import players as player_store
from api.store.players import Player
from referee.clocks import timestamp
from referee.table import PlayerName, Who, commands

STAY = timedelta(days=180)  # how long a device stays signed in
RECENT = timedelta(hours=1)  # so old may a token be for what could take the account from its owner
UNDO = timedelta(days=7)  # how long a change of address can be undone by who reads mail to the previous one
NEW_NAME = "Player"
GUESSES = 5
INVALID = "The link or the code is invalid, has expired or was used before."


class SignInAgain(ServiceError):
    """What the caller asks for needs a token that is new: an old one may have been stolen."""

    problem = ProblemType(
        403,
        "sign-in-again",
        "A recent sign-in is needed",
        "This could take an account from its owner, so it needs a token that is less than an hour old:"
        " sign in again.",
    )


def ask(context: Context, request: dict[str, Any], language: str) -> answers.SignIn:
    """Have a link mailed in a language. Raises Forbidden, Conflict."""
    if not context.settings.guests:
        raise Forbidden("This server has no accounts.")
    if not context.settings.mail_from:
        raise Conflict("This server sends no mail.")
    now, address = context.now(), request["address"]
    caller = context.caller
    guest = caller.player_id if caller.scopes & {GUEST, SEAT_GUEST} else None
    asked = SignIn(context.new_id(), address, now, now + WITHIN, language, guest=guest)
    account = _account(context, address, request.get("device_key"))
    with context.session.transaction():
        allowances.take_sign_in(context, address, account)
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


def preview(context: Context, sign_in_id: UUID, code: str) -> answers.SignInPreview:
    """Return the address of a link, its account and its guest, to whoever has the link. Raises NotFound."""
    app_id = _see_guests(context)
    asked = _guessed(context, sign_in_id, code)
    player_id = asked.restores
    if player_id is None:
        account = contacts.of_account(context.session, _hash(context, asked.address))
        player_id = account and account.player_id
    player = player_store.get(context.session, app_id, player_id) if player_id else None
    return _preview(
        asked, players.show_name(player) if player else None, _carried(context, app_id, asked, player)
    )


def _carried(
    context: Context, app_id: UUID, asked: SignIn, account: Player | None
) -> answers.CarriedGuest | None:
    """Return the guest of a link who can still be adopted, and how many games the account gets with it."""
    guest = asked.guest and player_store.get(context.session, app_id, asked.guest)
    if not guest or _has_account(context, guest.id):
        return None
    games = store.count_games(context.session, guest.id, over=account is None)
    return {"player": players.show_name(guest), "games": games}


def _preview(
    asked: SignIn, player: callers.Player | None, guest: answers.CarriedGuest | None = None
) -> answers.SignInPreview:
    restores = asked.restores is not None
    return {"address": asked.address, "player": player, "restores": restores, "guest": guest}


def complete(context: Context, sign_in_id: UUID, request: dict[str, Any]) -> answers.SignedIn:
    """Sign in to the account of a link's address on one device; create the account if there is none.

    The first guest becomes that new account; the seats of others, or of all if the account is there already,
    are handed over to it. A link that undoes a change of address signs out all other devices. Raises
    NotFound, Forbidden, Conflict, LimitReached.
    """
    app_id = _see_guests(context)
    idempotency.belongs_to(context, app_id)
    _count_guess(context, sign_in_id, request["code"])
    guests: list[UUID] = []
    try:
        with idempotency.transaction(context):
            asked = _valid(context, sign_in_id, request["code"], lock=True)
            store.use(context.session, asked.id, context.now())
            account = _hash(context, asked.address)
            contact = contacts.of_account(context.session, account)
            if asked.restores is not None:
                contact = _restore(context, asked, account, contact)
            else:
                guests = _guests(context, app_id, asked, request)
                if contact is None:
                    adopted = next((each for each in guests if _becomes_account(context, app_id, each)), None)
                    player_id = adopted or _new_player(context, app_id, request.get("name"))
                    contact = _confirm(context, app_id, player_id, asked.address, account)
            answer = _signed_in(context, app_id, contact, request.get("device"))
    except psycopg.errors.UniqueViolation:
        raise Conflict("An account with this address was created a moment ago: repeat the request.") from None
    _hand_over(context, app_id, contact.player_id, guests)
    return answer


def _guests(context: Context, app_id: UUID, asked: SignIn, request: dict[str, Any]) -> list[UUID]:
    """Return the guests whom an account adopts: the one of the link, if wanted, and those of these tokens."""
    digests = [tokens.digest(token) for token in request.get("guests", ())]
    known = store.players_of(context.session, app_id, digests, context.now())
    carried = [asked.guest] if asked.guest and request.get("adopt") else []
    return list(dict.fromkeys([*carried, *(known[each] for each in digests if each in known)]))


def _hand_over(context: Context, app_id: UUID, account: UUID, guests: Sequence[UUID]) -> None:
    """Give an account the seats of its guests in games that are not over, as far as it has none there."""
    others = [guest for guest in guests if guest != account and not _has_account(context, guest)]
    player = player_store.get(context.session, app_id, account)
    if not others or player is None:
        return
    who = Who(PlayerName(str(player.id), player.name))
    with context.session.transaction():
        found = store.lock_games(context.session, others)
        change_all(context, found, lambda game: _reseat(game, {*map(str, others)}, who, context.now()))


def _reseat(game: Game, guests: Collection[str], who: Who, at: datetime) -> None:
    """Give somebody the first seat of these guests; a seat that has committed to its entropy stays theirs."""
    held = [seat.player and seat.player.id for seat in game.seats]
    mine = [number for number, holder in enumerate(held) if holder in guests]
    if not mine or (who.player and who.player.id in held):
        return
    game.by = APP  # by itself, a seat is handed over only if all others agree
    if game.status == RUNNING:
        game.hand_over(commands.seats.HandOver(mine[0], who), at)
    elif game.status == OPEN and game.dealing is None:
        entropy = game.seats[mine[0]].entropy
        game.obey(commands.seats.GetUp(mine[0]), at)
        game.obey(commands.seats.Sit(mine[0], who, entropy=entropy), at)


def move(context: Context, sign_in_id: UUID, code: str) -> answers.SignInPreview:
    """Make the address of a link the address of the caller's account; its previous address is told.

    Raises NotFound, Conflict, SignInAgain, Unauthorized.
    """
    _count_guess(context, sign_in_id, code)
    try:
        with context.session.transaction():
            asked = _valid(context, sign_in_id, code, lock=True)
            if asked.restores is not None:
                raise NotFound(INVALID)
            tokens.lock(context)  # before the contact, as whoever undoes a change: it may have ended by then
            account = _hash(context, asked.address)
            own = contacts.get(context.session, context.player_id, lock=True)
            if own is None or own.account is None:
                raise Conflict("Sign in with an address first.")
            other = contacts.of_account(context.session, account)
            if other is not None and other.player_id != own.player_id:
                raise Conflict("Another account has this address.")
            if own.account != account:
                _require_recent(context)
                _require_no_undo(context)
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
        _require_no_undo(context)
    try:
        players.delete(context, context.player_id)
    except NotFound:  # deleted a moment ago, and its tokens with it
        raise Unauthorized(tokens.UNKNOWN) from None


def _require_recent(context: Context) -> None:
    """Raise SignInAgain if the caller's token is not new: somebody else may have it."""
    assert context.caller.credential_id is not None
    if context.now() - credentials.created_at(context.session, context.caller.credential_id) > RECENT:
        raise SignInAgain("Sign in again first: this needs a sign-in within the last hour.")


def _require_no_undo(context: Context) -> None:
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
    known = contact if contact.account == account else end_links(context, contact)
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
        if _is_typed(code) and _fits(context, asked, code):
            return asked
    raise NotFound(INVALID)


def _is_typed(code: str) -> bool:
    return len(code) == DIGITS and code.isdecimal()


def _fits(context: Context, asked: SignIn, code: str) -> bool:
    """Return whether this is the code to type of a request, and it is not guessed too often."""
    if asked.typed is None or asked.typed_until is None or asked.restores is not None:
        return False
    valid = context.now() < asked.typed_until and asked.guesses <= GUESSES
    return hmac.compare_digest(typed_digest(context, code), bytes(asked.typed)) and valid


def _count_guess(context: Context, sign_in_id: UUID, code: str) -> None:
    """Count a code that is typed, before it is compared: so that no two requests are one guess."""
    if _is_typed(code):
        store.count_guess(context.session, sign_in_id, 1)


def _guessed(context: Context, sign_in_id: UUID, code: str) -> SignIn:
    """Return the request of a link whose code is looked at, not used: the right one costs no guess."""
    _count_guess(context, sign_in_id, code)
    asked = _valid(context, sign_in_id, code)
    if _is_typed(code):
        store.count_guess(context.session, sign_in_id, -1)
    return asked


def _hash(context: Context, address: str) -> bytes:
    """Return the hash by which the account with an address, in any of its spellings, is found.

    Its key is the database's own, which does not change when another key encrypts the database.
    """
    about = b"account " + ascii_form(address).casefold().encode()
    return hmac.digest(context.session.secret, about, "sha256")


def _becomes_account(context: Context, app_id: UUID, guest: UUID) -> bool:
    """Return whether a guest has no account yet; what others may have of it then ends.

    Somebody else may have its tokens, and must not have the account.
    """
    if player_store.get(context.session, app_id, guest, lock=True) is None:
        return False  # deleted meanwhile
    # After the lock: of two who have the token and sign in at the same time, one becomes the account.
    if _has_account(context, guest):
        return False
    credentials.revoke_all_tokens(context.session, guest, context.now())
    players.signed_out(context, guest)
    player_store.forget_networks(context.session, guest)
    return True


def _has_account(context: Context, player_id: UUID) -> bool:
    contact = contacts.get(context.session, player_id)
    return contact is not None and contact.account is not None


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


def _signed_in(context: Context, app_id: UUID, contact: Contact, device: str | None) -> answers.SignedIn:
    """Create the token of a device, in the open transaction."""
    player_id, expires_at = contact.player_id, context.now() + STAY
    quotas.require_room_for_token(context, player_id)
    player = player_store.several(context.session, app_id, [player_id])[player_id]
    token_id, token = players.new_token(context, app_id, player_id, [GUEST], expires_at, device=device)
    answer: answers.SignedIn = {
        "id": str(token_id),
        "token": token,
        "expires_at": timestamp(expires_at),
        "player": players.show_name(player),
        "device_key": links.make(contact, links.DEVICE),
    }
    return idempotency.keep(context, answer)


def forget(context: Context, player_id: UUID) -> None:
    """Delete the addresses that an account had, in the open transaction."""
    store.delete_restoring(context.session, player_id)


def leave_behind(context: Context, player_id: UUID) -> None:
    """Let no link carry a guest along who has ended all its tokens: one of them may have asked for it."""
    store.leave_behind(context.session, player_id)
