"""How many mails may be asked for: by player, by app, and by the address to which they go.

The counts survive the deletion of players, and are the same for all processes. An address is counted as a
keyed hash, from which nobody without ENCRYPTION_KEYS can find it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from api.context import Context
from api.core.errors import Conflict
from api.core.names import ascii_form
from api.core.shares import Resource
from api.features.mail.tables import allowances
from api.store.database.session import scalar

DAY = timedelta(days=1)
# So many at once, and over the next day as many again, one after the other.
OF_PLAYER, OF_ADDRESS_IN_APP, OF_ADDRESS = 5, 3, 6
SIGN_INS, SIGN_INS_FROM_NETWORK, SIGN_INS_OF_ACCOUNT = 8, 4, 6  # of an address

SIGN_IN_MAILS = Resource(
    "mails to sign in",
    "`CONFIRMATION_MAILS` at once, and in a day as many again",
    "networks that ask for them",
    "409, until some of them are a day old",
    others=9,
)

t = allowances.c


def take_confirmation(context: Context, player_id: UUID, address: str) -> None:
    """Count a mail that asks to confirm an address, in the open transaction. Raises Conflict if too many."""
    to = _counted_form(address)
    _take_all(
        context,
        (f"player {player_id}", OF_PLAYER, "this player"),
        (f"address {context.app_id} {to}", OF_ADDRESS_IN_APP, "this address"),
        (f"address {to}", OF_ADDRESS, "this address"),
        (f"app {context.app_id}", context.settings.confirmation_mails, "this app"),
    )


def take_sign_in(context: Context, address: str, account: UUID | None) -> None:
    """Count a mail with a link to sign in, in the open transaction. Raises Conflict if there were too many.

    They are counted apart from other mails, so that nobody who has other mail sent can prevent signing in.
    Strangers use up neither what is for the devices of an account (`account`, if one of them asks), nor all
    that is for the other networks: of an address they get half, of the server their share.
    """
    if account is not None and _taken(context, f"sign-in account {account}", DAY / SIGN_INS_OF_ACCOUNT):
        return
    most, to = context.settings.confirmation_mails, f"sign-in {_counted_form(address)}"
    whole = max(OF_ADDRESS, most // (1 + SIGN_IN_MAILS.others))
    own = [f"sign-in from {network}" for network in context.networks]
    _take_all(
        context,
        (to, SIGN_INS, "this address"),
        (f"{to} from {context.networks[0]}", SIGN_INS_FROM_NETWORK, "this address from your network"),
        ("sign-in", most, "this server"),
    )
    used = most * _used(context, "sign-in") - 1  # others wait until this one has ended
    if not SIGN_IN_MAILS.has_room(most, used, [whole * _used(context, level) for level in own]):
        raise Conflict("Too many such mails were sent for your network. Try again later.")
    _take_all(context, *((level, whole, "your network") for level in own))


def _take_all(context: Context, *counted: tuple[str, int, str]) -> None:
    for what, most, whom in sorted(counted):  # in one order, so that no two requests wait for each other
        if not _taken(context, what, DAY / most):
            raise Conflict(f"{most} such mails were sent for {whom}. Try again later.")


def _bucket(context: Context, what: str) -> bytes:
    return context.session.cipher.digest(what.encode())


def _taken(context: Context, what: str, each: timedelta) -> bool:
    """Use `each` of an allowance that is restored in a day; return False if too little of it is left.

    `used_until` is when all of it will be restored. Requests at the same time wait for each other.
    """
    now, bucket = context.now(), _bucket(context, what)
    until = func.greatest(t.used_until, now) + each
    taken = (
        insert(allowances)
        .values(bucket=bucket, used_until=now + each)
        .on_conflict_do_update(
            index_elements=[t.bucket], set_={"used_until": until}, where=until <= now + DAY
        )
    )
    return context.session.execute(taken.returning(t.bucket)).fetchone() is not None


def _used(context: Context, what: str) -> float:
    """Return which part of an allowance is used, from 0 to 1."""
    known = select(t.used_until).where(t.bucket == _bucket(context, what))
    until: datetime | None = scalar(context.session, known)
    return 0.0 if until is None else min(1.0, max(0.0, (until - context.now()) / DAY))


def prune(context: Context) -> int:
    """Delete what counts no longer; return how many rows."""
    return context.session.execute(allowances.delete().where(t.used_until < context.now())).rowcount


def _counted_form(address: str) -> str:
    """Return the form that is equal for addresses of one mailbox.

    Capitals, dots, and what follows a plus sign make no difference in many mailboxes. Where they do, a few
    people share a limit.
    """
    local, _, domain = ascii_form(address).casefold().rpartition("@")
    return f"{local.partition('+')[0].replace('.', '')}@{domain}"
