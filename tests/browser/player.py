"""Somebody who plays at the page: by taps, or by keys alone."""

from __future__ import annotations

import random

from playwright.sync_api import Locator, Page, expect

WAIT = 30_000  # milliseconds; bounds a hang, measures nothing
FREE = "button.card[aria-pressed=false]:not([aria-disabled])"  # a card that can be chosen


class Player:
    """Plays whatever the page offers, at random; every move that is sent must be taken."""

    def __init__(self, page: Page, choices: random.Random) -> None:
        self.page = page
        self.choices = choices

    def version(self) -> int:
        return int(self.page.locator(".where").inner_text().split("/")[1])

    def over(self) -> bool:
        return bool(
            self.page.evaluate("document.querySelector('.bar .says')?.textContent === 'The game is over.'")
        )

    def wait_for_turn(self) -> bool:
        """Wait until there is something to do; False where the game is over."""
        self.page.wait_for_function(
            """() => document.querySelector('.bar .says')?.textContent === 'The game is over.' ||
                (document.querySelector('.title.yours') && document.querySelector('.bar:not(.idle)'))""",
            timeout=WAIT,
        )
        return not self.over()

    def play(self, most: int = 400) -> int:
        """Play the game to its end, at most so many moves; gives how many were made."""
        for made in range(most):
            if not self.wait_for_turn():
                return made
            self.move()
        raise AssertionError(f"the game was not over after {most} moves")

    def move(self) -> None:
        before = self.version()
        for _ in range(40):
            if self.step():
                break
        else:
            raise AssertionError(f"nothing to send: {self.page.locator('.bar').inner_text()!r}")
        self.page.wait_for_function(
            "before => Number(document.querySelector('.where').textContent.split('/')[1]) > before",
            arg=before,
            timeout=WAIT,
        )
        expect(self.page.locator(".bar .says a")).to_have_count(0)

    def step(self) -> bool:
        """Do one thing; True where it sent a move."""
        if (send := self.first("button.send:not(:disabled)")) is not None:
            return self.activate(send)
        todo = self.page.evaluate(
            """free => ({
                values: document.querySelectorAll('.field .value:not([aria-pressed=true])').length,
                unset: document.querySelectorAll('.field.choices:not(:has([aria-pressed=true]))').length,
                range: document.querySelectorAll('.field.range').length,
                cards: document.querySelectorAll(free).length,
                chosen: document.querySelectorAll('button.card[aria-pressed=true]').length,
                lit: document.querySelectorAll('.into.lit[aria-pressed=false]').length,
                direct: document.querySelectorAll('.bar .direct:not(:disabled)').length,
                kinds: document.querySelectorAll('.bar .kind[aria-pressed=false]:not(:disabled)').length,
                hint: document.querySelectorAll('.bar button.hint').length,
            })""",
            FREE,
        )
        if todo["unset"] and todo["values"]:
            self.choose(".field.choices:not(:has([aria-pressed=true])) .value", todo["values"])
        elif todo["range"]:
            self.activate(self.page.get_by_role("button", name="One more"))
        elif todo["chosen"] and todo["lit"]:
            self.choose(".into.lit[aria-pressed=false]", todo["lit"])
        elif todo["hint"] and (todo["chosen"] or self.choices.random() < 0.7):
            self.activate(self.page.locator(".bar button.hint"))
        elif todo["cards"] and (todo["chosen"] or not todo["kinds"] or self.choices.random() < 0.5):
            self.choose(FREE, todo["cards"])
        elif todo["direct"] and (not todo["kinds"] or self.choices.random() < 0.5):
            return self.choose(".bar .direct:not(:disabled)", todo["direct"])
        elif todo["kinds"]:
            self.choose(".bar .kind[aria-pressed=false]:not(:disabled)", todo["kinds"])
        elif todo["cards"]:
            self.choose(FREE, todo["cards"])
        return False

    def first(self, selector: str) -> Locator | None:
        found = self.page.locator(selector)
        return found.first if found.count() else None

    def choose(self, selector: str, count: int) -> bool:
        return self.activate(self.page.locator(selector).nth(self.choices.randrange(count)))

    def activate(self, element: Locator) -> bool:
        # A card of a fan is tapped at its left edge, where no other lies on it.
        is_card = "card" in (element.get_attribute("class") or "")
        element.click(position={"x": 6, "y": 20} if is_card else None, timeout=WAIT)
        return True


class Typist(Player):
    """The same with keys alone, from wherever the focus can be brought to."""

    def activate(self, element: Locator) -> bool:
        element.evaluate("element => element.focus()")
        if "send" in (element.get_attribute("class") or ""):
            self.page.keyboard.press("Enter")
        else:
            self.page.keyboard.press("Space")
        return True
