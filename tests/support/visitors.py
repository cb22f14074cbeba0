"""Visitors of the pages in Chromium, and what they do there."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Response, expect

from tests.browser.games import ask

# Root needs --no-sandbox; the others prevent requests by the browser itself.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def _complaint(said: ConsoleMessage) -> str:
    """Return what the console says, and of which address."""
    return f"{said.type}: {said.text} {said.location['url']}"


@dataclass
class Visitor:
    """A page, and what happened in it: requested addresses, answers, errors."""

    page: Page
    base: str
    asked: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("response", lambda response: self.answers.append(response))
        self.page.on("console", lambda said: self.complaints.append(_complaint(said)))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def go(self, path: str) -> Page:
        self.page.goto(self.base + path)
        return self.page

    def documents(self, of: str = "/v1/") -> list[Any]:
        """Return the API's answers, parsed. Open streams are visible only by their effect on the page."""
        shown = [r for r in self.answers if of in r.url and r.status == 200]
        return [r.json() for r in shown if "application/json" in r.headers["content-type"]]

    def elsewhere(self) -> list[str]:
        """Return requests to anything but the server."""
        return [url for url in self.asked if not url.startswith((f"{self.base}/", "data:", "blob:"))]


# What a control is called for readers begins with what it shows: who speaks to a page says what they see.
NAMES = "label-content-name-mismatch"
PICTURE = "data-card="  # a card shows 3♥, and its name is what people say: three of hearts


def violations(page: Page) -> list[str]:
    """Return what Axe finds wrong on a page: names, roles, contrast."""
    found = Axe().run(page, options={"rules": {NAMES: {"enabled": True}}}).response["violations"]
    nodes = [(each["id"], node["html"]) for each in found for node in each["nodes"]]
    return [f"{rule}: {html[:200]}" for rule, html in nodes if not (rule == NAMES and PICTURE in html)]


def chromium_program() -> str:
    """Return the path of a Chromium on this machine."""
    # The shell draws no toolbars: a new window takes it a quarter of the processor time.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, (os.environ.get("CHROMIUM", ""), *names))), None)
    assert program, "apt-get install chromium-headless-shell, or name a Chromium in CHROMIUM."
    return program


WAYS = {"open": "With friends", "anybody": "With anybody"}


def choose(page: Page, ruleset: str, seats: int | None = None, against: str = "") -> None:
    """Open the sheet of a ruleset on the start page; choose how many seats, and bots, friends or anybody."""
    page.locator(f"[data-ruleset={ruleset}]").click()
    if seats:
        page.locator("#count").select_option(str(seats))
    if against in WAYS:
        page.get_by_label(WAYS[against]).check()
    elif against:
        page.locator("#all").select_option(against)


def start(page: Page, ruleset: str, seats: int | None = None, against: str = "") -> None:
    """Start a game from the start page."""
    choose(page, ruleset, seats, against)
    page.locator("#start").click()


def hosted(page: Page, deal: str = "", watchers: str = "") -> str:
    """Start a game with one friend by link; return the link."""
    choose(page, "cats_and_dogs", 2, "open")
    if deal or watchers:
        page.get_by_text("More options").click()
        page.get_by_label("The deal").select_option(deal)
        page.get_by_label("Who may watch").select_option(watchers or "private")
    page.get_by_role("button", name="Create the link").click()
    return page.get_by_role("textbox", name="Link").input_value()


def sit(page: Page, link: str, name: str = "Zoë") -> None:
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()


def menu(page: Page, item: str | re.Pattern[str]) -> None:
    page.locator(".menu > summary").click()
    button = page.locator(".menu-items").get_by_role("button", name=item)
    expect(button.or_(page.locator(".menu .group > summary")).first).to_be_visible()
    folded = page.locator(".menu .group:not([open]) > summary")
    while not button.is_visible() and folded.count():
        folded.first.click()
    button.click()


def press(page: Page, key: str) -> None:
    """Press a shortcut of the table, once there are any."""
    expect(page.locator(".log > li[aria-current]")).to_have_count(1)
    page.keyboard.press(key)


def verify(page: Page) -> None:
    if not page.get_by_role("tab", name="Trust").is_visible():
        menu(page, "Log")  # where there is no room beside the table
    page.get_by_role("tab", name="Trust").click()
    page.get_by_role("button", name="Verify in this browser").click()


def saved(page: Page, button: str, tmp_path: Path) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    download.value.save_as(tmp_path / "saved")
    return (tmp_path / "saved").read_text("utf-8")


PHONE = {"width": 390, "height": 844}


def against_bots(app: httpx.Client, ruleset: str, seats: int, options: Any) -> tuple[str, str]:
    """Create a game against bots; return its id and the player's token."""
    player = ask(app, "POST", "/v1/players", json={"name": "Ida"})["id"]
    token = ask(app, "POST", f"/v1/players/{player}/tokens", json={})["token"]
    wanted = {
        "ruleset": ruleset,
        "options": options,
        "seats": [{"player": player}, *[{"bot": "random"}] * (seats - 1)],
    }
    return ask(app, "POST", "/v1/games", json=wanted)["id"], token
