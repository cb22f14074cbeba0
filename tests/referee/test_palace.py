"""Palace: the list compared with every choice of cards, refusals in order, blind cards, bad positions."""

from collections import Counter
from typing import Any

import pytest

import referee
from referee.cards import RANKS
from referee.games import palace

Moves = list[dict[str, Any]]


def position(hands: list[str], pile: str = "", **changes: Any) -> dict[str, Any]:
    """Return a position in phase play, seat 0 to act; `up` and `down` are like hands; the rest is burned."""
    n = len(hands)
    zones = {f"hand.{seat}": hand.split() for seat, hand in enumerate(hands)}
    for name in ("up", "down"):
        given = changes.pop(name, [""] * n)
        zones |= {f"{name}.{seat}": cards.split() for seat, cards in enumerate(given)}
    zones |= {"pile": pile.split(), "stock": changes.pop("stock", "").split()}
    rest = Counter(palace.deck(n, {})) - Counter(card for cards in zones.values() for card in cards)
    zones["burned"] = sorted(rest.elements())
    facts = {"dealer": n - 1, "turn": 0, "ready": [], "swaps": [0] * n, "out": [], "moves": 0}
    facts |= {key: changes.pop(key) for key in list(changes) if key in facts}
    scores = [0] * n
    for i, seat in enumerate(facts["out"]):
        scores[seat] = n - 1 - i
    return {
        "ruleset": "palace", "version": 1, "seats": n, "options": {}, "phase": "play",
        "to_act": [facts["turn"]],
        "zones": zones, "facts": facts, "scores": scores, "result": None,
    } | changes  # fmt: skip


def lay(kind: str, *cards: str) -> dict[str, Any]:
    return {"type": kind, "cards": list(cards)}


def refusal(state: Any, seat: int, move: dict[str, Any]) -> tuple[str, str]:
    refused = referee.judge(state, seat, move).refusal
    assert refused is not None
    return refused.rule, refused.reason


def rule(state: Any, seat: int, move: dict[str, Any]) -> str:
    return refusal(state, seat, move)[0]


def make(state: Any, seat: int, move: dict[str, Any]) -> list[referee.Transfer]:
    assert referee.judge(state, seat, move).legal
    return referee.advance(state, seat, move, referee.Scripted([]))


def test_moves_are_listed_by_rank_and_number_with_the_first_cards_of_each():
    state = referee.read(position(["4S 4H KD 2C 9S 9H", "5C"], "9C 9D", down=["5D", "5H"]))
    assert referee.legal_moves(state, 0) == [
        lay("play", "2C"),
        lay("play", "KD"),
        lay("complete", "9H", "9S"),
    ]


def test_a_swap_is_listed_for_each_pair_of_ranks_once():
    state, _ = referee.deal("palace", 2, {}, referee.Seeded(b"k"))
    listed = referee.legal_moves(state, 0)
    pairs = [(RANKS.index(m["hand"][0]), RANKS.index(m["up"][0])) for m in listed[:-1]]
    assert pairs == sorted(set(pairs))
    assert all(hand != up for hand, up in pairs)
    assert listed[-1] == {"type": "ready"}


def test_swaps_are_of_two_ranks_and_eight_at_most():
    dealt = referee.dump(referee.deal("palace", 2, {}, referee.Seeded(b"k"))[0])
    swap = referee.legal_moves(referee.read(dealt), 0)[0]
    other = {"type": "swap", "hand": swap["up"], "up": swap["hand"]}
    state = referee.read(dealt)
    for i in range(8):
        make(state, 0, swap if i % 2 == 0 else other)
    assert refusal(state, 0, swap) == ("palace.swap_limit", "you have made all your 8 swaps")
    assert referee.legal_moves(state, 0) == [{"type": "ready"}]
    assert rule(state, 0, swap | {"up": swap["hand"]}) == "common.not_held"
    make(state, 0, {"type": "ready"})
    assert rule(state, 0, {"type": "ready"}) == "common.turn"
    make(state, 1, {"type": "ready"})
    assert (state.phase, state.ready, state.swaps, state.to_act) == ("play", [], [0, 0], [state.turn])


def test_equal_ranks_are_not_swapped():
    state, _ = referee.deal("palace", 2, {}, referee.Seeded(b"3"))
    pairs = [(s, h, u) for s in (0, 1) for h in state.hand[s] for u in state.up[s] if h[0] == u[0]]
    seat, hand, up = pairs[0]
    assert rule(state, seat, {"type": "swap", "hand": hand, "up": up}) == "palace.swap"


DOWN = ["5D 5H", "6D 6H"]


def test_refusals_of_cards_come_in_order():
    state = referee.read(position(["8C 9C", "4D"], "9H", up=["8D KD", ""], down=["5C 5D 5H 5S", "6D"]))
    assert rule(state, 0, lay("play", "8C", "8C")) == "common.not_held"
    assert rule(state, 0, lay("play", "8D", "KD")) == "palace.source"
    assert rule(state, 0, lay("play", "8C", "8D")) == "palace.source"
    assert rule(state, 0, lay("play", "8C", "9C")) == "palace.same_rank"
    assert refusal(state, 0, lay("play", "9C")) == (
        "palace.higher",
        "your nine of clubs is not higher than the nine of hearts that counts on the pile",
    )
    assert rule(state, 0, lay("complete", "8C", "9C")) == "palace.same_rank"
    assert rule(state, 0, lay("complete", "9C")) == "palace.complete"
    assert rule(state, 1, lay("play", "4D")) == "common.turn"


def test_out_of_turn_one_may_complete_and_nothing_else():
    state = referee.read(position(["KC", "9C 9D QC"], "9H 9S", down=["5D 5H", "6D 6H"]))
    assert rule(state, 1, lay("play", "QC")) == "palace.turn"
    assert rule(state, 1, {"type": "pick_up"}) == "palace.turn"
    assert rule(state, 1, {"type": "flip", "position": 0}) == "palace.turn"
    assert rule(state, 1, {"type": "flip", "position": 2}) == "common.not_held"
    assert rule(state, 1, lay("complete", "9C")) == "palace.complete"
    make(state, 1, lay("complete", "9D", "9C"))
    assert (state.turn, list(state.pile), list(state.hand[1])) == (1, [], ["QC"])
    closed = referee.read(position(["KC", "9C 9D QC"], "9H 9S", down=DOWN, options={"out_of_turn": False}))
    assert rule(closed, 1, lay("complete", "9D", "9C")) == "common.turn"


@pytest.mark.parametrize("pile", ["9H", "9D 9H 4C", "9D 3C 9H", ""])
def test_only_two_or_three_cards_together_on_top_are_completed(pile: str):
    state = referee.read(position(["KC", "9C 9S"], pile, down=DOWN))
    assert referee.legal_moves(state, 1) == []
    own = referee.read(position(["9C 9S 9D" if "9D" not in pile else "9C 9S", "KC"], pile, down=DOWN))
    assert rule(own, 0, lay("complete", *own.hand[0])) == "palace.complete"


def test_completing_from_face_up_cards_once_the_hand_is_empty():
    state = referee.read(position(["KC", ""], "9H 9S", up=["", "9C 9D"], down=["5D", "6C 6D 6H 6S"]))
    make(state, 1, lay("complete", "9C", "9D"))
    assert (state.turn, list(state.up[1])) == (1, [])


@pytest.mark.parametrize(
    ("pile", "ranks"),
    [
        ("", RANKS),
        ("3C 3D", RANKS),
        ("2C", RANKS),
        ("AC 2C 3D", RANKS),
        ("8C", "239TJQKA"),
        ("JC 3C", "23TQKA"),
        ("7C", "23456T"),
        ("7C 3D", "23456T"),
        ("7C 4C", "2356789TJQKA"),
        ("AC", "23T"),
    ],
)
def test_what_goes_on_what(pile: str, ranks: str):
    hand = " ".join(rank + "H" for rank in RANKS)
    state = referee.read(position([hand, "5S"], pile, down=["9D", "6D"]))
    assert "".join(move["cards"][0][0] for move in referee.legal_moves(state, 0)) == ranks
    for rank in set(RANKS) - set(ranks):
        seven = pile.startswith("7C") and "4C" not in pile
        assert rule(state, 0, lay("play", rank + "H")) == ("palace.seven" if seven else "palace.higher")


def test_who_can_play_may_not_pick_up_but_may_leave_a_run_incomplete():
    state = referee.read(position(["4C KC", "5S"], "QD", down=DOWN))
    assert refusal(state, 0, {"type": "pick_up"}) == (
        "palace.must_play",
        "your king of clubs can be played, so you may not pick up",
    )
    unable = referee.read(position(["QC QH", "5S"], "QD QS", down=DOWN))
    assert referee.legal_moves(unable, 0) == [lay("complete", "QC", "QH"), {"type": "pick_up"}]
    make(unable, 0, {"type": "pick_up"})
    assert (len(unable.hand[0]), unable.turn) == (4, 1)


def test_face_down_cards_come_last_and_then_must_be_flipped():
    early = referee.read(position(["4C", "5S"], "QD", down=DOWN))
    assert rule(early, 0, {"type": "flip", "position": 0}) == "palace.blind"
    late = referee.read(position(["", "5S"], "QD", down=DOWN))
    assert rule(late, 0, {"type": "pick_up"}) == "palace.blind"
    assert referee.legal_moves(late, 0) == [{"type": "flip", "position": 0}, {"type": "flip", "position": 1}]


def test_a_flip_that_fails_is_shown_to_all_and_closes_the_gap():
    state = referee.read(position(["", "5S"], "QD QH QS", down=["KC QC 4D", "6D"]))
    transfers = make(state, 0, {"type": "flip", "position": 1})
    assert ("down.0", "pile", ["QC"]) in [transfer[:3] for transfer in transfers]
    assert (list(state.hand[0]), list(state.down[0]), state.turn) == (
        ["QC", "QD", "QH", "QS"],
        ["KC", "4D"],
        1,
    )


def test_a_flipped_two_completes_four_and_a_ten_clears():
    state = referee.read(position(["", "5S"], "2D 2H 2S", down=["TC 2C 4D", "6D"]))
    make(state, 0, {"type": "flip", "position": 1})
    assert (list(state.pile), state.turn) == ([], 0)
    make(state, 0, {"type": "flip", "position": 0})
    assert (list(state.pile), state.turn, "TC" in state.burned) == ([], 0, True)


def test_the_hand_is_filled_up_before_the_next_turn_as_far_as_the_stock_goes():
    up, down = ["6C 6D 6H 6S", "7C 7D 7H 7S"], ["2C 2D 2H 2S", "3C 3D 3H 3S"]
    hands = ["4C 4D 4H 5C 5D 5H 5S", "8C 8D 8H 8S 9C 9D 9H"]
    state = referee.read(position(hands, "", up=up, down=down, stock="AC KC"))
    make(state, 0, lay("play", "4H", "4C", "4D"))
    assert list(state.hand[0]) == ["5C", "5D", "5H", "5S", "KC", "AC"]
    assert (list(state.pile), list(state.stock), state.turn) == (["4H", "4C", "4D"], [], 1)


def test_who_goes_out_by_clearing_leaves_the_turn_to_the_next_seat_in():
    hands = ["TC", "", "8C", "9C"]
    state = referee.read(position(hands, "KD", out=[1], down=["", "", "4D", "4H"]))
    make(state, 0, lay("play", "TC"))
    assert (state.out, state.scores, state.turn) == ([1, 0], [2, 3, 0, 0], 2)


def test_the_last_with_cards_loses_and_the_turn_stays():
    state = referee.read(position(["KC", "", "8C"], "QD", out=[1], options={"move_limit": 5}, moves=4))
    make(state, 0, lay("play", "KC"))
    assert state.result == {
        "winners": [0, 1],
        "losers": [2],
        "reason": "last_with_cards",
        "ranking": [1, 0, 2],
    }
    assert (state.phase, state.to_act, state.turn, state.scores) == ("over", [], 0, [1, 2, 0])
    assert referee.read(referee.dump(state)).result == state.result


def test_completing_out_of_turn_may_end_the_game():
    state = referee.read(position(["KC", "9C"], "9D 9H 9S"))
    make(state, 1, lay("complete", "9C"))
    assert (state.result["losers"], state.turn, state.moves) == ([0], 0, 1)


def test_the_move_limit_stops_the_game_with_the_turn_passed_on():
    state = referee.read(position(["KC 4C", "", "8C"], "QD", out=[1], options={"move_limit": 5}, moves=4))
    make(state, 0, lay("play", "KC"))
    assert state.result == {"winners": [1], "losers": [], "reason": "move_limit", "ranking": [1]}
    assert (state.to_act, state.turn) == ([], 2)
    assert referee.read(referee.dump(state)).result == state.result


def test_two_decks_hold_each_card_twice_and_counts_are_judged():
    hands = ["8C 8C", "9C", "5C", "5C"]
    state = referee.read(position(hands, "4C", down=["TC", "TD", "TH", "TS"]))
    assert rule(state, 0, lay("play", "8C", "8C", "8C")) == "common.not_held"
    make(state, 0, lay("play", "8C", "8C"))
    assert list(state.pile) == ["4C", "8C", "8C"]


GOOD = position(["8C 9C", "4D"], "9H", down=DOWN)
DEALT = referee.dump(referee.deal("palace", 2, {}, referee.Seeded(b"k"))[0])
LIMITED = {"options": {"move_limit": 3}}
STOPPED = {"winners": [], "losers": [], "reason": "move_limit", "ranking": []}


def facts(base: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return base | {"facts": base["facts"] | changes}


def shifted(base: dict[str, Any], source: str, target: str, count: int = 1) -> dict[str, Any]:
    """Return the position with the first cards of one zone in another."""
    zones = {name: list(cards) for name, cards in base["zones"].items()}
    for _ in range(count):
        zones[target].append(zones[source].pop(0))
    return base | {"zones": zones}


FOUR = "7C 7D 7H 7S"
BAD = {
    "ten-on-the-pile": (position(["8C", "4D"], "TC"), "zones.pile"),
    "four-on-the-pile": (position(["8C", "4D"], "4C 9C 9D 9H 9S 5C"), "zones.pile"),
    "five-face-up": (position(["8C", "4D"], up=["5C 5D 5H 5S 6C", ""], down=[FOUR, ""]), "zones.up.0"),
    "five-face-down": (position(["8C", "4D"], down=["7C 7D 7H 7S 6C", ""]), "zones.down.0"),
    "down-before-up": (position(["8C", "4D"], up=["5C", ""], down=["7C 7D 7H", ""]), "zones.down.0"),
    "hand-not-filled": (position(["8C 9C", "4D"], stock="AC"), "zones.hand.0"),
    "up-not-filled": (
        position(["8C 9C JC QC KC 8D 9D", "4D"], up=["5C 5D 5H", ""], down=[FOUR, ""], stock="AC"),
        "zones.hand.0",
    ),
    "out-with-cards": (position(["8C", "4D", "5D"], out=[2]), "facts.out"),
    "in-without-cards": (position(["8C", "4D", ""]), "facts.out"),
    "out-twice": (position(["8C", "4D", ""], out=[2, 2], scores=[0, 0, 1]), "facts.out"),
    "scores": (position(["8C", "4D", ""], out=[2], scores=[0, 0, 1]), "scores"),
    "turn-of-one-out": (position(["8C", "4D", ""], out=[2], turn=2), "facts.turn"),
    "one-left": (position(["8C", ""], out=[1]), "facts.out"),
    "to-act": (GOOD | {"to_act": [1]}, "to_act"),
    "ready-in-play": (facts(GOOD, ready=[0]), "facts.ready"),
    "swaps-in-play": (facts(GOOD, swaps=[1, 0]), "facts.swaps"),
    "limit-reached": (facts(GOOD | LIMITED, moves=3), "facts.moves"),
    "over-too-early": (GOOD | LIMITED | {"phase": "over", "to_act": [], "result": STOPPED}, "result"),
    "over-unlimited": (GOOD | {"phase": "over", "to_act": [], "result": STOPPED}, "result"),
    "over-to-act": (facts(GOOD | LIMITED | {"phase": "over", "result": STOPPED}, moves=3), "to_act"),
    "swap-hand": (shifted(DEALT, "hand.0", "stock"), "zones.hand.0"),
    "swap-pile": (shifted(DEALT, "stock", "pile"), "zones.pile"),
    "swap-burned": (shifted(DEALT, "stock", "burned"), "zones.burned"),
    "swap-down": (shifted(DEALT, "down.1", "stock"), "zones.down.1"),
    "swap-moves": (facts(DEALT, moves=1), "facts.moves"),
    "swap-turn": (facts(DEALT, dealer=DEALT["facts"]["turn"]), "facts.turn"),
    "swap-ready-twice": (facts(DEALT, ready=[1, 1]), "facts.ready"),
    "swap-all-ready": (facts(DEALT, ready=[0, 1]) | {"to_act": []}, "facts.ready"),
    "swap-to-act": (facts(DEALT, ready=[1]), "to_act"),
    "nine-swaps": (facts(DEALT, swaps=[9, 0]), "facts.swaps"),
}  # fmt: skip


@pytest.mark.parametrize(("bad", "place"), BAD.values(), ids=BAD)
def test_an_impossible_position_is_refused_naming_the_place(bad: dict[str, Any], place: str):
    with pytest.raises(referee.Malformed) as caught:
        referee.read(bad)
    assert caught.value.place == place


def test_the_good_positions_that_the_bad_ones_vary_are_read():
    for good in (GOOD, DEALT, position(["8C", "4D", ""], out=[2])):
        referee.read(good)
    referee.read(facts(GOOD | LIMITED | {"phase": "over", "to_act": [], "result": STOPPED}, moves=3))


@pytest.mark.parametrize(
    ("better", "worse"),
    [("8C", "8H 9D"), ("TC", "KC"), ("KC", "4D"), ("2C 3C 4C", "4D 5C 6C"), ("", "2C")],
)
def test_who_has_less_to_play_stands_better(better: str, worse: str):
    state = referee.read(position([better, worse, "8D"], **({} if better else {"out": [0], "turn": 1})))
    first, second, _ = palace.standing(state)
    assert first > second


def test_who_has_fewer_cards_face_down_stands_better():
    first, second = palace.standing(referee.read(position(["8C", "8H"], down=["4C", "4D 4H"])))
    assert first > second
