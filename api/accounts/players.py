"""An app's players and their tokens; who am I; what waits for me."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from api.accounts import tokens
from api.core.context import APP, PLAYER, Context, new_id, timestamp
from api.core.errors import Forbidden, NotFound
from api.core.paging import Page, uuid_page
from api.store import credentials, games, idempotency
from api.store import players as store
from api.store.games import Waiting
from api.store.players import Player

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, tzinfo=UTC)
NEVER = 2**64 - 1  # a turn without a deadline comes after every other


def create(context: Context, name: str) -> dict[str, Any]:
    """Make a player."""
    player = Player(new_id(), name, context.now())
    with idempotency.transaction(context):
        store.insert(context.session, player, context.app_id)
        return idempotency.keep(context, show(player))


def get(context: Context, player_id: UUID) -> dict[str, Any]:
    """Show a player. Raises NotFound."""
    return show(_own(context, player_id))


def page(context: Context, wanted: Page) -> dict[str, Any]:
    """List the app's players, newest first."""
    rows = store.page(context.session, context.app_id, wanted.before, wanted.limit + 1)
    return uuid_page(rows, wanted, show)


def rename(context: Context, player_id: UUID, name: str) -> dict[str, Any]:
    """Return a player another name; games keep the one that the player sat down with. Raises NotFound."""
    player = store.rename(context.session, context.app_id, player_id, name)
    if player is None:
        raise NotFound("There is no such player.")
    return show(player)


def delete(context: Context, player_id: UUID) -> None:
    """Remove a player and revoke every token of it; logs keep its name. Raises NotFound."""
    with context.session.transaction():
        if not store.delete(context.session, context.app_id, player_id, context.now()):
            raise NotFound("There is no such player.")
        credentials.revoke_all_tokens(context.session, player_id, context.now())


def create_token(context: Context, player_id: UUID, expires_in: timedelta | None) -> dict[str, Any]:
    """Make a token of a player, shown this once. Raises NotFound; Forbidden if it would outlive the key."""
    caller, now = context.caller, context.now()
    expires_at = tokens.expiry(now, expires_in, caller.expires_at)
    token_id, token = new_id(), tokens.new(tokens.PLAYER_PREFIX, context.random_bytes)
    with idempotency.transaction(context):
        if not store.several(context.session, context.app_id, [player_id]):
            raise NotFound("There is no such player.")
        tokens.hold(context)
        credentials.insert(
            context.session,
            token_id,
            context.app_id,
            player_id,
            tokens.digest(token),
            [],
            now,
            expires_at,
            caller.credential_id,
        )
        answer = {
            "id": str(token_id),
            "token": token,
            "created_at": timestamp(now),
            "expires_at": expires_at and timestamp(expires_at),
        }
        return idempotency.keep(context, answer, secret=token)


def list_tokens(context: Context, player_id: UUID, wanted: Page) -> dict[str, Any]:
    """List a player's tokens, newest first, without the tokens themselves. Raises NotFound."""
    _own(context, player_id)
    rows = credentials.of_player(context.session, player_id, wanted.before, wanted.limit + 1)
    return uuid_page(rows, wanted, tokens.show)


def revoke_token(context: Context, player_id: UUID, token_id: UUID) -> None:
    """Revoke a token for good. Raises NotFound."""
    _own(context, player_id)
    if not credentials.revoke_token(context.session, token_id, player_id, context.now()):
        raise NotFound("There is no such token.")


def me(context: Context) -> dict[str, Any]:
    """Return who the token belongs to."""
    caller = context.caller
    player = None
    if caller.player_id is not None:
        player = show(_own(context, caller.player_id))
    app = {"id": str(context.app_id), "name": credentials.app_name(context.session, context.app_id)}
    return {
        "type": caller.kind,
        "app": app,
        "player": player,
        "scopes": sorted(caller.scopes),
        "expires_at": caller.expires_at and timestamp(caller.expires_at),
    }


def turns(context: Context, wanted: Page) -> dict[str, Any]:
    """List the games that wait for the caller, the most urgent deadline first. Raises Forbidden."""
    player_id = context.caller.player_id
    if context.caller.kind != PLAYER or player_id is None:
        raise Forbidden("Only a player has turns.")
    after = _place(wanted.cursor) if wanted.cursor else None
    rows = games.turns(context.session, player_id, after, wanted.limit + 1)
    items = rows[: wanted.limit]
    more = len(rows) > wanted.limit
    return {"items": [_show_turn(row) for row in items], "next": _cursor(items[-1]) if more else None}


def _cursor(row: Waiting) -> str:
    return f"{_micros(row.deadline):016x}{_micros(row.since):016x}{row.game_id.hex}{row.seat:02x}"


def _place(cursor: str) -> tuple[datetime | None, datetime, UUID, int]:
    deadline, since = int(cursor[:16], 16), int(cursor[16:32], 16)
    return (
        None if deadline == NEVER else _time(deadline),
        _time(since),
        UUID(cursor[32:64]),
        int(cursor[64:], 16),
    )


def _micros(at: datetime | None) -> int:
    return NEVER if at is None else (at - EPOCH) // timedelta(microseconds=1)


def _time(micros: int) -> datetime:
    return EPOCH + min(timedelta(microseconds=min(micros, 2**60)), LAST - EPOCH)


def _show_turn(row: Waiting) -> dict[str, Any]:
    return {
        "game": str(row.game_id),
        "ruleset": row.ruleset,
        "seat": row.seat,
        "version": row.version,
        "since": timestamp(row.since),
        "deadline": row.deadline and timestamp(row.deadline),
    }


def show(player: Player) -> dict[str, Any]:
    """Show a player."""
    return {"id": str(player.id), "name": player.name, "created_at": timestamp(player.created_at)}


def _own(context: Context, player_id: UUID) -> Player:
    """Find a player of the app that asks; a player finds itself only."""
    caller = context.caller
    player = None
    if caller.kind == APP or caller.player_id == player_id:
        player = store.get(context.session, context.app_id, player_id)
    if player is None:
        raise NotFound("There is no such player.")
    return player
