"""Special rules of dog cards: rows and limits, filling the open row, looks, gifts, both ends."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.games.dog_cards import DECK, HAND, ORDER, SIDES, standing

DEFAULTS = {name: option.default for name, option in referee.find("dog_cards").options(2).items()}
RECORDS = Path(__file__).parents[1] / "records" / "dog_cards"
OPEN = ["2", "1", "4", "3", "6", "5", "8", "7", "10", "9", "12", "13", "14"]
FULL_ROW = ["1", "2", "J", "4", "5", "6", "7", "8", "9", "10", "1", "12", "13"]


def position(seats: int = 2, *, turns: int = 0, turn: int = 0, **given: Any) -> dict[str, Any]:
    """Return a position: cards that `zones` does not name fill the hands, then the draw pile.

    If `zones` has a draw pile, they go to the bottom of the discard pile instead.
    """
    phase = given.get("phase", "play")
    named: dict[str, list[str]] = {"open": OPEN, **given.get("zones", {})}
    rest = list((Counter(DECK) - Counter(card for cards in named.values() for card in cards)).elements())
    names = ["draw", "discard", "look"]
    names += [f"{name}.{s}" for name in ("hand", "row1", "done") for s in range(seats)]
    names += [f"{'gift' if seats == 4 else 'row2'}.{s}" for s in range(seats)]
    for s in range(seats):
        hand = named.setdefault(f"hand.{s}", [])
        size = HAND[seats] - (phase == "look" and s == turn) - len(named.get(f"gift.{s}", []))
        while len(hand) < size and f"hand.{s}" not in given.get("zones", {}):
            hand.append(rest.pop())
    if "draw" in named:
        named["discard"] = rest + named.get("discard", [])
    else:
        named["draw"] = rest
    zones = {name: named.get(name, []) for name in names} | named
    done = [len(zones[f"done.{s}"]) for s in range(seats)]
    return {
        "ruleset": "dog_cards",
        "version": 1,
        "seats": seats,
        "options": {**DEFAULTS, **given.get("options", {})},
        "phase": phase,
        "to_act": given.get("to_act", [turn]),
        "zones": zones,
        "facts": {"turn": turn, "turns": turns},
        "scores": [sum(done[s] for s in side) for side in SIDES[seats]],
        "result": given.get("result"),
    }


def play(written: dict[str, Any], move: dict[str, Any], *shuffles: list[str]) -> tuple[Any, list[Any]]:
    """Make a legal move of the seat to act with exactly these shuffles; return the state and transfers."""
    state = referee.read(written)
    seat = state.to_act[0]
    assert referee.judge(state, seat, move) == referee.Verdict(None)
    chance = referee.Scripted([{"shuffle": cards} for cards in shuffles])
    transfers = referee.advance(state, seat, move, chance)
    assert chance.drawn == len(shuffles)
    referee.read(referee.dump(state))
    return state, transfers


ROWS = {
    "row1.0": ["J", "2"],
    "row1.1": ["13", "2", "J"],
    "hand.0": ["1", "3", "4", "7", "13", "14", "J"],
}


@pytest.mark.parametrize(
    ("zones", "move", "rule"),
    [
        (ROWS, {"type": "lay", "card": "9", "owner": 9, "row": 9}, "common.not_held"),
        (ROWS, {"type": "lay", "card": "3", "owner": -1, "row": 1}, "dog_cards.no_row"),
        (ROWS, {"type": "lay", "card": "3", "owner": 0, "row": 0}, "dog_cards.no_row"),
        (ROWS, {"type": "lay", "card": "3", "owner": 1, "row": 2}, "dog_cards.own_rows"),
        (ROWS, {"type": "lay", "card": "14", "owner": 0, "row": 2}, "dog_cards.start"),
        (ROWS, {"type": "lay", "card": "14", "owner": 0, "row": 1}, "dog_cards.next_card"),
        ({**ROWS, "row1.0": []}, {"type": "lay", "card": "3", "owner": 0, "row": 2}, "dog_cards.row_slot"),
        (
            {**ROWS, "row1.0": [], "row2.0": ["1"], "done.0": ["14"]},
            {"type": "lay", "card": "3", "owner": 0, "row": 1},
            "dog_cards.row_limit",
        ),
        (
            {**ROWS, "row1.0": ["1"], "row2.0": [], "done.0": ["14"]},
            {"type": "lay", "card": "1", "owner": 0, "row": 2},
            "dog_cards.row_limit",
        ),
        (
            {"row1.0": FULL_ROW, "hand.0": ["13", "J", *"23568"]},
            {"type": "lay", "card": "J", "owner": 0, "row": 1},
            "dog_cards.joker_14",
        ),
        (ROWS, {"type": "buy", "card": "4", "position": 9}, "dog_cards.four"),
        (ROWS, {"type": "buy", "card": "4", "position": 14}, "dog_cards.positions"),
        (ROWS, {"type": "buy", "card": "14", "position": 10**400}, "dog_cards.positions"),
        (ROWS, {"type": "buy", "card": "14", "position": 13}, "dog_cards.buy_value"),
        (ROWS, {"type": "buy", "card": "13", "position": 1}, "dog_cards.buy_value"),
        (ROWS, {"type": "search", "take": "R"}, "common.not_held"),
        (ROWS, {"type": "rob", "owner": 1, "row": 1}, "common.not_held"),
        ({**ROWS, "hand.0": ["R"] * 7}, {"type": "rob", "owner": 1, "row": 3}, "dog_cards.no_row"),
        ({**ROWS, "hand.0": ["R"] * 7}, {"type": "rob", "owner": 0, "row": 2}, "dog_cards.rob_other"),
        ({**ROWS, "hand.0": ["R"] * 7}, {"type": "rob", "owner": 1, "row": 2}, "dog_cards.rob_last"),
        (ROWS, {"type": "swap", "card": "3", "owner": 2, "row": 1, "place": 3}, "dog_cards.no_row"),
        (ROWS, {"type": "swap", "card": "3", "owner": 1, "row": 1, "place": 0}, "dog_cards.swap_joker"),
        (ROWS, {"type": "swap", "card": "3", "owner": 1, "row": 1, "place": -1}, "dog_cards.swap_joker"),
        (ROWS, {"type": "swap", "card": "3", "owner": 1, "row": 2, "place": 1}, "dog_cards.swap_joker"),
        (ROWS, {"type": "swap", "card": "J", "owner": 1, "row": 1, "place": 2}, "dog_cards.swap_joker"),
        (ROWS, {"type": "swap", "card": "4", "owner": 1, "row": 1, "place": 3}, "dog_cards.swap_fit"),
        (ROWS, {"type": "swap", "card": "J", "owner": 1, "row": 1, "place": 3}, "dog_cards.swap_fit"),
    ],
)
def test_refusals(zones: dict[str, list[str]], move: dict[str, Any], rule: str):
    state = referee.read(position(zones={name: list(cards) for name, cards in zones.items()}))
    refusal = referee.judge(state, 0, move).refusal
    assert refusal is not None
    assert refusal.rule == rule
    assert 10 < len(refusal.reason) < 120


def test_a_gap_is_filled_from_the_shuffled_discard_pile_where_all_cards_were_set_aside():
    written = position(zones={"draw": ["5", "5"], "hand.0": ["5", *"RRRRRR"]})
    fresh = sorted([*written["zones"]["discard"], "5"])
    fresh.remove("5")
    fresh.remove("9")
    shuffled = ["5", "9", *fresh]
    state, transfers = play(written, {"type": "buy", "card": "5", "position": 5}, shuffled)
    assert state.open[4] == "9"
    assert state.draw == [*fresh, "5", "5", "5"]
    assert state.discard == []
    turned = [t for t in referee.show_transfers(transfers, None) if t["cards"] == ["5", "5", "5"]]
    assert turned == [{"from": "open", "to": "draw", "cards": ["5", "5", "5"]}]


def test_cards_set_aside_are_the_pile_where_the_fitting_card_was_its_last():
    written = position(zones={"draw": ["5", "5", "9"], "hand.0": ["5", *"RRRRRR"]})
    state, _ = play(written, {"type": "buy", "card": "5", "position": 5})
    assert (state.open[4], state.draw, state.discard[-1]) == ("9", ["5", "5"], "5")


def test_the_last_card_filling_a_gap_makes_a_new_pile():
    written = position(zones={"draw": ["9"], "hand.0": ["5", *"RRRRRR"]})
    shuffled = sorted([*written["zones"]["discard"], "5"])
    state, _ = play(written, {"type": "buy", "card": "5", "position": 5}, shuffled)
    assert (state.open[4], state.draw, state.discard) == ("9", shuffled, [])


def test_a_look_at_a_short_pile_shuffles_only_when_its_one_card_is_taken():
    for pile in (["9"], ["9", "3"]):
        written = position(zones={"draw": pile, "hand.0": ["7", *"RRRRRR"]})
        looking, _ = play(written, {"type": "look"})
        assert (looking.phase, looking.draw, looking.look) == ("look", [], pile)
        assert looking.discard[-1] == "7"
        shuffles = [sorted(looking.discard)] if len(pile) == 1 else []
        state, _ = play(referee.dump(looking), {"type": "take", "place": 1}, *shuffles)
        assert state.draw == (shuffles[0] if shuffles else ["3"])
        assert "9" in state.hand[0]


def test_nobody_else_learns_what_was_taken_or_given():
    looking, _ = play(position(zones={"hand.0": ["7", *"RRRRRR"]}), {"type": "look"})
    state, transfers = play(referee.dump(looking), {"type": "take", "place": 3})
    assert referee.public_move(state, {"type": "take", "place": 3}) == {"type": "take"}
    for viewer in (1, None):
        assert [set(t["cards"]) for t in referee.show_transfers(transfers, viewer)] == [{None}, {None}]
    assert all(None not in t["cards"] for t in referee.show_transfers(transfers, 0))
    given = position(4, phase="exchange", to_act=[0, 1], zones={"gift.2": ["J"], "gift.3": ["R"]})
    state, transfers = play(given, {"type": "give", "card": given["zones"]["hand.0"][0]})
    assert referee.public_move(state, {"type": "give", "card": "J"}) == {"type": "give"}
    assert "J" in state.hand[0]
    assert [t["cards"] for t in referee.show_transfers(transfers, 2)][1:] == [
        [given["zones"]["hand.0"][0]],
        ["J"],
    ]
    assert {card for t in referee.show_transfers(transfers, 1) for card in t["cards"]} == {None}


def test_a_search_takes_the_uppermost_of_equal_cards():
    written = position(zones={"discard": ["3", "9", "3", "R"], "hand.0": ["14", *"RRRRRR"]})
    state, _ = play(written, {"type": "search", "take": "3"})
    assert state.discard == ["3", "9", "R", "14"]
    assert state.hand[0] == ["3", *"RRRRRR"]


def test_a_row_completed_for_the_partner_belongs_to_the_partner():
    written = position(4, zones={"row1.2": FULL_ROW, "hand.0": ["14", *"RRRR"], "draw": ["9"]})
    shuffled = sorted([*written["zones"]["discard"], *FULL_ROW])
    state, _ = play(written, {"type": "lay", "card": "14", "owner": 2, "row": 1}, shuffled)
    assert (state.done[2], state.done[0], state.row1[2], state.scores) == (["14"], [], [], [1, 0, 1, 0])
    assert (state.phase, state.to_act, len(state.hand[0])) == ("play", [1], 5)


def test_the_winning_lay_wins_in_the_last_turn_of_the_limit_too():
    for seats, owner in ((2, 0), (3, 0), (4, 2)):
        zones = {f"row1.{owner}": FULL_ROW, "done.0": ["14"], "hand.0": ["14", *"RRRRRR"][: HAND[seats]]}
        written = position(seats, zones=zones, turns=9, options={"turn_limit": 10})
        state, _ = play(written, {"type": "lay", "card": "14", "owner": owner, "row": 1})
        winners = [0, 2] if seats == 4 else [0]
        losers = [seat for seat in range(seats) if seat not in winners]
        assert state.result == {"winners": winners, "losers": losers, "reason": "rows"}
        assert (state.turns, len(state.hand[0])) == (10, HAND[seats] - 1)
        assert state.discard[-1:] == ["13"]


def test_the_records_show_every_way_to_end_and_replay_to_it():
    reasons = set()
    for file in sorted(set(RECORDS.glob("*.json")) - set(RECORDS.glob("log-*"))):
        record = json.loads(file.read_text())
        chance = referee.Seeded.from_seed(bytes.fromhex(record["seed"]), record["entropy"])
        state, _ = referee.deal("dog_cards", record["seats"], record["options"], chance)
        for step in record["moves"]:
            assert referee.judge(state, step["seat"], step["move"]) == referee.Verdict(None)
            referee.advance(state, step["seat"], step["move"], chance)
        assert state.result == record["result"]
        reasons.add((record["seats"], record["result"]["reason"]))
    assert reasons == {(seats, reason) for seats in (2, 3, 4) for reason in ("rows", "turn_limit")}


@pytest.mark.parametrize(
    ("seats", "zones", "stands"),
    [
        (2, {"row1.0": FULL_ROW[:7], "row2.0": FULL_ROW[:7], "row1.1": FULL_ROW[:7]}, [1.0, 0.5]),
        (3, {"row2.1": FULL_ROW[:7]}, [0.0, 0.5, 0.0]),
        (4, {"row1.0": FULL_ROW[:7], "row1.1": FULL_ROW[:7], "row1.2": FULL_ROW[:7]}, [1.0, 0.5] * 2),
    ],
)
def test_a_side_stands_by_the_cards_of_all_its_rows(seats: int, zones: dict[str, Any], stands: list[float]):
    assert standing(referee.read(position(seats, zones=zones))) == stands


WON = {"winners": [0], "losers": [1], "reason": "rows"}
DRAWN = {"winners": [], "losers": [], "reason": "turn_limit"}
DONE = {"done.0": ["14", "14"], "hand.0": list("RRRRRR")}
LIMIT = {"turn_limit": 5}
GIFT = {"gift.0": ["J"]}


@pytest.mark.parametrize(
    "written",
    [
        position(),
        position(zones={"row2.0": ["13"]}),
        position(zones={"row1.0": FULL_ROW, "row2.0": FULL_ROW[:12]}),
        position(turns=4, options=LIMIT),
        position(phase="look", zones={"look": list("2222222"), "discard": ["7"]}),
        position(phase="look", zones={"look": ["2"], "draw": [], "discard": ["7"]}),
        position(phase="look", zones={"look": list("2222222"), "draw": [], "discard": ["7"]}),
        position(phase="over", to_act=[], zones=DONE, result=WON),
        position(phase="over", to_act=[], zones=DONE, result=WON, options={"done_counts": False}),
        position(phase="over", to_act=[], turns=5, options=LIMIT, result=DRAWN),
        position(4, phase="exchange", to_act=[0, 1, 2, 3]),
        position(4, phase="exchange", to_act=[1, 2, 3], zones=GIFT),
        position(4, phase="exchange", to_act=[1, 3]),
    ],
)
def test_possible_positions(written: dict[str, Any]):
    assert referee.dump(referee.read(written)) == {
        **written,
        "zones": {
            name: sorted(cards, key=ORDER.__getitem__) if name.startswith("hand") else cards
            for name, cards in written["zones"].items()
        },
    }


@pytest.mark.parametrize(
    ("place", "written"),
    [
        ("zones.open", position(zones={"open": OPEN[:12]})),
        ("zones.open", position(zones={"open": ["1", "2", *OPEN[2:]]})),
        ("zones.open", position(zones={"open": [*OPEN[:10], "1", *OPEN[11:]]})),
        ("zones.row1.0", position(zones={"row1.0": ["2"]})),
        ("zones.row1.1", position(zones={"row1.1": ["1", "3"]})),
        ("zones.row2.0", position(zones={"row2.0": ["1", "R"]})),
        ("zones.row1.0", position(zones={"row1.0": [*FULL_ROW, "14"]})),
        ("zones.done.0", position(zones={"done.0": ["13"]})),
        ("zones.done.1", position(zones={"done.1": ["14"], "row1.1": ["1"], "row2.1": ["1"]})),
        ("zones.done.3", position(4, zones={"done.3": ["14"], "row1.3": ["1"]})),
        ("zones.done.0", position(zones={"done.0": ["14", "14"]})),
        ("zones.done.0", position(4, zones={"done.0": ["14"], "done.2": ["14"]})),
        ("zones.hand.1", position(zones={"hand.1": list("222222")})),
        ("zones.hand.0", position(zones={"hand.0": list("23232323")})),
        ("zones.hand.0", position(phase="over", to_act=[], result=WON, zones={"done.0": ["14", "14"]})),
        ("zones.draw", position(zones={"draw": []})),
        ("zones.look", position(zones={"look": ["2"]})),
        ("zones.look", position(phase="look", zones={"look": list("222222"), "discard": ["7"]})),
        ("zones.look", position(phase="look", zones={"look": [], "draw": [], "discard": ["7"]})),
        ("zones.look", position(phase="look", zones={"look": list("22222223"), "discard": ["7"]})),
        ("zones.discard", position(phase="look", zones={"look": list("2222222"), "discard": ["7", "3"]})),
        ("to_act", position(to_act=[1])),
        ("to_act", position(to_act=[])),
        ("to_act", position(phase="over", to_act=[0], zones=DONE, result=WON)),
        ("scores", {**position(), "scores": [1, 0]}),
        ("facts.turns", position(turns=5, options=LIMIT)),
        ("result", position(phase="over", to_act=[], zones=DONE, result=DRAWN)),
        ("result", position(phase="over", to_act=[], result=WON)),
        ("result", position(phase="over", to_act=[], turns=4, options=LIMIT, result=DRAWN)),
        ("result", position(phase="over", to_act=[], turns=0, result=DRAWN)),
        ("zones.done.1", position(phase="over", to_act=[], zones={"done.1": ["14", "14"]}, result=WON)),
        ("phase", position(2, phase="exchange", to_act=[0, 1])),
        ("phase", position(4, phase="exchange", to_act=[])),
        ("phase", position(4, phase="exchange", to_act=[0, 1, 2, 3], turns=1)),
        ("zones.discard", position(4, phase="exchange", to_act=[0, 1, 2, 3], zones={"discard": ["2"]})),
        ("zones.row1.1", position(4, phase="exchange", to_act=[0, 1, 2, 3], zones={"row1.1": ["1"]})),
        ("zones.gift.0", position(4, phase="exchange", to_act=[1, 2, 3])),
        ("zones.gift.0", position(4, phase="exchange", to_act=[0, 1, 2, 3], zones=GIFT)),
        ("zones.gift.0", position(4, phase="exchange", to_act=[1, 3], zones=GIFT)),
        ("zones.gift.0", position(4, zones=GIFT)),
    ],
)
def test_impossible_positions(place: str, written: dict[str, Any]):
    with pytest.raises(referee.Malformed) as caught:
        referee.read(written)
    assert caught.value.place == place
