"""App keys and player tokens: random, shown once, kept as hashes."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from api.core.context import APP, NOBODY, PLAYER, Caller, Context, timestamp
from api.core.errors import BadRequest, Forbidden, Unauthorized
from api.store import credentials
from api.store.credentials import Credential
from api.store.database.session import Session

APP_PREFIX, PLAYER_PREFIX = "cra_", "crp_"
TOKEN_BYTES = 32
UNKNOWN = "The token is unknown or revoked."


def new(prefix: str, random_bytes: Callable[[int], bytes]) -> str:
    """Make a token; the prefix lets people and secret scanners tell what it is."""
    return prefix + base64.urlsafe_b64encode(random_bytes(TOKEN_BYTES)).decode().rstrip("=")


def digest(token: str) -> bytes:
    """Return what is kept of a token. It is random and long: a plain hash is as good as a slow one."""
    return sha256(token.encode("utf-8", "replace")).digest()


def expiry(now: datetime, lifetime: timedelta | None, bound: datetime | None = None) -> datetime | None:
    """Return when a token made now expires: with the key that makes it (`bound`) where nothing else is said.

    Raises BadRequest beyond the calendar's end, Forbidden beyond the bound.
    """
    try:
        expires_at = now + lifetime if lifetime is not None else bound
    except OverflowError:
        raise BadRequest({"expires_in": ["Too long."]}) from None
    if bound is not None and expires_at is not None and expires_at > bound:
        raise Forbidden(f"A key makes nothing that outlives it; it expires at {timestamp(bound)}.")
    return expires_at


def hold(context: Context) -> None:
    """Keep the caller's credential from being revoked in this transaction. Raises Unauthorized if it was."""
    assert context.caller.credential_id is not None
    if not credentials.hold(context.session, context.caller.credential_id):
        raise Unauthorized(UNKNOWN)


def caller_of(session: Session, token: str | None, now: datetime) -> Caller:
    """Return who calls. Raises Unauthorized for a token that is wrong, revoked or expired."""
    if token is None:
        return NOBODY
    found = credentials.holder(session, digest(token))
    if found is None or found.revoked_at is not None:
        raise Unauthorized(UNKNOWN)
    if found.expires_at is not None and found.expires_at <= now:
        raise Unauthorized("The token has expired.")
    kind = APP if found.player_id is None else PLAYER
    scopes = frozenset(found.scopes)
    return Caller(kind, found.app_id, found.player_id, scopes, found.expires_at, found.credential_id)


def show(credential: Credential) -> dict[str, Any]:
    """Show what is known of a key or token."""
    return {
        "id": str(credential.id),
        "created_at": timestamp(credential.created_at),
        "expires_at": credential.expires_at and timestamp(credential.expires_at),
        "revoked_at": credential.revoked_at and timestamp(credential.revoked_at),
    }
