"""The service compared with a table of the library, for requests in any order; and planted faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import referee.table
from api.core.config import Settings
from api.features.post import replacements, standing_orders
from api.games import acting
from api.games.game import Game
from api.store import games, write
from tests.campaigns import states
from tests.campaigns.application import Service

pytestmark = pytest.mark.long
Patch = pytest.MonkeyPatch


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    made = Service(settings)
    yield made
    made.close()


def test_the_service_agrees_with_a_table(service: Service) -> None:
    """`python -m tests.campaigns.states` tries more."""
    states.play(service, 20)


def unversioned(patch: Patch) -> None:
    """Ignore If-Match."""
    patch.setattr(acting, "require_version", lambda game, expected: None)


def forgetful(patch: Patch) -> None:
    """Let no entry name the request that has caused it."""
    written = write._write
    patch.setattr(write, "_write", lambda cipher, change: written(cipher, change._replace(request=None)))


def restless(patch: Patch) -> None:
    """Play orders that rest because their player has taken a move back."""
    patch.setattr(standing_orders, "_has_moved", lambda *given: True)


def undecided(patch: Patch) -> None:
    """Forget who has agreed that a player be replaced."""
    patch.setattr(replacements, "recent", lambda context, game: referee.table.Recent())


def outdated(patch: Patch) -> None:
    """Let a process show a game as it first read it, until it writes to the game itself."""
    read, shown = games.get, {}

    def get(session: Any, game_id: Any, *, lock: bool = False) -> Any:
        place = session._database, game_id
        if lock or place not in shown:
            shown[place] = read(session, game_id, lock=lock)
        return shown.pop(place) if lock else shown[place]

    patch.setattr(games, "get", get)


def opened(patch: Patch) -> None:
    """Let the app act as a player where only players may."""
    patch.setattr(
        Game, "seats_private", property(lambda game: False, lambda game, value: None), raising=False
    )


FAULTS = [unversioned, forgetful, restless, undecided, outdated, opened]


@pytest.mark.parametrize("plant", FAULTS)
def test_a_planted_fault_of_the_service_is_found(
    service: Service, plant: Callable[[Patch], None], monkeypatch: Patch
) -> None:
    """Each is found within 120 games. These depend on the loaded modules: Hypothesis uses their constants.

    Faults of tables are found in tests/independent.
    """
    plant(monkeypatch)
    with pytest.raises((AssertionError, KeyError)):
        states.play(service, 120)
