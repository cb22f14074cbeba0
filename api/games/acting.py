"""Acting in a game: the only place that decides the order of the steps of a caller's change.

    return act(context, game_id, seat, change, Terms(moved, if_match=versions))

1. The game's row is read, or this process has a copy.
2. What the change makes of it is decided, once: `authorise` says what the caller sees and for which seat it
   acts. What is due before (deadlines, outages) is settled in a transaction of its own, which stands whatever
   happens to the request. Then come the expected version, the stage, and the `change`, which writes nothing:
   what belongs into other tables it leaves in `game.later`. It may be called repeatedly. A refusal of a
   stale copy counts for nothing.
3. The change is written, if neither the game nor the caller's credential has changed: by one statement, or by
   a transaction that begins with it. Otherwise all of it is done again.
4. Bots and standing orders continue, in transactions of their own.
5. The answer shows the game after that.

A request with an Idempotency-Key is named by the entry that it has caused. When it is repeated, that entry is
found, and the game is shown as it is now. Only an answer with a secret, and one to a change without an entry,
is kept (`api.http.idempotency`).

A request that creates a game goes through `create`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Generic, TypeVar
from uuid import UUID

import referee
import referee.records
from api.context import Context, NotLookedUp
from api.core.callers import APP, Caller, Expected
from api.core.errors import Forbidden, KeyReused, Overloaded, ServiceError, Unauthorized
from api.games import answers, bots, deadlines, looks, outages
from api.games.answers_of_logs import Moved
from api.games.game import Game, require_version
from api.games.loading import Found, find, is_current, load, put, take, time_of
from api.games.receipts import receipt, with_promise
from api.games.refusals import require_stage
from api.games.saving import save, save_guarded
from api.games.views import Visibility, acting_seat, entry_of, seats_of, show_entry, show_game, visibility_of
from api.http import idempotency
from api.http.idempotency import AlreadyAnswered
from api.http.tokens import UNKNOWN
from api.store import log, write
from api.store.write import Guard, Mark

ATTEMPTS = 5
BUSY = "Others were always faster to change this game. Nothing was changed; try again."


@dataclass(slots=True)
class Act:
    """A caller's action in a game at a time. The change sets `entry` if the answer shows one.

    `seen_as` is what the caller sees of the game, `number` its seat (None: it acts for none). It `changes`
    something, or nothing.
    """

    context: Context
    game: Game
    seen_as: Visibility
    number: int | None
    now: datetime
    entry: referee.records.Entry | None = None
    is_kept: bool = False
    """The answer is kept for a repeated request."""
    changes: bool = True
    unsaved: object = None
    """What `show` shows, and is not written yet."""
    plays_on: bool = False
    """The game waits for a bot, or for a seat with standing orders, after it."""
    mark: Mark | None = None
    """That of the game's row after it."""

    @property
    def seat(self) -> int:
        """The seat for which the caller acts."""
        assert self.number is not None
        return self.number


Shown = TypeVar("Shown")
Authorise = Callable[[Caller, Game, int | None], tuple[Visibility, int | None]]


def holder(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    """Authorise the holder of the seat, and the game's app. Raises NotFound, Forbidden, BadRequest."""
    visibility = visibility_of(caller, game)
    return visibility, acting_seat(game, visibility, seat)


def maker(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, None]:
    """Authorise the game's app. Raises NotFound, Forbidden."""
    visibility = visibility_of(caller, game)
    if not (visibility.maker and caller.kind == APP):
        raise Forbidden("Only the app of this game may do this.")
    return visibility, None


def game_only(act: Act) -> answers.Game:
    """Return the game as the caller sees it now, because its seats may have changed."""
    return show_game(act.game, _shown(act), with_promise(act.context, act.game))


def _shown(act: Act) -> Visibility:
    """Return what the caller sees of the game as it is after the action, which may have seated it."""
    return act.seen_as if act.seen_as.maker else Visibility(seats_of(act.context.caller, act.game))


def moved(act: Act) -> Moved:
    """Return the entry that was written, and the game."""
    assert act.entry is not None
    game = show_game(act.game, _shown(act), receipt(act.context, act.game))
    return {"entry": show_entry(act.entry, act.seen_as), "game": game, "receipt": game["receipt"]}


def nothing(act: Act) -> None:
    """Return no answer."""


@dataclass(frozen=True, slots=True)
class Terms(Generic[Shown]):
    """How a change is answered, who may make it, and in which games.

    The game must be at one of these `stages`; None: what the caller wants is possible at others, or says so.
    """

    show: Callable[[Act], Shown]
    if_match: Expected = None
    authorise: Authorise = holder
    stages: Sequence[str] | None = None
    secret: bool = False
    """The answer contains a secret, which nothing else can show again."""


MOVED = Terms(moved)


def act(
    context: Context, game_id: UUID, seat: int | None, change: Callable[[Act], None], terms: Terms[Shown]
) -> Shown:
    """Make a change for the caller; return the answer.

    Raises NotLookedUp; AlreadyAnswered for a repeated request, KeyReused; NotFound, Forbidden or BadRequest
    from `authorise`; StaleVersion; GameNotOpen, GameOver or Conflict at another stage of the game; what
    `change` raises; and Overloaded if others were always faster.
    """
    copy = take(context, game_id)
    for _ in range(ATTEMPTS + (copy is not None)):
        copied, copy = copy, None
        try:
            found = copied or find(context, game_id)
            done = _decide(context, seat, change, terms, found.unpack(context))
        except (ServiceError, referee.Malformed):
            if copied and not is_current(context, copied):
                continue
            _require_new(context, game_id, terms)
            raise
        if done is None:
            bots.play_on_if_possible(context, deadlines.settle(context, game_id))
        elif _write(done, found, terms):
            return _continue(done, terms.show)
        elif copied:
            continue
        elif context.caller.remembered:  # whose credential may be the reason
            raise NotLookedUp
        else:
            _require_new(context, game_id, terms)
            _require_credential(context, game_id)
    raise Overloaded(BUSY)


def _require_credential(context: Context, game_id: UUID) -> None:
    """Raise Unauthorized if the credential has ended since it was looked up: no attempt can succeed."""
    caller = context.caller
    if caller.credential_id is not None and write.get_mark(context.session, game_id, caller) is None:
        raise Unauthorized(UNKNOWN)


def _decide(
    context: Context, seat: int | None, change: Callable[[Act], None], terms: Terms[Shown], game: Game
) -> Act | None:
    """Return the caller's change of a game, which is not written yet; None if something is due before it."""
    game.by = context.caller.person
    before = [*game.seats]
    visibility, number = terms.authorise(context.caller, game, seat)
    now = time_of(context, game)
    if game.is_due(now) or outages.may_owe(context, game, now):
        return None
    require_version(game, terms.if_match)
    if terms.stages is not None:
        require_stage(game, terms.stages)
    done = Act(context, game, visibility, number, now)
    change(done)
    done.changes = bool(game.entries or game.later or game.seats != before)
    return done


def _require_new(context: Context, game_id: UUID, terms: Terms[Shown]) -> None:
    """Raise AlreadyAnswered if the request was made before, with its entry and the game as it is now.

    Raises KeyReused; NotFound if the caller may not see the game any more.
    """
    request = idempotency.request_of(context)
    found = None if request is None else log.of_request(context.session, game_id, request.id)
    if request is None or found is None:
        try:
            idempotency.require_new(context)
        except AlreadyAnswered:
            if terms.show is game_only:  # there was nothing to do; the caller may see less since
                raise AlreadyAnswered(game_only(_again(context, game_id))) from None
            raise
        return
    stored, fingerprint = found
    if fingerprint != request.fingerprint:
        raise KeyReused(idempotency.REUSED)
    raise AlreadyAnswered(terms.show(_again(context, game_id, entry_of(stored))))


def _again(context: Context, game_id: UUID, entry: referee.records.Entry | None = None) -> Act:
    """Return what a repeated request shows: the game as it is now, and as the caller may see it now."""
    game = load(context, game_id)
    act = _by_nobody(context, game)
    looks.record_view(context, game, act.seen_as)
    act.entry = entry
    return act


def _write(act: Act, found: Found, terms: Terms[Shown]) -> bool:
    """Write a change, unless the game or the credential has changed; return whether it was written."""
    context, game = act.context, act.game
    act.plays_on = game.plays_on
    if context.key is None and not act.changes:
        return is_current(context, found)
    if context.key is not None and (not game.entries or terms.show is game_only):
        # There is nothing to do, perhaps because this request has done it. Or there was nothing when it came
        # first: taking a seat, or handing one over, may find that it is so already.
        _require_new(context, game.id, terms)
    request = idempotency.request_of(context) if game.entries and not terms.secret else None
    if context.key is not None and request is None:
        act.is_kept = True
        game.later.append(partial(idempotency.keep_new, context, terms.show(act)))
    caused = (act.entry or game.entries[0]).public["seq"] if request is not None else 0
    act.mark = save_guarded(context, game, Guard(found.mark, context.caller), request, caused)
    return act.mark is not None


def create(context: Context, make: Callable[[], Game], show: Callable[[Act], Shown]) -> Shown:
    """Create a game by calling `make` inside a transaction; return the answer.

    Raises AlreadyAnswered for a repeated request, with the game as it is now.
    """
    try:
        with idempotency.transaction(context):
            game = make()
            act = _by_nobody(context, game)
            act.plays_on = game.plays_on
            if game.entries:  # an imported game has its log already
                save(context, game)
            idempotency.keep(context, str(game.id))
    except AlreadyAnswered as before:
        raise AlreadyAnswered(show(_again(context, UUID(str(before.value))))) from None
    return _continue(act, show)


def _by_nobody(context: Context, game: Game) -> Act:
    """Return what shows a game to the caller, who acts for none of its seats. Raises NotFound, Forbidden."""
    return Act(context, game, visibility_of(context.caller, game), None, time_of(context, game))


def _continue(act: Act, show: Callable[[Act], Shown]) -> Shown:
    """Continue with the bots after the commit; return the answer, with the game after their moves."""
    if act.seen_as.whole or act.context.caller.by_app:  # only these may see other seats' cards
        looks.record_view(act.context, act.game, _shown(act))
    act.unsaved = None
    if act.plays_on:
        act.game = bots.play_on_if_possible(act.context, act.game)
        answer = show(act)
        return idempotency.keep(act.context, answer) if act.is_kept else answer
    answer = show(act)
    put(act.context, act.game, act.mark)
    return answer
