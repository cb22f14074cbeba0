"""Who meets whom in a tournament. Nothing here knows the server or the database."""

from __future__ import annotations

from collections.abc import Sequence

Pairing = tuple[str, str | None]  # without a second member: a bye


def round_robin(members: Sequence[str]) -> list[list[Pairing]]:
    """Return all rounds in which everybody meets everybody once (the circle method)."""
    circle: list[str | None] = [*members, None] if len(members) % 2 else [*members]
    half, rounds = len(circle) // 2, []
    for number in range(len(circle) - 1):
        pairs = [(circle[n], circle[-1 - n]) for n in range(half)]
        pairs = [pair[::-1] if (n or number) % 2 else pair for n, pair in enumerate(pairs)]
        rounds.append([(a, b) if a is not None else (str(b), None) for a, b in pairs])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def swiss(ranking: Sequence[str], met: set[frozenset[str]], had_bye: set[str]) -> list[Pairing]:
    """Return the next round of a Swiss tournament: neighbours in the ranking who have not met yet.

    With an odd number of members, the last one who had no bye gets one. If everybody has met everybody,
    members meet again.
    """
    byes = [member for member in reversed(ranking) if member not in had_bye] or [*reversed(ranking)]
    for bye in byes if len(ranking) % 2 else [None]:
        pairs = _pairs([member for member in ranking if member != bye], met)
        if pairs is not None:
            return [*pairs, *([(bye, None)] if bye is not None else [])]
    return swiss(ranking, set(), had_bye)


def _pairs(ranking: list[str], met: set[frozenset[str]]) -> list[Pairing] | None:
    """Return pairs of members who have not met, the best first; None if there are none."""
    if not ranking:
        return []
    first, *others = ranking
    for other in others:
        if frozenset((first, other)) not in met:
            rest = _pairs([member for member in others if member != other], met)
            if rest is not None:
                return [(first, other), *rest]
    return None
