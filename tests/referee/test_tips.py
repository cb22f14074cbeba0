"""Tips: who follows nothing else finishes every game, and wins at least as often as a careful bot."""

from collections import Counter
from typing import Any

import pytest

import referee
import referee.bots

GAMES = [(rules.ID, min(seats for seats in rules.SEATS if seats > 1)) for rules in referee.newest()]
ENOUGH = 20_000  # moves; no honest game of these is longer


def follow_tips(ruleset: str, seats: int, number: int) -> tuple[float, float]:
    """Play a game in which one side follows tips; return how much of that side won, and of the others."""
    match = referee.Match(ruleset, seats, seed=number.to_bytes(2, "big"))
    tipped = match.state.ruleset.team(match.state, number % seats)
    last: tuple[int, list[dict[str, Any]]] = -1, []  # who moved last, and where the cards went
    for count in range(ENOUGH):
        if match.is_over:
            break
        seat = match.to_act[count % len(match.to_act)]
        below = referee.bots.bot_numbers(number.to_bytes(2, "big"), count)
        move = choose(match.state, seat, below, seat in tipped)
        ways = referee.bots.ways(match.state, seat, move)
        is_next_tip = seat in tipped and last[0] == seat
        assert not (is_next_tip and is_undone(last[1], ways)), f"{move} undoes the tip before"
        last = seat, ways
        match.play(seat, move)
    assert match.is_over
    winners = match.state.result["winners"]
    sides = tipped, [seat for seat in range(seats) if seat not in tipped]
    won, lost = (sum(seat in winners for seat in side) / len(side) for side in sides)
    return won, lost


def is_undone(before: list[dict[str, Any]], ways: list[dict[str, Any]]) -> bool:
    """Whether a move takes back every card that the seat's last one took somewhere."""
    shown = [(way["from"], way["to"], card) for way in ways for card in way["cards"] if card]
    back = [(way["to"], way["from"], card) for way in before for card in way["cards"] if card]
    return bool(back) and sorted(shown) == sorted(back)


def choose(state: Any, seat: int, below: Any, is_tipped: bool) -> dict[str, Any]:
    tip = referee.suggest(state, seat, below) if is_tipped else None
    return tip or referee.bot_move("cautious", state, seat, below)


def test_who_follows_tips_is_no_worse() -> None:
    played = [follow_tips("cats_and_dogs", 2, number) for number in range(4)]
    assert sum(won for won, _ in played) >= sum(lost for _, lost in played)


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_who_follows_tips_is_no_worse_in_fifty_games(ruleset: str, seats: int) -> None:
    played = [follow_tips(ruleset, seats, number) for number in range(50)]
    assert sum(won for won, _ in played) >= sum(lost for _, lost in played)


@pytest.mark.parametrize("bot", [None, "cautious", "skilled-1"])
@pytest.mark.parametrize("number", [6, 11, 12, 18])
def test_swaps_put_better_cards_up_and_end(number: int, bot: str | None) -> None:
    """Tips and bots put cards up that fit more often than those they take, and then are ready."""
    match = referee.Match("palace", 2, seed=bytes([number]))
    order = "23TAKQJ967854"  # by how often a card fits
    for count in range(9):
        below = referee.bots.bot_numbers(b"swaps", count)
        move = referee.bot_move(bot, match.state, 0, below) if bot else referee.suggest(match.state, 0, below)
        assert move is not None
        match.play(0, move)
        if move["type"] == "ready":
            return
        assert move["type"] == "swap"
        assert order.index(move["hand"][0]) < order.index(move["up"][0])
    raise AssertionError("never ready")


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_ways_say_where_each_card_of_a_move_goes_and_nothing_hidden(ruleset: str, seats: int) -> None:
    moves = referee.find(ruleset).MOVES
    match, checked = referee.Match(ruleset, seats, seed=b"ways"), 0
    for count in range(150):
        if match.is_over:
            break
        seat = match.to_act[0]
        move = referee.bot_move("random", match.state, seat, referee.bots.bot_numbers(b"ways", count))
        ways, zones = referee.bots.ways(match.state, seat, move), match.view(seat)["zones"]
        named = [card for way in ways for card in way["cards"] if card is not None]
        for way in ways:
            assert any(way[end].endswith(f".{seat}") for end in ("from", "to"))
            assert {card for card in way["cards"] if card} <= set(zones[way["from"]])
            assert way["from"] != "trick", "a trick is taken because of the move"
        fields = moves[move["type"]].items()
        chosen = [
            move[name] for name, field in fields if field.zones and isinstance(move.get(name), str | list)
        ]
        cards = [card for each in chosen for card in ([each] if isinstance(each, str) else each)]
        assert not Counter(cards) - Counter(named)
        checked += len(cards)
        match.play(seat, move)
    assert checked > 20


def test_ways_leave_out_what_only_follows() -> None:
    """A face-down card is not named, and whether the pile must be taken with it is not told."""
    match = referee.Match("palace", 2, seed=b"\1")
    for count in range(ENOUGH):
        seat = match.to_act[0]
        move = referee.bot_move("random", match.state, seat, referee.bots.bot_numbers(b"flip", count))
        if move["type"] == "flip":
            assert referee.bots.ways(match.state, seat, move) == [
                {"from": f"down.{seat}", "to": "pile", "cards": [None]}
            ]
            return
        match.play(seat, move)
