"""Idempotency-Key: the first answer is kept in the transaction of its request, and returned again.

The route reads the key into `context.keyed`; a service makes its change inside `transaction` and hands its
answer to `keep`:

    with idempotency.transaction(context):
        ...
        return idempotency.keep(context, show(player))

`transaction` claims the key, if there is one. A repeated request does not enter its block: it raises
`AlreadyAnswered`, and the route sends the kept answer. Actions in a game use `acting`, which does all this.

There are two forms. For a move, its place in the log is kept, which is a twentieth of the body, since a log
always shows the same (`api.play.answers`). Other answers are kept whole, because their content is not stored
elsewhere.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from api.context import Context, Keyed
from api.core.errors import ENDED, KeyReused, Unauthorized
from api.core.json import dumps, loads, stored
from api.store import idempotency_keys as store
from api.store.idempotency_keys import Answer, NewAnswer, Reference

T = TypeVar("T")
SEALED = "sealed"  # next to the headers of a kept answer
SHOWN = "shown"  # instead of the headers: a reference to the source of the answer
SALT_BYTES = 32


class AlreadyAnswered(Exception):
    """The request is a repetition; `answer` is the first answer, or has the `reference` to build it from."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer

    @property
    def reference(self) -> Reference | None:
        """The reference to build the answer from; None if it was kept whole."""
        return reference_of(self.answer)


@contextmanager
def transaction(context: Context, pipelined: bool = False) -> Iterator[None]:
    """Open the transaction of a request. Raises AlreadyAnswered, KeyReused, Unauthorized."""
    with context.session.transaction(pipelined):
        before = _claim(context)
        if before is None:
            if context.caller.ended:
                raise Unauthorized(ENDED)
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
        raise KeyReused("This Idempotency-Key was already used for another request.")
    answer = before.answer if before.final else store.finalise(context.session, owner, keyed.key)
    return _unsealed(keyed, answer)


def keep(
    context: Context,
    value: T,
    *,
    final: bool = True,
    secret: str | None = None,
    reference: Reference | None = None,
) -> T:
    """Keep the answer to a request with a key, in its transaction, and return it.

    An answer that is not `final` is given to repeated requests until `replace` is called. A `secret` in the
    answer is kept sealed, so only a caller who repeats the request with the same token sees it. With a
    `reference`, from which the same answer can be built again, only that is kept.
    """
    keyed = context.keyed
    if keyed is not None:
        kept = _rendered(context, keyed, value, secret, reference)
        store.keep(context.session, _owner(context), keyed.key, kept, final)
    return value


def kept_at_once(
    context: Context, value: object, *, final: bool, reference: Reference | None
) -> NewAnswer | None:
    """Return the kept answer of a request under an unused key, or None if it has no key.

    The statement that writes it must write nothing if the key was used in the meantime.
    """
    keyed = context.keyed
    if keyed is None:
        return None
    kept = _rendered(context, keyed, value, None, reference)
    return NewAnswer(_owner(context), keyed.key, keyed.fingerprint, context.now(), kept, final)


def _rendered(
    context: Context, keyed: Keyed, value: object, secret: str | None, reference: Reference | None
) -> Answer:
    """Render the answer for the caller, and return its stored form."""
    keyed.answer = keyed.render(value)
    if reference is not None:
        place, signature = reference
        return Answer(keyed.answer.status, stored({SHOWN: place}), b"", signature)
    if secret is None:
        return keyed.answer
    return _sealed(keyed, keyed.answer, secret, context.random_bytes(SALT_BYTES))


def _sealed(keyed: Keyed, answer: Answer, secret: str, salt: bytes) -> Answer:
    """Return the answer with its secret replaced by the salt, and sealed next to the headers."""
    status, headers, body, _ = answer
    box = [salt.hex(), _masked(keyed, secret.encode(), salt).hex()]
    return Answer(status, dumps({**loads(headers), SEALED: box}).decode(), _swap(body, secret, salt.hex()))


def reference_of(answer: Answer) -> Reference | None:
    """Return the reference that was kept instead of an answer, or None."""
    place = None if answer.body else loads(answer.headers).get(SHOWN)
    return None if place is None else Reference(place, answer.signature)


def _unsealed(keyed: Keyed, answer: Answer) -> Answer:
    headers = loads(answer.headers)
    if SEALED not in headers:
        return answer
    salt, box = headers.pop(SEALED)
    secret = _masked(keyed, bytes.fromhex(box), bytes.fromhex(salt)).decode()
    return Answer(answer.status, dumps(headers).decode(), _swap(answer.body, salt, secret))


def _swap(body: bytes, old: str, new: str) -> bytes:
    return body.replace(old.encode(), new.encode())


def _masked(keyed: Keyed, text: bytes, salt: bytes) -> bytes:
    """Mask a short text, or remove the mask; the database has the salt, but not the caller's secret.

    Each salt masks one text, so the mask is a one-time pad that nobody without the token can compute.
    """
    pad = hmac.digest(keyed.secret.encode(), salt, "sha512")
    assert len(text) <= len(pad)
    return bytes(a ^ b for a, b in zip(text, pad, strict=False))


def replace(
    context: Context, value: T, *, secret: str | None = None, reference: Reference | None = None
) -> Reference | None:
    """Replace the kept answer after the commit, unless a repeated request has already got the first one.

    Return the reference of the first one if its answer must be built again, else None.
    """
    keyed = context.keyed
    if keyed is None:
        return None
    answer = _rendered(context, keyed, value, secret, reference)
    kept = store.replace(context.session, _owner(context), keyed.key, answer)
    if kept is answer and secret is None:
        return None
    keyed.answer = _unsealed(keyed, kept)
    return reference_of(kept)


def _owner(context: Context) -> UUID:
    """Return the owner of a kept answer: the credential, because another one of its app may see less."""
    assert context.keyed is not None
    owner = context.keyed.owner or context.caller.credential_id
    assert owner is not None
    return owner


def belongs_to(context: Context, owner: UUID) -> None:
    """Make the game or app the owner of the answer to a request without a token."""
    if context.keyed is not None:
        context.keyed.owner = owner
