"""The devices on which a player is signed in, and what players do with themselves."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.accounts import players
from api.context import Context
from api.core.errors import NotFound
from api.core.paging import Page, uuid_page
from api.store.accounts import credentials
from api.store.accounts.credentials import Credential


def page(context: Context, chosen: Page) -> dict[str, Any]:
    """List the caller's valid tokens, newest first, and which of them it uses."""
    player_id = players.own_id(context)
    rows = credentials.valid_of_player(
        context.session, player_id, context.now(), chosen.before, chosen.limit + 1
    )
    here = context.caller.credential_id

    def show(token: Credential) -> dict[str, Any]:
        return {**players.show_token(token), "device": token.device, "current": token.id == here}

    return uuid_page(rows, chosen, show)


def sign_out(context: Context, token_id: UUID) -> None:
    """Revoke a token of the caller. Raises NotFound."""
    player_id = players.own_id(context)
    if not credentials.revoke_token(context.session, token_id, player_id, context.now()):
        raise NotFound("There is no such token.")


def sign_out_everywhere(context: Context) -> None:
    """Revoke all tokens of the caller."""
    credentials.revoke_all_tokens(context.session, players.own_id(context), context.now())
