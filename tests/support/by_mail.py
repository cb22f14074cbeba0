"""People who play by post: a server whose clock a test moves, their mails, and two phones for each."""

from __future__ import annotations

import random
import re
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.player import Player
from tests.servers.mailbox import Mailbox
from tests.servers.serving import TIMEOUT, Server, changed, free_port, start
from tests.support.mail_reading import part
from tests.support.visitors import PHONE

QUIET = 2.5  # seconds in which the worker looks twice at everything that is due
LINK = re.compile(r"http\S+")
GONE: dict[str, Any] = {"status": "gone", "version": 0, "viewer": {"seats": []}, "to_act": []}
"""A private game for a person who has lost the seat."""
SIGN_IN = "Your link for Card Referee"


@dataclass
class Site:
    """A server of its own with accounts and mail, at a time that the test sets; it can be killed."""

    directory: Path
    outside: Path
    mailbox: Mailbox
    begins: datetime
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.outside.chmod(0o755)  # the server has another user
        self.clock = self.outside / "clock"
        self.shift = (self.begins - datetime.now(UTC)).total_seconds()
        self.clock.write_text(str(self.shift))
        self.server = self._started()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _started(self) -> Server:
        mail = {
            "PUBLIC_URL": self.url,
            "MAIL_FROM": "Cards <cards@example.org>",
            "SMTP_URL": self.mailbox.url,
        }
        more = {"GUESTS": "true", "CLOCK_FILE": str(self.clock), **changed("clock", "unbroken")}
        return start(self.directory, "--port", self.port, **mail, **more)

    def restart(self) -> None:
        """Kill the server, and start it again with what is on the disk."""
        self.server.stop(signal.SIGKILL)
        self.server = self._started()

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.shift)

    def wait(self, **length: float) -> None:
        """Let time pass on the server."""
        self.shift += timedelta(**length).total_seconds()
        file = self.clock.with_suffix(".new")
        file.write_text(str(self.shift))
        file.rename(self.clock)  # the server never reads half a number

    def ask(self, method: str, path: str, token: str = "", gone: Any = None, **more: Any) -> Any:
        """Return the API's answer to a person's token; `gone`, if that is given, for what is not there."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = httpx.request(
            method, self.url + path, headers=headers, timeout=TIMEOUT, trust_env=False, **more
        )
        if answer.status_code == 404 and gone is not None:
            return gone
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()


@dataclass
class Person:
    """Somebody with an address and two phones, who opens pages only by links."""

    site: Site
    name: str
    phones: list[BrowserContext]
    complaints: list[str] = field(default_factory=list)
    read: int = 0  # mails of the mailbox that were looked at
    inbox: list[EmailMessage] = field(default_factory=list)  # those to this person, until they are taken
    token: str = ""
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"

    @classmethod
    def with_phones(cls, chromium: Browser, site: Site, name: str, **settings: Any) -> Person:
        """Return a person with two new phones, whose browsers have never seen the site."""
        given = {
            "viewport": PHONE,
            "is_mobile": True,
            "has_touch": True,
            "reduced_motion": "reduce",
            **settings,
        }
        phones = [chromium.new_context(**given) for _ in range(2)]
        for phone in phones:
            phone.set_default_timeout(TIMEOUT * 1000)
        return cls(site, name, phones)

    def open(self, link: str, phone: int) -> Page:
        """Open a link on a phone, whose clock shows the server's time."""
        context = self.phones[phone]
        context.clock.set_fixed_time(self.site.now())
        page = context.new_page()
        page.on(
            "console",
            lambda said: self.complaints.append(f"{said.type}: {said.text} {said.location['url']}"),
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(link)
        return page

    def mails(self) -> list[EmailMessage]:
        """Take the mails about games that have come to this person."""
        self._fetch()
        mails, self.inbox = self.inbox, []
        return mails

    def _fetch(self) -> list[EmailMessage]:
        """Put new mails into the inbox, but return those with a link to sign in."""
        box, mine = self.site.mailbox, []
        while self.read < len(box.recipients):
            if box.recipients[self.read] == self.address:
                mine.append(box.mails[self.read])
            self.read += 1
        self.inbox += [mail for mail in mine if mail["Subject"] != SIGN_IN]
        return [mail for mail in mine if mail["Subject"] == SIGN_IN]

    def sign_in(self, page: Page) -> None:
        """Ask on this page for a link, and open it in the same browser."""
        page.get_by_label("E-mail address").fill(self.address)
        page.get_by_role("button", name="Send me a link").click()
        end = time.monotonic() + TIMEOUT
        while not (mails := self._fetch()):
            assert time.monotonic() < end, f"no link came to {self.name}"
            time.sleep(0.05)
        [link] = LINK.findall(part(mails[0]))
        page.goto(link)

    def sign_up(self) -> None:
        """Create an account on the first phone, whose time zone and language it gets."""
        page = self.open(f"{self.site.url}/sign-in", 0)
        self.sign_in(page)
        page.get_by_label("Your name").fill(self.name)
        page.get_by_role("button", name="Create my account").click()
        page.wait_for_url("**/games")
        self.token = page.evaluate("JSON.parse(localStorage['card-referee:account']).token")
        # Every event is mailed at once: otherwise a look at a game with this token would hold mails back.
        page.goto(f"{self.site.url}/settings")
        page.locator("#frequency").select_option("each")
        expect(page.get_by_role("status")).to_have_text("Saved.")
        page.close()

    def arrive(self, link: str, phone: int) -> Page:
        """Open a link to a table, and sign in by mail where the phone does not know the account."""
        page = self.open(link, phone)
        seated = page.locator(".own, #by-mail:visible").first
        seated.wait_for()
        if page.get_by_role("link", name="Sign in by mail").is_visible():
            self.complaints.clear()  # Chromium's own message about the refusal
            page.get_by_role("link", name="Sign in by mail").click()
            self.sign_in(page)
            page.wait_for_url(link)
        page.locator(".own").first.wait_for()
        return page

    def game(self, game: str) -> Any:
        return self.site.ask("GET", f"/v1/games/{game}", self.token, GONE)

    def view(self, game: str, version: int) -> Any:
        """Return what this person saw at a version."""
        return self.site.ask("GET", f"/v1/games/{game}?version={version}", self.token)["view"]

    def is_due(self, game: str) -> bool:
        shown = self.game(game)
        return shown["status"] == "running" and bool({*shown["viewer"]["seats"]} & {*shown["to_act"]})

    def play(self, page: Page, game: str) -> int:
        """Make moves at the table while it is this person's turn; return how many."""
        player, made = Player(page, self.chance), 0
        while self.is_due(game) and player.wait_for_turn():
            player.move()
            made += 1
        return made


def when_sent(site: Site, people: list[Person]) -> None:
    """Wait until every mail that is due has been sent."""
    end, quiet_since, count = time.monotonic() + TIMEOUT, time.monotonic(), len(site.mailbox.mails)
    while time.monotonic() < end:
        if len(site.mailbox.mails) != count:
            count, quiet_since = len(site.mailbox.mails), time.monotonic()
        if time.monotonic() - quiet_since > QUIET and not any(is_waiting(site, each) for each in people):
            return
        time.sleep(0.1)
    raise AssertionError("mails that are due are not sent")


def is_waiting(site: Site, person: Person) -> bool:
    """Return whether something that is due to a person has not been sent."""
    items = site.ask("GET", "/v1/me/notices?limit=50", person.token)["items"]
    return any(each["next_at"] and datetime.fromisoformat(each["next_at"]) <= site.now() for each in items)
