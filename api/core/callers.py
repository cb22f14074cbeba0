"""Who calls: an app, one of its players, or nobody known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

APP, PLAYER, ANONYMOUS = "app", "player", "anonymous"
GUEST = "guest"  # the scope of the tokens of guests, who are players and may create games
OF_GAME = "game:"  # with a game's id: the scope of a player token that is for this game only
WATCH = "watch"  # with a game: the scope of the token in a link, with which anybody may watch that game
SEAT_GUEST = "seat_guest"  # the scope of the tokens of players who joined by the invite code of a seat


Expected = frozenset[int | str] | None
"""The versions that the caller expects, or hashes of the last entry that it has seen; None: any version."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: an app, a player of an app, or neither of them."""

    kind: str = ANONYMOUS
    app_id: UUID | None = None
    player_id: UUID | None = None
    scopes: frozenset[str] = frozenset()
    expires_at: datetime | None = None
    credential_id: UUID | None = None
    by_app: bool = False
    """An app key acts for the player."""
    sharer: UUID | None = None
    """Who made the link with which the caller watches."""
    remembered: bool = False
    """The token was not looked up for this request: the statement that reads or writes checks it."""

    @property
    def only_game(self) -> UUID | None:
        """The game outside of which the token is worth nothing, if there is one."""
        return game_of(self.scopes)

    @property
    def person(self) -> str:
        """Who acts, in the words of entries: the player, or the app on the player's behalf."""
        return "app" if self.kind == APP or self.by_app else "player"

    @property
    def viewer(self) -> str:
        """A name for the caller's view of games: callers who may be shown different things never share it."""
        parts = (self.kind, self.app_id, self.player_id, self.sharer, *sorted(self.scopes))
        return " ".join(map(str, parts))


def game_of(scopes: Iterable[str]) -> UUID | None:
    """Return the only game of a token with these scopes; None if it is for all games."""
    return next((UUID(scope[len(OF_GAME) :]) for scope in scopes if scope.startswith(OF_GAME)), None)


NOBODY = Caller()
