"""App keys: created by an operator's command, in a transaction of its own, or over HTTP by an app."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

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
from api.store.database.session import Session


def create_app_key(
    connection: Connection,
    name: str,
    scopes: list[str],
    expires: timedelta | None,
    key_name: str | None = None,
) -> tuple[str, str]:
    """Create a key for the app of this name, and the app if there is none yet; return (id, key).

    To rotate keys, create a second one: both are valid until the old one is revoked.
    """
    session, now = Session.over(connection), datetime.now(UTC)
    app_id = credentials.ensure_app(session, new_id(), name, now)
    key = tokens.new(tokens.APP_PREFIX, secrets.token_bytes)
    expires_at, prefix = tokens.expiry(now, expires), tokens.prefix(key)
    new_key = Credential(new_id(), sorted(scopes), now, expires_at, name=key_name, prefix=prefix)
    credentials.insert(session, new_key, app_id, None, tokens.digest(key))
    return str(new_key.id), key


def list_keys(connection: Connection) -> list[dict[str, Any]]:
    """List every app key with its id, name, scopes and times, but without the key itself."""
    return credentials.all_keys(Session.over(connection))


def revoke_key(connection: Connection, key_id: str, keep_tokens: bool = True) -> bool:
    """Revoke a key and, unless `keep_tokens`, its tokens; return whether there is such a key."""
    try:
        revoked = UUID(key_id)
    except ValueError:
        return False
    session = Session.over(connection)
    if credentials.app_key(session, revoked, None) is None:
        return False
    credentials.revoke_key(session, revoked, datetime.now(UTC), keep_tokens)
    return True


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
    key = tokens.new(tokens.APP_PREFIX, context.random_bytes)
    new_key = Credential(
        id=context.new_id(),
        scopes=sorted(scopes),
        created_at=now,
        expires_at=expires_at,
        name=name,
        prefix=tokens.prefix(key),
    )
    with idempotency.transaction(context):
        quotas.require_room_for_key(context, context.app_id)
        tokens.lock(context)
        credentials.insert(context.session, new_key, context.app_id, None, tokens.digest(key))
        shown: answers.NewKeyShown = {**show(new_key), "key": key}
        return idempotency.keep(context, shown)


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
