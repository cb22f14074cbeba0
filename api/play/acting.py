"""Acting in a game: the only place that decides the order of the steps, and their transactions.

    with acting(context, game_id, seat, if_match=versions) as act:
        act.entry = act.game.play(act.now(), act.seat, move)
    return act.answer

1. A transaction begins. It claims the Idempotency-Key, if any; a repeated request gets the first answer.
2. The game is loaded and locked; `authorise` decides what the caller sees and for which seat it acts.
3. If a deadline has passed, the transaction is rolled back. The clocks are settled in a transaction of their
   own, which stands whatever happens to the request. Then everything starts again.
4. The expected version is checked, then the game's status.
5. The block makes the caller's change, and does nothing else.
6. The change is saved, the answer is kept under the key, all of it is committed, and subscribers are woken.
7. Bots and standing orders continue, in transactions of their own.
8. `act.answer` shows the game after that. Until then, the answer of step 6 is kept. If a repeated request
   receives that one in the meantime, the first caller gets it as well.

A request that creates a game goes through `create`: steps 1 and 5 to 8.

    return act(context, game_id, seat, change, if_match=versions)

does the same for a change of one entry, and tries it first without step 1: on a copy of the game that this
process has, otherwise on the game as read without a lock. Steps 2 to 5 are the same, and a single statement
is step 6. It writes nothing if the game is no longer the same as the copy, or if the caller's token is no
longer valid. If anything goes wrong, nothing has been written, and everything starts again with step 1.
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
from api.context import Context, NotAtOnce
from api.core.callers import Caller, Expected
from api.core.errors import Conflict, GameNotOpen, GameOver, ServiceError
from api.game import looks
from api.game.game import OPEN, RUNNING, Game, require_version
from api.game.receipts import receipt, with_promise
from api.game.rows import load
from api.game.saving import save
from api.game.show import show_entry, show_game
from api.game.turns import is_reveal_overdue, overdue
from api.game.visibility import Visibility, acting_seat, seats_of, visibility
from api.idempotency import keys as idempotency
from api.idempotency.keys import AlreadyAnswered
from api.play import answers, copies
from api.play.automatic import bots, deadlines, outages
from api.play.copies import Copy
from api.store.game.at_once import KeyUsed
from api.store.idempotency_keys import Answer, Reference

log = logging.getLogger("card_referee.acting")


@dataclass(slots=True)
class Act:
    """A caller's action in a game. The block sets `entry` if the answer shows one.

    `seen_as` is what the caller sees of the game, `number` its seat (None: it acts for none), and `secret` a
    part of the answer that must not be stored in plain text.
    """

    context: Context
    game: Game
    seen_as: Visibility
    number: int | None = None
    entry: referee.Entry | None = None
    answer: Any = None
    secret: str | None = None

    def now(self) -> datetime:
        """Return the time of the game."""
        return self.game.now(self.context)

    @property
    def seat(self) -> int:
        """The seat for which the caller acts."""
        assert self.number is not None
        return self.number


Authorise = Callable[[Caller, Game, int | None], tuple[Visibility, int | None]]
Show = Callable[[Act], Any]


def holder(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    """Authorise the holder of the seat, and the game's app. Raises NotFound, Forbidden, BadRequest."""
    seen = visibility(caller, game)
    return seen, acting_seat(game, seen, seat)


def game_only(act: Act) -> dict[str, Any]:
    """Return the game as the caller sees it now, because its seats may have changed."""
    return show_game(act.game, _shown(act), with_promise(act.context, act.game))


def _shown(act: Act) -> Visibility:
    """Return what the caller sees of the game as it is after the action, which may have seated it."""
    return act.seen_as if act.seen_as.maker else Visibility(seats_of(act.context.caller, act.game))


def moved(act: Act) -> dict[str, Any]:
    """Return the entry that was written, and the game."""
    assert act.entry is not None
    game = show_game(act.game, _shown(act), receipt(act.context, act.game))
    return {"entry": show_entry(act.entry, act.seen_as), "game": game, "receipt": game["receipt"]}


def nothing(act: Act) -> None:
    """Return no answer."""


class _Overdue(Exception):
    """A deadline of this game has passed, or an outage has ended, but no entry says so yet."""


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
    """Act in a game for the caller, in the order that is described above.

    Raises NotFound, Forbidden or BadRequest from `authorise`; StaleVersion; GameNotOpen or GameOver unless
    the game has this `status` (None: any); Conflict if it is paused, unless `even_paused`.
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
        except DeadlockDetected:  # with a request that holds the game's row and waits for our key
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
    """Return the caller's action in a loaded game, if the caller may act in it now."""
    game.by = context.caller.person
    seen, number = authorise(context.caller, game, seat)
    now = game.now(context)
    if overdue(game, now) or is_reveal_overdue(game, now) or outages.may_owe(context, game, now):
        raise _Overdue
    require_version(game, if_match)
    require_status(game, status)
    if game.paused and not even_paused:
        raise Conflict("The game is paused: end the pause first.")
    return Act(context, game, seen, number)


def act(
    context: Context, game_id: UUID, seat: int | None, change: Callable[[Act], None], if_match: Expected
) -> Any:
    """Make a change in a running game for the caller; return the answer. `change` may be called repeatedly.

    Raises what `acting` does, and NotAtOnce if the caller has to be looked up first.
    """
    done = _at_once(context, game_id, seat, change, if_match)
    if done is not None:
        return done.answer
    if context.recalled:
        raise NotAtOnce
    ending = context.copies is None  # an attempt that fails without a lock is most likely a last move
    with acting(context, game_id, seat, if_match=if_match, pipelined=True, ending=ending) as done:
        change(done)
    return done.answer


def _at_once(
    context: Context, game_id: UUID, seat: int | None, change: Callable[[Act], None], if_match: Expected
) -> Act | None:
    """Try a change on this process's copy, then on the game as read now; None if it needs a lock."""
    caller, known = context.caller, context.copies
    if known is None or caller.credential_id is None or caller.ended:
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
    """Try a change on this copy; None if nothing was written. A refusal is decided again under the lock."""
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
    """Create a game by calling `make` inside a transaction; return the answer."""
    with idempotency.transaction(context):
        game = make()
        act = Act(context, game, visibility(context.caller, game), secret=secret)
        _save(act, show)
    _continue(act, show)
    return act.answer


def require_status(game: Game, status: str | None = RUNNING) -> None:
    """Raise GameNotOpen or GameOver if the game does not have this status (None: any)."""
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
    """Continue with the bots after the commit, and answer with the game after their moves."""
    if act.seen_as.whole or act.context.caller.by_app:  # only these may see other seats' cards
        looks.note_view(act.context, act.game, _shown(act))
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
    """Return the reference to keep instead of the answer, or None if the answer itself must be kept."""
    return answers.reference(act.game, act.entry, act.answer) if show is moved else None


def _read_again(context: Context, game_id: UUID, reference: Reference) -> Answer:
    assert context.keyed is not None
    return context.keyed.render(answers.read_again(context, game_id, reference))


def _settle(context: Context, game_id: UUID) -> None:
    """Settle overdue clocks, and continue with the bots if it is then their turn."""
    _play_on(context, deadlines.settle(context, game_id))


def _play_on(context: Context, game: Game) -> Game:
    """Continue with the bots. If they fail, what was committed before stands, and a worker goes on."""
    try:
        return bots.play_on(context, game)
    except Exception:
        log.exception("game %s: the bots could not continue", game.id)
        return game
