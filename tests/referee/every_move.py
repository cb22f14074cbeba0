"""Every move that the rules of a game could allow in a position, and others, in the order of the list."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import referee
from referee import combos
from referee.cards import RANKS, SUITS, by_rank
from referee.combos import KINDS, RANK
from referee.engine.proposals import of_type
from referee.games import bisca, landlord, pedro, pies, truco
from referee.games.dog_cards import FACES
from tests.referee.landlord import BIG, SMALL

Move = dict[str, Any]
Moves = list[Move]
ORDER = by_rank()


def to_try(state: Any, seat: int) -> Moves:
    """Return the moves to judge in a position; for mau_mau and palace only some of those with many cards."""
    written: Callable[[Any, int], Moves] = globals().get(f"{state.ruleset.ID}_moves", declared)
    return written(state, seat)


def declared(state: Any, seat: int) -> Moves:
    """Return the moves of all types with every value of their fields, for a game without a list here."""
    return [move for kind in state.ruleset.MOVES for move in of_type(state, seat, kind)]


def bare(*kinds: str) -> Moves:
    return [{"type": kind} for kind in kinds]


def cards(kind: str, deck: Any) -> Moves:
    return [{"type": kind, "card": card} for card in deck]


def bisca_moves(state: Any, seat: int) -> Moves:
    cuts = [{"type": "cut", "at": at} for at in range(-1, 42)]
    return [*cuts, *bare("tap"), *cards("play", sorted([*bisca.DECK, "XR", ""])), *bare("exchange")]


def cats_and_dogs_moves(state: Any, seat: int) -> Moves:
    return cards("play", sorted({*state.ruleset.deck(state.seats, state.options), ""}))


def pedro_moves(state: Any, seat: int) -> Moves:
    order = sorted(state.hand[seat], key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])))
    sets = [some for size in range(len(order) + 1) for some in itertools.combinations(order, size)]
    return [
        *({"type": "cut", "at": at} for at in range(-1, 54)),
        *bare("pass"),
        *({"type": "bid", "points": points} for points in range(-1, 17)),
        *({"type": "declare", "suit": suit} for suit in "XCDHS"),
        *({"type": "discard", "cards": list(some)} for some in sets),
        *cards("play", pedro.DECK),
    ]


def pies_moves(state: Any, seat: int) -> Moves:
    return [move for kind in ("lead", "beat", "add") for move in cards(kind, pies.DECK)] + bare("take")


def truco_moves(state: Any, seat: int) -> Moves:
    return cards("play", sorted(truco.DECK)) + bare("truco", "accept", "fold")


def dog_cards_moves(state: Any, seat: int) -> Moves:
    lines = list(itertools.product(range(-1, state.seats + 1), range(4)))
    places = range(15)
    if state.phase == "exchange":
        return cards("give", FACES)
    if state.phase == "look":
        return [{"type": "take", "place": place} for place in range(-1, 9)]
    return [
        *({"type": "lay", "card": c, "owner": o, "row": r} for c in FACES for o, r in lines),
        *({"type": "buy", "card": c, "position": p} for c in FACES for p in places),
        *bare("look"),
        *({"type": "search", "take": c} for c in FACES),
        *({"type": "rob", "owner": o, "row": r} for o, r in lines),
        *(
            {"type": "swap", "card": c, "owner": o, "row": r, "place": p}
            for c in FACES
            for o, r in lines
            for p in places
        ),
        *cards("discard", FACES),
    ]


def mau_mau_moves(state: Any, seat: int) -> Moves:
    hand = state.hand[seat] if seat == state.turn else state.hand[seat][:2]
    catches: Moves = [{"type": "catch", "seat": other} for other in range(6)]
    others = [*bare("draw", "take", "pass", "thumb", "announce"), *catches, {"type": "say", "text": "..."}]
    return [*sorted(_every_play(hand), key=_in_order), *others]


def _every_play(hand: list[str]) -> Iterator[Move]:
    """Yield every play of up to four cards, valid or not; two ranks are tried with two cards."""
    for number in range(1, 5):
        for chosen in itertools.combinations(hand, number):
            if len({card[0] for card in chosen}) > 1 and number > 2:
                continue
            for top in chosen:
                for suit in (None, "C", "D", "H", "S"):
                    play: Move = {"type": "play", "cards": [card for card in chosen if card != top] + [top]}
                    play |= {"suit": suit} if suit else {}
                    yield play
                    yield play | {"announce": True}


def _in_order(play: Move) -> tuple[Any, ...]:
    chosen = play["cards"]
    ranks = sorted(ORDER[card] for card in chosen)
    return ("23456789TJQKA".index(chosen[0][0]), len(chosen), ranks, ORDER[chosen[-1]])


def palace_moves(state: Any, seat: int) -> Moves:
    """Return all swaps and flips, and up to five of the seat's cards in every combination."""
    hand, up = state.hand[seat], state.up[seat]
    held = [*hand, *up]
    choices = [list(pair) for pair in itertools.combinations(held, 2)] + [[card] for card in held]
    for rank in RANKS:
        same = [card for card in held if card[0] == rank]
        choices += [list(some) for k in (3, 4, 5) for some in itertools.combinations(same, k)]
    return [
        *({"type": "swap", "hand": mine, "up": shown} for mine in hand for shown in up),
        *bare("ready", "pick_up"),
        *({"type": "flip", "position": place} for place in range(5)),
        *({"type": kind, "cards": choice} for kind in ("play", "complete") for choice in choices),
    ]


def palace_signature(move: Move) -> tuple[Any, ...]:
    """Return what matters of a move: not suits or the order of cards."""
    chosen = move.get("cards", [])
    return (
        move["type"], "".join(sorted({card[0] for card in chosen})), len(chosen), move.get("position"),
        move.get("hand", " ")[0], move.get("up", " ")[0],
    )  # fmt: skip


def landlord_moves(state: Any, seat: int) -> Moves:
    """Return what the rules describe, computed simply: judge every combination of ranks, then sort."""
    hand = sorted(state.hand[seat], key=combos.ORDER.__getitem__)
    ordered: dict[tuple[str, ...], tuple[Any, Move]] = {}
    alike = state.options["attach_any"]
    for ranks in _combinations(Counter(RANK[card] for card in hand), alike):
        taken: Counter[int] = Counter()
        chosen = []
        for rank in sorted(ranks):
            chosen.append([card for card in hand if RANK[card] == rank][taken[rank]])
            taken[rank] += 1
        move = {"type": "play", "cards": chosen}
        if referee.judge(state, seat, move).legal:
            combo = combos.reading(chosen, landlord._against(state), alike)
            assert combo is not None
            order = [combos.ORDER[card] for card in chosen]
            ordered[tuple(chosen)] = ((KINDS.index(combo.kind), combo.size, combo.rank, order), move)
    plays = [move for _, move in sorted(ordered.values(), key=lambda entry: entry[0])]
    return [*bare("take"), *plays, *bare("pass")]


def _combinations(count: Counter[int], alike: bool) -> list[list[int]]:
    """Return every combination of ranks that a hand with so many cards of each contains.

    With `alike`, cards of the main part's ranks may be attached too.
    """
    found: list[list[int]] = []

    def add(main: list[int], units: list[tuple[int, ...]], k: int) -> None:
        if len(units) >= k:
            fixed, places = units[: k - 1], units[k - 1 :]
            found.extend(sorted([*main, *(r for u in [*fixed, last] for r in u)]) for last in set(places))

    for each in range(1, 9):
        for length in range(1, 13):
            for low in range(15):
                ranks = list(range(low, low + length))
                if any(count[r] < each for r in ranks) or (length > 1 and ranks[-1] > 11):
                    continue
                main = ranks * each
                left = {r: count[r] - each if alike else 0 for r in ranks}
                singles = [(r,) for r in range(15) for _ in range(left.get(r, count[r]))]
                unlike = sorted(set(singles))
                pairs = [(r, r) for r in range(13) for _ in range(left.get(r, count[r]) // 2)]
                pairs += [(SMALL, BIG)] if count[SMALL] and count[BIG] else []
                found.append(main)
                if each == 3 or (each > 3 and length == 1):
                    add(main, singles, length)
                    add(main, pairs, length)
                if each >= 5 and length == 1 and unlike[:1] != [(SMALL,)]:
                    add(main, unlike, 2)
    if count[SMALL] and count[BIG]:
        found.append([SMALL, BIG])
    return found
