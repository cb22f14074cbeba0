"""Reading a game for a caller: its token, the game and what it may see of it, by one statement."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from api.context import Context, Unconfirmed
from api.core.errors import NotFound
from api.game import looks
from api.game.game import Game
from api.game.rows import changeable, game_of
from api.game.visibility import Visibility, reading
from api.store.game import games as store
from api.store.game import write
from api.store.game.games import GameRow
from api.store.game.write import Credential, Mark


class StoredGame(NamedTuple):
    """A game as it was found: its row, which is still packed, and the mark of the row's state."""

    row: GameRow
    mark: Mark

    def outline(self) -> Game:
        """Return the game without its position and its seed."""
        return game_of(self.row._replace(position=None, seed=b""))

    def unpack(self, context: Context) -> Game:
        """Return the whole game. Raises Undecipherable."""
        return changeable(context, game_of(store.opened(context.session, self.row)))


def find(context: Context, game_id: UUID) -> StoredGame | Unconfirmed:
    """Read a game. For a caller who was not looked up, the same statement confirms the credential.

    Raises NotFound.
    """
    caller, confirm = context.caller, None
    if caller.recalled:
        confirm = Credential(caller.credential_id, caller.expires_at, caller.player_id)
    found = write.get_marked(context.session, game_id, confirm)
    if found is not None:
        return StoredGame(*found)
    if confirm is not None:
        return Unconfirmed()
    raise NotFound("There is no such game.")


def look_at(context: Context, game: Game) -> Visibility:
    """Return what the caller sees of a game, and record that it looks at other seats' cards.

    Raises NotFound, Forbidden.
    """
    visibility = reading(context.caller, game)
    looks.note_view(context, game, visibility)
    return visibility
