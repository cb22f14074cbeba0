"""Shares: what a party may have of what strangers share, and that each of these has its test."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from api.core.shares import Party, Resource, Shares, networks
from docs.generating.shares_table import RESOURCES, beside


def of(size: int, others: int = 1) -> Shares:
    return Shares(Resource("seats", "", "", "", others), size)


def take_all(shares: Shares, *parties: Party) -> list[int]:
    """Let parties take in turns for as long as one has room; return how much each has."""
    has = [0] * len(parties)
    while any(map(shares.has_room, parties)):
        for number, party in enumerate(parties):
            if shares.has_room(party):
                shares.take(party)
                has[number] += 1
    return has


@pytest.mark.parametrize("each", RESOURCES, ids=lambda each: each.name)
def test_the_loudest_party_of_each_resource_was_put_beside_an_innocent_one(each: Resource) -> None:
    assert beside()[each.name]


@pytest.mark.parametrize(("others", "alone"), [(1, 50), (3, 25), (9, 10)])
def test_the_more_parties_come_the_less_each_gets(others: int, alone: int) -> None:
    assert take_all(of(100, others), ("a",)) == [alone]
    ten, each = of(100, others), 100 // (others + 10)
    assert {*take_all(ten, *((name,) for name in range(10)))} <= {each, each + 1}
    assert take_all(ten, ("newcomer",)) > [0]


def test_what_is_given_back_can_be_taken_again() -> None:
    shares = of(10)
    assert take_all(shares, ("a", 1)) == [4]
    assert shares.crowded() == []
    assert take_all(shares, ("a", 2)) == [1]
    assert shares.crowded() == ["a"]
    for member, has in ((1, 4), (2, 1)):
        shares.give_back(("a", member), has)
    assert (shares.free, shares._has) == (10, {})


def test_a_member_does_not_keep_others_of_its_party_out() -> None:
    shares = of(100)
    assert take_all(shares, ("a", "loud")) == [34]
    assert take_all(shares, ("a", "innocent")) == [11]
    assert take_all(shares, ("b",)) == [28]


def crowd(network: Callable[[int], str]) -> int:
    """Return how much the addresses of an attacker get of a hundred, and see that somebody else gets some."""
    shares = of(100)
    taken = 0
    for number in count():
        party = networks(network(number))
        if not shares.has_room(party):
            break
        shares.take(party)
        taken += 1
    for innocent in ("192.0.2.1", "2001:db8:ffff::1"):
        assert take_all(shares, networks(innocent))[0] >= 5
    return taken


def test_an_attacker_has_no_more_with_more_addresses_of_one_network() -> None:
    assert crowd(lambda number: "198.51.100.1") == 50
    assert crowd(lambda number: f"2001:db8:0:1::{number:x}") == 25
    assert crowd(lambda number: f"2001:db8:0:{number:x}::1") <= 50
    assert crowd(lambda number: f"2001:db8:0:{number:x}00::1") <= 50


def test_addresses_count_as_networks() -> None:
    assert networks("192.0.2.1") == networks("::ffff:192.0.2.1") == ("192.0.2.1",)
    assert networks("2001:db8:1:23ff::7%eth0") == (
        "2001:db8:1::/48",
        "2001:db8:1:2300::/56",
        "2001:db8:1:23ff::/64",
    )
    assert networks("a socket") == ("a socket",)
