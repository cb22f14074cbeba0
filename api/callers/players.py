"""An app's players and their tokens; the identity of the caller; the games that wait for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from api.callers import answers
from api.context import Context
from api.core.callers import APP, OF_GAME, PLAYER, game_of
from api.core.errors import Forbidden, NotFound
from api.core.names import Labels
from api.core.paging import BEGINNING, Page, PageOf, read_time, uuid_page, write_time
from api.feature import Hook
from api.games import looks, quotas, words
from api.http import idempotency, tokens
from api.http.answers import shown
from api.store import credentials, due_work, games
from api.store import players as store
from api.store.credentials import Credential
from api.store.due_work import Waiting
from api.store.labels import unique
from api.store.players import Player
from referee.clocks import timestamp

leaving: Hook[[UUID], None] = Hook()
"""Hears that a player is about to be deleted, before its row is locked."""
deleted: Hook[[UUID], None] = Hook()
"""Hears that a player was deleted, in the same transaction."""
known: Hook[[UUID], Mapping[str, object] | None] = Hook()
"""Returns how a player is reached, which is sealed in the database; None if it is not known."""
signed_out: Hook[[UUID], None] = Hook()
"""Hears that a player has ended all its tokens, in the same transaction."""


def create(context: Context, request: dict[str, Any]) -> answers.Player:
    """Create a player. Raises ExternalIdTaken, LimitReached."""
    player = Player(context.new_id(), request["name"], context.now(), *Labels().changed(request))
    with unique(context.session, context.app_id, request), idempotency.transaction(context):
        quotas.require_room_for_player(context, context.app_id)
        store.insert(context.session, player, context.app_id)
        return idempotency.keep(context, show(player))


def get(context: Context, player_id: UUID) -> answers.Player:
    """Return a player, with its labels only for the app. Raises NotFound."""
    player = _own(context, player_id)
    return show(player) if context.caller.kind == APP else show_name(player)


def page(context: Context, chosen: Page, external_id: str | None) -> PageOf[answers.Player]:
    """List the app's players, newest first."""
    rows = store.page(context.session, context.app_id, external_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show)


def data(context: Context, player_id: UUID) -> answers.PlayerData:
    """Return everything that is stored of a player: it, and the rows that name it, by table.

    Raises NotFound.
    """
    player = store.get(context.session, context.app_id, player_id)
    if player is None:
        raise NotFound("There is no such player.")
    found: answers.PlayerData = {
        "player": show(player),
        "said_after": words.said_after(context, player_id),
        "rows": store.rows_of(context.session, player_id),
    }
    for contact in known(context, player_id):
        if contact is not None:
            found["contact"] = contact
    return found


def change(
    context: Context,
    player_id: UUID,
    changes: dict[str, Any],
    check: Callable[[answers.Player], None] | None = None,
) -> answers.Player:
    """Change a player, if `check` lets it pass; games keep the name with which it joined.

    Raises NotFound, ExternalIdTaken.
    """
    with unique(context.session, context.app_id, changes), context.session.transaction():
        player = store.get(context.session, context.app_id, player_id, lock=True)
        if player is None:
            raise NotFound("There is no such player.")
        if check is not None:
            check(show(player))
        external_id, metadata = Labels(player.external_id, player.metadata).changed(changes)
        player = player._replace(
            name=changes.get("name", player.name), external_id=external_id, metadata=metadata
        )
        store.update(context.session, context.app_id, player)
    return show(player)


def delete(context: Context, player_id: UUID) -> None:
    """Delete a player, its tokens and its orders, and its name and texts in games.

    A deletion that was interrupted is called again. Raises NotFound, Unauthorized.
    """
    app_id, named = context.app_id, [player_id]
    if not store.several(context.session, app_id, named):
        if store.deleted(context.session, app_id, named) and words.erase(context, app_id, player_id):
            return
        raise NotFound("There is no such player.")
    words.erase(context, app_id, player_id)
    with context.session.transaction():
        leaving(context, player_id)
        if not store.delete(context.session, app_id, player_id, context.now()):
            raise NotFound("There is no such player.")
        tokens.lock(context)  # after the player, so that two deletions do not wait for each other
        credentials.revoke_all_tokens(context.session, player_id, context.now())
        deleted(context, player_id)
    words.erase(context, app_id, player_id)  # what was said meanwhile


def create_token(
    context: Context, player_id: UUID, expires_in: timedelta | None, game_id: UUID | None
) -> answers.NewTokenShown:
    """Create a token of a player, for one game or for all, shown only once.

    Raises NotFound, LimitReached; Forbidden if it would outlive the key.
    """
    caller, now = context.caller, context.now()
    expires_at = tokens.expiry(now, expires_in, caller.expires_at)
    with idempotency.transaction(context):
        if not store.several(context.session, context.app_id, [player_id]):
            raise NotFound("There is no such player.")
        if game_id is not None and games.app_of(context.session, game_id) != context.app_id:
            raise NotFound("There is no such game of this app.")
        quotas.require_room_for_token(context, player_id)
        tokens.lock(context)
        scopes = [] if game_id is None else [f"{OF_GAME}{game_id}"]
        token_id, token = new_token(
            context, context.app_id, player_id, scopes, expires_at, parent_id=caller.credential_id
        )
        looks.record_token(context, player_id, token_id)
        answer: answers.NewTokenShown = {
            "id": str(token_id),
            "token": token,
            "created_at": timestamp(now),
            "expires_at": timestamp(expires_at) if expires_at else None,
            "game": str(game_id) if game_id else None,
        }
        return idempotency.keep(context, answer)


def new_token(
    context: Context,
    app_id: UUID,
    player_id: UUID,
    scopes: list[str],
    expires_at: datetime | None,
    **more: Any,
) -> tuple[UUID, str]:
    """Create a token of a player in the open transaction; return its id, and the token itself."""
    new, token = make_token(context, scopes, expires_at, **more)
    credentials.insert(context.session, new, app_id, player_id, tokens.digest(token))
    return new.id, token


def make_token(
    context: Context, scopes: list[str], expires_at: datetime | None, **more: Any
) -> tuple[Credential, str]:
    """Return a new token of a player, which is not stored yet, and the token itself."""
    token = tokens.new(tokens.PLAYER_PREFIX, context.random_bytes)
    return Credential(context.new_id(), scopes, context.now(), expires_at, **more), token


def list_tokens(context: Context, player_id: UUID, chosen: Page) -> PageOf[answers.Token]:
    """List a player's tokens, newest first, without the tokens themselves. Raises NotFound."""
    _own(context, player_id)
    rows = credentials.of_player(context.session, player_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show_token)


def show_token(token: Credential) -> answers.Token:
    """Return the form of a player token in answers, without its secret."""
    return shown(answers.Token, token, game=game_of(token.scopes))


def revoke_token(context: Context, player_id: UUID, token_id: UUID) -> None:
    """Revoke a token. Raises NotFound."""
    _own(context, player_id)
    if not credentials.revoke_token(context.session, token_id, player_id, context.now()):
        raise NotFound("There is no such token.")


def me(context: Context) -> answers.Me:
    """Return whose token the caller has, and what it may do."""
    caller = context.caller
    player = None
    if caller.player_id is not None:
        player = show_name(_own(context, caller.player_id))
    app: answers.App = {
        "id": str(context.app_id),
        "name": credentials.app_name(context.session, context.app_id),
    }
    return {
        "type": caller.kind,
        "app": app,
        "player": player,
        "scopes": sorted(caller.scopes),
        "expires_at": timestamp(caller.expires_at) if caller.expires_at else None,
    }


def turns(context: Context, chosen: Page) -> PageOf[answers.Turn]:
    """List the games that wait for the caller, the most urgent deadline first. Raises Forbidden."""
    player_id = context.caller.player_id
    if context.caller.kind != PLAYER or player_id is None:
        raise Forbidden("Only a player has turns.")
    after = _place(chosen.cursor) if chosen.cursor else None
    rows = due_work.turns(context.session, player_id, after, chosen.limit + 1)
    items = rows[: chosen.limit]
    more = len(rows) > chosen.limit
    return {"items": [_show_turn(row) for row in items], "next": _cursor(items[-1]) if more else None}


def _cursor(row: Waiting) -> str:
    return f"{write_time(row.deadline)}{write_time(row.since)}{row.game_id.hex}{row.seat:02x}"


def _place(cursor: str) -> tuple[datetime | None, datetime, UUID, int]:
    deadline, since = read_time(cursor[:16]), read_time(cursor[16:32])
    return deadline, since or BEGINNING, UUID(cursor[32:64]), int(cursor[64:], 16)


def _show_turn(row: Waiting) -> answers.Turn:
    return shown(answers.Turn, row, game=row.game_id)


def show(player: Player) -> answers.Player:
    """Return the form in which an app sees its player."""
    return {**show_name(player), **Labels(player.external_id, player.metadata).to_json()}


def show_name(player: Player) -> answers.Player:
    """Return the form of a player without its labels, which only its app may see."""
    return {"id": str(player.id), "name": player.name, "created_at": timestamp(player.created_at)}


def _own(context: Context, player_id: UUID) -> Player:
    """Return a player of the caller's app; a player can only find itself. Raises NotFound."""
    caller = context.caller
    player = None
    if caller.kind == APP or caller.player_id == player_id:
        player = store.get(context.session, context.app_id, player_id)
    if player is None:
        raise NotFound("There is no such player.")
    return player
