"""The deals of the nine games, by the tables of docs/reference/log-format.md and the rules of the games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Transfer = dict[str, Any]
Facts = dict[str, Any]
BEARS = {"1": (1, 11), **{str(n): (n,) for n in (*range(2, 11), 12, 13)}}


def put(to: str, cards: list[str], source: str | None = None) -> list[Transfer]:
    return [{"from": source, "to": to, "cards": cards}] if cards else []


def dealt_round(zone: str, first: int, seats: int, cards: list[str]) -> list[Transfer]:
    found: list[Transfer] = []
    for i in range(seats):
        found += put(f"{zone}.{(first + i) % seats}", cards[i::seats])
    return found


def stock(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    return put("stock", cards)


def cats_and_dogs(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    size = {4: 4, 5: 3}.get(seats, 5)
    zones = [f"hand.{seat}" for seat in range(seats)]
    zones = {1: ["hidden", "open", *zones], 2: [*zones, "open"]}.get(seats, zones)
    found: list[Transfer] = []
    for n, zone in enumerate(zones):
        found += put(zone, cards[n * size : (n + 1) * size])
    return found + put("out", cards[len(zones) * size :])


def dog_cards(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    found = put("draw", cards) + put("open", cards[:13], "draw")
    row, draw = cards[:13], cards[13:]
    for place in range(1, 14):
        if place not in BEARS.get(row[place - 1], ()):
            continue
        bottom = [row[place - 1]]
        found += put("draw", bottom, "open")
        draw.append(bottom[0])
        turned: list[str] = []
        while True:
            card = draw.pop(0)
            found += put("open", [card], "draw")
            if place not in BEARS.get(card, ()):
                break
            turned.append(card)
        row[place - 1] = card
        found += put("draw", turned, "open")
        draw += turned
    hands = draw[: seats * (5 if seats == 4 else 7)]
    for seat in range(seats):
        found += put(f"hand.{seat}", hands[seat::seats], "draw")
    return found


def landlord(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    if facts["face_up"] != cards[picks[-1]] or facts["first"] != picks[-1] % seats:
        raise ValueError("another card lies face up")
    return dealt_round("hand", 0, seats, cards[:100]) + put("kitty", cards[100:])


def mau_mau(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    found = dealt_round("hand", facts["dealer"] + 1, seats, cards[: 7 * seats])
    return found + put("pile", cards[7 * seats : 7 * seats + 1]) + put("stock", cards[7 * seats + 1 :])


def palace(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    found: list[Transfer] = []
    for zone, size in (("hand", 7), ("down", 4), ("up", 4)):
        found += dealt_round(zone, facts["dealer"] + 1, seats, cards[: size * seats])
        cards = cards[size * seats :]
    return found + put("stock", cards)


def pies(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    return dealt_round("hand", picks[-1], seats, cards)


def truco(seats: int, cards: list[str], facts: Facts, picks: list[int]) -> list[Transfer]:
    teams = seats // 2
    right = [(facts["dealer"] - 1 - i) % seats for i in range(seats)]
    found: list[Transfer] = []
    for n, seat in enumerate(seat for seat in right if seat % teams in facts["playing"]):
        found += put(f"hand.{seat}", cards[3 * n : 3 * n + 3])
    return found + put("stock", cards[12:])


DEALS: dict[str, Callable[[int, list[str], Facts, list[int]], list[Transfer]]] = {
    "bisca": stock,
    "cats_and_dogs": cats_and_dogs,
    "dog_cards": dog_cards,
    "landlord": landlord,
    "mau_mau": mau_mau,
    "palace": palace,
    "pedro": stock,
    "pies": pies,
    "truco": truco,
}


def first_seat(ruleset: str, seats: int, options: dict[str, Any], facts: Facts, picks: list[int]) -> bool:
    """Return whether the seat that chance has picked first is the one in the position."""
    if ruleset in ("bisca", "pedro", "mau_mau", "palace"):
        return bool(facts["dealer"] == picks[0])
    if ruleset == "truco":
        playing = sorted(seat for seat in range(seats) if seat % (seats // 2) in (0, 1))
        return bool(facts["dealer"] == playing[picks[0]])
    if ruleset == "cats_and_dogs":
        return bool(facts["lead"] == (picks[0] if picks else options.get("first") or 0))
    if ruleset == "dog_cards":
        return bool(facts["turn"] == (picks[0] if picks else options["youngest"]))
    return True


def teams(ruleset: str, seats: int, options: dict[str, Any], facts: Facts, seat: int) -> list[int]:
    """Return the seats that lose if this one gives up."""
    if ruleset == "pedro" or (ruleset == "dog_cards" and seats == 4) or options.get("partners"):
        return [seat % 2, seat % 2 + 2]
    if ruleset == "truco":
        return [seat % (seats // 2), seat % (seats // 2) + seats // 2]
    if ruleset == "landlord" and facts["landlord"] not in (None, seat):
        return [each for each in range(seats) if each != facts["landlord"]]
    return [seat]
