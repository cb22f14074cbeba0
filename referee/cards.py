"""French cards: rank then suit, `9D`; jokers `XB` (small, black) and `XR` (big, red)."""

from collections.abc import Iterable

SUITS = "CDHS"
RANKS = "23456789TJQKA"

RANK_NAMES = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
    "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
JOKER_NAMES = {"XB": "small joker", "XR": "big joker"}


def deck(ranks: str = RANKS, suits: str = SUITS) -> tuple[str, ...]:
    """List the cards of these ranks and suits, by suit and then by rank."""
    return tuple(rank + suit for suit in suits for rank in ranks)


def strengths(ranks: str = RANKS) -> dict[str, int]:
    """Return each card's strength: the place of its rank, weakest first. Cards of one rank are equal."""
    return {rank + suit: i for i, rank in enumerate(ranks) for suit in SUITS}


def by_rank(ranks: str = RANKS) -> dict[str, int]:
    """Return each card's place in the order by rank and then by suit, C D H S.

    This is for sorting: no two cards are equal. To find out which card wins, use `strengths`.
    """
    return {rank + suit: i * 4 + j for i, rank in enumerate(ranks) for j, suit in enumerate(SUITS)}


def by_suit(ranks: str = RANKS) -> dict[str, int]:
    """Return each card's place in the order by suit, C D H S, and then by rank."""
    return {card: i for i, card in enumerate(deck(ranks))}


def spoken(card: str) -> str:
    """Name a card for a person: `nine of diamonds`."""
    if card in JOKER_NAMES:
        return JOKER_NAMES[card]
    return f"{RANK_NAMES[card[0]]} of {SUIT_NAMES[card[1]]}"


def spoken_list(cards: Iterable[str]) -> str:
    """Name several cards for a person: `nine of diamonds, ten of clubs and ace of spades`."""
    *head, last = [spoken(card) for card in cards]
    return f"{', '.join(head)} and {last}" if head else last


def missing(cards: Iterable[str], held: Iterable[str]) -> str | None:
    """Return the first card of which there are more in `cards` than in `held`, or None."""
    left = list(held)
    try:
        for card in cards:
            left.remove(card)
    except ValueError:
        return card
    return None
