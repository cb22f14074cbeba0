"""Take the picture of the table in the README: `python -m docs.make_pictures` (`make pictures`).

A server of its own is started and a game of Pedro played for a while by legal moves; Chromium shows the
table as the player of the first seat sees it.
"""

from __future__ import annotations

import random

import httpx
from playwright.sync_api import expect, sync_playwright

from docs.make_pages import ROOT
from tests.browser.conftest import FLAGS, chromium_program
from tests.browser.games import sit_down
from tests.serving import TIMEOUT, free_directory, serve

PICTURE = ROOT / "docs/images/table.jpg"
MOVES = 16


def main() -> None:
    """Play, and write the picture."""
    with free_directory() as directory, serve(directory) as server, sync_playwright() as playwright:
        key = server.new_key("read", "write", "audit")
        with httpx.Client(
            base_url=server.url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=TIMEOUT,
            trust_env=False,
        ) as app:
            table = sit_down(app, "pedro", 4)
            game = table.play(MOVES, random.Random(9))
        browser = playwright.chromium.launch(executable_path=chromium_program(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.set_default_timeout(TIMEOUT * 1000)
        page.goto(f"{server.url}/table/{table.game}#token={table.tokens[0]}")
        last = page.locator(f".log > li[aria-current][data-seq='{game['version']}']")
        expect(last).to_be_visible(timeout=TIMEOUT * 1000)
        expect(page.locator("[data-zone]")).not_to_have_count(0)
        page.screenshot(path=PICTURE, type="jpeg", quality=80, animations="disabled")
        browser.close()


if __name__ == "__main__":
    main()
