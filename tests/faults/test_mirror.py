"""A short mirror campaign: one mirror of the feed and one of webhooks, while processes are killed."""

from __future__ import annotations

import pytest

from tests.campaigns import mirror, outage

pytestmark = pytest.mark.long


def test_mirrors_of_the_feed_and_of_webhooks_equal_the_server_whatever_is_killed() -> None:
    """`python -m tests.campaigns.mirror` is the long version."""
    done = mirror.run(5, 1, ("mirror", "receiver", "web", "database"), clients=2)
    assert done.startswith("5 games, ")


def test_a_bad_network_and_a_receiver_that_fails_for_a_while_lose_nothing() -> None:
    """`python -m tests.campaigns.outage` is the long version."""
    done = outage.run(6, 1, 20, clients=2)
    assert done.startswith("6 games, ")
