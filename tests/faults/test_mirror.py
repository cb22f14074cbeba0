"""A mirror built from the feed alone, while its process and the server's are killed; in short."""

from __future__ import annotations

import pytest

from tests.campaigns import mirror

pytestmark = pytest.mark.long


def test_a_mirror_of_the_feed_equals_the_server_whatever_is_killed() -> None:
    """`python -m tests.campaigns.mirror` is the long version."""
    done = mirror.run(5, 1, ("mirror", "web", "database"), clients=2)
    assert done.startswith("5 games, ")
