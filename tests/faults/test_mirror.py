"""A short mirror campaign: one mirror of the feed and one of webhooks, while processes are killed."""

from __future__ import annotations

import pytest

from tests.campaigns import mirror

pytestmark = pytest.mark.long


def test_mirrors_of_the_feed_and_of_webhooks_equal_the_server_whatever_is_killed() -> None:
    """`python -m tests.campaigns.mirror` is the long version."""
    done = mirror.run(5, 1, ("mirror", "receiver", "web", "database"), clients=2)
    assert done.startswith("5 games, ")
