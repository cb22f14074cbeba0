"""Acting in a game: the only place that decides the order of the steps of a caller's change.

    return act(context, game_id, seat, change, Rules(if_match=versions))

1. The game is taken: this process's copy, then as it is read now, then as it is read under its lock.
2. What the change makes of it is decided: `authorise` says what the caller sees and for which seat it acts.
   Deadlines that have passed are settled first, in a transaction of their own, which stands whatever happens
   to the request. Then come the expected version, the status, and the `change` itself, which does nothing
   else and may be called repeatedly.
3. One statement writes the change and the kept response. Without the lock it is guarded: it writes nothing if
   the game or the caller's credential has changed. Then the game is taken in the next way.
4. Bots and standing orders continue, in transactions of their own.
5. The answer shows the game after that. Until then, the answer of step 3 is kept. If a repeated request
   receives that one in the meantime, the first caller gets it as well.

What one statement cannot write (the end of a game, another player in a seat, orders) is `locked`, or found
out in step 2. It is written in a transaction that claims the Idempotency-Key and locks the game's row. A
request that creates a game goes through `create`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg.errors import DeadlockDetected

import referee
from api.context import Context, Unconfirmed
from api.core.callers import Caller, Expected
from api.core.errors import Conflict, GameNotOpen, GameOver, ServiceError
from api.game import looks
from api.game.changing import change_within
from api.game.game import OPEN, RUNNING, Game, require_version
from api.game.reading import Copy
from api.game.receipts import receipt, with_promise
from api.game.rows import game_of, read_hours, time_of
from api.game.saving import is_alone, save, save_guarded
from api.game.show import show_entry, show_game
from api.game.turns import is_reveal_overdue, overdue
from api.game.visibility import Visibility, acting_seat, seats_of, visibility_of
from api.idempotency import keys as idempotency
from api.idempotency.keys import Kept, Replayed
from api.play import answers
from api.play.automatic import bots, deadlines, outages
from api.store.accounts import credentials
from api.store.database.session import Session
from api.store.game import write
from api.store.game.games import opened
from api.store.game.write import Guard
from api.store.idempotency_keys import Reference

ATTEMPTS = 5  # in transactions, of which others may win


@dataclass(slots=True)
class Act:
    """A caller's action in a game at a time. The change sets `entry` if the answer shows one.

    `seen_as` is what the caller sees of the game, `number` its seat (None: it acts for none), and `secret` a
    part of the answer that must not be stored in plain text.
    """

    context: Context
    game: Game
    seen_as: Visibility
    number: int | None
    now: datetime
    entry: referee.Entry | None = None
    answer: Any = None
    secret: str | None = None

    @property
    def seat(self) -> int:
        """The seat for which the caller acts."""
        assert self.number is not None
        return self.number


class Refused(NamedTuple):
    """The change is not possible, or the caller may not make it."""

    error: ServiceError | referee.Malformed


class Late(NamedTuple):
    """A deadline has passed, or an outage has ended, but no entry says so yet."""


class Lost(NamedTuple):
    """Nothing was written: others have changed the game or the credential."""


class NeedsLock(NamedTuple):
    """Nothing was written: one statement cannot write everything that the change is."""


Decision = Act | Refused | Late
Authorise = Callable[[Caller, Game, int | None], tuple[Visibility, int | None]]
Show = Callable[[Act], Any]


def holder(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    """Authorise the holder of the seat, and the game's app. Raises NotFound, Forbidden, BadRequest."""
    visibility = visibility_of(caller, game)
    return visibility, acting_seat(game, visibility, seat)


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


@dataclass(frozen=True, slots=True)
class Rules:
    """Who may make a change, in which games, and how it is answered.

    The game must have the `status` (None: any), and not be paused unless it may be `even_paused`. A change
    that is `locked` always needs the lock of the game.
    """

    if_match: Expected = None
    authorise: Authorise = holder
    status: str | None = RUNNING
    even_paused: bool = False
    show: Show = moved
    locked: bool = False


USUAL = Rules()


def act(
    context: Context, game_id: UUID, seat: int | None, change: Callable[[Act], None], rules: Rules = USUAL
) -> Any:
    """Make a change for the caller; return the answer, Replayed for a repeated request, or Unconfirmed.

    Raises NotFound, Forbidden or BadRequest from `authorise`; StaleVersion; GameNotOpen or GameOver; Conflict
    if the game is paused; and what `change` raises.
    """
    decide = partial(_decide, context, seat, change, rules)
    done: Act | Kept | Refused | Late | Lost | NeedsLock = NeedsLock()
    if not rules.locked and context.caller.credential_id is not None and not context.caller.ended:
        done = _without_lock(context, game_id, decide, rules.show)
    if context.caller.recalled and not isinstance(done, Act):
        done = (
            _locked_unless_refused(context, game_id, decide, rules) if isinstance(done, NeedsLock) else done
        )
        if not isinstance(done, Act | Kept):  # once more, when it is known who calls
            return Unconfirmed()
    for attempt in range(ATTEMPTS):
        if not isinstance(done, Lost | NeedsLock | Late):
            break
        if isinstance(done, Late):
            bots.play_on_if_possible(context, deadlines.settle(context, game_id))
        done = _locked(context, game_id, decide, rules, last=attempt == ATTEMPTS - 1)
    if isinstance(done, Refused):
        raise done.error
    if isinstance(done, Kept):
        return Replayed(answers.value_of(context, game_id, done))
    assert isinstance(done, Act)
    _continue(done, rules.show)
    return done.answer


def _decide(
    context: Context, seat: int | None, change: Callable[[Act], None], rules: Rules, game: Game
) -> Decision:
    """Return the caller's change of a game, which is not written yet, or why there is none."""
    game.by = context.caller.person
    try:
        visibility, number = rules.authorise(context.caller, game, seat)
        now = time_of(context, game)
        if overdue(game, now) or is_reveal_overdue(game, now) or outages.may_owe(context, game, now):
            return Late()
        require_version(game, rules.if_match)
        require_status(game, rules.status)
        if not rules.even_paused:
            require_unpaused(game)
        done = Act(context, game, visibility, number, now)
        change(done)
    except (ServiceError, referee.Malformed) as error:
        return Refused(error)
    return done


def _without_lock(
    context: Context, game_id: UUID, decide: Callable[[Game], Decision], show: Show
) -> Act | Refused | Late | Lost | NeedsLock:
    """Try a change on this process's copy, then on the game as it is read now.

    Under a key, a refusal is decided again by who has claimed the key: the request may be a repetition.
    """
    copies = context.session.copies
    copy = copies.take(game_id)
    done = _try(context, copy, decide, show) if copy is not None else Lost()
    if isinstance(done, Act | NeedsLock):
        return done
    copy = _read(context, game_id)
    done = _try(context, copy, decide, show) if copy is not None else Lost()
    return Lost() if isinstance(done, Refused) and context.key is not None else done


def _read(context: Context, game_id: UUID) -> Copy | None:
    """Read a game without a lock; None if there is none that the caller may know of."""
    row = write.get_marked(context.session, game_id)
    if row is None:
        return None
    game = game_of(opened(context.session, row[0]))
    read_hours(context, game)
    return Copy(game, row[1])


def _try(
    context: Context, copy: Copy, decide: Callable[[Game], Decision], show: Show
) -> Act | Refused | Late | Lost | NeedsLock:
    """Make a change of a game that is not locked, and write it if one guarded statement can.

    A game ends only while its row is locked, so that requests for private cards wait for the end.
    """
    game, caller = copy.game, context.caller
    if game.test_clock is not None:  # another row says what time it is
        return NeedsLock()
    done = decide(game)
    if not isinstance(done, Act):
        return done
    if not is_alone(game):
        return NeedsLock()
    if context.key is not None:
        done.answer = show(done)
    final = not bots.waited_for(game)
    answer = idempotency.new(context, done.answer, final=final, reference=_reference(done, show))
    assert caller.credential_id is not None
    guard = Guard(copy.mark, caller.credential_id, caller.expires_at)
    mark = save_guarded(context, game, guard, answer)
    if mark is None:
        return Lost()
    if final and not (game.timing and game.timing.own_hours):  # its players may set other hours
        if context.key is None:
            done.answer = show(done)
        context.session.copies.put(game.id, Copy(game, mark))
    return done


def _locked(
    context: Context, game_id: UUID, decide: Callable[[Game], Decision], rules: Rules, last: bool
) -> Act | Kept | Late | Lost:
    """Make a change of a locked game in a transaction; Lost after a deadlock, unless it is the `last`.

    It may be with a request that has locked the game and waits for our key. Lost, too, if the caller was not
    looked up and must be.
    """
    done: Act | Late | Lost = Lost()
    try:
        with context.session.transaction(pipelined=not rules.locked):
            confirmed = _ask_confirmed(context.caller, context.session)
            before = idempotency.claim(context)
            if before is not None:
                return before if confirmed() else Lost()
            _, done = change_within(context, game_id, partial(_unrefused, decide, confirmed))
            if not isinstance(done, Act):
                raise psycopg.Rollback  # the key is free again
            _keep(done, rules.show)
    except DeadlockDetected:
        if last:
            raise
        return Lost()
    return done


def _locked_unless_refused(
    context: Context, game_id: UUID, decide: Callable[[Game], Decision], rules: Rules
) -> Act | Kept | Late | Lost:
    try:
        return _locked(context, game_id, decide, rules, last=False)
    except (ServiceError, referee.Malformed):
        return Lost()


def _ask_confirmed(caller: Caller, session: Session) -> Callable[[], bool]:
    """Ask whether a caller who was not looked up would still be found, with the statements that follow."""
    if not caller.recalled:
        return lambda: True
    assert caller.credential_id is not None
    return credentials.ask_confirmed(session, caller.credential_id, caller.expires_at)


def _unrefused(
    decide: Callable[[Game], Decision], confirmed: Callable[[], bool], game: Game
) -> Act | Late | Lost:
    """Decide about a change in a transaction, which a refusal rolls back."""
    if not confirmed():
        return Lost()
    done = decide(game)
    if isinstance(done, Refused):
        raise done.error
    return done


def create(
    context: Context, make: Callable[[], Game], show: Show = game_only, secret: str | None = None
) -> Any:
    """Create a game by calling `make` inside a transaction; return the answer."""
    with idempotency.transaction(context):
        game = make()
        act = Act(context, game, visibility_of(context.caller, game), None, game.created_at, secret=secret)
        save(context, game)
        _keep(act, show)
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


def require_unpaused(game: Game) -> None:
    """Raise Conflict while the game is paused."""
    if game.paused:
        raise Conflict("The game is paused: end the pause first.")


def _keep(act: Act, show: Show) -> None:
    """Keep the answer to a change in the open transaction."""
    if act.context.key is not None:
        final = not bots.waited_for(act.game)
        act.answer = show(act)
        idempotency.keep(
            act.context, act.answer, final=final, secret=act.secret, reference=_reference(act, show)
        )


def _continue(act: Act, show: Show) -> None:
    """Continue with the bots after the commit, and answer with the game after their moves."""
    waited = bots.waited_for(act.game)  # otherwise the next request may have the game from here on
    if act.seen_as.whole or act.context.caller.by_app:  # only these may see other seats' cards
        looks.note_view(act.context, act.game, _shown(act))
    if waited:
        act.game = bots.play_on_if_possible(act.context, act.game)
        act.answer = show(act)
        first = idempotency.replace(
            act.context, act.answer, secret=act.secret, reference=_reference(act, show)
        )
        if first is not None:
            act.answer = answers.value_of(act.context, act.game.id, first)
    elif act.answer is None:
        act.answer = show(act)


def _reference(act: Act, show: Show) -> Reference | None:
    """Return the reference to keep instead of the answer, or None if the answer itself must be kept."""
    if show is not moved or act.answer is None:
        return None
    return answers.reference(act.game, act.entry, act.answer)
