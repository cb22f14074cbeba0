"""Landlord: ranks that form no row, and positions written from a few hands."""

from collections import Counter
from typing import Any

from referee import combos
from referee.combos import RANKS
from referee.games import landlord

RUN = range(12)  # 3 … A
SMALL, BIG = 13, 14


def position(
    hands: list[list[str]], table: list[str], combo: dict[str, Any] | None, turn: int = 0
) -> dict[str, Any]:
    """Return a position in phase play with seat 0 as the landlord; all other cards have been played."""
    left = Counter(landlord.DECK)
    left.subtract([card for cards in (*hands, table) for card in cards])
    assert min(left.values()) >= 0
    played = list(left.elements())
    return {
        "ruleset": "landlord", "version": 1, "seats": len(hands), "options": {"hands": 1}, "phase": "play",
        "to_act": [turn],
        "zones": {
            **{f"hand.{s}": cards for s, cards in enumerate(hands)},
            "kitty": [], "table": table, "discard": played,
        },
        "facts": {
            "hand_number": 1, "face_up": played[0], "first": 0, "landlord": 0, "shown": played[:6],
            "combo": combo,
        },
        "scores": [0] * len(hands), "result": None,
    }  # fmt: skip


def table_of(cards: list[str], seat: int) -> dict[str, Any]:
    combo = combos.readings(cards)[-1]
    return {"kind": combo.kind, "size": combo.size, "rank": RANKS[combo.rank], "seat": seat}


def hand_of(text: str) -> list[str]:
    """Return the cards of `333 44 XB`, with the suits C D H S in turn within a rank."""
    hand = []
    for word in text.split():
        hand += [word] if word in ("XB", "XR") else [c + "CDHS"[i % 4] for i, c in enumerate(word)]
    return hand


def asked(hand: str, first: int = 0) -> Any:
    """Return the position in which seat 0, with this hand and worthless cards, is asked."""
    mine = hand_of(hand)
    dull = [card for card in landlord.DECK if card[0] not in hand.replace("XB", "").replace("XR", "")]
    dull = [card for card in dull if card[0] in "TJQKA"]
    while len(mine) < 25:
        mine.append(next(card for card in dull if sum(card[0] == held[0] for held in mine) < 5))
        dull.remove(mine[-1])
    rest = list((Counter(landlord.DECK) - Counter(mine)).elements())
    hands = [mine, rest[:25], rest[25:50], rest[50:75]]
    written = position([[card] for card in ("3C", "3D", "3H", "3S")], [], None)
    written.update(phase="choose", to_act=[0])
    zones = {f"hand.{s}": cards for s, cards in enumerate(hands)}
    written["zones"] = {**zones, "kitty": rest[75:], "table": [], "discard": []}
    written["facts"].update(landlord=None, shown=[], first=first, face_up=hands[first][0])
    return written
