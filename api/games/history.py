"""Old versions of a game: its log read up to a version, from the newest snapshot before it.

Reading stores snapshots. They only save time: verification never reads them.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import cast
from uuid import UUID

import referee
import referee.positions
import referee.records
import referee.table
from api.context import Context
from api.core.errors import NotFound, RulesetNotInstalled
from api.core.json import Json, loads, stored
from api.games import answers
from api.games.game import OPEN, Game
from api.games.receipts import receipt
from api.games.seat import Seat, named, without_strangers
from api.games.views import Visibility, entry_of, seats_of, show_game
from api.store import games, log, words
from api.store.games import Snapshot
from referee.clocks import timestamp

EVERY = 64  # entries between two snapshots
FORM = 6  # the format of a snapshot; those of another format are not read


def recent(context: Context, game: Game) -> referee.table.Recent:
    """Return what requests depend on of a game's past, from its newest snapshot and the entries after it."""
    past = _fold(context, game, game.version - len(game.entries)).recent
    for entry in game.entries:
        past.read(entry.public["seq"], entry.public, None)
    return past


def at_version(context: Context, game: Game, version: int) -> Game:
    """Return the game at an older version.

    Raises NotFound for a version that it never had, RulesetNotInstalled.
    """
    if not 1 <= version <= game.version:
        raise NotFound(f"The game has versions 1 to {game.version}.")
    past = _fold(context, game, version).table
    assert isinstance(past, Game)
    if game.imported_by:
        past.seats = without_strangers(past.seats, named(game.seats))
    return past


def _fold(context: Context, game: Game, version: int) -> referee.table.Fold:
    """Read the log of a game up to a version, from the newest snapshot that is early enough.

    Raises RulesetNotInstalled.
    """
    if not game.installed:
        raise RulesetNotInstalled(game.ruleset, game.ruleset_version)
    latest = version
    while True:
        fold = _begin(context, game, latest)
        context.require_short(version - fold.table.version)
        try:
            _read_on(context, game, fold, version)
        except referee.table.TakenBackBefore as error:
            latest = error.of - 1
        else:
            return fold


def show_version(context: Context, game: Game, visibility: Visibility, version: int | None) -> answers.Game:
    """Return a game as the caller sees it now (None), or as it was at an older version."""
    if version is not None and version != game.version:
        head = log.hash_of(context.session, game.id, version)
        game = at_version(context, game, version)
        game.head = head or game.head
        if visibility.seats:
            visibility = Visibility(seats_of(context.caller, game))
    return show_game(game, visibility, receipt(context, game))


def _begin(context: Context, game: Game, latest: int) -> referee.table.Fold:
    """Begin at the newest snapshot up to a version, or before the first entry."""
    snapshot = games.newest_snapshot(context.session, game.id, latest, FORM)
    invites = [seat.invites for seat in game.seats]  # used invite codes are not part of the past
    if snapshot is None:
        past = replace(game, status=OPEN, version=0, updated_at=game.created_at, result=None, out=())
        empty = [Seat(invites=used) for used in invites]
        return referee.table.Fold(replace(past, state=None, drawn=0, seats=empty, entries=[]))
    data = loads(snapshot.state)
    position, dealing, before = data.pop("position"), data.pop("dealing"), data.pop("recent")
    stored_seats = zip(data.pop("seats"), invites, strict=True)
    past = replace(
        game,
        version=snapshot.version,
        seats=[replace(Seat.of(seat), invites=used) for seat, used in stored_seats],
        updated_at=datetime.fromisoformat(data.pop("updated_at")),
        state=None if position is None else referee.positions.restore(game.rules, position),
        dealing=dealing and referee.table.Dealing.restore(dealing),
        entries=[],
        **data,
    )
    return referee.table.Fold(past, referee.table.Recent.of(before, past.pace))


def _read_on(context: Context, game: Game, fold: referee.table.Fold, version: int) -> None:
    """Read the log of a game up to a version, and store snapshots for later readers on the way."""
    pending: list[Snapshot] = []
    named_in: set[UUID] = set()
    for entry in log.all_entries(context.session, game.id, version, fold.table.version):
        written = entry_of(entry)
        fold.read(cast(Json, written.public), written.private, written.name)
        if entry.seq % EVERY == 0:
            pending.append(Snapshot(entry.seq, _kept(fold)))
            named_in |= _named(fold)
            fold.keep()
    if pending:
        games.keep_snapshot(context.session, game.id, FORM, pending)
        if not words.are_there(context.session, game.id, named_in):  # somebody was erased since it was read
            games.delete_snapshots(context.session, [game.id])


def _named(fold: referee.table.Fold) -> set[UUID]:
    """Return the ids of the players whose names a snapshot has."""
    held = (who for seat in fold.table.seats for who in (seat.player, seat.previous))
    return {UUID(who.id) for who in held if who and who.name != referee.records.ERASED}


def _kept(fold: referee.table.Fold) -> str:
    game = fold.table
    assert isinstance(game, Game)
    return stored(
        {
            "status": game.status,
            "seats": [seat.to_json() for seat in game.seats],
            "recent": fold.recent.to_json(),
            "drawn": game.drawn,
            "result": game.result,
            "out": game.out,
            "updated_at": timestamp(game.updated_at),
            "pace": game.pace,
            "dealing": game.dealing and game.dealing.stored(),
            "position": None if game.state is None else referee.dump(game.state),
        }
    )
