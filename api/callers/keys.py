"""App keys over HTTP; `app_keys` has the commands of operators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from api.callers import answers
from api.context import Context
from api.core.clock import new_id
from api.core.errors import Forbidden, NotFound
from api.core.paging import Page, PageOf, uuid_page
from api.games import quotas
from api.http import idempotency, tokens
from api.http.answers import shown
from api.store import credentials
from api.store.credentials import Credential


def create(
    context: Context, scopes: list[str], expires_in: timedelta | None, name: str | None
) -> answers.NewKeyShown:
    """Create another key of the caller's app, with no more scopes and no longer life.

    Raises Forbidden, LimitReached.
    """
    caller, now = context.caller, context.now()
    if not set(scopes) <= caller.scopes:
        raise Forbidden("A key cannot give more scopes than it has.")
    expires_at = tokens.expiry(now, expires_in, caller.expires_at)
    new, key = make_key(context.random_bytes, scopes, now, expires_at, name)
    with idempotency.transaction(context):
        quotas.require_room_for_key(context, context.app_id)
        tokens.lock(context)
        credentials.insert(context.session, new, context.app_id, None, tokens.digest(key))
        shown: answers.NewKeyShown = {**show(new), "key": key}
        return idempotency.keep(context, shown)


def make_key(
    random_bytes: Callable[[int], bytes],
    scopes: list[str],
    now: datetime,
    expires_at: datetime | None,
    name: str | None,
) -> tuple[Credential, str]:
    """Return a new key, which is not stored yet, and the key itself."""
    key = tokens.new(tokens.APP_PREFIX, random_bytes)
    return Credential(new_id(), sorted(scopes), now, expires_at, name=name, prefix=tokens.prefix(key)), key


def page(context: Context, chosen: Page) -> PageOf[answers.Key]:
    """List the app's keys, newest first."""
    rows = credentials.of_app(context.session, context.app_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show)


def revoke(context: Context, key_id: UUID, keep_tokens: bool) -> None:
    """Revoke a key of the caller's app and, unless `keep_tokens`, the player tokens made with it.

    Raises NotFound; Forbidden if the key has a scope that the caller lacks, or outlives it.
    """
    caller = context.caller
    with context.session.transaction():
        key = credentials.app_key(context.session, key_id, context.app_id)
        if key is None:
            raise NotFound("There is no such key.")
        if not set(key.scopes) <= caller.scopes:
            raise Forbidden("A key cannot revoke one with more scopes than it has.")
        bound = caller.expires_at
        if bound is not None and (key.expires_at is None or key.expires_at > bound):
            raise Forbidden("A key cannot revoke one that outlives it.")
        credentials.revoke_key(context.session, key_id, context.now(), keep_tokens)


def show(key: Credential) -> answers.Key:
    """Return the form of a key in answers."""
    return shown(answers.Key, key)
