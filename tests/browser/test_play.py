"""Playing at the page: a whole game of each ruleset by taps, and one of each by keys alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import SHORT, ask
from tests.browser.player import Player, Typist
from tests.support.visitors import PHONE, Visitor, against_bots

pytestmark = pytest.mark.browser


TYPED = ("bisca", "landlord", "palace", "truco")  # by the keyboard; the others in `make faults`


@pytest.mark.parametrize(
    ("how", "ruleset"),
    [
        *((Player, ruleset) for ruleset in SHORT),
        *(pytest.param(Typist, each, marks=[] if each in TYPED else pytest.mark.long) for each in SHORT),
    ],
)
def test_a_whole_game(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str, how: type[Player]
) -> None:
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    size = {"width": 1280, "height": 800} if how is Typist else PHONE
    page = visit(viewport=size, reduced_motion="reduce").go(f"/table/{game}#token={token}")
    how(page, random.Random(ruleset)).play()
    shown = ask(app, "GET", f"/v1/games/{game}")
    assert shown["status"] == "finished"
    if shown["result"]["winners"]:
        winner = shown["seats"][shown["result"]["winners"][0]]["player"]
        expect(page.locator(".title")).to_contain_text(winner["name"] if winner else "Bot")
    # After the end every hand is visible.
    expect(page.get_by_role("group", name="Version")).to_have_count(0)
    assert not any("hidden" in (zone or "") for zone in page.locator("[data-zone^=hand]").all_inner_texts())
