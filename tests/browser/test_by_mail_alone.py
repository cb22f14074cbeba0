"""Three games of three seats, played over weeks by the links in mails alone, on two phones each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, expect

from api.features.mail import drawn as tables
from tests.servers.mailbox import mail_server
from tests.servers.serving import free_directory
from tests.support.by_mail import GONE, Person, Site, when_sent
from tests.support.mail_reading import Shown, cards_in, part, shown_cards
from tests.support.visitors import choose, menu, verify

pytestmark = [pytest.mark.browser, pytest.mark.long]
BEGINS = datetime(2027, 3, 22, 8, tzinfo=UTC)  # a Monday; summer time in Berlin begins on the 28th
BERLIN = ZoneInfo("Europe/Berlin")
TURN = re.compile(r"It is your turn in Cats and Dogs, until (.*?)(, and news of .*)?")
TABLE = re.compile(r"http\S+/table/[0-9a-f-]{36}#mail=[\w-]+")


@pytest.fixture
def site() -> Iterator[Site]:
    with mail_server() as mailbox, free_directory() as directory, free_directory() as outside:
        running = Site(directory, outside, mailbox, BEGINS)
        try:
            yield running
        finally:
            running.server.end()


@pytest.fixture
def people(chromium: Browser, site: Site) -> Iterator[list[Person]]:
    names = ("Anna", "Bela", "Cili")
    everybody = [Person.with_phones(chromium, site, name, timezone_id="Europe/Berlin") for name in names]
    yield everybody
    for person in everybody:
        for phone in person.phones:
            phone.close()


def host(anna: Person, friends: list[Person], late: str) -> str:
    """Let Anna create a game, and the friends take seats by her links; return the game's id."""
    page = anna.open(f"{anna.site.url}/", 0)
    choose(page, "cats_and_dogs", 3, "open")
    page.get_by_label("Pace").select_option("three")
    page.get_by_label("When somebody is late").select_option(late)
    expect(page.locator("#pace-words")).to_contain_text("Only after that a reserve of 3 days")
    page.locator("#start").click()
    page.wait_for_url("**/table/**")
    for friend in friends:
        link = page.get_by_role("textbox", name="Link").input_value()
        theirs = friend.open(link, 0)
        theirs.get_by_role("button", name="Join").click()
        theirs.wait_for_url("**/table/**")
        theirs.close()
    game = page.url.rpartition("/")[2]
    page.close()
    return game


def game_of(link: str) -> str:
    """Return the game of a link in a mail."""
    return link.partition("#")[0].rpartition("/")[2]


def check(
    person: Person, mail: EmailMessage, roots: dict[str, str], ids: dict[str, str], since: dict[str, int]
) -> None:
    """Compare a mail with what its reader has been shown since these versions of the games."""
    text, shown = part(mail), Shown(part(mail, "html"))
    assert not shown.loads
    stop = mail["List-Unsubscribe"].strip("<>")
    assert stop.startswith(f"{person.site.url}/mail/unsubscribe/")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert all(link.startswith(f"{person.site.url}/") for link in shown.links)
    games = [game_of(link) for link in TABLE.findall(text)]
    assert games or "has taken over your seat" in text
    assert {*TABLE.findall(text)} <= {*shown.links}
    # A mail that is being sent when the server is killed, or the clock jumps, may come again with its id.
    assert ids.setdefault(mail["Message-ID"], text) == text
    if len(games) == 1:  # mails about one game are a thread, for each reader
        assert roots.setdefault(games[0], mail["References"]) == mail["References"]
    states = {game: person.game(game) for game in games}
    deadlines, allowed = set[str](), set[str]()
    rules = tables.rules_of("cats_and_dogs", 1)
    for game, state in states.items():
        if state is GONE:
            assert "has taken over your seat" in text
            continue
        log = person.site.ask("GET", f"/v1/games/{game}/events?limit=200", person.token)["items"]
        deadlines |= own_deadlines(state, log)
        rules = tables.rules_of("cats_and_dogs", state["ruleset_version"])
        allowed |= {rules.cards[card] for card in shown_cards([state["view"], log]) if card in rules.cards}
        if "has taken over your seat" in text:  # shown as it was then
            assert len(games) > 1 or "Your hand" not in text
        elif state["status"] == "running":
            views = [person.view(game, version) for version in range(since[game], state["version"] + 1)]
            own = f"hand.{state['viewer']['seats'][0]}"
            hands = [[rules.cards[card] for card in view["zones"][own]] for view in views]
            assert any(f"Your hand: {', '.join(hand) or 'empty'}\r\n" in text for hand in hands)
    if due := re.fullmatch(TURN, str(mail["Subject"])):
        assert due[1] in deadlines
    for words in (text, shown.text):
        assert {*cards_in(words, rules)} <= allowed


def own_deadlines(state: dict[str, Any], log: list[dict[str, Any]]) -> set[str]:
    """Return until when it was ever the reader's turn, as subjects say it: others may have moved since."""
    given = [entry.get("deadlines", {}).get(str(seat)) for entry in log for seat in state["viewer"]["seats"]]
    times = [datetime.fromisoformat(at).astimezone(BERLIN) for at in given if at]
    return {f"{at:%a} {at.day} {at:%b, %H:%M}" for at in times}


def agree(page: Page) -> None:
    button = page.locator(".asked").get_by_role("button", name="Agree")
    button.click()
    page.get_by_role("dialog").get_by_role("button", name="Agree").click()
    expect(button).to_have_count(0)


class Weeks:
    """Three people who answer their mails, and what has happened meanwhile."""

    def __init__(self, site: Site, people: list[Person], games: list[str]) -> None:
        self.site, self.people, self.games = site, people, games
        self.roots: dict[str, dict[str, str]] = {person.name: {} for person in people}
        self.ids: dict[str, str] = {}
        self.versions = {person.name: self._versions(person) for person in people}
        self.chance = random.Random(11)
        self.visits = 0
        self.links: list[tuple[Person, str]] = []  # to tables, in mails that were not answered yet
        self.subjects: dict[str, list[str]] = {person.name: [] for person in people}
        self.zones: set[str] = set()

    def _versions(self, person: Person) -> dict[str, int]:
        return {game: person.game(game)["version"] for game in self.games}

    def pass_on(self, hours: float) -> list[tuple[Person, str]]:
        """Let time pass; check the mails that come, and return their readers and the links to tables."""
        self.site.wait(hours=hours)
        self.zones.add(f"{self.site.now().astimezone(BERLIN):%Z}")
        when_sent(self.site, self.people)
        came = [(person, mail) for person in self.people for mail in person.mails()]
        for person, mail in came:
            self.subjects[person.name].append(str(mail["Subject"]))
            check(person, mail, self.roots[person.name], self.ids, self.versions[person.name])
        self.versions = {person.name: self._versions(person) for person in self.people}
        links = [(person, link) for person, mail in came for link in TABLE.findall(part(mail))]
        self.links += links
        return links

    def answer(self, person: Person, link: str) -> None:
        """Open the link on the phone whose turn it is, and move while the game waits for this person."""
        game = game_of(link)
        if person.is_due(game):
            self.visits += 1
            page = person.arrive(link, self.visits % 2)
            assert person.play(page, game)
            page.close()

    def play(self, until: Any) -> None:
        """Answer every mail until something is the case."""
        silent = 0
        while not until():
            silent = 0 if self.links or self.pass_on(self.chance.choice((5, 20, 40))) else silent + 1
            while self.links:
                self.answer(*self.links.pop(0))
            assert silent < 30, "no mail comes any more"

    def status(self, game: str) -> str:
        return str(self.people[0].game(game)["status"])


def test_three_games_by_mail_alone(site: Site, people: list[Person]) -> None:
    anna, bela, cili = people
    for person in people:
        person.sign_up()
        assert site.ask("GET", "/v1/me/preferences", person.token)["time_zone"] == "Europe/Berlin"
    whole, drawn, left = games = [host(anna, [bela, cili], late) for late in ("resign", "resign", "bot")]
    weeks = Weeks(site, people, games)
    weeks.play(lambda: weeks.visits >= 6)
    site.restart()
    weeks.play(lambda: weeks.visits >= 12)
    # The second game ends in a draw: Anna offers it, and the others agree by the links in their mails.
    page = anna.arrive(f"{site.url}/table/{drawn}", 0)
    menu(page, "Agree to a draw")
    page.get_by_role("dialog").get_by_role("button", name="Agree").click()
    page.close()
    asked = [person for person, link in weeks.pass_on(1) if game_of(link) == drawn]
    assert {bela.name, cili.name} <= {person.name for person in asked}
    for friend in (bela, cili):
        page = friend.arrive(f"{site.url}/table/{drawn}", 1)
        agree(page)
        page.close()
    assert anna.game(drawn)["result"]["reason"] == "drawn"
    # Cili does not answer any more in the third game: after two missed turns a bot has the seat. The others
    # play on with it, until Bela resigns.
    answer = weeks.answer

    def without_cili(person: Person, link: str) -> None:
        if not (person is cili and game_of(link) == left):
            answer(person, link)

    weeks.answer = without_cili
    weeks.play(lambda: anna.game(left)["seats"][2]["bot"])
    taken = anna.game(left)["version"]
    weeks.play(lambda: anna.game(left)["version"] >= taken + 4)
    page = bela.arrive(f"{site.url}/table/{left}", 1)
    menu(page, "Resign")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".bar .says")).to_have_text("The game is over.")
    page.close()
    weeks.play(lambda: weeks.status(whole) != "running")
    weeks.pass_on(1)
    over = anna.game(left)
    assert over["seats"][2]["bot"] == "cautious"
    assert over["seats"][2]["previous"]["name"] == "Cili"
    for person in people:
        told = " ".join(weeks.subjects[person.name])
        assert "in an agreed draw" in told
        assert told.count("is over: ") >= (2 if person is cili else 3)
    assert {"CET", "CEST"} <= weeks.zones
    assert site.now() - BEGINS > timedelta(weeks=2)
    # Everybody is shown who left, and the records hold, by the page's own verifier too.
    page = bela.arrive(f"{site.url}/table/{left}", 0)
    expect(page.locator(".stage")).to_contain_text("Cili")
    verify(page)
    expect(page.locator(".verdict")).to_contain_text("checks hold")
    page.close()
    # A rematch: Anna's button invites the others by mail, and the link in it leads to the seat.
    # This phone knows only the links of mails, so it asks whose game the new one will be.
    page = anna.arrive(f"{site.url}/table/{whole}", 1)
    page.get_by_role("button", name="Play again").first.click()
    page.wait_for_url("**/sign-in*")
    anna.sign_in(page)
    page.wait_for_url(f"**/table/{whole}")
    page.get_by_role("button", name="Play again").first.click()
    page.wait_for_url(lambda url: "/table/" in url and not url.endswith(whole))
    again = page.url.rpartition("/")[2]
    page.close()
    assert anna.game(again)["pace"] == anna.game(whole)["pace"]
    invited = [(person, link) for person, link in weeks.pass_on(1) if game_of(link) == again]
    assert {person.name for person, _ in invited} == {"Bela", "Cili"}
    for person, link in invited:
        page = person.open(link, 0)
        page.get_by_role("button", name="Accept").click()
        expect(page.locator(".own")).to_be_visible()
        page.close()
    assert weeks.status(again) == "running"
    assert [person.complaints for person in people] == [[], [], []]
