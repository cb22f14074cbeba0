"""The service beside the referee's own position, whatever is asked in any order; and faults that it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from api.core.config import Settings
from api.play import acting
from api.store.answers import kept_answers
from tests.campaigns import states
from tests.campaigns.states import Service

pytestmark = pytest.mark.long


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    made = Service(settings)
    yield made
    made.close()


def test_the_service_agrees_with_the_referee(service: Service) -> None:
    """`python -m tests.campaigns.states` tries more."""
    states.play(service, 40)


def unversioned(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(acting, "require_version", lambda game, expected: None)


def forgetful(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kept_answers, "claim", lambda *arguments: None)


FAULTS = [unversioned, forgetful]
BIDDING = ("landlord", "pedro", "truco")  # what was bid can be taken back; a card that was played was seen


@pytest.mark.parametrize("plant", FAULTS)
def test_a_planted_fault_is_found(
    service: Service, plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises((AssertionError, KeyError)):
        states.play(service, 200, rulesets=BIDDING)
