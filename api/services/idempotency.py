"""Idempotency-Key: the first answer is kept in the transaction of what it answers, and given again.

The route reads the key into `context.keyed`; a service makes its change inside `transaction` and hands its
answer to `keep`:

    with idempotency.transaction(context):
        ...
        return idempotency.keep(context, show(player))

`transaction` claims the key, if there is one. A repeat does not get into its block: `AlreadyAnswered` leaves
it, and the route sends the kept answer. What acts in a game uses `acting`, which does all this itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from api.services.context import Context
from api.services.errors import KeyReused
from api.store import idempotency as store
from api.store.idempotency import Answer

T = TypeVar("T")


class AlreadyAnswered(Exception):
    """The request came before; `answer` is the one that it got."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


@contextmanager
def transaction(context: Context) -> Iterator[None]:
    """Open the transaction of a request's change. Raises AlreadyAnswered, KeyReused."""
    with context.session.transaction():
        before = _claim(context)
        if before is None:
            yield
            return
    raise AlreadyAnswered(before)


def _claim(context: Context) -> Answer | None:
    keyed = context.keyed
    if keyed is None:
        return None
    now, owner = context.now(), _owner(context)
    expired = now - timedelta(hours=context.settings.idempotency_hours)
    before = store.claim(context.session, owner, keyed.key, keyed.fingerprint, now, expired)
    if before is None:
        return None
    if before.fingerprint != keyed.fingerprint:
        raise KeyReused("This Idempotency-Key came before with another request.")
    return before.answer if before.final else store.finalise(context.session, owner, keyed.key)


def keep(context: Context, value: T, *, final: bool = True) -> T:
    """Keep the answer to a request with a key, in its transaction, and return it.

    One that is not `final` is what a repeat gets until `replace` was called.
    """
    keyed = context.keyed
    if keyed is not None:
        keyed.answer = keyed.render(value)
        store.keep(context.session, _owner(context), keyed.key, keyed.answer, final)
    return value


def replace(context: Context, value: T) -> T:
    """Keep another answer instead, after the commit, unless a repeat has got the first one meanwhile."""
    keyed = context.keyed
    if keyed is not None:
        keyed.answer = store.replace(context.session, _owner(context), keyed.key, keyed.render(value))
    return value


def _owner(context: Context) -> UUID:
    """Return whose the kept answer is: the credential's, since another one of its app may see less."""
    owner = context.caller.credential_id
    assert owner is not None
    return owner
