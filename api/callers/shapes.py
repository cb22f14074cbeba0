"""Players, guests, keys, tokens and turns in requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict

from marshmallow import ValidationError, post_load

from api.core.names import Labelled
from api.core.paging import PageOf
from api.games.entries import SaidAfter
from api.http.answers import Count, Json, Timestamp, Uuid, choice, inline
from api.http.fields import Choice, Flag, Items, Name, Text
from api.http.patterns import Duration, Id
from api.http.queries import EXTERNAL_ID, METADATA
from api.http.shapes import Input

SCOPES = ("read", "write", "audit", "keys")


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


class Player(Labelled):
    """A player of an app."""

    id: Uuid
    name: str
    created_at: Timestamp


class PlayerData(TypedDict):
    """Everything that is stored of a player."""

    player: Player
    contact: NotRequired[Annotated[Mapping[str, object], "The mail address, and how the player is notified."]]
    said_after: Annotated[list[SaidAfter], "What the player has said after games."]
    rows: Annotated[
        Json,
        "By table of the database: the rows that name the player, without hashes and sealed columns. "
        "`words` has what the player was called, and has said, in games.",
    ]


class PlayerList(PageOf[Player]):
    """A page of players, newest first."""


ITS_GAME = "The only game for which it is; null: for all."


class NewTokenShown(TypedDict):
    """A player token, which is shown only once."""

    id: Uuid
    token: str
    created_at: Timestamp
    expires_at: Timestamp | None
    game: Annotated[Uuid | None, ITS_GAME]


class Credential(TypedDict):
    """A token or key, without its secret."""

    id: Uuid
    created_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None


class Token(Credential):
    """A player token, without the token itself."""

    game: Annotated[Uuid | None, ITS_GAME]


class TokenList(PageOf[Token]):
    """A page of tokens, newest first."""


class NewGuest(TypedDict):
    """A guest of this server, with a token that is shown only once."""

    player: Player
    token: str
    expires_at: Timestamp


class Key(Credential):
    """An app key, without the key itself."""

    scopes: list[Annotated[str, choice(*SCOPES)]]
    name: Annotated[str | None, "What its creator called it."]
    prefix: Annotated[str | None, "Its first characters, which lists show."]


class NewKeyShown(Key):
    """An app key, which is shown only once."""

    key: str


class KeyList(PageOf[Key]):
    """A page of keys, newest first."""


@inline
class App(TypedDict):
    """The app."""

    id: Uuid
    name: str


class Me(TypedDict):
    """The owner of the token."""

    type: Annotated[str, choice("app", "player")]
    app: App
    player: Player | None
    scopes: list[str]
    expires_at: Timestamp | None


class Turn(TypedDict):
    """A seat of mine whose turn it is."""

    game: Uuid
    ruleset: str
    seat: Count
    version: Count
    since: Timestamp
    deadline: Timestamp | None
    title: Annotated[str | None, "The game's."]


class TurnList(PageOf[Turn]):
    """A page of turns, the most urgent deadline first."""


class Health(TypedDict):
    """The state of the service."""

    status: Annotated[str, choice("ok")]
