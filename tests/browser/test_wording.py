"""Every move of every game is said as people say it: on buttons, in tips and in the guide."""

from __future__ import annotations

import copy
import re

import pytest
from playwright.sync_api import Browser, Page, expect

import referee
from tests.browser.staged import GAMES, in_language, kinds_of_moves, positions, show, stage
from tests.support.visitors import PHONE

pytestmark = pytest.mark.browser

LANGUAGES = ("en", "de", "es", "pt")

# What no person says: arrows, names of fields and zones, ids of cards, and fields that have no value.
MACHINE = re.compile(
    r"→|_|[{}]|undefined|null|NaN|\bfrom your\b|\bat position\b|\([^)]*\)|  "
    r"|\b(position|place|owner|Stelle|Platz|posición|posição|lugar)\b"
    r"|\b[2-9TJQKA][CDHS]\b|\bX[RB]\b"
)
SAY = """async () => {
    const {describe} = await import("/web/model/model.js");
    const table = app.table();
    return table.moves.map(move => [move.type, ...[false, true].map(isSpoken =>
        describe(move, table, app.bar.wording(isSpoken)))]);
}"""


def said(page: Page, ruleset: str, language: str) -> list[list[str]]:
    """Return the kind of each move that may be made in some positions, and how it is said, short and long."""
    found: dict[str, list[str]] = {}
    for position in kinds_of_moves(ruleset):
        show(page, in_language(position, language))
        for kind, *sentences in page.evaluate(SAY):
            found["|".join(sentences)] = [kind, *sentences]
    return [*found.values()]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", GAMES)
def test_moves_are_said_as_people_say_them(chromium: Browser, ruleset: str, language: str) -> None:
    context, page = stage(chromium, language)
    sentences = said(page, ruleset, language)
    context.close()
    assert {kind for kind, *_ in sentences} == set(referee.find(ruleset).MOVES)
    assert [one for _, *both in sentences for one in both if MACHINE.search(one) or one != one.strip()] == []


def sentences_of(chromium: Browser, ruleset: str, language: str) -> set[str]:
    context, page = stage(chromium, language)
    found = {spoken for *_, spoken in said(page, ruleset, language)}
    context.close()
    return found


@pytest.mark.parametrize(
    ("ruleset", "language", "expected"),
    [
        ("palace", "en", {"turn over your third card", "pick up the pile"}),
        ("palace", "de", {"Ihre dritte verdeckte Karte aufdecken"}),
        ("truco", "de", {"Truco sagen", "aussteigen"}),
        ("pedro", "es", {"declarar triunfo picas"}),
        ("mau_mau", "en", {"draw a card"}),
    ],
)
def test_some_moves_in_full(chromium: Browser, ruleset: str, language: str, expected: set[str]) -> None:
    assert expected - sentences_of(chromium, ruleset, language) == set()


def test_a_tip_between_people_says_only_what_can_be_played(chromium: Browser) -> None:
    """No bot may be asked there: nothing is chosen, and nothing looks like advice."""
    context, page = stage(chromium)
    for position in kinds_of_moves("landlord"):
        sets = [move["cards"] for move in position["legal"]["moves"] if move["type"] == "play"]
        show(page, position)
        tip = page.get_by_role("button", name="Tip", exact=True)
        expect(tip).to_have_count(1 if len(position["legal"]["moves"]) > 1 else 0)
        if not sets:
            continue
        tip.click()
        said = page.locator(".advice").inner_text().removesuffix(".")
        if said != "All your cards can be played":
            *shown, last = said.removeprefix("These cards can be played: ").removesuffix(" …").split(" · ")
            ranks = {"".join(sorted(card[:-1] for card in cards)) for cards in sets}
            for one in [*shown, last]:
                found = re.sub("[a-z]+ joker", "X", one).replace("10", "T").split()
                assert "".join(sorted(card.rstrip("♣♦♥♠") for card in found)) in ranks, (
                    "a set as it is played"
                )
        glowing = page.locator(".hand .card[data-tip]").evaluate_all(
            "all => all.map(one => one.dataset.card)"
        )
        assert set(glowing) == {card for cards in sets for card in cards}
        expect(page.locator(".hand .card[aria-pressed=true]")).to_have_count(0)
    context.close()


def test_a_tip_between_people_says_what_the_calls_mean(chromium: Browser) -> None:
    context, page = stage(chromium)
    answering, playing = (
        next(each for each in kinds_of_moves("truco") if kind in {m["type"] for m in each["legal"]["moves"]})
        for kind in ("accept", "play")
    )
    for position, words in ((answering, ("Accept: ", "Fold: ")), (playing, ("Truco: ",))):
        show(page, position)
        page.get_by_role("button", name="Tip", exact=True).click()
        for word in words:
            expect(page.locator(".advice")).to_contain_text(word)
        expect(page.locator(".hand .card[data-tip]")).to_have_count(0)
    context.close()


def test_what_is_to_be_chosen_with_a_card_is_asked_in_words(chromium: Browser) -> None:
    context, page = stage(chromium, viewport=PHONE)
    for position in kinds_of_moves("mau_mau"):
        moves = position["legal"]["moves"]
        aces = [move["cards"][0] for move in moves if "suit" in move and len(move["cards"]) == 1]
        last = [move["cards"][0] for move in moves if "announce" in move and len(move["cards"]) == 1]
        for card, words in ((aces, "Which suit?"), (last, "Announce your last card, or draw one if caught")):
            if card:
                show(page, position)
                page.locator(f".hand [data-card='{card[0]}']").first.click(position={"x": 6, "y": 20})
                expect(page.locator(".fields")).to_contain_text(words)
    context.close()


def test_it_is_said_what_is_cut_for(chromium: Browser) -> None:
    context, page = stage(chromium, viewport=PHONE)
    [position] = [
        each for each in kinds_of_moves("bisca") if any(m["type"] == "cut" for m in each["legal"]["moves"])
    ]
    show(page, position)
    expect(page.locator(".bar .says")).to_contain_text("the bottom one of them shows the trump")
    context.close()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The cut showed A♣, so ♠ is trump"),
        ("de", "Abgehoben wurde A♣, also ist ♠ Trumpf"),
    ],
)
def test_it_is_said_why_another_suit_than_that_of_the_cut_is_trump(
    chromium: Browser, language: str, words: str
) -> None:
    context, page = stage(chromium, language, viewport=PHONE)
    position = in_language(positions("bisca", GAMES["bisca"][0])[0], language)
    position["game"] = copy.deepcopy(position["game"])
    position["game"]["view"]["facts"] |= {"flipped": "AC", "trump": "S"}
    show(page, position)
    chip = page.locator(".chips li", has_text=words)
    expect(chip).to_be_in_viewport(ratio=0.99)
    assert page.locator(".chips").evaluate("one => one.scrollHeight <= one.clientHeight")
    context.close()


def test_the_suit_that_is_called_lies_on_the_pile_and_what_does_not_fit_is_dimmed(chromium: Browser) -> None:
    context, page = stage(chromium)
    called = drawing = 0
    for position in kinds_of_moves("mau_mau"):
        show(page, position)
        suit = position["game"]["view"]["facts"]["suit"]
        pile = page.locator("[data-zone=pile]")
        if suit:
            expect(pile).to_have_attribute("data-called", suit)
            called += 1
        else:
            expect(pile).not_to_have_attribute("data-called", re.compile(""))
        ranks = {card[0] for move in position["legal"]["moves"] for card in move.get("cards", ())}
        dimmed = page.locator(".hand .card[data-unfit]").evaluate_all(
            "all => all.map(one => one.dataset.card)"
        )
        hand = position["game"]["view"]["zones"][f"hand.{position['game']['viewer']['seats'][0]}"]
        plays = position["game"]["view"]["phase"] == "play"  # all are dimmed where one can only draw
        assert sorted(dimmed) == sorted(card for card in hand if plays and card[0] not in ranks)
        drawing += plays and not ranks
    context.close()
    assert called
    assert drawing
