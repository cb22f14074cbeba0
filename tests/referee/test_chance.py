"""The documented algorithm of chance, implemented here a second time from its description."""

import hashlib
import hmac
import struct
from collections import Counter

import pytest

from referee.engine.chance import ChanceExhausted, Scripted, Seeded, commitment, game_key, seed_bytes
from referee.engine.verdicts import Malformed


def numbers_by_the_book(seed: bytes, entropy: list[str], k: int):
    message = b"card-referee/1"
    for text in entropy:
        message += struct.pack("B", len(text.encode())) + text.encode()
    key = hmac.new(seed, message, hashlib.sha256).digest()
    block = 0
    while True:
        digest = hmac.new(key, struct.pack(">II", k, block), hashlib.sha256).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def below_by_the_book(words, n: int) -> int:
    while True:
        word = next(words)
        if word < (2**32 // n) * n:
            return word % n


@pytest.mark.parametrize("entropy", [["", "", ""], ["abc", "ü" * 32, ""]])
def test_outcomes_follow_the_description(entropy: list[str]):
    seed = bytes(range(32))
    chance = Seeded.from_seed(seed, entropy)
    cards = [f"c{i:02}" for i in range(53)]
    for k in range(6):
        words = numbers_by_the_book(seed, entropy, k)
        if k % 2:
            assert chance.pick(7) == below_by_the_book(words, 7)
        else:
            expected = sorted(cards)
            for i in range(len(cards) - 1, 0, -1):
                j = below_by_the_book(words, i + 1)
                expected[i], expected[j] = expected[j], expected[i]
            assert chance.shuffle(cards[::-1]) == expected
        assert chance.drawn == k + 1


def test_words_that_would_favour_small_numbers_are_skipped():
    n = 3 * 2**30  # a quarter of all words is above the limit
    drawn = [Seeded.from_seed(bytes([i]), [""]).pick(n) for i in range(64)]
    expected = [below_by_the_book(numbers_by_the_book(bytes([i]), [""], 0), n) for i in range(64)]
    assert drawn == expected
    first = [next(numbers_by_the_book(bytes([i]), [""], 0)) for i in range(64)]
    assert any(word >= n for word in first)


def test_a_game_continues_where_its_chance_stopped():
    whole = Seeded.from_seed(b"s", ["a"])
    outcomes = [whole.pick(1000) for _ in range(5)]
    later = Seeded.from_seed(b"s", ["a"], drawn=3)
    assert [later.pick(1000), later.pick(1000)] == outcomes[3:]


def test_every_place_is_reached_evenly():
    chance = Seeded.from_seed(b"even", [""])
    places = Counter(chance.shuffle("ABCD").index("A") for _ in range(4000))
    assert all(900 < places[i] < 1100 for i in range(4))


def test_entropy_of_one_seat_differs_from_that_of_another():
    assert game_key(b"s", ["ab", "c"]) != game_key(b"s", ["a", "bc"])
    assert game_key(b"s", []) != game_key(b"s", [""])
    with pytest.raises(Malformed, match=r"entropy\[1\]"):
        game_key(b"s", ["", "x" * 65])
    with pytest.raises(Malformed, match=r"entropy\[0\]"):
        game_key(b"s", ["\ud800"])


def test_commitment_is_the_hash_of_the_seed():
    assert commitment(bytes(32)) == hashlib.sha256(bytes(32)).hexdigest()


def test_scripted_outcomes_come_first_then_the_seed():
    seeded = Seeded.from_seed(b"s", [""])
    expected = [seeded.pick(50) for _ in range(3)]
    chance = Scripted([{"pick": 49}], lambda: Seeded.from_seed(b"s", [""]))
    assert [chance.pick(50), chance.pick(50), chance.pick(50)] == [49, *expected[1:]]
    assert chance.drawn == 3


@pytest.mark.parametrize(
    ("outcomes", "place"),
    [
        ([{"pick": 4}], r"chance\[0\].pick"),
        ([{"pick": True}], r"chance\[0\].pick"),
        ([{"pick": 1.0}], r"chance\[0\].pick"),
        ([{"shuffle": ["A"]}], r"chance\[0\]"),
        ([{"pick": 1, "shuffle": []}], r"chance\[0\]"),
        (["pick"], r"chance\[0\]"),
        ("pick", "chance"),
        (None, "chance"),
    ],
)
def test_a_script_that_does_not_fit_is_named(outcomes, place):
    with pytest.raises(Malformed, match=place):
        Scripted(outcomes).pick(4)


@pytest.mark.parametrize("cards", [["A", "B"], ["A", "B", "C", "C"], ["A", "B", 3], "ABC", None])
def test_a_scripted_shuffle_has_exactly_the_cards(cards):
    with pytest.raises(Malformed, match="shuffle"):
        Scripted([{"shuffle": cards}]).shuffle(["A", "B", "C"])


def test_without_a_seed_a_script_can_run_out():
    with pytest.raises(ChanceExhausted):
        Scripted([]).pick(2)


@pytest.mark.parametrize("text", ["0", "zz", 7, None, "0x", "٣٣"])
def test_a_seed_is_hex(text):
    with pytest.raises(Malformed, match="seed"):
        seed_bytes(text)
