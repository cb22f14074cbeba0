"""Accounts in the browser: signing in by mail on a phone and a laptop, settings, and my games."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.player import Player
from tests.servers.mailbox import Mailbox, mail_server
from tests.servers.serving import TIMEOUT, Server, free_directory, free_port, serve
from tests.support.mail_reading import part
from tests.support.visitors import PHONE, Visitor, choose, hosted, menu, sit, start, verify, violations

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def mailbox() -> Iterator[Mailbox]:
    with mail_server() as running:
        yield running


@pytest.fixture(scope="module")
def server(mailbox: Mailbox) -> Iterator[Server]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    mail = {"PUBLIC_URL": url, "MAIL_FROM": "Cards <cards@example.org>", "SMTP_URL": mailbox.url}
    with free_directory() as directory, serve(directory, "--port", port, GUESTS="true", **mail) as running:
        yield running


WATCH_LINK = """async () => {
    const {account} = await import("/web/game/account.js");
    const {player: {id}, token} = account();
    const headers = {Authorization: `Bearer ${token}`, "Content-Type": "application/json"};
    const post = async (path, body) => (await fetch(path, {method: "POST", headers, body})).json();
    const seats = [{player: id}, {bot: "random"}];
    const game = await post("/v1/games", JSON.stringify({ruleset: "bisca", seats, visibility: "private"}));
    return {game: game.id, ...await post(`/v1/games/${game.id}/watch-links`)};
}"""


def ask_for_link(page: Page, mailbox: Mailbox, address: str) -> str:
    """Ask for a link on the page that is open, and return it when it has arrived."""
    mailbox.mails.clear()
    page.get_by_label("E-mail address").fill(address)
    page.get_by_label("E-mail address").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("A link is on its way")
    return link_for(page, mailbox, address)


def link_for(page: Page, mailbox: Mailbox, address: str, to: str = "/sign-in#") -> str:
    """Return the link to a page that an address gets, when it has arrived."""
    for _ in range(TIMEOUT * 20):
        for mail in mailbox.mails:  # perhaps also about a game of another test
            if mail["To"] == address and (found := re.search(rf"http\S+{to}\S+", part(mail))):
                return found[0]
        page.wait_for_timeout(50)
    raise AssertionError("no link has come")


def fits(page: Page) -> bool:
    """Return whether nothing is wider than the window, and everything can be hit with a finger."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    small: int = page.locator("main button:visible, main select:visible, main .games a:visible").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 43.9).length"
    )
    return not wide and not small


def test_a_guest_signs_in_and_finds_the_games_on_another_device(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    phone = visit(viewport=PHONE, reduced_motion="reduce").go("/")
    phone.get_by_label("Your name").fill("Anna")
    start(phone, "cats_and_dogs")
    phone.wait_for_url("**/table/**")
    table = phone.url
    # The guest becomes an account, in the browser that asked.
    phone.goto(f"{server.url}/games")
    phone.get_by_role("link", name="Sign in").click()
    expect(phone.get_by_label("E-mail address")).to_be_visible()
    assert fits(phone)
    assert not violations(phone)
    link = ask_for_link(phone, mailbox, "anna@example.org")
    phone.goto(link)
    expect(phone.locator("#guest-list")).to_have_text("Anna, a guest on this device: 1 game")
    assert fits(phone)
    assert not violations(phone)
    phone.get_by_role("button", name="Create my account").click()
    phone.wait_for_url("**/games")
    expect(phone.locator("#who")).to_contain_text("Anna")
    expect(phone.locator("#turns .games li, #waiting .games li")).to_have_count(1)
    assert fits(phone)
    assert not violations(phone)
    assert "code" not in phone.url
    phone.locator("#turns .games a, #waiting .games a").click()
    phone.wait_for_url(table)
    expect(phone.locator(".own .hand .card").first).to_be_visible()
    # On another device the link asks, and is then used up.
    laptop = visit(reduced_motion="reduce")
    second = ask_for_link(visit(viewport=PHONE).go("/sign-in"), mailbox, "anna@example.org")
    laptop.page.goto(second)
    expect(laptop.page.get_by_role("status")).to_contain_text("Sign in as Anna (anna@example.org)?")
    laptop.page.get_by_role("button", name="Sign in on this device").click()
    laptop.page.wait_for_url("**/games")
    laptop.page.locator(".games a").first.click()
    laptop.page.wait_for_url(table)
    expect(laptop.page.locator(".own .hand .card").first).to_be_visible()
    # What the account begins on one device it plays on another.
    phone.goto(f"{server.url}/")
    expect(phone.get_by_label("Your name")).to_have_value("Anna")
    choose(phone, "cats_and_dogs")
    phone.get_by_label("Pace").select_option("three")
    expect(phone.locator("#pace-words")).to_contain_text("Only after that a reserve of 3 days")
    phone.locator("#start").click()
    phone.wait_for_url("**/table/**")
    laptop.page.goto(phone.url)
    player = Player(laptop.page, random.Random(1))
    assert player.wait_for_turn()
    player.move()
    again = visit()
    again.page.goto(second)
    expect(again.page.get_by_role("alert")).to_contain_text("expired or was used before")
    again.complaints.clear()  # Chromium's own message about the refusal
    # A link to a game leads elsewhere to signing in, and back.
    tablet = visit(viewport=PHONE)
    tablet.page.goto(table)
    tablet.page.get_by_role("link", name="Sign in by mail").click()
    tablet.page.goto(ask_for_link(tablet.page, mailbox, "anna@example.org"))
    tablet.page.wait_for_url(table)
    expect(tablet.page.locator(".own .hand .card").first).to_be_visible()
    tablet.complaints.clear()


def start_game(page: Page, server: Server, name: str) -> str:
    """Start a game of pies in a new tab, return the address of its table."""
    tab = page.context.new_page()
    tab.goto(f"{server.url}/")
    tab.get_by_label("Your name").fill(name)
    start(tab, "pies")
    tab.wait_for_url("**/table/**")
    address = tab.url
    tab.close()
    return address


def code_for(page: Page, mailbox: Mailbox, address: str) -> str:
    """Ask for a link, and return the code in its mail."""
    ask_for_link(page, mailbox, address)
    found = re.search(r"^(\d{6})\s*$", part(mailbox.mails[-1]), re.MULTILINE)
    assert found
    return found[1]


def test_nine_games_of_a_guest_come_along_to_another_device(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    asked, other = visit(reduced_motion="reduce"), visit(viewport=PHONE, reduced_motion="reduce")
    laptop = asked.go("/")
    tables = [start_game(laptop, server, "Nora" if n else "Guest") for n in range(7)]
    for n in range(2):  # games of others that it joins by links
        host = visit().go("/")
        host.get_by_label("Your name").fill(f"Host {n}")
        sit(laptop, hosted(host), "Nora")
        laptop.wait_for_url("**/table/**")
        tables.append(laptop.url)
    laptop.goto(f"{server.url}/sign-in")
    link = ask_for_link(laptop, mailbox, "nora@example.org")
    phone = other.page
    phone.goto(link)
    expect(phone.locator("#guest-list")).to_have_text(
        "Nora, who asked for this link on another device: 9 games"
    )
    assert fits(phone)
    assert not violations(phone)
    phone.get_by_role("button", name="Create my account").click()
    phone.wait_for_url("**/games")
    expect(phone.locator("#turns .games li, #waiting .games li")).to_have_count(9)
    phone.goto(tables[0])
    player = Player(phone, random.Random(1))
    assert player.wait_for_turn()
    player.move()
    # Where it was asked for, nobody has the account, but who signs in there.
    laptop.goto(tables[0])
    expect(laptop.get_by_role("link", name="Sign in by mail")).to_be_visible()
    asked.complaints.clear()  # Chromium's own messages about the refusals


def test_a_code_is_typed_where_the_link_was_asked_for(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go("/")
    tables = [start_game(page, server, "Otto") for _ in range(2)]
    page.goto(f"{server.url}/sign-in")
    code = code_for(page, mailbox, "otto@example.org")
    assert fits(page)
    assert not violations(page)
    wrong = f"{(int(code) + 1) % 10**6:06}"
    page.get_by_label("Code in the mail").fill(wrong)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_contain_text("This is not the code of your newest mail")
    page.reload()  # and it can still be typed
    page.get_by_label("Code in the mail").fill(f"{code[:3]} {code[3:]}")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#guest-list")).to_have_text("Otto, a guest on this device: 2 games")
    page.get_by_role("button", name="Create my account").click()
    page.wait_for_url("**/games")
    expect(page.locator("#turns .games li, #waiting .games li")).to_have_count(2)
    page.goto(tables[1])
    assert Player(page, random.Random(1)).wait_for_turn()
    visitor.complaints.clear()  # Chromium's own message about the refusal


def test_an_account_takes_the_games_of_a_guest_only_if_wanted(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    first = visit().go("/sign-in")
    first.goto(ask_for_link(first, mailbox, "pia@example.org"))
    first.get_by_label("Your name").fill("Pia")
    first.get_by_role("button", name="Create my account").click()
    first.wait_for_url("**/games")
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go("/")
    table = start_game(page, server, "Pia on the phone")
    for wanted in (False, True):
        page.goto(f"{server.url}/sign-in")
        page.evaluate(
            "for (const store of [localStorage, sessionStorage]) store.removeItem('card-referee:account')"
        )
        page.reload()
        page.goto(ask_for_link(page, mailbox, "pia@example.org"))
        if not wanted:
            page.get_by_label("Pia on the phone, a guest on this device: 1 game").uncheck()
        page.get_by_role("button", name="Sign in on this device").click()
        page.wait_for_url("**/games")
        expect(page.locator("#turns .games li, #waiting .games li")).to_have_count(int(wanted))
    page.goto(table)
    player = Player(page, random.Random(1))
    assert player.wait_for_turn()
    expect(page.locator(".hand .card").first).to_be_visible()
    player.move()
    assert player.wait_for_turn()  # so that nothing is written meanwhile
    verify(page)
    expect(page.locator(".verdict")).to_contain_text("checks hold")


def test_a_game_of_a_guest_goes_on_after_signing_in(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    laptop = visit(reduced_motion="reduce").go("/")
    laptop.get_by_label("Your name").fill("Hanna")
    choose(laptop, "pies")
    laptop.get_by_label("Pace").select_option("day")
    laptop.locator("#start").click()
    laptop.wait_for_url("**/table/**")
    table = laptop.url
    assert Player(laptop, random.Random(1)).wait_for_turn()
    laptop.goto(f"{server.url}/sign-in")
    laptop.goto(ask_for_link(laptop, mailbox, "hanna@example.org"))
    laptop.get_by_role("button", name="Create my account").click()
    laptop.wait_for_url("**/games")
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    phone = visitor.page
    phone.goto(ask_for_link(visit(viewport=PHONE).go("/sign-in"), mailbox, "hanna@example.org"))
    phone.get_by_role("button", name="Sign in on this device").click()
    phone.wait_for_url("**/games")
    phone.locator("#turns .games a").first.click()
    phone.wait_for_url(table)
    for page in (phone, laptop, phone):
        page.goto(table)
        player = Player(page, random.Random(1))
        assert player.wait_for_turn()
        player.move()
    verify(phone)
    expect(phone.locator("[data-check=signatures]")).to_contain_text("1 of them give a key up")


def test_a_device_without_the_key_says_where_to_give_it_up(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    """As after signing in with an earlier release, or when giving up the key has failed."""
    visitor = visit(reduced_motion="reduce")
    laptop = visitor.go("/")
    laptop.get_by_label("Your name").fill("Ines")
    start(laptop, "pies")
    laptop.wait_for_url("**/table/**")
    table = laptop.url
    assert Player(laptop, random.Random(1)).wait_for_turn()
    laptop.route("**/key-retirement", lambda route: route.fulfill(status=409, body="{}"))
    laptop.goto(f"{server.url}/sign-in")
    laptop.goto(ask_for_link(laptop, mailbox, "ines@example.org"))
    laptop.get_by_role("button", name="Create my account").click()
    laptop.wait_for_url("**/games")
    visitor.complaints.clear()  # Chromium's own message about the refusal
    phone = visit(viewport=PHONE, reduced_motion="reduce").page
    phone.goto(ask_for_link(visit(viewport=PHONE).go("/sign-in"), mailbox, "ines@example.org"))
    phone.get_by_role("button", name="Sign in on this device").click()
    phone.wait_for_url("**/games")
    phone.goto(table)
    expect(phone.locator(".trouble")).to_contain_text("Open this table there, signed in")
    laptop.unroute("**/key-retirement")
    laptop.goto(table)
    assert Player(laptop, random.Random(1)).wait_for_turn()
    phone.reload()
    player = Player(phone, random.Random(1))
    assert player.wait_for_turn()
    player.move()


def test_settings_on_a_phone(visit: Callable[..., Visitor], server: Server, mailbox: Mailbox) -> None:
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go("/sign-in")
    page.goto(ask_for_link(page, mailbox, "bela@example.org"))
    page.get_by_label("Your name").fill("Bela")
    page.get_by_role("button", name="Create my account").click()
    page.wait_for_url("**/games")
    page.get_by_role("link", name="Settings").click()
    expect(page.locator("#devices li")).to_have_count(1)
    expect(page.locator("#devices li")).to_contain_text("Chrome on Linux (this one)")
    assert fits(page)
    assert not violations(page)
    page.locator("#frequency").select_option("each")
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.get_by_label("It is my turn: push").uncheck()
    page.locator("#push_quiet-from").fill("23:00")
    page.locator("#push_quiet-until").fill("07:00")
    page.locator("#push_quiet-until").blur()
    page.get_by_label("Time zone").fill("Europe/Berlin")
    page.get_by_label("Time zone").blur()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.reload()
    expect(page.locator("#frequency")).to_have_value("each")
    expect(page.get_by_label("It is my turn: push")).not_to_be_checked()
    expect(page.get_by_label("It is my turn: mail")).to_be_checked()
    expect(page.locator("#push_quiet-from")).to_have_value("23:00")
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Berlin")
    # Another address, which is used only after it is confirmed.
    moved = ask_for_link(page, mailbox, "new@example.org")
    page.goto(moved)
    expect(page.get_by_role("status")).to_contain_text("The address of your account is now new@example.org.")
    # A link to watch is no device, and can be revoked.
    made = page.evaluate(WATCH_LINK)
    page.goto(f"{server.url}/settings")
    expect(page.locator("#devices li")).to_have_count(2)
    link = page.locator("#devices li", has_text="a link to watch a game")
    link.get_by_role("button", name="Revoke").click()
    expect(page.locator("#devices li")).to_have_count(1)
    watcher = {"Authorization": f"Bearer {made['token']}"}
    assert httpx.get(f"{server.url}/v1/games/{made['game']}", headers=watcher).status_code == 401
    # Signing out everywhere ends other devices too.
    other = visit()
    other.page.goto(ask_for_link(visit().go("/sign-in"), mailbox, "new@example.org"))
    expect(other.page.get_by_role("status")).to_contain_text("Sign in as Bela")
    other.page.get_by_role("button", name="Sign in on this device").click()
    other.page.wait_for_url("**/games")
    page.goto(f"{server.url}/settings")
    expect(page.locator("#devices li")).to_have_count(2)
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("status")).to_contain_text("Signed out everywhere.")
    expect(other.page.get_by_role("link", name="Sign in").first).to_be_visible()  # its stream has ended
    other.page.goto(f"{server.url}/settings")
    expect(other.page.get_by_role("link", name="Sign in")).to_be_visible()
    other.page.close()  # more of its requests may be refused
    other.complaints.clear()


def test_a_change_of_address_needs_a_recent_sign_in_and_can_be_undone(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    visitor = visit(viewport=PHONE, reduced_motion="reduce")
    page = visitor.go("/sign-in")
    page.goto(ask_for_link(page, mailbox, "gerd@example.org"))
    page.get_by_label("Your name").fill("Gerd")
    page.get_by_role("button", name="Create my account").click()
    page.wait_for_url("**/games")
    page.goto(f"{server.url}/settings")
    to = ask_for_link(page, mailbox, "gerd2@example.org")
    problem = '{"type": "/problems/sign-in-again", "title": "", "status": 403, "detail": ""}'
    page.route("**/address", lambda route: route.fulfill(status=403, body=problem))
    mailbox.mails.clear()
    page.goto(to)
    expect(page.get_by_role("status")).to_contain_text("A link is on its way to gerd@example.org")
    page.unroute("**/address")
    page.goto(link_for(page, mailbox, "gerd@example.org"))
    page.wait_for_url("**/settings")
    expect(page.locator("#devices li")).to_have_count(1)  # the older token of this device has ended
    mailbox.mails.clear()
    page.goto(to)
    page.get_by_role("button", name="Use this address for Gerd’s account").click()
    expect(page.get_by_role("status")).to_contain_text(
        "The address of your account is now gerd2@example.org."
    )
    undo = link_for(page, mailbox, "gerd@example.org")
    page.goto(undo)
    expect(page.get_by_role("status")).to_contain_text("The account of Gerd gets gerd@example.org back")
    assert fits(page)
    assert not violations(page)
    page.get_by_role("button", name="Undo the change").click()
    page.wait_for_url("**/games")
    page.goto(f"{server.url}/settings")
    expect(page.get_by_label("E-mail address")).to_have_value("gerd@example.org")
    page.route("**/v1/me", lambda route: route.fulfill(status=403, body=problem))
    page.get_by_role("button", name="Delete my account").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("A link is on its way to gerd@example.org")
    visitor.complaints.clear()  # Chromium's own messages about the refusals


def test_an_account_is_deleted(visit: Callable[..., Visitor], server: Server, mailbox: Mailbox) -> None:
    page = visit(viewport=PHONE, reduced_motion="reduce").go("/sign-in")
    page.goto(ask_for_link(page, mailbox, "cili@example.org"))
    page.get_by_label("Your name").fill("Cili")
    page.get_by_role("button", name="Create my account").click()
    page.wait_for_url("**/games")
    page.goto(f"{server.url}/settings")
    expect(page.get_by_text("What stays:")).to_be_visible()
    page.get_by_role("button", name="Delete my account").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("Your account is deleted.")
    page.goto(f"{server.url}/games")
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_rematch_invites_by_mail_and_keeps_the_pace(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    visitors = [visit(viewport=PHONE, reduced_motion="reduce", timezone_id="America/Lima") for _ in range(2)]
    for visitor, name in zip(visitors, ("Dora", "Emil"), strict=True):
        page = visitor.go("/sign-in")
        page.goto(ask_for_link(page, mailbox, f"{name.lower()}@example.org"))
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Create my account").click()
        page.wait_for_url("**/games")
    dora, emil = (visitor.page for visitor in visitors)
    dora.goto(f"{server.url}/settings")
    expect(dora.get_by_label("Time zone")).to_have_value("America/Lima")
    dora.get_by_label("Language of mails").select_option("de")
    expect(dora.get_by_role("status")).to_have_text("Saved.")
    emil.goto(f"{server.url}/settings")
    emil.locator("#frequency").select_option("each")
    expect(emil.get_by_role("status")).to_have_text("Saved.")
    emil.goto(f"{server.url}/")
    choose(emil, "cats_and_dogs", 2, "open")
    emil.get_by_label("Pace").select_option("day")
    emil.locator("#start").click()
    dora.goto(emil.get_by_role("textbox", name="Link").input_value())
    dora.get_by_role("button", name="Join").click()
    dora.wait_for_url("**/table/**")
    first = dora.url
    menu(dora, "Resign")
    dora.get_by_role("dialog").get_by_role("button", name="Resign").click()
    emil.close()
    dora.get_by_role("button", name="Play again").first.click()
    dora.wait_for_url(lambda url: "/table/" in url and url != first)
    # The link in the mail offers the seat to a phone that knows no account.
    phone = visit(viewport=PHONE).page
    phone.goto(link_for(phone, mailbox, "emil@example.org", dora.url.removeprefix(server.url) + "#mail="))
    expect(phone.get_by_role("button", name="Accept")).to_be_visible()
    # Whoever comes back by the list of games is offered the seat; the same button takes it at once.
    emil = visitors[1].page.context.new_page()
    emil.goto(f"{server.url}/games")
    expect(emil.locator("#invitations")).to_contain_text("Each move has 1 day")
    emil.locator("#invitations a").first.click()
    emil.wait_for_url(dora.url)
    expect(emil.get_by_role("button", name="Accept")).to_be_visible()
    emil.goto(first)
    emil.get_by_role("button", name="Result").click()
    emil.get_by_role("button", name="Play again").first.click()
    emil.wait_for_url(dora.url)
    expect(emil.locator(".own .hand .card").first).to_be_visible()
    expect(dora.locator(".own .hand .card").first).to_be_visible()


def test_strangers_do_not_use_up_the_links_of_a_device_that_was_signed_in(
    visit: Callable[..., Visitor], server: Server, mailbox: Mailbox
) -> None:
    page = visit().go("/sign-in")
    page.goto(ask_for_link(page, mailbox, "fritz@example.org"))
    page.get_by_label("Your name").fill("Fritz")
    page.get_by_role("button", name="Create my account").click()
    page.wait_for_url("**/games")
    page.goto(f"{server.url}/settings")
    page.get_by_role("button", name="Sign out here").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    body = {"address": "fritz@example.org"}
    asked = [httpx.post(f"{server.url}/v1/sign-ins", json=body, trust_env=False) for _ in range(4)]
    assert asked[-1].status_code == 409
    page.goto(f"{server.url}/sign-in")
    ask_for_link(page, mailbox, "fritz@example.org")
