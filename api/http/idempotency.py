"""Idempotency-Key: what is created, or hands out a secret, is answered once, and the answer kept.

A service makes its change inside `transaction` and hands its answer to `keep`:

    with idempotency.transaction(context):
        ...
        return idempotency.keep(context, show(player))

`transaction` claims the key, if there is one. A repeated request does not enter its block: it raises
`AlreadyAnswered` with the value of the first answer.

A request that writes an entry of a game's log needs no kept answer, because the entry names it
(`api.games.acting`): a repeated one is answered with the entry, and the game as it is now.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as changed
from datetime import timedelta
from hashlib import sha256
from typing import TypeVar
from uuid import UUID

from api.context import Context, IdempotencyKey
from api.core.errors import KeyReused
from api.core.json import dumps, loads
from api.store import idempotency_keys as store
from api.store.write import Request

T = TypeVar("T")
NAMED = 8  # bytes of a request's fingerprint in the log
REUSED = "This Idempotency-Key was already used for another request."


class AlreadyAnswered(Exception):
    """The request is a repetition; `value` is the first answer."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


@contextmanager
def transaction(context: Context) -> Iterator[None]:
    """Open the transaction of a request. Raises AlreadyAnswered, KeyReused."""
    with context.session.transaction():
        _claim(context)
        yield


def _claim(context: Context) -> None:
    """Claim the request's key, if there is one, in the open transaction."""
    key = context.key
    if key is not None:
        now, owner = context.now(), _owner(context)
        expired = now - timedelta(hours=context.settings.idempotency_hours)
        before = store.claim(context.session, owner, key.text, key.fingerprint, now, expired)
        _require_new(key, before)


def require_new(context: Context) -> None:
    """Raise AlreadyAnswered or KeyReused if an answer is kept under the request's key."""
    key = context.key
    if key is not None:
        expired = context.now() - timedelta(hours=context.settings.idempotency_hours)
        _require_new(key, store.find(context.session, _owner(context), key.text, expired))


def _require_new(key: IdempotencyKey, before: store.StoredKey | None) -> None:
    if before is not None:
        if before.fingerprint != key.fingerprint:
            raise KeyReused(REUSED)
        raise AlreadyAnswered(loads(before.body) if before.body else None)


def keep(context: Context, value: T) -> T:
    """Keep the answer to a request with a key, in its transaction or instead of an earlier one; return it."""
    key = context.key
    if key is not None:
        store.keep(context.session, _owner(context), key.text, _written(value))
    return value


def keep_new(context: Context, value: object) -> None:
    """Keep the answer to a request with a key, in its transaction, which fails if the key was used."""
    key = context.key
    assert key is not None
    body = _written(value)
    store.keep_new(context.session, _owner(context), key.text, key.fingerprint, context.now(), body)


def request_of(context: Context) -> Request | None:
    """Return the request as an entry names it; None if it has no key."""
    key = context.key
    if key is None:
        return None
    hashed = sha256(_owner(context).bytes + key.text.encode()).digest()
    return Request(UUID(bytes=hashed[:16]), key.fingerprint[:NAMED])


def _written(value: object) -> bytes:
    """Return the stored form of an answer."""
    return b"" if value is None else dumps(value)


def _owner(context: Context) -> UUID:
    """Return the owner of a kept response: the credential, because another one of its app may see less."""
    assert context.key is not None
    owner = context.key.owner or context.caller.credential_id
    assert owner is not None
    return owner


def belongs_to(context: Context, owner: UUID) -> None:
    """Make the game or app the owner of the answer to a request without a token."""
    if context.key is not None:
        context.key = changed(context.key, owner=owner)
