"""Idempotency-Key: the first answer is kept in the transaction of its request, and returned again.

A service makes its change inside `transaction` and hands its answer to `keep`:

    with idempotency.transaction(context):
        ...
        return idempotency.keep(context, show(player))

`transaction` claims the key, if there is one. A repeated request does not enter its block: it raises
`AlreadyAnswered` with the value of the first answer. Actions in a game use `api.games.acting`, where claims
and answers are values.

There are two forms. For a move, its place in the log is kept, which is a twentieth of the body, since a log
always shows the same (`api.games.answers`). Other answers are kept whole, because their content is not stored
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as changed
from datetime import timedelta
from typing import NamedTuple, TypeVar
from uuid import UUID

from api.context import Context, IdempotencyKey
from api.core.errors import ENDED, KeyReused, Unauthorized
from api.core.json import dumps, loads, stored
from api.store import idempotency_keys as store
from api.store.idempotency_keys import NewResponse, Reference, StoredResponse

T = TypeVar("T")
SHOWN = "shown"  # in the headers: a reference to the source of the answer, instead of its body


class Kept(NamedTuple):
    """A kept response: its value, or a `reference` to build it from."""

    value: object = None
    reference: Reference | None = None


class AlreadyAnswered(Exception):
    """The request is a repetition; `value` is the first answer."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


class Replayed(NamedTuple):
    """The result of a service that was not asked for the first time."""

    value: object


@contextmanager
def transaction(context: Context, even_ended: bool = False) -> Iterator[None]:
    """Open the transaction of a request. Raises AlreadyAnswered, KeyReused, Unauthorized."""
    with context.session.transaction():
        before = claim(context, even_ended)
        if before is None:
            yield
            return
    raise AlreadyAnswered(before.value)


def claim(context: Context, even_ended: bool = False) -> Kept | None:
    """Claim the request's key in the open transaction; return the answer that is kept under it, if any.

    Raises KeyReused, and Unauthorized for a token that has ended: it gets only what was answered before,
    unless the request is one for the time after the end.
    """
    key = context.key
    if key is not None:
        now, owner = context.now(), _owner(context)
        expired = now - timedelta(hours=context.settings.idempotency_hours)
        before = store.claim(context.session, owner, key.text, key.fingerprint, now, expired)
        if before is not None:
            return _repeated(context, key, before)
    if context.caller.ended and not even_ended:
        raise Unauthorized(ENDED)
    return None


def find(context: Context) -> Kept | None:
    """Return the answer that is kept under the request's key, if any. Raises KeyReused.

    Raises Unauthorized for a token that has ended: it gets only what was answered before.
    """
    key = context.key
    if key is not None:
        expired = context.now() - timedelta(hours=context.settings.idempotency_hours)
        before = store.find(context.session, _owner(context), key.text, expired)
        if before is not None:
            return _repeated(context, key, before)
    if context.caller.ended:
        raise Unauthorized(ENDED)
    return None


def _repeated(context: Context, key: IdempotencyKey, before: store.StoredKey) -> Kept:
    """Return the first answer to a repeated request; from now on it is final. Raises KeyReused."""
    if before.fingerprint != key.fingerprint:
        raise KeyReused("This Idempotency-Key was already used for another request.")
    first = before.answer if before.final else store.finalise(context.session, _owner(context), key.text)
    return _read(first)


def keep(context: Context, value: T, *, final: bool = True, reference: Reference | None = None) -> T:
    """Keep the answer to a request with a key, in its transaction, and return it.

    An answer that is not `final` is given to repeated requests until `replace` is called. With a
    `reference`, from which the same answer can be built again, only that is kept.
    """
    key = context.key
    if key is not None:
        answer = _written(value, reference)
        store.keep(context.session, _owner(context), key.text, answer, final)
    return value


def new(context: Context, value: object, *, final: bool, reference: Reference | None) -> NewResponse | None:
    """Return the answer to keep under an unused key, or None if the request has no key.

    The statement that writes it must write nothing if the key was used in the meantime.
    """
    key = context.key
    if key is None:
        return None
    answer = _written(value, reference)
    return NewResponse(_owner(context), key.text, key.fingerprint, context.now(), answer, final)


def replace(context: Context, value: object, *, reference: Reference | None = None) -> Kept | None:
    """Replace the kept response after the commit; return the first one if a repeated request has got it."""
    key = context.key
    if key is None:
        return None
    answer = _written(value, reference)
    final = store.replace(context.session, _owner(context), key.text, answer)
    return None if final is answer else _read(final)


def _written(value: object, reference: Reference | None) -> StoredResponse:
    """Return the stored form of an answer."""
    if reference is not None:
        place, signature = reference
        return StoredResponse(stored({SHOWN: place}), b"", signature)
    return StoredResponse("{}", b"" if value is None else dumps(value))


def _read(answer: StoredResponse) -> Kept:
    """Return an answer from its stored form."""
    headers, body = loads(answer.headers), answer.body
    if not body and SHOWN in headers:
        return Kept(reference=Reference(headers[SHOWN], answer.signature))
    return Kept(loads(body) if body else None)


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
