"""Short campaigns: each kind of process dies once, each other fault happens once, mirrors stay equal."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.campaigns import crash, mirror, outage
from tests.campaigns.clients import Answer, Clients

pytestmark = pytest.mark.long

KILLED = (
    "worker",
    "postgres backend",
    "far web process",
    "compute process",
    "web process",
    "postgres master",
)
FAULTS = [
    *(("kill", kind) for kind in KILLED),
    ("lose a COMMIT's answer", ""),
    ("lose a move's answer", ""),
    ("freeze", "web process"),
    ("starve", "far web process"),
    ("cut the network", ""),
    ("fill the disk", ""),
    ("move the clock", ""),
    ("kill", "serve"),
]


def test_acknowledged_entries_exist_once_whatever_dies() -> None:
    """`python -m tests.campaigns.crash` is the long version."""
    campaign = crash.run_campaign(0, 1, FAULTS)
    assert not campaign.ledger.faults
    assert campaign.torment.kills == len(KILLED) + 1
    assert campaign.ledger.promised > 100


def test_a_client_repeats_a_request_that_was_refused_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a caller's long requests wait for a compute process that died, further ones are refused."""
    answers = [Answer(429, {"title": "Too many requests"}, False), Answer(201, {}, False)]
    clients = Clients(lambda: ["http://127.0.0.1:1"], "", "", random.Random(1))

    async def attempt(*of: object) -> Answer:
        return answers.pop(0)

    monkeypatch.setattr(clients, "_attempt", attempt)
    assert asyncio.run(clients.ask("POST", "/v1/games/x/moves", {}, key="k")).status == 201
    assert not clients.ledger.faults


@pytest.mark.parametrize(
    ("build", "fault", "seen"),
    [
        ("forgetful", "lose a COMMIT's answer", "there, but never answered"),
        ("hasty", "kill", "lost"),
        ("boasting", "lose a move's answer", "two requests were told"),
    ],
)
def test_a_broken_build_is_noticed(build: str, fault: str, seen: str) -> None:
    faults = [(fault, "postgres backend" if fault == "kill" else "")] * 3
    # A broken build never delivers lost data, so a short wait is enough.
    campaign = crash.run_campaign(0, 2, faults, (build,), timeout=15)
    assert any(seen in each for each in campaign.ledger.faults)


def test_mirrors_of_the_feed_and_of_webhooks_equal_the_server_whatever_is_killed() -> None:
    """`python -m tests.campaigns.mirror` is the long version."""
    done = mirror.run(5, 1, ("mirror", "receiver", "web", "database"), clients=2)
    assert done.startswith("5 games, ")


def test_a_bad_network_and_a_receiver_that_fails_for_a_while_lose_nothing() -> None:
    """`python -m tests.campaigns.outage` is the long version."""
    done = outage.run(6, 1, 20, clients=2)
    assert done.startswith("6 games, ")
