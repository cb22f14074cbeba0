"""What a seat may imagine: positions that agree with its view, private facts included."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.records
from tests.referee.tables import SPEEDY_OPTIONS
from tests.support.packages import registered

RECORDS = Path(__file__).parents[1] / "records"
OF_PACKAGES = {"dark_mark": "dark-mark", "high_card": "high-card"}
POSITIONS = 24  # looked at of each game


@pytest.fixture(autouse=True)
def packages() -> Iterator[None]:
    with registered("high-card", "high_card"), registered("dark-mark", "dark_mark"):
        yield


def positions(game: str) -> Iterator[Any]:
    """Yield positions of recorded games; of games without records, of random ones."""
    files = sorted((RECORDS / game).glob("*.json"))
    choose = random.Random(game)
    for _ in range(POSITIONS):
        if files:
            record = referee.read_record(referee.records.parse(choose.choice(files).read_bytes()))
            wanted = choose.randrange(len(record.moves) + 1)
            yield next(step.state for step in referee.steps(record) if step.n == wanted)
        else:
            match = referee.Match(game, choose.choice(referee.find(game).SEATS), seed=choose.randbytes(4))
            for _ in range(choose.randrange(12)):
                if not match.is_over:
                    seat = choose.choice(match.to_act)
                    match.play(seat, choose.choice(match.legal_moves(seat)))
            yield match.state


def agrees(sampled: Any, state: Any, seat: int | None) -> bool:
    """Return whether a seat sees no difference between two positions."""
    if referee.view(sampled, seat) != referee.view(state, seat):
        return False
    return seat is None or list(referee.legal_moves(sampled, seat)) == list(referee.legal_moves(state, seat))


@pytest.mark.parametrize("game", [*sorted(SPEEDY_OPTIONS), "cats_and_dogs", *OF_PACKAGES])
def test_every_sample_agrees_with_what_its_seat_sees(game: str) -> None:
    below = random.Random(game).randrange
    compared = 0
    for state in positions(game):
        for seat in (None, *range(state.seats)):
            sampled = referee.sample(referee.view(state, seat), below)
            assert agrees(sampled, state, seat), referee.view(state, seat)
            referee.read(referee.dump(sampled))
            compared += 1
    assert compared >= 3 * POSITIONS


def started(seed: bytes = b"x", moves: int = 3) -> referee.Match:
    """Return a match of Dark Mark in which all seats have chosen their secrets."""
    match = referee.Match("dark_mark", 3, seed=seed)
    choose = random.Random(seed)
    for _ in range(moves):
        match.play(match.to_act[0], choose.choice(match.legal_moves(match.to_act[0])))
    return match


def test_private_facts_are_guessed_and_those_of_the_viewer_are_kept() -> None:
    match = started()
    below = random.Random(4).randrange
    guesses = [referee.dump(match.sample(0, below))["facts"] for _ in range(60)]
    assert {facts["private.0.marked"] for facts in guesses} == {match.state.marked[0]}
    for secret in ("private.1.marked", "private.2.marked"):
        assert len({facts[secret] for facts in guesses}) > 10
    assert {facts["private.1.named"] for facts in guesses} == set("CDHS")


def test_private_facts_without_a_declaration_are_guessed_from_their_shapes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A suit may be any; the card that is marked must be one that the seat has had, and is declared."""
    match = started()
    state = match.state
    with monkeypatch.context() as patch:
        patch.setattr(
            state.ruleset, "guess", lambda view, seat, below: {"marked": view["zones"][f"hand.{seat}"][0]}
        )
        suits = {match.sample(0, random.Random(n).randrange).named[1] for n in range(40)}
    assert suits == set("CDHS")


def test_all_deals_are_equally_likely() -> None:
    """In bisca for two, a card that is not seen is in the other's hand as often as its three places say."""
    match = referee.Match("bisca", 2, seed=b"odds")
    match.play(match.to_act[0], {"type": "tap"})
    view, below = match.view(0), random.Random(9).randrange
    dealt = Counter(card for _ in range(800) for card in referee.sample(view, below).hand[1])
    unseen = 40 - len(match.state.hand[0])
    expected = 800 * 3 / unseen
    assert len(dealt) == unseen
    assert all(0.5 * expected < number < 1.6 * expected for number in dealt.values())


def test_samples_share_nothing() -> None:
    match = referee.Match("mau_mau", 3, seed=b"7")
    view = match.view(0)
    before = referee.records.parse(referee.records.canonical(view))
    sampled = referee.sample(view, random.Random(1).randrange)
    sampled.announce_due.append(1)
    sampled.scores[0] = 9
    assert view == before
    assert referee.sample(view, random.Random(1).randrange).announce_due == []


def test_an_impossible_view_is_refused() -> None:
    view = referee.Match("bisca", 2).view(0)
    view["zones"]["stock"] = {"count": 41}
    with pytest.raises(referee.Malformed, match="zones"):
        referee.sample(view, random.Random(1).randrange)


def test_the_holder_of_the_opening_card_is_known() -> None:
    """In pies, everybody sees who opens, and therefore knows who holds the nine of diamonds."""
    match = referee.Match("pies", 4, seed=b"open")
    opener = match.to_act[0]
    for n in range(20):
        sampled = match.sample((opener + 1) % 4, random.Random(n).randrange)
        assert "9D" in sampled.hand[opener]
