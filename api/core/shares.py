"""Shares: how a resource is divided among strangers, of whom some may ask for all of it.

A party may take one more while `others` further parties that have as much as it would still find room: one
alone gets a part, and each gets less as more come. What can be taken back (`Recallable`) is given to whoever
comes, and taken from whoever has most.

A party is named from the outside in: an app and its credential, say, or the networks of an address. What it
has counts at every level, so that one address in a crowded network gets less than that network.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address, ip_network

Party = tuple[Hashable, ...]
NETWORKS = (48, 56, 64)  # bits of an IPv6 address: of a site, of a customer, of one of their networks


@dataclass(frozen=True)
class Resource:
    """What strangers share: the words of its row in SECURITY.md, and how many others a party leaves room for.

    A party alone gets at most 1 / (1 + `others`) of it.
    """

    name: str
    size: str
    parties: str
    full: str
    others: int = 1

    def has_room(self, size: float, used: float, has: Sequence[float]) -> bool:
        """Return whether a party that `has` so much at each of its levels may take one more."""
        return self.others * sum(has) < size - used


class Shares:
    """Who has how much of a resource in this process."""

    def __init__(self, resource: Resource, size: int) -> None:
        self.resource, self.size, self.used = resource, size, 0
        self._has: dict[Party, int] = {}
        self._inside: dict[Party, dict[Party, None]] = {}

    @property
    def free(self) -> int:
        """Return how much nobody has."""
        return self.size - self.used

    def has_room(self, party: Party) -> bool:
        """Return whether a party may take one more."""
        has = [self._has.get(level, 0) for level in _levels(party)]
        return self.resource.has_room(self.size, self.used, has)

    def take(self, party: Party, amount: int = 1) -> None:
        """Give a party more. Whether it has room is another question: `has_room`."""
        self.used += amount
        for level in _levels(party):
            before = self._has.get(level, 0)
            self._has[level] = before + amount
            if not before:
                self._inside.setdefault(level[:-1], {})[level] = None
            elif not before + amount:
                del self._has[level], self._inside[level[:-1]][level]
                if not self._inside[level[:-1]]:
                    del self._inside[level[:-1]]

    def give_back(self, party: Party, amount: int = 1) -> None:
        """Let a party have less."""
        self.take(party, -amount)

    def crowded(self) -> list[Hashable]:
        """Return the outermost names of the parties that have no room for one more."""
        return [party[0] for party in self._inside.get((), ()) if not self.has_room(party)]


class Recallable(Shares):
    """A resource that can be taken back: when all of it is taken, whoever has most makes room for others."""

    def __init__(self, resource: Resource, size: int) -> None:
        super().__init__(resource, size)
        self._holders: dict[Party, dict[Callable[[], None], None]] = {}

    def enter(self, party: Party, leave: Callable[[], None]) -> bool:
        """Give a party one more, until `exit`, or until it is taken back by `leave`.

        Return False if all is taken and nobody has at least two more than this party.
        """
        if self.free <= 0:
            loudest = self._loudest(party)
            if loudest is None:
                return False
            newest = next(reversed(self._holders[loudest]))
            self.exit(loudest, newest)
            newest()
        self.take(party)
        self._holders.setdefault(party, {})[leave] = None
        return True

    def exit(self, party: Party, leave: Callable[[], None]) -> None:
        """Let a party have one less, unless that was taken back."""
        holders = self._holders.get(party, {})
        if leave in holders:
            del holders[leave]
            if not holders:
                del self._holders[party]
            self.give_back(party)

    def _loudest(self, newcomer: Party) -> Party | None:
        """Return who has most, at each level, if that is at least two more than a newcomer has."""
        found: Party = ()
        while inside := self._inside.get(found):
            own = newcomer[: len(found) + 1]
            loudest = max(inside, key=self._has.__getitem__)
            if own[:-1] == found and self._has[loudest] < self._has.get(own, 0) + 2:
                loudest = own  # its own party must make room, if anybody
            found = loudest
        return found if found in self._holders and found != newcomer else None


def _levels(party: Party) -> Iterable[Party]:
    return (party[:end] for end in range(1, len(party) + 1))


@lru_cache(maxsize=4096)
def networks(address: str) -> tuple[str, ...]:
    """Return what an IP address counts as, from the outside in: itself, or the networks of IPv6 around it."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return (address,)
    if found.version == 6 and found.ipv4_mapped is None:
        return tuple(str(ip_network((int(found), bits), strict=False)) for bits in NETWORKS)
    return (str(getattr(found, "ipv4_mapped", None) or address),)
