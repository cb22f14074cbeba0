"""App keys: from the command line, in a transaction that it opens; and an app's own, over HTTP."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from api.services import tokens
from api.services.context import Context, new_id
from api.services.errors import Forbidden, NotFound
from api.services.paging import Page, uuid_page
from api.store import credentials
from api.store.credentials import Credential
from api.store.db import Session


def create_app_key(
    connection: Connection, name: str, scopes: list[str], expires: timedelta | None
) -> tuple[str, str]:
    """Make a key of the app of this name, and the app where there is none yet; returns (id, key).

    A second key for the same name is how keys are rotated: both count until the old one is revoked.
    """
    session, now = Session.over(connection), datetime.now(UTC)
    app_id = credentials.ensure_app(session, new_id(), name, now)
    key_id, key = new_id(), tokens.new(tokens.APP_PREFIX, secrets.token_bytes)
    expires_at = tokens.expiry(now, expires)
    credentials.insert(session, key_id, app_id, None, tokens.digest(key), sorted(scopes), now, expires_at)
    return str(key_id), key


def list_keys(connection: Connection) -> list[dict[str, Any]]:
    """List every app key: id, name, scopes, times; never a key itself."""
    return credentials.all_keys(Session.over(connection))


def revoke_key(connection: Connection, key_id: str) -> bool:
    """Revoke a key for good; tells whether there is such a key."""
    try:
        wanted = UUID(key_id)
    except ValueError:
        return False
    return credentials.revoke_key(Session.over(connection), wanted, None, datetime.now(UTC))


def create(context: Context, scopes: list[str], expires_in: timedelta | None) -> dict[str, Any]:
    """Make another key of the app that asks, with no scope beyond its own. Raises Forbidden."""
    if not set(scopes) <= context.caller.scopes:
        raise Forbidden("A key cannot give more scopes than it has.")
    now = context.now()
    expires_at = tokens.expiry(now, expires_in)
    key_id, key = new_id(), tokens.new(tokens.APP_PREFIX, context.random_bytes)
    credentials.insert(
        context.session, key_id, context.app_id, None, tokens.digest(key), sorted(scopes), now, expires_at
    )
    return {**show(Credential(key_id, sorted(scopes), now, expires_at, None)), "key": key}


def page(context: Context, wanted: Page) -> dict[str, Any]:
    """List the app's keys, newest first."""
    rows = credentials.of_app(context.session, context.app_id, wanted.before, wanted.limit + 1)
    return uuid_page(rows, wanted, show)


def revoke(context: Context, key_id: UUID) -> None:
    """Revoke a key of the app that asks. Raises NotFound."""
    if not credentials.revoke_key(context.session, key_id, context.app_id, context.now()):
        raise NotFound("There is no such key.")


def show(key: Credential) -> dict[str, Any]:
    """Show what is known of a key."""
    return {**tokens.show(key), "scopes": key.scopes}
