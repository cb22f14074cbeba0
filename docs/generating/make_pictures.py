"""Take the pictures in the README: `python -m docs.generating.make_pictures` (`make pictures`).

It starts a server and plays games with legal moves for a while. Chromium shows the start page, a table of
Pedro as its first seat sees it, and one of Landlord on the phone of the player to act. To be looked at, and
not kept, are the tables of all games on three devices, light and dark, in `build/pictures`.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

import referee
from docs.generating.make_pages import ROOT
from tests.browser.games import Table, sit_down
from tests.browser.staged import GAMES, positions, resize, show, stage
from tests.servers.serving import TIMEOUT, free_directory, serve
from tests.support.visitors import FLAGS, chromium_program

PICTURES = ROOT / "docs/images"
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
TO_LOOK_AT = ROOT / "build/pictures"
DEVICES = {
    "phone": PHONE,
    "tablet": {"width": 1024, "height": 768},
    "desktop": {"width": 1440, "height": 900},
}


def main() -> None:
    """Play games, and write the pictures."""
    with free_directory() as directory, serve(directory) as server, sync_playwright() as playwright:
        key = server.new_key("read", "write", "audit")
        browser = playwright.chromium.launch(executable_path=chromium_program(), args=FLAGS)
        with httpx.Client(
            base_url=server.url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=TIMEOUT,
            trust_env=False,
        ) as app:
            page = opened(browser, f"{server.url}/", DESKTOP)
            expect(page.locator(".tile")).not_to_have_count(0)
            take(page, PICTURES / "home.jpg")
            table = sit_down(app, "pedro", 4)
            game = table.play(16, random.Random(9))
            take(seen(browser, server.url, table, game, 0, DESKTOP), PICTURES / "table.jpg")
            table = sit_down(app, "landlord", 4)
            choices = random.Random(3)
            game = table.play(1, choices)
            while not can_beat(game):
                game = table.play(1, choices)
            page = seen(browser, server.url, table, game, game["to_act"][0], PHONE)
            page.locator(".hand button:enabled").last.click()
            expect(page.get_by_text("Checking the move")).to_have_count(0)
            take(page, PICTURES / "phone.jpg")
        every_game(browser)
        browser.close()


def can_beat(game: dict[str, Any]) -> bool:
    """Return whether cards are on the table that the player to act can beat."""
    moves = referee.legal_moves(referee.read(game["view"]), game["to_act"][0])
    return bool(game["view"]["facts"]["combo"]) and any(move["type"] == "play" for move in moves)


def every_game(browser: Browser) -> None:
    """Write pictures of a position of each game, as its player sees it, on each device, light and dark."""
    TO_LOOK_AT.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        context, page = stage(browser, color_scheme=scheme)
        for ruleset, records in GAMES.items():
            show(page, positions(ruleset, records[0])[0])
            for device, size in DEVICES.items():
                resize(page, size["width"], size["height"])
                page.screenshot(path=TO_LOOK_AT / f"{ruleset}-{device}-{scheme}.png")
        context.close()


def opened(browser: Browser, url: str, size: Any) -> Page:
    """Open a page in a window of this size, without animations."""
    page = browser.new_page(viewport=size, reduced_motion="reduce", device_scale_factor=1)
    page.set_default_timeout(TIMEOUT * 1000)
    page.goto(url)
    return page


def seen(browser: Browser, base: str, table: Table, game: dict[str, Any], seat: int, size: Any) -> Page:
    """Open a table as the player of a seat sees it, and wait for its newest entry."""
    page = opened(browser, f"{base}/table/{table.game}#token={table.tokens[seat]}", size)
    last = page.locator(f".log > li[aria-current][data-seq='{game['version']}']")
    expect(last).to_be_attached(timeout=TIMEOUT * 1000)
    expect(page.locator("[data-zone]")).not_to_have_count(0)
    return page


def take(page: Page, path: Path) -> None:
    """Write the picture of a page, and close it."""
    page.screenshot(path=path, type="jpeg", quality=80, animations="disabled")
    page.close()


if __name__ == "__main__":
    main()
