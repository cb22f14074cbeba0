"""Landlord: combinations against a plain enumeration of them, the list against one spelled out, positions."""

import itertools
import random
from collections import Counter
from typing import Any

import pytest

import referee
from referee import combos
from referee.combos import KINDS, ORDER, RANK, RANKS
from referee.games import landlord

RUN = range(12)  # 3 … A
SMALL, BIG = 13, 14


# --- every combination, enumerated from its description ---------------------------------------------


def mains(each: int, shortest: int = 1) -> list[list[int]]:
    """Ranks of main parts: one rank, or rows of at least so many."""
    if shortest == 1:
        return [[rank] for rank in range(13 if each > 1 else 15)]
    return [list(range(low, high)) for low in RUN for high in range(low + shortest, 13)]


def pairs_outside(main: list[int]) -> list[tuple[int, ...]]:
    return [(r, r) for r in range(13) if r not in main] + [(SMALL, BIG)]


def cards_outside(main: list[int]) -> list[tuple[int, ...]]:
    return [(r,) for r in range(15) if r not in main]


def described(largest: int) -> dict[tuple[int, ...], set[tuple[str, int]]]:
    """Every multiset of ranks that is a combination → what kinds and ranks it may be read as."""
    found: dict[tuple[int, ...], set[tuple[str, int]]] = {}

    def add(kind: str, main: list[int], each: int, *rest: tuple[int, ...]) -> None:
        ranks = sorted(main * each + [r for unit in rest for r in unit])
        copies = Counter(ranks)
        if len(ranks) <= largest and all(n <= (8 if r < SMALL else 1) for r, n in copies.items()):
            found.setdefault(tuple(ranks), set()).add((kind, main[-1]))

    for kind, each, shortest in (
        ("single", 1, 1), ("pair", 2, 1), ("triplet", 3, 1), ("sequence", 1, 5), ("pair_sequence", 2, 3),
        ("triplet_sequence", 3, 2), *(("bomb", n, 1) for n in (6, 7, 8)),
    ):  # fmt: skip
        for main in mains(each, shortest):
            add(kind, main, each)
    for each in (3, 4, 5, 6, 7, 8):
        for main in mains(each):
            for unit in cards_outside(main):
                add("triplet_card" if each == 3 else "multiple_card", main, each, unit)
            for unit in pairs_outside(main):
                add("triplet_pair" if each == 3 else "multiple_pair", main, each, unit)
    for each in (5, 6, 7, 8):
        for main in mains(each):
            for two in itertools.combinations(cards_outside(main), 2):
                if two != ((SMALL,), (BIG,)):
                    add("multiple_cards", main, each, *two)
    for main in mains(3, 2):
        if 4 * len(main) <= largest:
            for units in itertools.combinations_with_replacement(cards_outside(main), len(main)):
                add("triplet_sequence_cards", main, 3, *units)
        if 5 * len(main) <= largest:
            for units in itertools.combinations_with_replacement(pairs_outside(main), len(main)):
                add("triplet_sequence_pairs", main, 3, *units)
    add("rocket", [SMALL, BIG], 1)
    return found


DESCRIBED = described(15)


def cards_of(ranks: tuple[int, ...]) -> list[str]:
    """Any cards of these ranks."""
    return [RANKS[r] if r >= SMALL else RANKS[r] + "CDHS"[i % 4] for i, r in enumerate(ranks)]


def read(ranks: tuple[int, ...]) -> set[tuple[str, int]]:
    return {(combo.kind, combo.rank) for combo in combos.readings(cards_of(ranks))}


def highest_of_each_kind(meanings: set[tuple[str, int]]) -> set[tuple[str, int]]:
    return {(kind, max(r for k, r in meanings if k == kind)) for kind, _ in meanings}


def test_every_combination_described_is_read_as_such() -> None:
    assert len(DESCRIBED) > 10_000
    for ranks, meanings in DESCRIBED.items():
        assert read(ranks) == highest_of_each_kind(meanings), ranks


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_no_other_cards_are_a_combination(size: int) -> None:
    for ranks in itertools.combinations_with_replacement(range(15), size):
        if max(ranks.count(SMALL), ranks.count(BIG)) < 2 and ranks not in DESCRIBED:
            assert read(ranks) == set(), ranks


@pytest.mark.parametrize("size", [7, 8, 9, 10, 12, 14, 15])
def test_near_misses_are_no_combination(size: int) -> None:
    choose = random.Random(size)
    large = [ranks for ranks in DESCRIBED if len(ranks) == size]
    for _ in range(1500):
        ranks = list(choose.choice(large))
        ranks[choose.randrange(size)] = choose.randrange(13)
        near = tuple(sorted(ranks))
        if max(Counter(near).values()) <= 8:
            assert read(near) == highest_of_each_kind(DESCRIBED.get(near, set())), near


@pytest.mark.parametrize(("triplets", "cards"), [(4, 12), (8, 24)])
def test_triplets_in_a_row_have_two_readings_and_the_one_that_beats_counts(triplets: int, cards: int) -> None:
    row = cards_of(tuple(r for r in range(triplets) for _ in range(3)))
    plain, with_cards = combos.readings(row)
    assert (plain.kind, with_cards.kind) == ("triplet_sequence", "triplet_sequence_cards")
    assert plain.size == with_cards.size == cards
    assert combos.reading(row, None) == plain
    assert combos.reading(row, with_cards._replace(rank=with_cards.rank - 1)) == with_cards
    assert combos.reading(row, with_cards) == plain  # neither beats it


def test_what_beats_what() -> None:
    def combo(kind: str, size: int, rank: str) -> combos.Combo:
        return combos.Combo(kind, size, RANKS.index(rank))

    rocket = combo("rocket", 2, "XR")
    ladder = [
        combo("pair", 2, "2"),
        combo("bomb", 6, "3"),
        combo("bomb", 6, "2"),
        combo("bomb", 7, "3"),
        rocket,
    ]
    for low, high in itertools.combinations(ladder, 2):
        assert combos.beats(high, low)
        assert not combos.beats(low, high)
    for same in ladder:
        assert not combos.beats(same, same)
    assert not combos.beats(combo("sequence", 6, "K"), combo("sequence", 5, "7"))
    assert not combos.beats(combo("triplet_pair", 5, "K"), combo("sequence", 5, "7"))


# --- positions --------------------------------------------------------------------------------------


def position(
    hands: list[list[str]], table: list[str], combo: dict[str, Any] | None, turn: int = 0
) -> dict[str, Any]:
    """A position in phase play, seat 0 being the landlord; all other cards have been played."""
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
    """`333 44 XB` → cards, suits C D H S C D H S in turn within a rank."""
    hand = []
    for word in text.split():
        hand += [word] if word in ("XB", "XR") else [c + "CDHS"[i % 4] for i, c in enumerate(word)]
    return hand


# --- the list, spelled out --------------------------------------------------------------------------


def listed_by_the_rules(state: Any, seat: int) -> list[dict[str, Any]]:
    """landlord.listing without any cleverness: every candidate is judged, then all are sorted."""
    hand = sorted(state.hand[seat], key=ORDER.__getitem__)
    count = Counter(RANK[card] for card in hand)
    candidates: list[list[int]] = []

    def add(main: list[int], units: list[tuple[int, ...]], k: int) -> None:
        if len(units) >= k:
            fixed, places = units[: k - 1], units[k - 1 :]
            candidates.extend(
                sorted([*main, *(r for u in [*fixed, last] for r in u)]) for last in set(places)
            )

    for each in range(1, 9):
        for length in range(1, 13):
            for low in range(15):
                ranks = list(range(low, low + length))
                if any(count[r] < each for r in ranks) or (length > 1 and ranks[-1] > 11):
                    continue
                main = ranks * each
                singles = [(r,) for r in range(15) if r not in ranks for _ in range(count[r])]
                unlike = sorted(set(singles))
                pairs = [(r, r) for r in range(13) if r not in ranks for _ in range(count[r] // 2)]
                pairs += [(SMALL, BIG)] if count[SMALL] and count[BIG] else []
                candidates.append(main)
                if each == 3 or (each > 3 and length == 1):
                    add(main, singles, length)
                    add(main, pairs, length)
                if each >= 5 and length == 1 and unlike[:1] != [(SMALL,)]:
                    add(main, unlike, 2)
    if count[SMALL] and count[BIG]:
        candidates.append([SMALL, BIG])

    ordered = {}
    for ranks in candidates:
        taken: Counter[int] = Counter()
        cards = []
        for rank in sorted(ranks):
            cards.append([card for card in hand if RANK[card] == rank][taken[rank]])
            taken[rank] += 1
        move = {"type": "play", "cards": cards}
        if referee.judge(state, seat, move).legal:
            combo = combos.reading(cards, landlord._against(state))
            assert combo is not None
            key = (KINDS.index(combo.kind), combo.size, combo.rank, [ORDER[card] for card in cards])
            ordered[tuple(cards)] = (key, move)
    moves = [move for _, move in sorted(ordered.values(), key=lambda entry: entry[0])]
    return moves + ([{"type": "pass"}] if referee.judge(state, seat, {"type": "pass"}).legal else [])


@pytest.mark.parametrize(("seats", "seed"), [(4, 1), (4, 2), (5, 3)])
def test_the_list_is_the_one_described_at_every_turn_of_a_random_game(seats: int, seed: int) -> None:
    choose = random.Random(seed)
    chance = referee.Seeded.from_seed(bytes([seed]), [""] * seats)
    state, _ = referee.deal("landlord", seats, {}, chance)
    while state.result is None:
        seat = state.to_act[0]
        moves = referee.legal_moves(state, seat)
        if state.phase == "play":
            assert moves == listed_by_the_rules(state, seat)
        plays = [move for move in moves if move["type"] == "play" and len(move["cards"]) > 1]
        referee.advance(state, seat, choose.choice(plays or moves), chance)


RICH = [
    "333 444 555 666 777 888 999 3 XB XR",
    "3333 444 555 666 7777 88 2222222 XB",
    "33333333 444444 5555555 66 XB XR",
    "333333 XB XR",
    "AAA KKK QQQ JJJ 222 XB XR",
    "333 444 555 666 7",
    "333 444 555 777 888 999",
    "3 4 5 6 7 8 9 T J Q K A 2 XB XR",
    "33 44 55 66 777777 88 99",
]
TABLES = [
    "", "5", "2", "XB", "44", "333", "333 4", "333 44", "3 4 5 6 7", "33 44 55", "333 444", "333 444 5 6",
    "333 444 55 66", "444 555 666 777", "333 444 555 9 T J", "333 444 555 666", "333 444 555 666 7 8 9 T",
    "3333 4", "3333 44", "33333 4 5", "444444", "5555555", "XB XR",
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("hand", RICH)
def test_the_list_of_a_rich_hand_against_every_kind(hand: str, table: str) -> None:
    mine, lying = hand_of(hand), hand_of(table)
    if Counter(mine + lying) - Counter(landlord.DECK):
        mine = [card for card in mine if card not in lying]
    spare = list((Counter(landlord.DECK) - Counter(mine + lying)).elements())
    written = position([mine, *([card] for card in spare[:3])], lying, table_of(lying, 3) if lying else None)
    state = referee.read(written)
    moves = referee.legal_moves(state, 0)
    assert moves == listed_by_the_rules(state, 0)
    assert all(referee.judge(state, 0, move).legal for move in moves)


def test_what_can_be_played_at_all_is_listed_in_some_form() -> None:
    choose = random.Random(7)
    answered = 0
    for _ in range(150):
        deck = [card for card in landlord.DECK if card[0] in "45678X" or choose.random() < 0.1]
        choose.shuffle(deck)
        lying = hand_of(choice) if len(choice := choose.choice(TABLES)) < 10 else hand_of("333 44")
        free = Counter(landlord.DECK) - Counter(lying)
        mine: list[str] = []
        for card in deck:
            if len(mine) < 8 and free[card]:
                mine.append(card)
                free[card] -= 1
        others = [[card] for card in list(free.elements())[-3:]]
        state = referee.read(position([mine, *others], lying, table_of(lying, 3) if lying else None))
        some_play = any(
            referee.judge(state, 0, {"type": "play", "cards": list(cards)}).legal
            for size in range(1, len(mine) + 1)
            for cards in itertools.combinations(mine, size)
        )
        answered += some_play
        assert any(move["type"] == "play" for move in referee.legal_moves(state, 0)) == some_play
    assert 20 < answered < 130


# --- refusals that name what they rest on -----------------------------------------------------------


def refused(written: dict[str, Any], move: dict[str, Any]) -> referee.Refusal:
    refusal = referee.judge(referee.read(written), written["to_act"][0], move).refusal
    assert refusal is not None
    return refusal


def test_refusals_name_both_combinations() -> None:
    others = [["4C"], ["4D"], ["4H"]]
    written = position([hand_of("333 99 5 XB"), *others], ["9H", "9S"], table_of(["9H", "9S"], 3))
    higher = refused(written, {"type": "play", "cards": ["9C", "9D"]})
    assert higher.rule == "landlord.higher"
    assert "nine of hearts and nine of spades" in higher.reason
    assert "nine of clubs and nine of diamonds" in higher.reason
    other = refused(written, {"type": "play", "cards": ["XB"]})
    assert other.rule == "landlord.same_combination"
    assert "small joker" in other.reason
    none = refused(written, {"type": "play", "cards": ["5C", "XB"]})
    assert none.rule == "landlord.combination"
    assert "five of clubs and small joker" in none.reason
    second_copy = refused(written, {"type": "play", "cards": ["9C", "9C"]})
    assert second_copy.rule == "common.not_held"


def asked(hand: str, first: int = 0) -> Any:
    """The position in which seat 0, with this hand and cards that count nothing, is asked."""
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


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("2222 XB XR", 6), ("22222 XB XR", 7), ("333333 444444 22", 6), ("333333 444444 5555555", 6),
        ("222222", 8), ("3333333 XB 222", 6), ("333333 444444 2", 5), ("2222 XR", 5),
        ("33333 44444 22 XB", 3),
    ],
)  # fmt: skip
def test_a_hand_of_six_points_may_not_be_passed_up(hand: str, points: int) -> None:
    state = referee.read(asked(hand))
    refusal = referee.judge(state, 0, {"type": "pass"}).refusal
    if points < 6:
        assert refusal is None
        assert referee.legal_moves(state, 0) == [{"type": "take"}, {"type": "pass"}]
    else:
        assert refusal is not None
        assert refusal.rule == "landlord.too_good"
        assert f"{points} points" in refusal.reason
        assert referee.legal_moves(state, 0) == [{"type": "take"}]


def test_the_last_seat_asked_is_told_that_before_its_points() -> None:
    refusal = refused(asked("2222 XB XR", first=3), {"type": "pass"})
    assert refusal.rule == "landlord.last_must_take"


def test_asking_goes_to_the_right_and_the_taker_shows_six_cards_and_leads() -> None:
    order = sorted(landlord.DECK)
    chance = referee.Scripted([{"shuffle": order}, {"pick": 9}])
    state, _ = referee.deal("landlord", 5, {}, chance)
    for seat in (4, 3, 2):
        assert state.to_act == [seat]
        assert referee.judge(state, seat, {"type": "pass"}).legal
        referee.advance(state, seat, {"type": "pass"}, chance)
    assert state.to_act == [1]
    referee.advance(state, 1, {"type": "take"}, chance)
    assert (state.phase, state.landlord, state.to_act, state.combo) == ("play", 1, [1], None)
    assert state.shown == sorted(order[100:], key=ORDER.__getitem__)
    assert (len(state.hand[1]), len(state.kitty)) == (26, 0)
    assert referee.judge(state, 1, {"type": "pass"}).refusal.rule == "landlord.must_lead"
    assert referee.view(state, None)["facts"]["shown"] == state.shown


# --- ends -------------------------------------------------------------------------------------------


def last_card(out: int, hands: int, scores: list[int], seats: int = 4) -> dict[str, Any]:
    """The result when this seat plays its last card of the last hand; seat 0 is the landlord."""
    written = position([["3C"], ["4C"], ["5C"], ["6C"], ["7C"]][:seats], [], None, turn=out)
    written.update(options={"hands": hands}, scores=scores)
    written["facts"]["hand_number"] = hands
    state = referee.read(written)
    referee.advance(state, out, {"type": "play", "cards": list(state.hand[out])}, referee.Scripted([]))
    assert referee.dump(referee.read(referee.dump(state))) == referee.dump(state)
    return {**state.result, "scores": state.scores}


def test_every_way_to_end() -> None:
    assert last_card(0, 1, [0] * 4) == {
        "winners": [0], "losers": [1, 2, 3], "reason": "landlord_won", "scores": [3, -1, -1, -1]
    }  # fmt: skip
    assert last_card(2, 1, [0] * 5, seats=5) == {
        "winners": [1, 2, 3, 4], "losers": [0], "reason": "landlord_beaten", "scores": [-4, 1, 1, 1, 1]
    }  # fmt: skip
    assert last_card(3, 2, [1, -3, 1, 1]) == {
        "winners": [2, 3], "losers": [0, 1], "reason": "highest_score", "scores": [-2, -2, 2, 2]
    }  # fmt: skip
    assert last_card(0, 4, [-3, 1, 1, 1])["losers"] == []


def test_another_hand_is_dealt_at_once_and_everything_but_scores_begins_anew() -> None:
    written = position([["3C"], ["4C"], ["5C"], ["6C"]], ["3D"], table_of(["3D"], 0), turn=1)
    written["options"] = {"hands": 2}
    state = referee.read(written)
    order = sorted(landlord.DECK)
    chance = referee.Scripted([{"shuffle": order}, {"pick": 41}])
    referee.advance(state, 1, {"type": "play", "cards": ["4C"]}, chance)
    assert (state.phase, state.to_act, state.scores) == ("choose", [1], [-3, 1, 1, 1])
    assert (state.hand_number, state.first, state.face_up) == (2, 1, order[41])
    assert (state.landlord, state.shown, state.combo, state.result) == (None, [], None, None)
    assert sorted(state.hand[2]) == sorted(order[2:100:4])
    assert sorted(state.kitty) == sorted(order[100:])
    assert chance.drawn == 2


def test_a_pass_counts_for_its_turn_only_and_the_last_one_clears_the_table() -> None:
    hands = [["3C", "5C"], ["7C", "8C"], ["3D", "TC"], ["4D", "JC"]]
    state = referee.read(position(hands, [], None))
    none = referee.Scripted([])
    leave = {"type": "pass"}
    first = {"type": "play", "cards": ["5C"]}
    for seat, move in enumerate([first, leave, {"type": "play", "cards": ["TC"]}, leave]):
        referee.advance(state, seat, move, none)
    assert referee.judge(state, 1, leave).refusal is not None
    referee.advance(state, 0, leave, none)
    assert referee.legal_moves(state, 1) == [leave]
    referee.advance(state, 1, leave, none)
    assert (state.to_act, state.combo, list(state.table)) == ([2], None, [])
    assert referee.legal_moves(state, 2) == [{"type": "play", "cards": ["3D"]}]


# --- positions written by hand ----------------------------------------------------------------------


def playing() -> dict[str, Any]:
    return position([["3C"], ["4C", "4C"], ["5C"], ["6C"]], ["8C", "8D"], table_of(["8C", "8D"], 3))


def test_positions_that_need_not_agree_with_the_play_before_are_accepted() -> None:
    written = playing()
    written["to_act"] = [1]
    written["facts"].update(hand_number=9, first=2)
    written["scores"] = [50, -20, -20, -10]
    written["zones"]["discard"].reverse()
    referee.read(written)


def over() -> dict[str, Any]:
    written = position([[], ["4C"], ["5C"], ["6C"]], ["8C"], table_of(["8C"], 0))
    result = {"winners": [0], "losers": [1, 2, 3], "reason": "landlord_won"}
    return {**written, "phase": "over", "to_act": [], "result": result}


def swap(written: dict[str, Any], source: str, target: str, card: str) -> None:
    written["zones"][source].remove(card)
    written["zones"][target].append(card)


FAULTS: dict[str, Any] = {
    "scores": lambda p: p.update(scores=[1, 0, 0, 0]),
    "to_act": lambda p: p.update(to_act=[]),
    "facts.landlord": lambda p: p["facts"].update(landlord=None),
    "facts.shown": lambda p: p["facts"].update(shown=["4C", *p["facts"]["shown"][1:]]),
    "facts.shown ": lambda p: p["facts"].update(shown=p["facts"]["shown"][1:]),
    "facts.shown  ": lambda p: p["facts"].update(shown=["ZZ", *p["facts"]["shown"][1:]]),
    "facts.face_up": lambda p: p["facts"].update(face_up="4C"),
    "facts.face_up ": lambda p: p["facts"].update(face_up="1C"),
    "facts.combo": lambda p: p["facts"].update(combo=None),
    "facts.combo ": lambda p: p["facts"]["combo"].update(rank="9"),
    "facts.combo  ": lambda p: p["facts"]["combo"].update(kind="single"),
    "facts.combo   ": lambda p: p["facts"]["combo"].update(seat=0),
    "facts.combo    ": lambda p: p["facts"]["combo"].update(kind="set"),
    "facts.hand_number": lambda p: p["facts"].update(hand_number=0),
    "zones.kitty": lambda p: swap(p, "discard", "kitty", "9C"),
    "zones.hand.0": lambda p: swap(p, "hand.0", "discard", "3C"),
    "zones.hand.1": lambda p: p["zones"].update(
        {"hand.1": ["4C", "4C", *p["zones"]["discard"][:24]], "discard": p["zones"]["discard"][24:]}
    ),
}


@pytest.mark.parametrize("place", FAULTS)
def test_bad_positions_in_play_are_refused_at_their_place(place: str) -> None:
    written = playing()
    referee.read(written)
    FAULTS[place](written)
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place.strip()


CHOOSING: dict[str, Any] = {
    "facts.landlord": lambda p: p["facts"].update(landlord=1),
    "facts.shown": lambda p: p["facts"].update(shown=list(p["zones"]["kitty"])),
    "facts.combo": lambda p: p["facts"].update(combo=table_of(["8C"], 1)),
    "facts.first": lambda p: p["facts"].update(face_up=p["zones"]["hand.3"][-1]),
    "zones.hand.2": lambda p: swap(p, "hand.2", "kitty", p["zones"]["hand.2"][0]),
    "zones.kitty": lambda p: swap(p, "kitty", "discard", p["zones"]["kitty"][0]),
    "to_act": lambda p: p.update(to_act=[0, 1]),
}


@pytest.mark.parametrize("place", CHOOSING)
def test_bad_positions_in_choose_are_refused_at_their_place(place: str) -> None:
    written = asked("2222 3333")
    referee.read(written)
    CHOOSING[place](written)
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place


@pytest.mark.parametrize(
    ("place", "spoil"),
    [
        ("to_act", lambda p: p.update(to_act=[1])),
        ("zones", lambda p: p["facts"].update(combo=None)),
        ("zones", lambda p: p["facts"]["combo"].update(seat=1)),
        ("zones", lambda p: swap(p, "hand.1", "discard", "4C")),
    ],
)
def test_bad_positions_at_the_end_are_refused(place: str, spoil: Any) -> None:
    written = over()
    referee.read(written)
    spoil(written)
    with pytest.raises(referee.Malformed) as error:
        referee.read(written)
    assert error.value.place == place
