"""Acting in a game: the one place that owns the order of things, and the transactions.

    with acting(context, game_id, seat, if_match=versions) as act:
        act.entry = act.game.play(act.now(), act.seat, move)
    return act.answer

1. A transaction begins. An Idempotency-Key is claimed in it; a repeat gets the first answer again instead.
2. The game is loaded and locked; `authorise` says what the caller sees and for which seat it acts.
3. If a deadline has passed the transaction is given up: the clocks are settled in one of their own, which
   stands whatever becomes of the request. Then everything begins again.
4. The expected version, then the game's status.
5. The block: the caller's change, and nothing else.
6. What it changed is saved, the answer kept under the key, all of it committed, and subscribers are woken.
7. Bots and standing orders continue, in transactions of their own.
8. `act.answer` shows the game as it is then. Until then the answer of step 6 is kept; a repeat that comes in
   between gets that one, and so does the first caller.

A request that makes a game goes through `create`: 1, 5 to 8.

    return act(context, game_id, seat, change, if_match=versions)

does the same for a change that is one entry, and tries it first without 1: on a copy of the game that this
process has, else on the game as it is read without a lock. Steps 2 to 5 are the same, and one statement is 6.
It writes nothing where the copy was not the game as it stands, or the caller's token counts no more. Whatever
goes wrong then, nothing has happened: everything begins anew, with 1.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.errors import DeadlockDetected

import referee
from api.core.context import Caller, Context, Expected, NotAtOnce
from api.core.errors import Conflict, GameNotOpen, GameOver, ServiceError
from api.game import looks
from api.game.game import OPEN, RUNNING, Game, require_version
from api.game.receipts import receipt
from api.game.rows import load
from api.game.saving import save
from api.game.show import show_entry, show_game
from api.game.turns import is_reveal_overdue, overdue
from api.game.visibility import Visibility, acting_seat, seats_of, visibility
from api.play import answers, copies
from api.play.automatic import bots, deadlines
from api.play.copies import Copy
from api.store.answers import idempotency
from api.store.answers.idempotency import AlreadyAnswered
from api.store.answers.kept_answers import Answer, Reference
from api.store.game.at_once import KeyUsed

log = logging.getLogger("card_referee.acting")


@dataclass(slots=True)
class Act:
    """What a caller does in a game. The block sets `entry` where the answer shows one.

    `seen_as` is what the caller sees of the game, `number` its seat (None: it acts for none), `secret` what
    of the answer must not lie open where it is kept.
    """

    context: Context
    game: Game
    seen_as: Visibility
    number: int | None = None
    entry: referee.Entry | None = None
    answer: Any = None
    secret: str | None = None

    def now(self) -> datetime:
        """Return what time it is in the game."""
        return self.game.now(self.context)

    @property
    def seat(self) -> int:
        """The seat that the caller acts for."""
        assert self.number is not None
        return self.number


Authorise = Callable[[Caller, Game, int | None], tuple[Visibility, int | None]]
Show = Callable[[Act], Any]


def holder(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    """Let the holder of the seat act, and the game's app. Raises NotFound, Forbidden, BadRequest."""
    seen = visibility(caller, game)
    return seen, acting_seat(game, seen, seat)


def game_only(act: Act) -> dict[str, Any]:
    """Answer with the game as the caller sees it now: its seats may have changed."""
    seen = act.seen_as
    shown = seen if seen.maker else Visibility(seats_of(act.context.caller, act.game))
    return show_game(act.game, shown, receipt(act.context, act.game))


def moved(act: Act) -> dict[str, Any]:
    """Answer with the entry that was written, and the game."""
    assert act.entry is not None
    game = game_only(act)
    return {"entry": show_entry(act.entry, act.seen_as), "game": game, "receipt": game["receipt"]}


def nothing(act: Act) -> None:
    """Answer without a body."""


class _Overdue(Exception):
    """A deadline of this game has passed and nobody has written it down yet."""


@contextmanager
def acting(
    context: Context,
    game_id: UUID,
    seat: int | None = None,
    *,
    authorise: Authorise = holder,
    if_match: Expected = None,
    status: str | None = RUNNING,
    even_paused: bool = False,
    show: Show = moved,
    pipelined: bool = False,
    ending: bool = False,
) -> Iterator[Act]:
    """Let the caller act in a game, in the order that is described above.

    Raises NotFound, Forbidden, BadRequest as `authorise` says; StaleVersion; GameNotOpen, GameOver unless the
    game has this `status` (None: any); Conflict while it is paused, unless it may be.
    """
    begun = None
    while True:
        try:
            with idempotency.transaction(context, pipelined):
                game = load(context, game_id, lock=True, ending=ending)
                begun = _begin(context, game, seat, authorise, if_match, status, even_paused)
                yield begun
                _save(begun, show)
            break
        except _Overdue:
            _settle(context, game_id)
        except DeadlockDetected:  # with an attempt that holds the game's row and waits for our key
            if begun is not None:
                raise
        except AlreadyAnswered as before:
            if before.reference is None:
                raise
            raise AlreadyAnswered(_read_again(context, game_id, before.reference)) from None
    _continue(begun, show)


def _begin(
    context: Context,
    game: Game,
    seat: int | None,
    authorise: Authorise,
    if_match: Expected,
    status: str | None,
    even_paused: bool = False,
) -> Act:
    """Return what the caller does in a game that is loaded, unless it may not, or not now."""
    game.by = context.caller.person
    seen, number = authorise(context.caller, game, seat)
    if overdue(game, now := game.now(context)) or is_reveal_overdue(game, now):
        raise _Overdue
    require_version(game, if_match)
    require_status(game, status)
    if game.paused and not even_paused:
        raise Conflict("The game is paused: end the pause first.")
    return Act(context, game, seen, number)


def act(
    context: Context, game_id: UUID, seat: int | None, change: Callable[[Act], None], if_match: Expected
) -> Any:
    """Let the caller act in a running game; return the answer. `change` may be called more than once.

    Raises what `acting` does, and NotAtOnce where that has to wait for the caller to be looked up.
    """
    done = _at_once(context, game_id, seat, change, if_match)
    if done is not None:
        return done.answer
    if context.recalled:
        raise NotAtOnce
    ending = context.copies is None  # what was tried at once and needs a lock is most likely a last move
    with acting(context, game_id, seat, if_match=if_match, pipelined=True, ending=ending) as done:
        change(done)
    return done.answer


def _at_once(
    context: Context, game_id: UUID, seat: int | None, change: Callable[[Act], None], if_match: Expected
) -> Act | None:
    """Try it on a copy that this process has, then on the game as it is read now; None: it takes a lock."""
    caller, known = context.caller, context.copies
    if (
        known is None
        or caller.credential_id is None
        or caller.ended
        or known.are_followed(context.app_id, game_id)
    ):
        return None
    copy = known.take(game_id)
    done = _attempt(context, copy, seat, change, if_match) if copy else None
    if done is None and context.copies is not None:
        copy = copies.read(context, game_id)
        done = _attempt(context, copy, seat, change, if_match) if copy else None
    return done


def _attempt(
    context: Context, copy: Copy, seat: int | None, change: Callable[[Act], None], if_match: Expected
) -> Act | None:
    """Try it on this copy; None where nothing was written. What was refused is for a lock to decide."""
    answer = None
    try:
        copies.prepare(copy.game)
        done = _begin(context, copy.game, seat, holder, if_match, RUNNING)
        change(done)
        if context.keyed is not None:
            done.answer = moved(done)
            final = not bots.waited_for(copy.game)
            answer = idempotency.kept_at_once(
                context, done.answer, final=final, reference=_reference(done, moved)
            )
    except (ServiceError, referee.Malformed, _Overdue, copies.NeedsLock):
        context.copies = None
        return None
    try:
        context.used = copies.save(context, copy, answer)
    except KeyUsed:
        context.copies = None
    if context.used is None:
        return None
    context.recalled = False  # the statement has checked the caller's token
    _continue(done, moved)
    return done


def create(
    context: Context, make: Callable[[], Game], show: Show = game_only, secret: str | None = None
) -> Any:
    """Let an app make a game, `make` inside the transaction; return the answer."""
    with idempotency.transaction(context):
        game = make()
        act = Act(context, game, visibility(context.caller, game), secret=secret)
        _save(act, show)
    _continue(act, show)
    return act.answer


def require_status(game: Game, status: str | None = RUNNING) -> None:
    """Raise GameNotOpen before the start, GameOver after the end; or where the game has begun."""
    if status in (None, game.status):
        return
    if status == OPEN:
        raise GameNotOpen("The game has begun.")
    if game.status == OPEN:
        raise GameNotOpen("The game has not begun: a seat is still open.")
    raise GameOver("The game is over.")


def _save(act: Act, show: Show) -> None:
    if act.game.entries:
        save(act.context, act.game)
    if act.context.keyed is not None:
        final = not bots.waited_for(act.game)
        act.answer = show(act)
        idempotency.keep(
            act.context, act.answer, final=final, secret=act.secret, reference=_reference(act, show)
        )


def _continue(act: Act, show: Show) -> None:
    """Let bots continue after the commit, and show the game as it is then."""
    if act.seen_as.whole or act.context.caller.by_app:  # only these may see cards that are not their own
        looks.note_view(act.context, act.game, act.seen_as)
    if bots.waited_for(act.game):
        act.context.used = None
        act.game = _play_on(act.context, act.game)
        act.answer = show(act)
        first = idempotency.replace(
            act.context, act.answer, secret=act.secret, reference=_reference(act, show)
        )
        if first is not None and act.context.keyed is not None:
            act.context.keyed.answer = _read_again(act.context, act.game.id, first)
    elif act.context.keyed is None:
        act.answer = show(act)


def _reference(act: Act, show: Show) -> Reference | None:
    """Return what is kept instead of the answer where that can be read again."""
    return answers.reference(act.game, act.entry, act.answer) if show is moved else None


def _read_again(context: Context, game_id: UUID, reference: Reference) -> Answer:
    assert context.keyed is not None
    return context.keyed.render(answers.read_again(context, game_id, reference))


def _settle(context: Context, game_id: UUID) -> None:
    """Settle overdue clocks, and let bots continue where that made it their turn."""
    _play_on(context, deadlines.settle(context, game_id))


def _play_on(context: Context, game: Game) -> Game:
    """Let bots continue. What came before is committed: where they fail it stands, and a worker goes on."""
    try:
        return bots.play_on(context, game)
    except Exception:
        log.exception("game %s: the bots could not continue", game.id)
        return game
