"""The devices on which a player is signed in, and what it may change of itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.callers import players
from api.callers.answers import Player
from api.context import Context
from api.core.callers import WATCH
from api.core.errors import NotFound
from api.core.paging import Page, PageOf, uuid_page
from api.features.accounts import store
from api.features.accounts.answers import Device
from api.store import credentials
from api.store.credentials import Credential


def change_own(context: Context, changes: dict[str, Any]) -> Player:
    """Change the calling player, and return it without its labels. Raises NotFound."""
    players.change(context, context.player_id, changes)
    return players.get(context, context.player_id)


def devices(context: Context, chosen: Page) -> PageOf[Device]:
    """List the caller's valid tokens, newest first, and which of them it uses."""
    mine = (context.session, context.player_id, context.now())
    rows = store.valid_of_player(*mine, chosen.before, chosen.limit + 1)
    here = context.caller.credential_id

    def show(token: Credential) -> Device:
        return {
            **players.show_token(token),
            "device": token.device,
            "current": token.id == here,
            "watch": WATCH in token.scopes,
        }

    return uuid_page(rows, chosen, show)


def sign_out(context: Context, token_id: UUID) -> None:
    """Revoke a token of the caller. Raises NotFound."""
    if not credentials.revoke_token(context.session, token_id, context.player_id, context.now()):
        raise NotFound("There is no such token.")


def sign_out_everywhere(context: Context) -> None:
    """Revoke all tokens of the caller, and end what works without one."""
    with context.session.transaction():
        credentials.revoke_all_tokens(context.session, context.player_id, context.now())
        players.signed_out(context, context.player_id)
