"""A player at the page, by taps or by keys alone."""

from __future__ import annotations

import random

from playwright.sync_api import ElementHandle, Locator, Page, TimeoutError, expect

WAIT = 30_000  # milliseconds; only a limit in case something hangs
SOON = 10_000
PATIENCE = 15  # tries of a move with tips
FREE = "button.card[aria-pressed=false]:not([aria-disabled])"  # a card that can be selected


class Player:
    """Plays whatever the page offers, at random; the server must accept every move."""

    def __init__(self, page: Page, choices: random.Random) -> None:
        self.page = page
        self.choices = choices
        self.tries = 0

    def version(self) -> int:
        return int(self.page.locator(".where").inner_text().split("/")[1])

    def over(self) -> bool:
        return bool(
            self.page.evaluate("document.querySelector('.bar .says')?.textContent === 'The game is over.'")
        )

    def wait_for_turn(self) -> bool:
        """Wait until there is something to do; return False if the game is over."""
        self.page.wait_for_function(
            """() => document.querySelector('.bar .says')?.textContent === 'The game is over.' ||
                (document.querySelector('.title.yours') && document.querySelector('.bar:not(.idle)'))""",
            timeout=WAIT,
        )
        return not self.over()

    def play(self, most: int = 400) -> int:
        """Play the game to its end or up to a number of moves; return how many were made."""
        for made in range(most):
            if not self.wait_for_turn():
                return made
            self.move()
        raise AssertionError(f"the game was not over after {most} moves")

    def move(self) -> None:
        before = self.version()
        for self.tries in range(40):
            if self.step():
                break
        else:
            raise AssertionError(f"nothing to send: {self.page.locator('.bar').inner_text()!r}")
        self.page.wait_for_function(
            "before => Number(document.querySelector('.where').textContent.split('/')[1]) > before",
            arg=before,
            timeout=WAIT,
        )
        self.check_silence()

    def check_silence(self) -> None:
        """Expect that nothing was refused."""
        expect(self.page.locator(":is(.advice, .bar .says) a")).to_have_count(0)

    def step(self) -> bool:
        """Do one thing; return True if it sent a move."""
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
                tip: document.querySelectorAll('.bar button.tip.sets').length,
            })""",
            FREE,
        )
        if todo["unset"] and todo["values"]:
            self.choose(".field.choices:not(:has([aria-pressed=true])) .value", todo["values"])
        elif todo["range"]:
            self.activate(self.page.get_by_role("button", name="One more"))
        elif todo["chosen"] and todo["lit"]:
            self.choose(".into.lit[aria-pressed=false]", todo["lit"])
        elif self.tries >= PATIENCE and todo["chosen"]:  # the tip is a move without cards
            self.activate(self.page.locator(".bar .clear"))
        elif self.tries >= PATIENCE and todo["direct"]:
            return self.choose(".bar .direct:not(:disabled)", todo["direct"])
        elif todo["tip"] and self.tries < PATIENCE and (todo["chosen"] or self.choices.random() < 0.7):
            self.activate(self.page.locator(".bar button.tip"))
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
        """Click; return False if the table has changed meanwhile and this cannot be used any more."""
        if not (found := element.element_handles()):
            return False
        # A card in a fan is tapped at its left edge, which no other card covers.
        shown = found[0]
        is_card = "card" in (shown.get_attribute("class") or "")
        try:
            element.click(position={"x": 6, "y": 20} if is_card else None, timeout=SOON)
        except TimeoutError:
            if shown.evaluate("one => one.isConnected") and shown.is_enabled():
                raise
            return False
        return True


class Typist(Player):
    """The same with real keys alone: Tab and Shift+Tab, arrows in a row of cards, Space, Enter, Escape."""

    def move(self) -> None:
        if self.choices.random() < 0.1:
            self.change_of_mind()
        super().move()
        self.page.wait_for_function("() => document.activeElement !== document.body", timeout=WAIT)

    def change_of_mind(self) -> None:
        """Select a card, then deselect it with Escape."""
        cards = self.page.locator(FREE)
        if cards.count():
            self.reach(cards.first.element_handle(timeout=WAIT))
            self.page.keyboard.press("Space")
            expect(self.page.locator("button.card[aria-pressed=true]")).not_to_have_count(0)
            self.page.keyboard.press("Escape")
            expect(self.page.locator("button.card[aria-pressed=true]")).to_have_count(0)

    def activate(self, element: Locator) -> bool:
        if not (found := element.element_handles()):
            return False
        is_send = "send" in (found[0].get_attribute("class") or "")
        is_only = self.page.locator("button.send:not(:disabled)").count() == 1
        if is_send and is_only and self.page.evaluate("document.activeElement.matches('button.card')"):
            self.page.keyboard.press("Enter")  # from the card that was selected last
            return True
        self.reach(found[0])
        self.page.keyboard.press("Enter" if is_send else "Space")
        return True

    def reach(self, target: ElementHandle) -> None:
        """Move the focus to an element, like a person who sees where the focus is."""
        for _ in range(150):
            if (key := self.page.evaluate(TOWARDS, target)) is None:
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"no key leads to {target.inner_html()!r}")


TOWARDS = """target => {
    const active = document.activeElement;
    if (active === target) return null;
    const row = target.closest(".hand, .lie");
    const precedes = Boolean(target.compareDocumentPosition(active) & Node.DOCUMENT_POSITION_PRECEDING);
    if (row && row !== active && row.contains(active)) return precedes ? "ArrowRight" : "ArrowLeft";
    return precedes ? "Tab" : "Shift+Tab";
}"""
