"""Reading a game for a caller: its token, the game and what it may see of it, by one statement."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from api.context import Context, Unconfirmed
from api.core.errors import NotFound
from api.game import looks
from api.game.game import Game
from api.game.rows import game_of
from api.game.visibility import Visibility, reading
from api.store.game import games as store
from api.store.game.games import GameRow


class Found(NamedTuple):
    """A game as it is stored, which nobody has unpacked yet."""

    row: GameRow

    def outline(self) -> Game:
        """Return the game without its position and its seed."""
        return game_of(self.row._replace(position=None, seed=b""))

    def opened(self, context: Context) -> Game:
        """Return the game. Raises Undecipherable."""
        return game_of(store.opened(context.session, self.row))


def find(context: Context, game_id: UUID) -> Found | Unconfirmed:
    """Read a game. For a caller who was not looked up, the same statement confirms the credential.

    Raises NotFound.
    """
    caller = context.caller
    if caller.recalled:
        credential = caller.credential_id, caller.expires_at, caller.player_id
        row = store.get_confirmed(context.session, game_id, *credential)
        return Unconfirmed() if row is None else Found(row)
    row = store.get_stored(context.session, game_id)
    if row is None:
        raise NotFound("There is no such game.")
    return Found(row)


def look_at(context: Context, game: Game) -> Visibility:
    """Return what the caller sees of a game, and record that it looks at other seats' cards.

    Raises NotFound, Forbidden.
    """
    seen = reading(context.caller, game)
    looks.note_view(context, game, seen)
    return seen
