"""Mail to players through a real mail server: on request, as often as wanted, and stopped with one click."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from flask import Flask

from api.context import Context
from api.core.config import Settings
from api.core.readers import ConfigError, read_mail_address, read_smtp, read_url
from api.features import load_features
from api.features.mail.kinds import kinds
from api.features.mail.preferences import Preferences
from api.features.mail.words import line
from api.features.notices.outbox import prune
from api.run.worker import Worker
from api.store.database.session import Session
from tests.servers.mailbox import Mailbox
from tests.servers.receiver import eventually
from tests.support.callers import Caller, Clock, new_game
from tests.support.mail_reading import part
from tests.support.mailing import ADDRESS, PACE, SITE, ask, link, log, play, prefer, send_next, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp


def test_an_address_is_confirmed_before_anything_else_is_sent_there(
    host: Caller, four: list[Caller], app: Flask, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    player = four[0]
    assert player.get("/v1/me/preferences").json["email"] is None
    shown = player.put("/v1/me/email", {"address": ADDRESS}).json["email"]
    assert shown == {"address": ADDRESS, "confirmed_at": None, "refused_at": None}
    new_game(host, four[:2], pace=PACE)
    clock.move(hours=1)
    work(context)
    (mail,) = mailbox.mails
    assert (mail["To"], mail["Subject"]) == (ADDRESS, "Confirm your address")
    assert mail["From"] == "Card Referee <cards@example.org>"
    path = link(mailbox, "confirm")
    page = ask(app, "GET", path)
    assert page.status_code == 200
    assert "<form" in page.text
    assert player.get("/v1/me/preferences").json["email"]["confirmed_at"] is None, (
        "opening the page confirms nothing"
    )
    assert ask(app, "POST", path).status_code == 200
    assert player.get("/v1/me/preferences").json["email"]["confirmed_at"] is not None
    assert log(player) == [("email.confirmation", "delivered")]


def test_a_link_is_valid_for_one_player_purpose_address_and_time(
    four: list[Caller], app: Flask, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    player = four[0]
    player.put("/v1/me/email", {"address": ADDRESS})
    work(context)
    path = link(mailbox, "confirm")
    player.put("/v1/me/email", {"address": "other@example.org"})
    work(context)
    newer = link(mailbox, "confirm")
    wrong = [
        path,
        newer.replace("confirm", "unsubscribe"),
        newer[:-1],
        newer[:-2] + ("BB" if newer.endswith("AA") else "AA"),
        "/mail/confirm/x",
    ]
    for each in wrong:
        assert ask(app, "POST", each).status_code == 404, each
    clock.move(days=8)
    assert ask(app, "POST", newer).status_code == 404
    assert player.get("/v1/me/preferences").json["email"]["confirmed_at"] is None


def test_nobody_can_flood_a_strangers_mailbox(
    four: list[Caller], host: Caller, anyone: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    for n in range(5):
        assert four[0].put("/v1/me/email", {"address": f"a{n}@example.org"}).status_code == 200
        work(context)
    assert four[0].put("/v1/me/email", {"address": "b@example.org"}).status_code == 409
    assert len(mailbox.mails) == 5
    clock.move(days=1, seconds=1)
    assert four[0].put("/v1/me/email", {"address": "b@example.org"}).status_code == 200
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}).json
    invite = game["seats"][0]["invite"]
    guest = anyone.post(f"/v1/games/{game['id']}/seats/0/guest", {"invite": invite, "name": "Eve"})
    assert guest.status_code == 201
    eve = Caller(anyone.app, guest.json["token"])
    assert eve.put("/v1/me/email", {"address": ADDRESS}).status_code == 403
    for wrong in ("anna", "a@b", "a b@example.org", "a..b@example.org\n", "a@example.org\r\nBcc: b@x.org"):
        assert four[0].put("/v1/me/email", {"address": wrong}).status_code == 400, wrong


def test_one_mail_for_each_turn_until_the_next_visit(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE, title="Friday night")
    if game["to_act"] != [0]:
        game = play(four, game)
    clock.move(minutes=9)
    work(context)
    assert mailbox.mails == [], "a player who is present needs no mail"
    clock.move(minutes=2)
    work(context)
    (mail,) = mailbox.mails
    assert mail["To"] == ADDRESS
    assert "It is your turn in Cats and Dogs “Friday night”, until" in mailbox.text()
    assert f"{SITE}/table/{game['id']}" in mailbox.text()
    more = new_game(host, [four[1], anna], pace=PACE)
    if more["to_act"] == [0]:
        play([four[1], anna], more)
    clock.move(hours=2)
    work(context)
    assert len(mailbox.mails) == 2, "a turn that began after the last mail"
    assert more["id"] in mailbox.text()
    assert "has begun" not in mailbox.text(), "the rest waits for a visit"
    assert ("game.started", "held") in log(anna)  # this counts as a visit
    another = new_game(host, [anna, four[1]], pace=PACE)
    clock.move(hours=2)
    work(context)
    assert len(mailbox.mails) == 3
    assert another["id"] in mailbox.text()


def test_a_mail_that_failed_keeps_no_later_one_back(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="until_visit", mail=["game.started"])
    clock.move(minutes=1)
    new_game(host, [anna, four[1]], title="First")
    mailbox.to_mail = "451 not now"
    work(context)
    clock.move(minutes=11)
    work(context)
    new_game(host, [anna, four[1]], title="Second")
    work(context)
    clock.move(minutes=11)
    mailbox.to_mail = "250 OK"
    work(context)
    assert "Second" in "".join(part(mail) for mail in mailbox.mails)


def test_a_visit_in_time_makes_a_mail_needless(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    new_game(host, four[:2], pace=PACE)
    work(context)
    clock.move(minutes=5)
    host.get("/v1/me", headers={"Card-Referee-Player": str(anna.player)})  # her app acts for her
    clock.move(minutes=30)
    work(context)
    assert mailbox.mails == []
    assert {status for event, status in log(anna) if event != "email.confirmation"} == {"held"}


def test_mail_for_each_turn_is_sent_at_once_and_warnings_always(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.began", "turn.warning"])
    game = new_game(host, [anna, four[1]], pace=PACE)
    if game["to_act"] != [0]:
        game = play([anna, four[1]], game)
    work(context)
    subjects = [str(mail["Subject"]) for mail in mailbox.mails]
    assert subjects == ["It is your turn in Cats and Dogs, until Wed 4 Mar, 12:00"]
    prefer(anna, frequency="until_visit")
    clock.move(hours=61)
    work(context)
    assert "nearly over" in mailbox.mails[-1]["Subject"]
    assert "When the time is over, you lose the game." in mailbox.text()
    assert len(mailbox.mails) == 2


def test_a_warning_a_minute_before_the_end_is_mailed(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.warning"])
    new_game(host, [anna], pace={"per_move": "PT10M", "warn_before": "PT1M", "on_timeout": "bot"})
    clock.move(minutes=9, seconds=5)
    work(context)
    assert "nearly over" in mailbox.mails[-1]["Subject"]
    assert "When the time is over, a bot moves for you." in mailbox.text()


def test_one_click_stops_all_mail_without_a_login(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    app: Flask,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
) -> None:
    prefer(anna, frequency="each")
    new_game(host, [anna, four[1]], pace=PACE)
    work(context)
    header = mailbox.mails[0]["List-Unsubscribe"]
    path = header.removeprefix(f"<{SITE}").removesuffix(">")
    assert path in mailbox.text()
    assert ask(app, "GET", path).status_code == 200
    assert anna.get("/v1/me/preferences").json["frequency"] == "each", "opening a link stops nothing"
    new_game(host, [anna, four[1]], pace=PACE)
    clicked = ask(app, "POST", path, data={"List-Unsubscribe": "One-Click"})  # RFC 8058
    assert clicked.status_code == 200
    assert anna.get("/v1/me/preferences").json["frequency"] == "never"
    new_game(host, [anna, four[1]], pace=PACE)
    count = len(mailbox.mails)
    clock.move(days=2)
    while send_next(context):
        pass
    assert len(mailbox.mails) == count
    prefer(anna, frequency="each")
    new_game(host, [anna, four[1]], pace=PACE)
    work(context)
    assert len(mailbox.mails) > count


def test_failed_mail_is_retried_and_the_log_shows_no_address(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
    sql: psycopg.Connection,
) -> None:
    caplog.set_level(logging.DEBUG)
    prefer(anna, frequency="each", mail=["game.started"])
    mailbox.to_mail = f"451 4.3.0 not now, {ADDRESS}"
    new_game(host, four[:2])
    work(context)
    (notice, *_) = anna.get("/v1/me/notices").json["items"]
    assert (notice["status"], notice["attempts"][0]["status"]) == ("pending", 451)
    work(context)
    assert mailbox.mails == []
    mailbox.to_mail = "250 OK"
    clock.move(seconds=5)
    work(context)
    (mail,) = mailbox.mails
    assert mail["Message-ID"].endswith("@cards.example.org>")
    (notice, *_) = anna.get("/v1/me/notices").json["items"]
    assert [each["status"] for each in notice["attempts"]] == [451, 250]
    assert notice["status"] == "delivered"
    mailbox.to_recipient = f"550 5.1.1 {ADDRESS} is unknown"
    new_game(host, four[:2])
    work(context)
    shown = anna.get("/v1/me/preferences").json["email"]
    assert shown["refused_at"] is not None
    assert log(anna)[-1] == ("game.started", "failed")
    new_game(host, four[:2])
    assert log(anna)[-1] == ("game.started", "failed"), "no more mail is queued for the address"
    ours = [record.getMessage() for record in caplog.records if record.name != "mail.log"]
    assert ADDRESS not in str(ours)
    assert ADDRESS not in str(sql.execute("SELECT * FROM outbox").fetchall())
    clock.move(days=31)
    context.settings, usual = replace(context.settings, delivery_days=32), context.settings
    assert prune(context) == 0
    context.settings = usual
    assert prune(context) == 3


def test_no_mail_is_lost_while_the_mail_server_is_down(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["game.started"])
    new_game(host, four[:2])
    context.settings, working = replace(context.settings, smtp_url="smtp://127.0.0.1:1"), context.settings
    for _ in range(3):
        work(context)
        clock.move(minutes=6)
    assert mailbox.mails == []
    context.settings = replace(working, smtp_url=mailbox.url.replace("//", "//user:pass%20word@"))
    clock.move(hours=1)
    work(context)
    assert len(mailbox.mails) == 1
    assert mailbox.logins == [b"pass word"]


def test_two_workers_send_one_mail(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    prefer(anna, frequency="each", mail=["game.started"])
    for _ in range(3):
        new_game(host, four[:2])
    other = Context(context.settings, Session(context.session._database), load_features().hooks, context.now)
    with context.session.transaction():
        context.session.execute("SELECT FROM contacts FOR UPDATE")
        assert not send_next(other), "another worker is sending it"
    other.session.close()
    work(context)
    (mail,) = mailbox.mails
    assert mail["Subject"] == "News of 3 games"


def test_a_worker_sends_queued_mail(
    four: list[Caller], settings: Settings, mailbox: Mailbox, clock: Clock
) -> None:
    clock.time = datetime.now(UTC) - timedelta(minutes=1)
    worker = Worker(settings)
    worker.start()
    try:
        assert four[0].put("/v1/me/email", {"address": ADDRESS}).status_code == 200
        assert eventually(lambda: log(four[0]) == [("email.confirmation", "delivered")])
    finally:
        worker.stop()
    assert mailbox.recipients == [ADDRESS]


def test_every_kind_of_mail_has_a_text() -> None:
    wanted = Preferences.usual()._replace(time_zone="Asia/Tokyo")
    for event in kinds():
        data = {"ruleset": "pies", "title": "Friday\n night", "deadline": "2026-03-01T12:00:00.000000Z"}
        words = line({"type": event, "data": data}, wanted)
        assert "Friday night" in words
        assert "{" not in words
    timed = line({"type": "turn.began", "data": data}, wanted)
    assert "Sunday, 1 March 2026, 21:00 (Asia/Tokyo)" in timed


def test_an_address_is_encrypted_and_deleted_with_the_player(
    host: Caller, four: list[Caller], anna: Caller, sql: psycopg.Connection, context: Context
) -> None:
    prefer(anna, frequency="each")
    new_game(host, four[:2])
    (stored,) = sql.execute("SELECT email, key FROM contacts").fetchall()
    assert all(bytes(value)[:1] == b"\x01" for value in stored)
    assert host.delete(f"/v1/players/{anna.player}").status_code == 204
    for table in ("contacts", "outbox"):
        assert sql.execute(f"SELECT * FROM {table}").fetchall() == []
    assert not send_next(context)


def test_a_deleted_address_is_erased(anna: Caller, sql: psycopg.Connection) -> None:
    assert anna.delete("/v1/me/email").status_code == 204
    assert anna.get("/v1/me/preferences").json["email"] is None
    assert sql.execute("SELECT email FROM contacts").fetchall() == [(None,)]


def test_a_server_without_mail_says_so(
    settings: Settings, new_player: Callable[[str], Caller], app: Flask
) -> None:
    player = new_player("Eve")
    site = app.extensions["card_referee"]
    app.extensions["card_referee"] = replace(site, settings=replace(settings, mail_from=""))
    assert player.put("/v1/me/email", {"address": ADDRESS}).status_code == 409


def test_preferences_are_checked(four: list[Caller]) -> None:
    for wrong in (
        {"frequency": "often"},
        {"mail": ["game.moved"]},
        {"time_zone": "Europe/Atlantis"},
        {"time_zone": "../etc/passwd"},
        {"more": 1},
    ):
        assert four[0]("PATCH", "/v1/me/preferences", wrong).status_code == 400, wrong


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (read_url, ["https://a.example", "http://127.0.0.1:8080/x"], ["a.example", "ftp://a", "https://a b"]),
        (read_mail_address, ["a@b.example", "C R <a@b.example>"], ["C R", "a@", "a@b\nBcc: c@d"]),
        (
            read_smtp,
            ["smtp://mail:25", "smtps://u:p@m"],
            ["mail:25", "http://m", "smtp://", "smtp://m/x", "smtp://m:x"],
        ),
    ],
)
def test_settings_are_checked(read: Callable[[str], str], good: list[str], bad: list[str]) -> None:
    for text in good:
        assert read(text)
    for text in bad:
        with pytest.raises(ConfigError):
            read(text)
