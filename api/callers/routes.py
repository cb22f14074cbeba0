"""The caller, the keys of its app, and the app's players."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, post_load

from api.callers import keys, players
from api.callers.answers import (
    SCOPES,
    KeyList,
    Me,
    NewKeyShown,
    NewTokenShown,
    Player,
    PlayerData,
    PlayerList,
    TokenList,
    TurnList,
)
from api.context import Context
from api.http import auth
from api.http.conditional import require_same, tagged
from api.http.fields import Choice, Flag, Input, Items, Name, Text
from api.http.operation import JSON, Operations
from api.http.patterns import Duration, Id
from api.http.queries import EXTERNAL_ID, METADATA, LabelledPages, Pages, TurnPages
from api.streams import feeds, sending
from api.streams.sending import STREAM


class NewPlayer(Input):
    """A player to create."""

    name = Name(required=True)
    external_id = EXTERNAL_ID
    metadata = METADATA


class PlayerChange(Input):
    """The changes of a player."""

    name = Name()
    external_id = EXTERNAL_ID
    metadata = METADATA


class NewToken(Input):
    """A player token to create. It expires with the key that creates it, or earlier with `expires_in`."""

    expires_in = Duration(load_default=None)
    game = Id(load_default=None, allow_none=True, about="The only game for which it is; null: for all.")


class NewKey(Input):
    """An app key to create."""

    scopes = Items(
        Choice(*SCOPES), 1, len(SCOPES), load_default=["read", "write"], metadata={"uniqueItems": True}
    )
    expires_in = Duration(load_default=None)
    name = Text(1, 100, load_default=None, allow_none=True, about="What to call the key in lists.")

    @post_load
    def once(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Remove duplicate scopes."""
        if len(set(data["scopes"])) != len(data["scopes"]):
            raise ValidationError("Must contain each scope only once.", "scopes")
        return data


class Revocation(Input):
    """What is revoked together with a key."""

    keep_tokens = Flag(
        query=True,
        load_default=True,
        about="False, for a key that somebody has stolen: also revoke the player tokens created with it.",
    )


KEYS = Operations("keys", __name__, "An app's keys.")


@KEYS.POST("/v1/keys", auth.KEY_MANAGERS, body=NewKey, problems=("limit-reached",), idempotent=True)
def create_key(context: Context, body: dict[str, Any]) -> NewKeyShown:
    """Create another key of this app, shown only once.

    It can have the scopes of the calling key, or fewer, and expires no later than that key; without
    `expires_in`, at the same time.
    """
    return keys.create(context, body["scopes"], body["expires_in"], body["name"])


@KEYS.GET("/v1/keys", auth.APP_READERS, query=Pages)
def list_keys(context: Context, query: dict[str, Any]) -> KeyList:
    """List the app's keys, newest first, without the keys themselves."""
    return keys.page(context, query["page"])


@KEYS.DELETE(
    "/v1/keys/<uuid:key>",
    auth.KEY_MANAGERS,
    "The key is revoked: requests with it are refused.",
    query=Revocation,
)
def revoke_key(context: Context, key: UUID, query: dict[str, Any]) -> None:
    """Revoke a key permanently.

    Player tokens belong to the app and stay, unless `keep_tokens` is false. The key's scopes must be among
    those of the calling key, and it must not expire later than that key.
    """
    keys.revoke(context, key, query["keep_tokens"])


ME = Operations("me", __name__, "The caller, and the games that wait for them.")


@ME.GET("/v1/me", auth.HOLDERS)
def get_me(context: Context) -> Me:
    """Return the owner of the token."""
    return players.me(context)


@ME.GET("/v1/me/turns", auth.PLAYERS, TurnList, query=TurnPages, produces=(JSON, STREAM))
def list_my_turns(context: Context, query: dict[str, Any]) -> object:
    """List the games in which it is my turn, the earliest deadline first.

    As `text/event-stream` it is live: the event `turns` has the first page, and is sent again after each
    change.
    """
    page = query["page"]
    if sending.form(JSON, STREAM) == STREAM:
        read = partial(players.turns, chosen=page)
        look_up = sending.look_up(context, auth.PLAYERS)
        with sending.OpenStream(context) as opened:
            return sending.stream(feeds.follow_turns(context, sending.live(), look_up, read), opened)
    return players.turns(context, page)


PLAYERS = Operations("players", __name__, "An app's players and their tokens.")


@PLAYERS.POST(
    "/v1/players",
    auth.APP_WRITERS,
    body=NewPlayer,
    examples={"anna": ("A player", {"name": "Anna"})},
    idempotent=True,
    problems=("external-id-taken", "limit-reached"),
    creates="/v1/players",
)
def create_player(context: Context, body: dict[str, Any]) -> Player:
    """Create a player."""
    return players.create(context, body)


@PLAYERS.GET("/v1/players", auth.APP_READERS, query=LabelledPages)
def list_players(context: Context, query: dict[str, Any]) -> PlayerList:
    """List the app's players, newest first."""
    return players.page(context, query["page"], query.get("external_id"))


@PLAYERS.GET("/v1/players/<uuid:player>", auth.READERS, etag=True, cacheable=False, presents=tagged)
def get_player(context: Context, player: UUID) -> Player:
    """Show a player.

    An app can read its own players, a player only themselves.
    """
    return players.get(context, player)


@PLAYERS.PATCH(
    "/v1/players/<uuid:player>",
    auth.APP_WRITERS,
    body=PlayerChange,
    problems=("external-id-taken",),
    etag=True,
    presents=tagged,
)
def rename_player(context: Context, player: UUID, body: dict[str, Any]) -> Player:
    """Change a player's name, external id or metadata.

    Existing games keep the name that the player had when joining. Only the named keys of the metadata change.
    """
    return players.change(context, player, body, partial(require_same, context))


@PLAYERS.GET("/v1/players/<uuid:player>/data", auth.APP_WRITERS)
def get_player_data(context: Context, player: UUID) -> PlayerData:
    """Show everything that is stored of a player, for a player who asks what you know of them."""
    return players.data(context, player)


@PLAYERS.DELETE(
    "/v1/players/<uuid:player>", auth.APP_WRITERS, "The player is deleted, and their tokens are revoked."
)
def delete_player(context: Context, player: UUID) -> None:
    """Delete a player, revoke their tokens, and erase their name and what they have said in all games.

    The games stay, and their logs are proved as before: entries have only hashes of names and texts. Where
    the name stood, `erased person` stands. Records and webhooks that were delivered cannot be called back.
    """
    players.delete(context, player)


@PLAYERS.POST(
    "/v1/players/<uuid:player>/tokens",
    auth.APP_WRITERS,
    body=NewToken,
    examples={"quarter": ("For ninety days", {"expires_in": "P90D"})},
    problems=("limit-reached",),
    idempotent=True,
)
def create_token(context: Context, player: UUID, body: dict[str, Any]) -> NewTokenShown:
    """Create a token for a player, shown only once.

    With `game`, the token is for this game only: made by your server with a short `expires_in`, it can be
    given to a page that shows the table. It sees and acts for the seats that the player holds there.
    """
    return players.create_token(context, player, body["expires_in"], body["game"])


@PLAYERS.GET("/v1/players/<uuid:player>/tokens", auth.APP_READERS, query=Pages)
def list_tokens(context: Context, player: UUID, query: dict[str, Any]) -> TokenList:
    """List a player's tokens, newest first, without the tokens themselves."""
    return players.list_tokens(context, player, query["page"])


@PLAYERS.DELETE(
    "/v1/players/<uuid:player>/tokens/<uuid:token>",
    auth.APP_WRITERS,
    "The token is revoked: requests with it are refused.",
)
def revoke_token(context: Context, player: UUID, token: UUID) -> None:
    """Revoke a token permanently."""
    players.revoke_token(context, player, token)
