"""Finds the caller from the Authorization header, and checks who may call an operation."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from api.core.callers import ANONYMOUS, GUEST, PLAYER, Caller
from api.core.errors import BadRequest, Forbidden, NotFound, Unauthorized

ACTING = "Card-Referee-Player"  # the header with which an app key acts as one of its players


class Audience(NamedTuple):
    """Who may call an operation. An app key needs `scope` (None: no app key may call, "": any may)."""

    anonymous: bool
    player: bool
    scope: str | None
    guests_only: bool = False
    """Of players only guests of this server, and its accounts."""
    narrowed: bool = False
    """Also tokens for one game: the operation answers them only about that game."""


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
PLAYERS_NARROWED = Audience(False, True, None, narrowed=True)
GUESTS = Audience(False, True, None, guests_only=True)
OPERATOR = Audience(False, False, None)
"""Whoever knows the token that the operator has set for it; no app and no player."""


def bearer_token(header: str | None) -> str | None:
    """Return the token in an Authorization header, or None without one. Raises Unauthorized."""
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthorized("The Authorization header must be: Bearer, a space, a token.")
    return token


def acting_player(header: str | None) -> UUID | None:
    """Return the player named by a Card-Referee-Player header, or None without one. Raises BadRequest."""
    if header is None:
        return None
    try:
        return UUID(header)
    except ValueError:
        raise BadRequest({ACTING: ["Must be the id of a player."]}) from None


def require(audience: Audience, caller: Caller) -> None:
    """Raise Unauthorized if a token is missing, and Forbidden if this one is not sufficient."""
    if caller.kind == ANONYMOUS:
        if not audience.anonymous:
            raise Unauthorized("This needs a token.")
    elif caller.kind == PLAYER:
        if not audience.player or (audience.guests_only and GUEST not in caller.scopes):
            raise Forbidden(
                "This is for app keys."
                if audience.scope is not None
                else "This is for guests and accounts of this server."
            )
    elif audience.scope is None and audience.guests_only:
        raise Forbidden("This is for guests and accounts of this server.")
    elif audience.scope is None:
        raise Forbidden(f"This is for players; an app key names one in {ACTING}.")
    elif audience.scope and audience.scope not in caller.scopes:
        raise Forbidden(f"This needs an app key with scope {audience.scope}.")


def require_its_game(caller: Caller, path: Mapping[str, Any], audience: Audience) -> None:
    """Raise Forbidden if the token is for one game and the request is about anything else.

    Operations stay open that show the same to everybody, or to such a token only what is about its game.
    """
    if caller.only_game not in (None, path.get("game")) and audience != ANYBODY and not audience.narrowed:
        raise Forbidden("This token is for one game only.")


def require_operator(expected: str, token: str | None) -> None:
    """Raise NotFound if no such token is set, and Unauthorized if the caller's is a different one."""
    if not expected:
        raise NotFound("METRICS_TOKEN is not set, so there are no metrics.")
    if token is None or not hmac.compare_digest(expected.encode(), token.encode()):
        raise Unauthorized("This needs the token that METRICS_TOKEN holds.")
