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
from api.store.game import write
from api.store.game.games import GameRow
from api.store.game.write import Mark


class Copy(NamedTuple):
    """A game, and the mark of the state that it was read in."""

    game: Game
    mark: Mark


class StoredGame(NamedTuple):
    """A game as it is stored, which nobody has unpacked yet."""

    row: GameRow
    mark: Mark

    def outline(self, context: Context) -> Game:
        """Return the game to read from now; it may be without its position and its seed."""
        copy = self._copy(context)
        if copy is None:
            return game_of(self.row._replace(position=None, seed=b""))
        context.session.copies.put(self.row.id, copy)
        return copy.game

    def take(self, context: Context) -> Game:
        """Return the game, which nobody else uses until it is put `back`. Raises Undecipherable."""
        copy = self._copy(context)
        return game_of(store.opened(context.session, self.row)) if copy is None else copy.game

    def _copy(self, context: Context) -> Copy | None:
        """Take this process's copy out, if it is in the state that was read."""
        copy: Copy | None = context.session.copies.take(self.row.id)
        return copy if copy is not None and copy.mark == self.mark else None

    def back(self, context: Context, game: Game) -> None:
        """Let this process use the unchanged game again, unless its players may set other hours."""
        if not (game.timing and game.timing.own_hours):
            context.session.copies.put(game.id, Copy(game, self.mark))


def find(context: Context, game_id: UUID) -> StoredGame | Unconfirmed:
    """Read a game. For a caller who was not looked up, the same statement confirms the credential.

    Raises NotFound.
    """
    caller = context.caller
    if caller.recalled:
        credential = caller.credential_id, caller.expires_at, caller.player_id
        row = write.get_confirmed(context.session, game_id, *credential)
        return Unconfirmed() if row is None else StoredGame(*row)
    row = write.get_marked(context.session, game_id)
    if row is None:
        raise NotFound("There is no such game.")
    return StoredGame(*row)


def look_at(context: Context, game: Game) -> Visibility:
    """Return what the caller sees of a game, and record that it looks at other seats' cards.

    Raises NotFound, Forbidden.
    """
    visibility = reading(context.caller, game)
    looks.note_view(context, game, visibility)
    return visibility
