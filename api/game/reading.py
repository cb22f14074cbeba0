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
from api.store.game.write import Credential, Mark


class Copy(NamedTuple):
    """A game, and the mark of the state that it was read in."""

    game: Game
    mark: Mark


class StoredGame(NamedTuple):
    """A game as it was found: this process's copy of it, or else its row, which is still packed."""

    mark: Mark
    copy: Game | None
    row: GameRow | None

    def outline(self) -> Game:
        """Return the game to read from now; it may be without its position and its seed."""
        if self.copy is not None:
            return self.copy
        assert self.row is not None
        return game_of(self.row._replace(position=None, seed=b""))

    def take(self, context: Context) -> Game:
        """Return the game, which nobody else uses until it is put `back`. Raises Undecipherable."""
        if self.copy is not None:
            return self.copy
        assert self.row is not None
        return game_of(store.opened(context.session, self.row))

    def back(self, context: Context, game: Game | None) -> None:
        """Let this process use the unchanged game again, unless its players may set other hours."""
        if game is not None and not (game.timing and game.timing.own_hours):
            context.session.copies.put(game.id, Copy(game, self.mark))


def find(context: Context, game_id: UUID) -> StoredGame | Unconfirmed:
    """Read a game. For a caller who was not looked up, the same statement confirms the credential.

    If this process has a copy, first only its mark is read, which says whether the copy is current.
    Raises NotFound.
    """
    caller, session = context.caller, context.session
    confirm = None
    if caller.recalled:
        confirm = Credential(caller.credential_id, caller.expires_at, caller.player_id)
    copy: Copy | None = session.copies.take(game_id)
    if copy is not None and copy.mark == write.get_mark(session, game_id, confirm):
        return StoredGame(copy.mark, copy.game, None)
    row = write.get_marked(session, game_id, confirm)
    if row is not None:
        return StoredGame(row[1], None, row[0])
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
