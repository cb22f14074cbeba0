"""What these operations answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from api.core.names import WithLabels
from api.core.paging import PageOf
from api.games.answers_of_logs import SaidAfter
from api.http.answers import Count, Json, Timestamp, Uuid, choice, published

SCOPES = ("read", "write", "audit", "keys")


class Player(WithLabels):
    """A player of an app."""

    id: Uuid
    name: str
    created_at: Timestamp


class PlayerData(TypedDict):
    """Everything that is stored about a player."""

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


@published(inline=True)
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
