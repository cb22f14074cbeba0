"""Without eyes: whole games by the accessibility tree, what is announced, forced colours, reduced motion."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.games import SHORT, ask
from tests.browser.listener import Listener
from tests.browser.staged import GAMES, positions, show, stage
from tests.support.visitors import Visitor, against_bots

pytestmark = pytest.mark.browser
FIRST = ("cats_and_dogs", "mau_mau", "truco")  # `make browser` plays these, `make faults` the others


def entries_of(app: httpx.Client, game: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while more := ask(app, "GET", f"/v1/games/{game}/events?after={len(found)}&limit=200")["items"]:
        found += more
    return found


def to_announce(entry: dict[str, Any], own: int) -> list[str]:
    """Return the beginnings of what is said of an entry to a seat."""
    said = []
    if entry["type"] == "moved" and entry["seat"] != own:
        said.append(f"Bot {entry['seat']}")
    if entry.get("won_by") is not None:
        said.append("Trick to ")
    if entry.get("scores"):
        said.append("Score")  # "Scores: ", then "Scored: "
    if sum(transfer["from"] is None for transfer in entry.get("transfers", ())) > 1:
        said.append("A new hand is dealt.")
    return said


@pytest.mark.parametrize(
    "ruleset",
    [pytest.param(each, marks=[] if each in FIRST else [pytest.mark.long]) for each in SHORT],
)
def test_a_whole_game_by_the_accessibility_tree(
    visit: Callable[..., Visitor], app: httpx.Client, ruleset: str
) -> None:
    """Somebody who hears the page can play to the end, and hears all that others do: once, and in order."""
    seats, options = SHORT[ruleset]
    game, token = against_bots(app, ruleset, seats, options)
    visitor = visit(reduced_motion="reduce")
    visitor.page.add_init_script("localStorage['card-referee:prefers:no-forced'] = 'yes'")
    page = visitor.go(f"/table/{game}#token={token}")
    expect(page.locator(".where")).to_contain_text("/")
    player = Listener(page, random.Random(ruleset))
    begun = player.version()
    player.play()
    assert ask(app, "GET", f"/v1/games/{game}")["status"] == "finished"
    expected = [said for entry in entries_of(app, game)[begun:-1] for said in to_announce(entry, 0)]
    heard = player.heard()
    assert len(heard) == len(expected) + 1, "the result comes last"
    for line, beginning in zip(heard, expected, strict=False):
        assert line.startswith(beginning), (line, beginning)
    scored = [line for line in heard if line.startswith("Score")]
    shown = page.locator(".log p.outcome").all_text_contents()
    assert {*scored[-1:]} <= {*shown}, "what is heard is what the log says"
    assert re.search(r"\b(wins?|loses?|Nobody)\b", heard[-1])
    assert heard[-1] in " ".join(player.statuses())


LOOKS = """selector => [...document.querySelectorAll(selector)].filter(one => one.offsetWidth).map(one => {
    const {backgroundColor, color, outlineStyle, outlineColor} = getComputedStyle(one);
    return [backgroundColor, color, outlineStyle, outlineColor].join();
})"""
FREE = "button.card[aria-pressed=false]:not([aria-disabled])"
FACES = (
    """[...document.querySelectorAll('.card:not(.back)')].map(one => getComputedStyle(one).backgroundImage)"""
)
PAIRS = {  # what has to look different, though the system gives the colours
    "a card that is chosen": ("button.card[aria-pressed=true]", "button.card[aria-pressed=false]"),
    "the seat to act": (".plate.acts", ".plate:not(.acts)"),
    "a kind of move that is chosen": (".bar .kind[aria-pressed=true]", ".bar .kind[aria-pressed=false]"),
    "a value that is chosen": (".bar .value[aria-pressed=true]", ".bar .value[aria-pressed=false]"),
    "the entry shown": (".log > [aria-current]", ".log > :not([aria-current])"),
    "the open page": ("[role=tab][aria-selected=true]", "[role=tab][aria-selected=false]"),
}


@pytest.fixture(scope="module", params=["light", "dark"])
def forced(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Page]:
    context, page = stage(chromium, forced_colors="active", color_scheme=request.param)
    yield page
    context.close()


def test_states_are_visible_where_the_system_gives_the_colours(forced: Page) -> None:
    seen = set()
    for ruleset, records in GAMES.items():
        for position in positions(ruleset, records[0]):
            show(forced, position)
            for selector in (
                FREE,
                ".bar .kind[aria-pressed=false]:enabled",
                ".bar .value[aria-pressed=false]",
            ):
                if (free := forced.locator(selector)).count():
                    free.first.click(position={"x": 6, "y": 12})
            for what, (this, other) in PAIRS.items():
                these, others = forced.evaluate(LOOKS, this), forced.evaluate(LOOKS, other)
                assert not set(these) & set(others), (ruleset, what)
                if these and others:
                    seen.add(what)
            assert all("gradient" in face for face in forced.evaluate(FACES)), "cards stay as they are"
    assert seen >= {"a card that is chosen", "the seat to act", "the open page"}


MOVING = """document.getAnimations().filter(each => each.effect.getKeyframes().some(frame =>
    ["transform", "translate", "rotate", "scale", "left", "top"].some(name => name in frame)))"""
"""What fades stays where it is."""


# How many things move by themselves, not with scrolling; cards may fade in.
RUNNING = """new Promise(done => requestAnimationFrame(() => done(document.getAnimations().filter(one =>
    one.timeline === document.timeline && one.animationName !== "appear").length)))"""


def test_nothing_moves_for_those_who_asked_for_it(chromium: Browser) -> None:
    """Neither cards that are chosen nor the seat whose turn it is."""
    moving = {}
    for motion in ("reduce", "no-preference"):
        context, page = stage(chromium)
        page.emulate_media(reduced_motion=motion)
        show(page, positions("bisca", GAMES["bisca"][0])[0])
        page.locator(FREE).first.focus()
        page.keyboard.press("Space")
        moving[motion] = page.evaluate(RUNNING)
        context.close()
    assert moving["reduce"] == 0
    assert moving["no-preference"] > 0


def test_times_in_the_log_are_the_reader_s(chromium: Browser) -> None:
    context, page = stage(chromium, timezone_id="Asia/Tokyo", locale="en-GB")
    shown = copy.deepcopy(positions("pies", GAMES["pies"][0])[-1])
    away = {"type": "vacation_taken", "seat": 0, "vacation": {"until": "2027-01-05T22:30:00Z"}}
    shown["entries"][-1] = {"seq": shown["entries"][-1]["seq"], "private": {}, **away}
    show(page, shown)
    time = page.locator(".log time")
    expect(time).to_have_text(re.compile(r"6 Jan 2027.*07:30"))
    expect(time).to_have_attribute("title", "2027-01-05 22:30 UTC")
    context.close()
