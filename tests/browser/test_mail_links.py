"""The link of a mail opens the player's own seat on a device that knows nothing of the player."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.games import ask
from tests.browser.player import Player
from tests.servers.mailbox import Mailbox, mail_server
from tests.servers.serving import TIMEOUT, Server, free_directory, free_port, serve
from tests.support.mail_reading import part
from tests.support.visitors import PHONE, Visitor

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as running:
        yield running


@pytest.fixture(scope="module")
def server(mailbox: Mailbox) -> Iterator[Server]:
    port = free_port()
    mail = {
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "MAIL_FROM": "Cards <cards@example.org>",
        "SMTP_URL": mailbox.url,
    }
    with free_directory() as directory, serve(directory, "--port", port, GUESTS="true", **mail) as running:
        yield running


@pytest.fixture(scope="module")
def app(server: Server) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {server.new_key('read', 'write')}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT, trust_env=False) as client:
        yield client


def found(mailbox: Mailbox, visitor: Visitor, pattern: str) -> str:
    """Return what a mail contains, when it has come."""
    for _ in range(TIMEOUT * 20):
        for mail in mailbox.mails:
            if match := re.search(pattern, part(mail)):
                return match[0]
        visitor.page.wait_for_timeout(50)
    raise AssertionError("no such mail has come")


def test_a_player_of_an_app_plays_from_a_mail(
    visit: Callable[..., Visitor], app: httpx.Client, server: Server, mailbox: Mailbox
) -> None:
    ida = ask(app, "POST", "/v1/players", json={"name": "Ida"})["id"]
    as_ida = {"Card-Referee-Player": ida}
    ask(app, "PUT", "/v1/me/email", json={"address": "ida@example.org"}, headers=as_ida)
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.page
    page.goto(found(mailbox, visitor, rf"{server.url}/mail/confirm/\S+"))
    page.get_by_role("button", name="Yes").click()
    ask(app, "PATCH", "/v1/me/preferences", json={"frequency": "each"}, headers=as_ida)
    wanted = {
        "ruleset": "pies",
        "seats": [{"player": ida}, *[{"bot": "random"}] * 3],
        "pace": {"per_move": "P3D"},
        "visibility": "private",
    }
    table = f"{server.url}/table/{ask(app, 'POST', '/v1/games', json=wanted)['id']}"
    link = found(mailbox, visitor, rf"{table}#mail=\S+")
    page.goto(link)
    expect(page.locator(".own .hand .card").first).to_be_visible()
    assert page.url == table, "the secret is not to stay in the address bar"
    player = Player(page, random.Random(1))
    assert player.wait_for_turn()
    player.move()
    page.reload()
    expect(page.locator(".own .hand .card").first).to_be_visible()
    # A device on which somebody else has an account, who does not sit there.
    other = visit(reduced_motion="reduce")
    other.go("/")
    other.page.evaluate(
        """async () => {
            const made = await fetch("/v1/guests", {method: "POST", body: JSON.stringify({name: "Eve"}),
                headers: {"Content-Type": "application/json"}});
            localStorage.setItem("card-referee:account", JSON.stringify(await made.json()));
        }"""
    )
    other.page.goto(link)
    expect(other.page.locator(".own .hand .card").first).to_be_visible()
    # An old token does not keep a new link from being used.
    other.page.evaluate("for (const key of Object.keys(localStorage)) localStorage[key] = 'crp_old'")
    other.page.evaluate("sessionStorage.clear(), localStorage.removeItem('card-referee:account')")
    other.page.goto("about:blank")
    other.page.goto(link)
    expect(other.page.locator(".own .hand .card").first).to_be_visible()
    other.page.close()
    other.complaints.clear()  # Chromium's own messages: Eve may not see the game, the token is refused
    page.close()  # its stream ends, and what it asks then is refused
    # A link that was ended says so.
    assert app.delete("/v1/me/email", headers=as_ida).status_code == 204
    late = visit()
    late.page.goto(link)
    expect(late.page.locator("#why")).to_contain_text("The link in the mail no longer works.")
    late.complaints.clear()  # Chromium's own messages about the refusals
