"""Every way by which a hand leaves the server: it shows no hidden card, or records who reads it, or refuses.

Operations are walked as the specification lists them, performed by an app in its players' names: the walk of
`tests.support.everything`. What is not an operation (mail, push, webhooks, feeds, streams) has a test each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from werkzeug.test import TestResponse

import referee
from api.context import Context
from api.features.mail.drawn import rules_of
from api.features.mail.kinds import kinds
from api.games import looks
from api.games.loading import load
from api.store.log import page as log_page
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, Clock, new_game
from tests.support.due_jobs import keep_time
from tests.support.everything import Played, direct, late, operations, others
from tests.support.mailing import ADDRESS, PACE, ask, link, play, prefer, work
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp
from tests.support.streams import STREAM

# Every operation on one game whose answer can show a hand, or depends on it: the look is recorded before it.
RECORDED = {
    *("get_game", "list_events", "get_record", "list_legal_moves", "try_move", "suggest_move", "get_orders"),
    *(
        "put_orders",
        "append_move",
        "ask_take_back",
        "answer_take_back",
        "agree_to_pause",
        "end_pause",
        "nudge",
    ),
    *("take_vacation", "agree_to_end", "retire_key"),
}
GAME = re.compile(r"/v1/games/([0-9a-f-]{36})")
# What is answered depends on the hand, also where it names no card.
JUDGED = ("list_legal_moves", "try_move", "suggest_move", "get_orders", "put_orders")
READ = (
    *("", "?version=4", "/events", "/legal-moves?seat=0", "/orders?seat=0", "/record", "/verification"),
    *("/bundle", "/dispute-report?seat=0", "/suggestion?seat=0"),
)


@dataclass
class Watcher:
    """What the walk has seen: which operations were performed, and which of them were recorded as looks."""

    context: Context
    sql: psycopg.Connection
    performed: set[str] = field(default_factory=set)
    recorded: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    endpoint: str = ""

    def hidden(self, game_id: str) -> set[str]:
        """Return the cards in hands that nobody else has seen; none before the start and after the end."""
        game = load(self.context, UUID(game_id))
        if game.status != "running":
            return set()
        entries = log_page(self.context.session, game.id, 0, 10_000)
        public = {text for entry in entries for text in texts(json.loads(entry.public))}
        public |= texts(referee.view(game.position, None))
        zones = referee.dump(game.position)["zones"]
        return {card for name, cards in zones.items() if name.startswith("hand") for card in cards} - public

    def forget(self) -> None:
        """Forget all looks, so that the next one must be recorded again."""
        looks._known.clear()
        self.sql.execute("DELETE FROM looks")

    def looked(self, game_id: str) -> bool:
        """Return whether a look at the game is recorded."""
        found = self.sql.execute("SELECT FROM looks WHERE game_id = %s", (game_id,))
        return found.fetchone() is not None


def texts(value: Any) -> set[str]:
    """Return every text in a JSON value."""
    if isinstance(value, dict):
        return {text for each in value.values() for text in texts(each)}
    if isinstance(value, list):
        return {text for each in value for text in texts(each)}
    return {value} if isinstance(value, str) else set()


@dataclass(frozen=True)
class Watched(Caller):
    """An app, in the name of a player if it is one of a player; what it is shown is checked."""

    key: str | None = None
    watcher: Any = None
    more: Any = None
    """Members that every new game has."""

    def __call__(self, method: str, path: str, json: Any = None, **more: Any) -> TestResponse:
        if self.more and (method, path) == ("POST", "/v1/games"):
            json = {**json, **self.more}
        own, game = more.pop("headers", None) or {}, GAME.match(path)
        name = {"Card-Referee-Player": self.player} if self.player else {}
        hidden = self.watcher.hidden(game[1]) if game else set()
        self.watcher.forget()
        answer = Caller(self.app, self.key)(method, path, json, headers={**own, **name}, **more)
        if game:
            self.check(answer, game[1], hidden & self.watcher.hidden(game[1]))
        if answer.status_code in (403, 404) and self.token != self.key:  # so the player does it
            return Caller(self.app, self.token)(method, path, json, headers=own, **more)
        return answer

    def check(self, answer: TestResponse, game_id: str, hidden: set[str]) -> None:
        """Check that an answer shows nothing hidden, unless the look was recorded."""
        operation = self.watcher.endpoint
        shows = bool(texts(answer.json) & hidden) or (answer.status_code < 300 and operation in JUDGED)
        shows = shows or (answer.status_code == 422 and "verdict" in answer.json)
        if answer.status_code == 403:
            self.watcher.refused.add(operation)
        if shows and hidden:
            assert self.watcher.looked(game_id), f"{operation} shows {texts(answer.json) & hidden}"
            self.watcher.recorded.add(operation)


@pytest.fixture
def watcher(app: Flask, context: Context, sql: psycopg.Connection) -> Watcher:
    made = Watcher(context, sql)

    def note(response: Any) -> Any:
        from flask import request

        made.endpoint = str(request.endpoint).rpartition(".")[2]
        if response.status_code < 300:
            made.performed.add(made.endpoint)
        return response

    app.after_request_funcs.setdefault(None, []).append(note)
    return made


@pytest.fixture
def people(host: Caller, four: list[Caller], watcher: Watcher) -> list[Caller]:
    """Return the four players, for whom their app acts."""
    return [Watched(each.app, each.token, each.player, host.token, watcher) for each in four]


@pytest.fixture
def keys(host: Caller, auditor: Caller, watcher: Watcher) -> list[Caller]:
    """Return the app's key and its key for audits."""
    return [Watched(each.app, each.token, None, each.token, watcher) for each in (host, auditor)]


@dataclass
class ReadEarly(Played):
    """The game of the walk; everything that can be read is read after the deal, by everybody."""

    watcher: Any = None

    def everything(self) -> None:
        while not self.watcher.hidden(self.game["id"]):
            self.moves()
        for caller in (self.host, self.auditor, *self.players):
            for rest in READ:
                caller.get(f"/v1/games/{self.game['id']}{rest}")
        super().everything()


def walk(keys: list[Caller], people: list[Caller], clock: Clock, **more: Any) -> None:
    """Perform every operation on a game, the reading ones also while it runs."""
    ReadEarly(*keys, people, clock, **more).everything()


def test_no_operation_shows_a_hand_without_a_trace(
    keys: list[Caller],
    people: list[Caller],
    anyone: Caller,
    clock: Clock,
    watcher: Watcher,
    worker: Callable[[], None],
) -> None:
    walk(keys, people, clock, watcher=watcher)
    others(keys[0], people, anyone)
    direct(keys[0], late(keys[0], people, clock, worker))
    assert operations() - watcher.performed <= {"open_mail_link"}, "which has a test of its own"
    assert watcher.recorded == RECORDED
    assert watcher.refused == {*JUDGED} - {"put_orders", "try_move"}, "the key sees no seat, or must name one"


def test_where_only_players_act_no_app_sees_a_hand(
    keys: list[Caller], people: list[Caller], clock: Clock, watcher: Watcher
) -> None:
    """The app tries everything in its players' names first, and is refused; then they do it themselves."""
    walk(
        [replace(keys[0], watcher=watcher, more={"seats_private": True}), keys[1]],
        people,
        clock,
        watcher=watcher,
    )
    assert watcher.recorded == {"get_game", "list_events", "get_record"}, "to the auditor"


def cards_of(game: Any, player: Caller) -> set[str]:
    """Return the cards in a player's hand, in JSON and as mails write them."""
    shown = player.get(f"/v1/games/{game['id']}").json
    (seat,) = shown["viewer"]["seats"]
    return {*shown["view"]["zones"][f"hand.{seat}"]}


@pytest.mark.parametrize("form", ["application/json", STREAM])
@pytest.mark.parametrize("path", ["/v1/me/events", "/v1/events", "/v1/games/{id}/events"])
def test_feeds_and_streams_record_who_reads_them(
    host: Caller, four: list[Caller], watcher: Watcher, path: str, form: str
) -> None:
    """In the player's name they show its cards, which is recorded first; to the app's own key they do not."""
    game = new_game(host, four[:3])
    cards, asked = cards_of(game, four[0]), path.format(**game)
    for headers in ({}, {"Card-Referee-Player": four[0].player or ""}):
        if path == "/v1/me/events" and not headers:
            continue
        watcher.forget()
        answer = host.get(asked, headers={"Accept": form, **headers}, buffered=False)
        assert answer.status_code == 200
        text = next(chunk for chunk in answer.response if b"started" in chunk or b"zones" in chunk).decode()
        assert all(f'"{card}"' in text for card in cards) == bool(headers)
        assert watcher.looked(game["id"]) == bool(headers)


def test_taking_the_last_seat_for_a_player_is_recorded(
    host: Caller, people: list[Caller], watcher: Watcher
) -> None:
    """The answer shows the hand that was just dealt."""
    made = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}).json
    for seat in (0, 1):
        path = f"/v1/games/{made['id']}/seats/{seat}"
        assert people[seat].put(path, {"invite": made["seats"][seat]["invite"]}).status_code == 200
    assert watcher.looked(made["id"])


def test_what_listeners_are_sent_names_no_card(
    host: Caller, four: list[Caller], context: Context, watcher: Watcher
) -> None:
    """Webhooks and push messages are made of the public log; refused moves are never in them."""
    hook = host.post("/v1/webhooks", {"url": "https://example.org/"}).json
    for player in four:
        prefer(player, push=[*kinds()])
    game = new_game(host, four[:3], pace=PACE)
    for _ in range(4):
        assert (
            four[game["to_act"][0]]
            .post(f"/v1/games/{game['id']}/moves", {"move": {"type": "take"}})
            .status_code
            == 422
        )
        game = play(four, game)
    hidden = watcher.hidden(game["id"])
    with_all = [host.get(f"/v1/webhooks/{hook['id']}/deliveries?limit=200"), host.get("/v1/requests")]
    keep_time(context)
    with_all += [
        host.get(f"/v1/webhooks/{hook['id']}/deliveries?limit=200"),
        *(each.get("/v1/me/notices") for each in four),
    ]
    assert any("turn.began" in answer.text for answer in with_all)
    for answer in with_all:
        assert not texts(answer.json) & hidden


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("by", ["app", "player"])
def test_a_hand_in_a_mail_to_an_address_that_the_app_has_chosen_is_recorded(
    host: Caller,
    four: list[Caller],
    app: Flask,
    mailbox: Mailbox,
    context: Context,
    watcher: Watcher,
    by: str,
    private: bool,
) -> None:
    anna = four[0] if by == "player" else Watched(app, host.token, four[0].player, host.token, watcher)
    assert anna.put("/v1/me/email", {"address": ADDRESS}).status_code == 200
    work(context)
    assert ask(app, "POST", link(mailbox, "confirm")).status_code == 200
    prefer(anna, frequency="each")
    mailbox.mails.clear()
    game = new_game(host, four, "pies", pace=PACE, seats_private=private)
    while game["to_act"] != [0]:
        game = play(four, game)
    watcher.forget()
    work(context)
    hand = [rules_of("pies", 1).cards[card] for card in cards_of(game, four[0])]
    shown = [card in mailbox.text() for card in hand]
    assert all(shown) if by == "player" or not private else not any(shown)
    assert watcher.looked(game["id"]) == (by == "app" and not private)


def test_the_link_in_a_mail_to_an_address_that_the_app_has_chosen_is_a_token(
    host: Caller, four: list[Caller], app: Flask, mailbox: Mailbox, context: Context, watcher: Watcher
) -> None:
    """Somebody who reads the mailbox gets a token of the player with it, as from the app itself."""
    by_app = Watched(app, host.token, four[0].player, host.token, watcher)
    by_app.put("/v1/me/email", {"address": ADDRESS})
    work(context)
    assert ask(app, "POST", link(mailbox, "confirm")).status_code == 200
    prefer(by_app, frequency="each")
    mailbox.mails.clear()
    game = new_game(host, four[:3], pace=PACE)
    work(context)
    secret = re.search(rf"/table/{game['id']}#mail=([\w-]+)", mailbox.text())
    assert secret
    watcher.forget()
    opened = ask(app, "POST", f"/v1/games/{game['id']}/mail-tokens", json={"link": secret[1]})
    assert opened.status_code == 201, opened.text
    assert watcher.looked(game["id"])


def test_an_address_that_the_player_confirms_as_its_own_is_no_look(
    host: Caller, four: list[Caller], app: Flask, mailbox: Mailbox, context: Context, watcher: Watcher
) -> None:
    Watched(app, host.token, four[0].player, host.token, watcher).put("/v1/me/email", {"address": ADDRESS})
    work(context)
    assert ask(app, "POST", link(mailbox, "confirm")).status_code == 200
    assert four[0].put("/v1/me/email", {"address": ADDRESS}).status_code == 200
    game = new_game(host, four[:3], pace=PACE)
    work(context)
    assert not watcher.looked(game["id"])
