"""From the Authorization header to a caller, and which callers an operation is for."""

from __future__ import annotations

import hmac
from typing import NamedTuple

from api.core.context import ANONYMOUS, GUEST, PLAYER, Caller
from api.core.errors import Forbidden, NotFound, Unauthorized


class Audience(NamedTuple):
    """Who may call an operation; an app key needs `scope` (None: no app key may, "": any may)."""

    anonymous: bool
    player: bool
    scope: str | None
    guests_only: bool = False
    """Of players only guests of this server."""


ANYBODY = Audience(True, True, "")
READERS_OR_ANYBODY = Audience(True, True, "read")
HOLDERS = Audience(False, True, "")
READERS = Audience(False, True, "read")
WRITERS = Audience(False, True, "write")
APP_READERS = Audience(False, False, "read")
APP_WRITERS = Audience(False, False, "write")
APP_WRITERS_OR_GUESTS = Audience(False, True, "write", guests_only=True)
KEY_MANAGERS = Audience(False, False, "keys")
PLAYERS = Audience(False, True, None)
OPERATOR = Audience(False, False, None)
"""Whoever knows the token that the operator has set for it; no app and no player."""


def bearer_token(header: str | None) -> str | None:
    """Return the token of an Authorization header, None without one. Raises Unauthorized."""
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("The Authorization header must be: Bearer, a space, a token.")
    return token


def require(audience: Audience, caller: Caller) -> None:
    """Raise Unauthorized where a token is needed, Forbidden where this one does not do."""
    if caller.kind == ANONYMOUS:
        if not audience.anonymous:
            raise Unauthorized("This needs a token.")
    elif caller.kind == PLAYER:
        if not audience.player or (audience.guests_only and GUEST not in caller.scopes):
            raise Forbidden("This is for app keys.")
    elif audience.scope is None:
        raise Forbidden("This is for player tokens.")
    elif audience.scope and audience.scope not in caller.scopes:
        raise Forbidden(f"This needs an app key with scope {audience.scope}.")


def require_operator(expected: str, given: str | None) -> None:
    """Raise NotFound where no such token is set, Unauthorized where it is another one."""
    if not expected:
        raise NotFound("METRICS_TOKEN is not set, so there are no metrics.")
    if given is None or not hmac.compare_digest(expected.encode(), given.encode()):
        raise Unauthorized("This needs the token that METRICS_TOKEN holds.")


def described(audience: Audience) -> str:
    """Return a sentence that says who may call."""
    if audience == OPERATOR:
        return "Called with the token that the setting METRICS_TOKEN holds; without that setting a 404."
    app = f"an app key with scope `{audience.scope}`" if audience.scope else "an app key"
    callers = [app] if audience.scope is not None else []
    if audience.player:
        callers.append("the token of a guest of this server" if audience.guests_only else "a player token")
    if audience.anonymous:
        callers.append("no token at all")
    return f"Called with {' or '.join(callers)}."
