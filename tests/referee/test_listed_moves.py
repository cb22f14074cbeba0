"""Rules are stated once: what is listed hangs on the same predicates as what is refused."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.engine.play import accepted
from referee.engine.proposals import proposed
from referee.workshop import scenarios
from tests.referee.every_move import palace_signature, to_try
from tests.referee.tables import Table, tables, wander

SCENARIOS = Path(__file__).parents[1] / "scenarios"
SEED, MOVES = 5, 60
POINTS = 5  # positions in which a rule is broken

ALL_CARDS = {
    card: frozenset(referee.find("palace").deck(2, {})) for card in ["", *referee.find("palace").deck(2, {})]
}
FACES = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "12", "13", "14", "J", "R")
PLACES = range(1, 15)


def anything(*given: Any) -> bool:
    return True


def nothing(*given: Any) -> None:
    return None


def refused(*given: Any) -> referee.Refusal:
    return referee.Refusal("mau_mau.draw", "")


def purchases() -> dict[str, list[dict[str, Any]]]:
    return {face: [{"type": "buy", "card": face, "position": n} for n in range(1, 14)] for face in FACES}


def every_row(first: list[Any], second: list[Any]) -> list[tuple[int, int, Any]]:
    """Return all rows of dog cards that a table has, as if each held cards."""
    both = [(1, first), (2, second)] if len(first) < 4 else [(1, first)]
    return [(owner, number, row) for number, rows in both for owner, row in enumerate(rows)]


def last_card_moves(state: Any, seat: int) -> list[dict[str, Any]]:
    return [{"type": "announce"}, *({"type": "catch", "seat": other} for other in range(state.seats))]


BUYS = {"BUYS": dict.fromkeys(FACES, range(1, 14)), "rows.PURCHASES": purchases()}
FITS = {"FITS": dict.fromkeys(FACES, PLACES), "rows.FITS": dict.fromkeys(FACES, PLACES)}
# For each game, the rules by which proposals are refused in a few random games, and what to break for each:
# the function or table on which the refusal hangs, with a value under which the rule is gone.
PREDICATES: dict[str, dict[str, dict[str, Any]]] = {
    "bisca": {
        **{rule: {"_held_back_by": nothing} for rule in ("ace_waits", "seven_last")},
        **{
            rule: {"_may_exchange": anything} for rule in ("exchange_time", "exchange_turned", "exchange_two")
        },
        "cut_depth": {"_most_lifted": lambda state: 39},
    },
    "cats_and_dogs": {},  # every card of the hand may be played
    "dog_cards": {
        "buy_value": BUYS,
        "four": BUYS,
        "next_card": FITS,
        "start": FITS,
        "rob_last": {"rows.begun": every_row},
        "rob_other": {"_robbed": lambda begun, seat: [each[:2] for each in begun]},
        "own_rows": {"SIDES": {n: [[*range(n)]] * n for n in (2, 3, 4)}},
        "row_slot": {"_next_row": lambda state, owner: 2},
        "swap_fit": {"REPLACES": dict.fromkeys(FACES, PLACES)},
        "swap_joker": {
            "_jokers": lambda begun: [(o, n, i + 1) for o, n, row in begun for i in range(len(row))]
        },
        "no_row": {},  # a row that the table does not have
    },
    "landlord": {
        "must_lead": {"_refuse_pass": nothing},
        "higher": {"_against": nothing},
        "same_combination": {"_against": nothing},
    },
    "mau_mau": {
        **{rule: {"_on_last_cards": last_card_moves} for rule in ("announce", "catch")},
        "draw": {"_instead": lambda state, plays: "draw"},
        "pass": {"_instead": lambda state, plays: "pass", "_refuse_instead": refused},
        "take": {"_instead": lambda state, plays: "take", "_refuse_instead": refused},
        "must_play": {"_instead": lambda state, plays: "draw"},
        "fits": {"_matching": lambda state: ALL_CARDS[""]},
        "attack": {"_matching": lambda state: ALL_CARDS[""]},
        "thumb": {},  # whose thumb is down is not waited for
        "turn": {},  # nor is a seat out of turn
    },
    "palace": {
        "blind": {"_blind": anything},
        "complete": {"_lacking": lambda state: min(1, len(state.pile))},
        "higher": {"FITTING": ALL_CARDS},
        "seven": {"FITTING": ALL_CARDS},
        "must_play": {"_may_pick_up": anything},
        "swap": {"_differ": anything},
        "turn": {},
    },
    "pedro": {
        "bid_higher": {"_highest": lambda state: 0},
        "discard_scoring": {"SCORING": dict.fromkeys("CDHS", frozenset())},
        "discard_three": {"LEAST": 1},
        "follow": {"_playable": nothing},
    },
    "pies": {
        **{
            rule: {"_beating": lambda state, seat: state.hand[seat]}
            for rule in ("beat", "own_blocked", "queen_blocked")
        },
        "opening": {"_leads": lambda state, seat: state.hand[seat]},
        "must_beat": {"_may_take": anything},
        "no_take": {"_may_take": anything},
    },
    "truco": {
        "limit": {"_broken_by_call": nothing},
        "own_call": {"_broken_by_call": nothing},
        "order": {},  # nobody plays a card out of turn
    },
}
# Rules that random games hardly ever break; scenarios do.
SELDOM: dict[tuple[str, str], dict[str, Any]] = {
    ("dog_cards", "row_limit"): {"_next_row": lambda state, owner: 1},
    ("landlord", "last_must_take"): {"_refuse_pass": nothing},
    ("landlord", "too_good"): {"_refuse_pass": nothing},
    ("mau_mau", "announce"): {"ANNOUNCED": 2},
    ("mau_mau", "last_card"): {"NEVER_LAST": dict.fromkeys([None, "2", "5H", "TH", "KH"], ())},
    ("palace", "swap_limit"): {"_may_swap": anything},
    ("pedro", "stock_limit"): {"_limit": lambda state: 9},
    ("truco", "highest"): {"_playable": lambda state, hand: hand},
}
RULES = [(ruleset, rule) for ruleset, rules in PREDICATES.items() for rule in rules]


def situations(ruleset: str) -> Iterator[tuple[Any, int]]:
    """Yield every seat's situation in random games of a ruleset."""
    for table in tables():
        if table.ruleset == ruleset:
            for point in wander(table, SEED, MOVES):
                for seat in range(table.seats):
                    if seat in point.state.to_act or point.state.ruleset.OUT_OF_TURN:
                        yield point.state, seat


def texts(state: Any, seat: int, of: Callable[[Any, int], Any]) -> list[str]:
    """Return the moves of one list, sorted; for a seat that is not waited for, those out of turn."""
    kinds = state.ruleset.PHASES[state.phase] if seat in state.to_act else state.ruleset.OUT_OF_TURN
    return sorted(repr(dict(move)) for move in of(state, seat) if move["type"] in kinds)


@pytest.mark.parametrize("table", tables(), ids=str)
def test_what_is_listed_is_what_is_accepted(table: Table) -> None:
    for point in wander(table, SEED, MOVES):
        for seat in point.state.to_act if not point.state.ruleset.OUT_OF_TURN else range(table.seats):
            assert texts(point.state, seat, referee.legal_moves) == texts(point.state, seat, accepted)


LENGTH = 150
EVERY = {"dog_cards": 25, "landlord": 8, "mau_mau": 5, "palace": 5}  # move of those with many to try
MOST_CARDS = 8  # of mau_mau, which may be played in too many ways


@pytest.mark.parametrize("ruleset", PREDICATES)
def test_the_list_is_every_move_that_is_judged_legal_in_its_order(ruleset: str) -> None:
    seen: set[str] = set()
    for table in (each for each in tables() if each.ruleset == ruleset):
        for n, point in enumerate(wander(table, SEED, LENGTH)):
            state = point.state
            if state.phase == "play" and n % EVERY.get(ruleset, 1):
                continue
            for seat in range(table.seats):
                if ruleset == "mau_mau" and len(state.hand[seat]) > MOST_CARDS:
                    continue
                listed = [*referee.legal_moves(state, seat)]
                judged = [move for move in to_try(state, seat) if referee.judge(state, seat, move).legal]
                if ruleset == "palace":  # one choice of cards stands for all of their ranks and number
                    few = [move for move in listed if len(move.get("cards", ())) < 6]
                    assert {*map(palace_signature, few)} == {*map(palace_signature, judged)}
                else:
                    assert listed == judged
                seen |= {move["type"] for move in listed}
    assert seen == {*referee.find(ruleset).MOVES}


@pytest.mark.parametrize("ruleset", PREDICATES)
def test_every_rule_that_refuses_a_proposal_is_known_here(ruleset: str) -> None:
    found: set[str] = set()
    rules = referee.find(ruleset)
    for state, seat in situations(ruleset):
        for move in proposed(state, seat):
            if move["type"] in rules.PHASES[state.phase]:
                refusal = rules.refuse(state, seat, move)
                found |= {refusal.rule} if refusal is not None else set()
    own = {rule.partition(".")[2] for rule in found if rule.startswith(f"{ruleset}.")}
    assert own == set(PREDICATES[ruleset])


@pytest.mark.parametrize(("ruleset", "rule"), [each for each in RULES if PREDICATES[each[0]][each[1]]])
def test_a_rule_that_is_broken_changes_what_is_listed(ruleset: str, rule: str) -> None:
    """Were it stated a second time for the list, the two lists would differ now."""
    points = changed = 0
    for state, seat in situations(ruleset):
        if points == POINTS:
            break
        if f"{ruleset}.{rule}" in refusing(state, seat):
            points += 1
            before = texts(state, seat, referee.legal_moves)
            with broken(state.ruleset, PREDICATES[ruleset][rule]):
                after = texts(state, seat, referee.legal_moves)
                assert after == texts(state, seat, accepted)
            changed += after != before
    assert changed, f"{rule} refuses no proposal"


@pytest.mark.parametrize(("ruleset", "rule"), SELDOM)
def test_a_rule_that_scenarios_show_changes_what_is_listed(ruleset: str, rule: str) -> None:
    changed = []
    for state, seat in refused_by_scenarios(ruleset, rule):
        before = texts(state, seat, referee.legal_moves)
        with broken(state.ruleset, SELDOM[ruleset, rule]):
            after = texts(state, seat, referee.legal_moves)
            assert after == texts(state, seat, accepted)
        changed.append(after != before)
    assert any(changed), f"{rule} is refused in no scenario, or the list does not change"


def refused_by_scenarios(ruleset: str, rule: str) -> list[tuple[Any, int]]:
    """Return the situations in which a move is refused by a rule in the scenarios of a ruleset."""
    found: list[tuple[Any, int]] = []

    def note(state: Any, seat: int, move: object, cited: object) -> None:
        if cited == f"{ruleset}.{rule}":
            found.append((referee.clone(state), seat))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenarios, "_refused", note)
        for path in sorted((SCENARIOS / ruleset).glob("*.yaml")):
            text = path.read_text("utf-8")
            if f"{ruleset}.{rule}" in text:
                assert [outcome.failure for outcome in referee.check(text)].count(None)
    return found


def test_what_is_held_is_asked_once_in_cats_and_dogs() -> None:
    """No rule of this game refuses a card of the hand; so what the hand is, is broken."""
    rules = referee.find("cats_and_dogs")
    for state, seat in islice(situations("cats_and_dogs"), POINTS):
        before = texts(state, seat, referee.legal_moves)
        with broken(rules, {"_playable": lambda state, seat: state.hand[seat][1:]}):
            after = texts(state, seat, referee.legal_moves)
            assert after == texts(state, seat, accepted)
        assert len(after) == len(before) - 1


def refusing(state: Any, seat: int) -> set[str]:
    """Return the rules that refuse proposals of a seat that is waited for, or moves out of turn."""
    kinds = state.ruleset.PHASES[state.phase] if seat in state.to_act else state.ruleset.OUT_OF_TURN
    moves = [move for move in proposed(state, seat) if move["type"] in kinds]
    refusals = [state.ruleset.refuse(state, seat, move) for move in moves]
    return {refusal.rule for refusal in refusals if refusal is not None}


class broken:
    """The rulesets' module with other predicates, while the block runs."""

    def __init__(self, rules: Any, changes: Mapping[str, Any]) -> None:
        self._patch = pytest.MonkeyPatch()
        self._rules, self._changes = rules, changes

    def __enter__(self) -> None:
        for name, value in self._changes.items():
            module, _, part = name.rpartition(".")
            self._patch.setattr(getattr(self._rules, module) if module else self._rules, part, value)
        self._forget()

    def __exit__(self, *raised: object) -> None:
        self._patch.undo()
        self._forget()

    def _forget(self) -> None:
        if hasattr(self._rules, "rows"):
            self._rules.rows.lays.cache_clear()
