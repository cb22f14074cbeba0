"""App keys and player tokens: random, shown once, kept as hashes."""

from __future__ import annotations

import base64
import contextlib
import string
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg

from api.core.context import APP, NOBODY, PLAYER, SEAT_GUEST, Caller, Context, timestamp
from api.core.errors import BadRequest, Forbidden, Unauthorized
from api.store.accounts import credentials, players
from api.store.accounts.credentials import Credential
from api.store.database.session import Session
from api.store.outbox import notices

APP_PREFIX, PLAYER_PREFIX = "cra_", "crp_"
TOKEN_BYTES = 32
CELLS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"  # as base64url counts
UNKNOWN = "The token is unknown or revoked."
RECENT, MOST_RECENT = 10.0, 10_000  # seconds, callers
LOOK_BACK = timedelta(hours=1)  # for so long a token that ended with its game still reads that game


def new(prefix: str, random_bytes: Callable[[int], bytes], cell: int | None) -> str:
    """Make a token; its prefix lets people and secret scanners recognize it.

    In a cell, the next character names the cell, so that a proxy knows where the token belongs. Such a token
    is one character longer than others, so that it cannot be mistaken for one that names no cell.
    """
    random = base64.urlsafe_b64encode(random_bytes(TOKEN_BYTES)).decode().rstrip("=")
    return prefix + ("" if cell is None else CELLS[cell]) + random


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


class Recent:
    """Who called a moment ago, by the hash of the token, for requests that look it up where they write."""

    def __init__(self) -> None:
        self._callers: dict[bytes, tuple[Caller, float]] = {}

    def recall(self, token: str | None, now: datetime) -> Caller | None:
        """Return who holds a token, as it was within RECENT; None where that is not known."""
        caller, until = self._callers.get(digest(token), (None, 0.0)) if token else (None, 0.0)
        if caller is None or until < time.monotonic():
            return None
        return None if caller.expires_at is not None and caller.expires_at <= now else caller

    def remember(self, token: str | None, caller: Caller) -> None:
        """Keep who was just found to hold a token."""
        if token is None or caller.ended:
            return
        if len(self._callers) >= MOST_RECENT:
            self._callers.clear()
        self._callers[digest(token)] = caller, time.monotonic() + RECENT


def caller_of(session: Session, token: str | None, now: datetime, player: UUID | None = None) -> Caller:
    """Return who calls. Raises Unauthorized for a token that is wrong, revoked or expired.

    An app key with scope `write` that names one of its players (`player`) is that player; Forbidden is raised
    where it may not be. The token of a seat's guest has ended when it expires, and shows its game until
    LOOK_BACK is over.
    """
    caller, awaited = _holder(session, token, now)
    if player is None:
        if awaited and caller.player_id is not None:
            _note_visit(session, caller.player_id)
        return caller
    if token is None:
        raise Unauthorized("Only an app key acts as a player, and none was sent.")
    if caller.kind != APP or "write" not in caller.scopes:
        raise Forbidden("Only an app key with scope write acts as a player.")
    assert caller.app_id is not None
    if players.get(session, caller.app_id, player) is None:
        raise Forbidden("The player that is named is not one of this app.")
    _note_visit(session, player)
    return replace(caller, kind=PLAYER, player_id=player, scopes=frozenset(), by_app=True)


def _note_visit(session: Session, player_id: UUID) -> None:
    """Cancel the mails that wait for the player to come by. No request fails where that is impossible."""
    with contextlib.suppress(psycopg.errors.DiskFull, psycopg.errors.ReadOnlySqlTransaction):
        notices.note_visit(session, player_id)


def _holder(session: Session, token: str | None, now: datetime) -> tuple[Caller, bool]:
    """Return who calls, and whether mail waits for whether it does."""
    if token is None:
        return NOBODY, False
    found = credentials.holder(session, digest(token))
    if found is None or found.revoked_at is not None:
        raise Unauthorized(UNKNOWN)
    expires_at = found.expires_at
    ended = SEAT_GUEST in found.scopes and expires_at is not None and expires_at <= now
    if expires_at is not None and ended:
        expires_at += LOOK_BACK
    if expires_at is not None and expires_at <= now:
        raise Unauthorized("The token has expired.")
    kind = APP if found.player_id is None else PLAYER
    scopes = frozenset(found.scopes)
    caller = Caller(kind, found.app_id, found.player_id, scopes, expires_at, found.credential_id, ended=ended)
    return caller, found.awaited


def show(credential: Credential) -> dict[str, Any]:
    """Show what is known of a key or token."""
    return {
        "id": str(credential.id),
        "created_at": timestamp(credential.created_at),
        "expires_at": credential.expires_at and timestamp(credential.expires_at),
        "revoked_at": credential.revoked_at and timestamp(credential.revoked_at),
    }
