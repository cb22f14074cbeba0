"""The service compared with the referee's own position, for requests in any order; and planted faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from importlib import import_module
from typing import Any, cast

import pytest

import referee
import referee.table
from api.core.config import Settings
from api.games import acting
from api.games.game import Game
from api.store import games, write
from referee.log import pace
from referee.table.commands import agreements, seats
from tests.campaigns import states
from tests.campaigns.application import Service

pytestmark = pytest.mark.long
Patch = pytest.MonkeyPatch
effects = import_module("referee.table.apply")  # the package has a function of this name


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    made = Service(settings)
    yield made
    made.close()


def test_the_service_agrees_with_the_referee(service: Service) -> None:
    """`python -m tests.campaigns.states` tries more."""
    states.play(service, 20)


def unversioned(patch: Patch) -> None:
    """Ignore If-Match."""
    patch.setattr(acting, "require_version", lambda game, expected: None)


def unnamed(written: Any, session: Any, change: write.Change, *more: Any) -> Any:
    return written(session, change._replace(request=None), *more)


def forgetful(patch: Patch) -> None:
    """Let no entry name the request that has caused it."""
    alone, beside = write.write_guarded, write.send
    for name, written in (("write_guarded", alone), ("send", beside)):
        patch.setattr(write, name, partial(unnamed, written))


def kept_position(patch: Patch) -> None:
    """Keep the position from before a take-back."""
    patch.setitem(cast("dict[str, Any]", effects.EFFECTS), "taken_back", lambda table, event, given: None)


def kept_past(patch: Patch) -> None:
    """Show moves that were taken back in older versions."""
    patch.setattr(
        referee.table.Fold,
        "_before",
        lambda fold, of: referee.table.Earlier(fold.table.state, fold.table.drawn),
    )


def restless(patch: Patch) -> None:
    """Let the clocks run during a pause, which is visible only at its end."""
    begun: list[datetime] = []
    pause, resume = agreements.pause, agreements.resume

    def begin(seats: Any, pace: Any, at: datetime) -> None:
        begun[:] = [at]
        pause(seats, pace, at)

    def end(seats: Any, pace: Any, at: datetime, *more: Any) -> Any:
        return resume(seats, pace, begun[0] if begun else at, *more)

    patch.setattr(agreements, "pause", begin)
    patch.setattr(agreements, "resume", end)


def outdated(patch: Patch) -> None:
    """Let a process show a game as it first read it, until it writes to the game itself."""
    read, shown = games.ask, {}

    def ask(session: Any, game_id: Any, *, lock: bool = False) -> Any:
        place = session._database, game_id
        if lock or place not in shown:
            shown[place] = read(session, game_id, lock=lock)()
        row = shown.pop(place) if lock else shown[place]
        return lambda: row

    patch.setattr(games, "ask", ask)


def unrested(patch: Patch) -> None:
    """Count a turn that begins during a vacation at once."""
    patch.setattr(pace.Clock, "present", lambda clock, at: at)


def opened(patch: Patch) -> None:
    """Let the app act as a player where only players may."""
    patch.setattr(
        Game, "seats_private", property(lambda game: False, lambda game, value: None), raising=False
    )


def hasty(patch: Patch) -> None:
    """Replace players who are not missing."""
    patch.setattr(seats, "MISSED", 0)


ANY = {
    "unversioned": unversioned,
    "forgetful": forgetful,
    "restless": restless,
    "outdated": outdated,
    "unrested": unrested,
    "opened": opened,
    "hasty": hasty,
}
BIDDING = ("landlord", "pedro", "truco")  # bids can be taken back, cards that were seen cannot
TAKEN_BACK = {"kept_position": kept_position, "kept_past": kept_past}
FAULTS = [
    *(pytest.param(plant, states.RULESETS, id=name) for name, plant in ANY.items()),
    *(pytest.param(plant, BIDDING, id=name) for name, plant in TAKEN_BACK.items()),
]


@pytest.mark.parametrize(("plant", "rulesets"), FAULTS)
def test_a_planted_fault_is_found(
    service: Service, plant: Callable[[Patch], None], rulesets: list[str], monkeypatch: Patch
) -> None:
    """Each is found within 120 games. These depend on the loaded modules: Hypothesis uses their constants."""
    plant(monkeypatch)
    with pytest.raises((AssertionError, KeyError)):
        states.play(service, 120, rulesets=rulesets)
