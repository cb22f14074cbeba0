"""Pies: what beats, what blocks, when colours are assigned, and how a tura and the game end."""

import json
from collections import Counter
from typing import Any

import pytest

import referee
from referee.games import pies

TYPES = ("lead", "beat", "add")
CANDIDATES = [{"type": kind, "card": card} for kind in TYPES for card in pies.DECK] + [{"type": "take"}]


def position(hands: list[str], table: str = "", **changes: Any) -> dict[str, Any]:
    """Return a position in phase beat, seat 0 to act; cards in no hand and not on the table are removed."""
    zones = {f"hand.{seat}": hand.split() for seat, hand in enumerate(hands)} | {"table": table.split()}
    lying = {card for cards in zones.values() for card in cards}
    zones["removed"] = [card for card in pies.DECK if card not in lying]
    colours = changes.pop("colours", None)
    scores = [6] * 4
    for seat, colour in enumerate(colours or []):
        scores[seat] -= sum(card[1] == colour for card in zones["removed"])
    facts = {"tura": 1 + len(zones["removed"]), "opening": False, "colours": colours, "moves": 20}
    facts |= {key: changes.pop(key) for key in list(changes) if key in facts}
    return {
        "ruleset": "pies", "version": 1, "seats": 4, "options": {}, "phase": "beat", "to_act": [0],
        "zones": zones, "facts": facts, "scores": scores, "result": None,
    } | changes  # fmt: skip


def rest(*cards: str) -> str:
    """Return all cards but these, for the hand that does not matter."""
    named = " ".join(cards).split()
    return " ".join(card for card in pies.DECK if card not in named)


def refusal(state: Any, seat: int, kind: str, card: str | None = None) -> tuple[str, str]:
    move = {"type": kind} if card is None else {"type": kind, "card": card}
    refused = referee.judge(state, seat, move).refusal
    assert refused is not None
    return refused.rule, refused.reason


def play(state: Any, seat: int, kind: str, card: str) -> None:
    move = {"type": kind, "card": card}
    assert referee.judge(state, seat, move).legal
    referee.advance(state, seat, move, referee.Seeded(b"any"))


def test_the_opening_lead_is_the_nine_of_diamonds_once_a_card_is_held():
    state, _ = referee.deal("pies", 4, {}, referee.Seeded(b"k"))
    opener = state.to_act[0]
    other = next(card for card in state.hand[opener] if card != "9D")
    foreign = state.hand[(opener + 1) % 4][0]
    assert refusal(state, opener, "lead", foreign)[0] == "common.not_held"
    rule, reason = refusal(state, opener, "lead", other)
    assert rule == "pies.opening"
    assert "nine of diamonds" in reason
    assert referee.legal_moves(state, opener) == [{"type": "lead", "card": "9D"}]


def test_a_card_that_does_not_beat_is_refused_naming_both_cards():
    state = referee.read(position(["9H 9S", rest("9H 9S TH"), "", ""], "TH"))
    assert refusal(state, 0, "beat", "9H") == (
        "pies.beat",
        "your nine of hearts does not beat the ten of hearts on top: it is lower",
    )
    assert "of another suit" in refusal(state, 0, "beat", "9S")[1]
    assert referee.legal_moves(state, 0) == [{"type": "take"}]


def test_blocked_queen_and_own_colour_have_rules_of_their_own():
    state = referee.read(position(["JC QC 9S", rest("JC QC 9S KC"), "", ""], "KC", colours=list("CSHD")))
    rule, reason = refusal(state, 0, "beat", "QC")
    assert rule == "pies.queen_blocked"
    assert "king of clubs" in reason
    assert refusal(state, 0, "beat", "JC")[0] == "pies.own_blocked"
    assert refusal(state, 0, "beat", "9S")[0] == "pies.beat"


def test_a_taker_who_could_beat_learns_with_which_card():
    state = referee.read(position(["9C JS", rest("9C JS AH"), "", ""], "AH", colours=list("CSHD")))
    rule, reason = refusal(state, 0, "take")
    assert rule == "pies.must_beat"
    assert "nine of clubs" in reason
    play(state, 0, "beat", "9C")
    assert refusal(state, 0, "take")[0] == "pies.no_take"


@pytest.mark.parametrize(("blocking", "colours"), [("top", list("CSHD")), ("table", None)])
def test_beating_in_suit_is_never_blocked_but_a_blocked_queen_assigns_nothing(blocking: str, colours: Any):
    hands = ["QC 9H", rest("QC 9H KC 9C JC"), "", ""]
    state = referee.read(position(hands, "KC 9C JC", options={"blocking": blocking}))
    play(state, 0, "beat", "QC")
    assert state.colours == colours


def test_colours_go_clockwise_from_the_player_of_the_queen_also_to_seats_without_cards():
    state = referee.read(position(["", rest("9H QC 9S"), "QC 9S", ""], "9H", to_act=[2]))
    play(state, 2, "beat", "QC")
    assert state.colours == ["H", "D", "C", "S"]


def test_colours_assigned_by_the_last_lead_count_for_the_loser_at_once():
    state = referee.read(position(["QC", "", rest("QC"), ""], phase="lead"))
    play(state, 0, "lead", "QC")
    assert (state.colours, state.scores, list(state.removed)) == (list("CSHD"), [6, 6, 5, 6], ["9H"])
    assert (state.phase, state.to_act, state.tura, list(state.table)) == ("lead", [3], 2, [])


def test_a_new_tura_picks_a_seat_and_then_shuffles_the_cards_still_in_the_game():
    state = referee.read(position(["9C", "", rest("9C 9H"), ""], phase="lead", colours=list("CSHD")))
    cards = [card for card in pies.DECK if card not in ("9H", "TH")]
    chance = referee.Scripted([{"pick": 3}, {"shuffle": cards}])
    referee.advance(state, 0, {"type": "lead", "card": "9C"}, chance)
    assert chance.drawn == 2
    assert Counter(state.hand[3]) == Counter(cards[0::4])
    assert [len(hand) for hand in state.hand] == [6, 5, 5, 6]


ACES = "TC JC QC KC AC 9D TD JD QD KD AD 9S TS JS QS KS AS"


def last_life(**changes: Any) -> dict[str, Any]:
    """Seat 2 has one heart left, the ace, and seat 0 leads its last card."""
    return position(["9C", "", ACES + " AH", ""], phase="lead", colours=list("CSHD"), **changes)


def test_the_ace_lost_ends_the_game_and_ties_share_the_win():
    state = referee.read(last_life())
    play(state, 0, "lead", "9C")
    assert state.result == {"winners": [0, 1, 3], "losers": [2], "reason": "ace"}
    assert (state.scores, state.to_act, list(state.table)) == ([6, 6, 0, 6], [], ["9C"])
    assert referee.read(referee.dump(state)).result == state.result


def test_an_end_by_the_ace_goes_before_the_move_limit():
    state = referee.read(last_life(options={"move_limit": 21}))
    play(state, 0, "lead", "9C")
    assert state.result["reason"] == "ace"
    referee.read(referee.dump(state))


def test_the_move_limit_draws_after_a_new_deal():
    hands = ["9C", "", rest("9C"), ""]
    state = referee.read(position(hands, phase="lead", options={"move_limit": 21}))
    play(state, 0, "lead", "9C")
    assert state.result == {"winners": [], "losers": [], "reason": "move_limit"}
    assert [len(hand) for hand in state.hand] == [6] * 4
    assert referee.read(referee.dump(state)).result == state.result


def over(state: Any) -> dict[str, Any]:
    return json.loads(json.dumps(referee.dump(state)))


DEAL = referee.dump(referee.deal("pies", 4, {}, referee.Seeded(b"k"))[0])
HANDS = ["9H 9S", rest("9H 9S TH"), "", ""]
COLOURS = list("CSHD")
GOOD = position(HANDS, "TH")
OVER = {"phase": "over", "result": {"winners": [], "losers": [], "reason": "move_limit"}}
BAD = {
    "colours-out-of-order": (position(HANDS, "TH", colours=list("CDHS")), "facts.colours"),
    "scores": (GOOD | {"scores": [6, 6, 6, 5]}, "scores"),
    "removed-without-colours": (position(["9S", rest("9H 9S"), "", ""], phase="lead"), "zones.removed"),
    "removed-not-lowest": (position(["9S", rest("TH 9S"), "", ""], "", colours=COLOURS), "zones.removed"),
    "opening-late": (position(HANDS, "TH", opening=True), "facts.opening"),
    "opening-on-a-heap": (position(HANDS, "TH", moves=0, opening=True), "facts.opening"),
    "opening-of-another": (DEAL | {"to_act": [(DEAL["to_act"][0] + 1) % 4]}, "to_act"),
    "opening-in-tura-2": (DEAL | {"facts": DEAL["facts"] | {"tura": 2}}, "facts.tura"),
    "opening-with-colours": (DEAL | {"facts": DEAL["facts"] | {"colours": list("CSHD")}}, "facts.colours"),
    "limit-passed": (GOOD | {"options": {"move_limit": 20}}, "facts.moves"),
    "nobody-to-act": (GOOD | {"to_act": []}, "to_act"),
    "two-to-act": (GOOD | {"to_act": [0, 1]}, "to_act"),
    "actor-without-cards": (GOOD | {"to_act": [2]}, "zones.hand.2"),
    "one-seat-left": (position([rest("9H"), "", "", ""], "9H"), "zones"),
    "nothing-to-beat": (position(["9H", rest("9H"), "", ""]), "zones.table"),
    "nothing-was-beaten": (GOOD | {"phase": "add"}, "zones.table"),
    "lead-on-a-heap": (GOOD | {"phase": "lead"}, "zones.table"),
    "ace-gone": (position(["9C", ACES, "", ""], phase="lead", colours=COLOURS), "zones.removed"),
    "over-too-early": (GOOD | OVER | {"to_act": []}, "result"),
    "over-to-act": (GOOD | OVER, "to_act"),
}  # fmt: skip


@pytest.mark.parametrize(("bad", "place"), BAD.values(), ids=BAD)
def test_an_impossible_position_is_refused_naming_the_place(bad: dict[str, Any], place: str):
    with pytest.raises(referee.Malformed) as caught:
        referee.read(bad)
    assert caught.value.place == place


@pytest.mark.parametrize(
    "written",
    [
        position(HANDS, "TH", moves=0),
        position(HANDS, "TH", moves=0, tura=7),
        position(["9S", rest("9H 9S"), "", ""], phase="lead", colours=COLOURS, tura=1),
        DEAL | {"facts": DEAL["facts"] | {"moves": 20}},
    ],
)
def test_the_history_of_a_position_is_not_checked(written: dict[str, Any]):
    assert referee.dump(referee.read(written))["facts"] == written["facts"]


def test_an_end_must_be_the_one_that_the_cards_give():
    state = referee.read(last_life())
    play(state, 0, "lead", "9C")
    for result in ({"winners": [0], "losers": [2], "reason": "ace"}, over(state)["result"] | {"more": 1}):
        with pytest.raises(referee.Malformed) as caught:
            referee.read(over(state) | {"result": result})
        assert caught.value.place == "result"
    moved = over(state)
    moved["zones"]["hand.1"] = [moved["zones"]["hand.2"].pop()]
    with pytest.raises(referee.Malformed, match=r"hand\.1"):
        referee.read(moved)


def test_taking_the_heap_may_be_the_last_move_of_a_limited_game() -> None:
    played: list[tuple[int, dict[str, Any]]] = []
    match = referee.Match("pies", 4, seed=7)
    while not played or played[-1][1]["type"] != "take":
        seat = match.to_act[0]
        played.append((seat, match.legal_moves(seat)[-1]))
        match.play(*played[-1])
    limited = referee.Match("pies", 4, {"move_limit": len(played)}, seed=7)
    for seat, move in played:
        assert not limited.is_over
        limited.play(seat, move)
    assert limited.state.result["reason"] == "move_limit"
