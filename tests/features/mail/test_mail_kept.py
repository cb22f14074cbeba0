"""Mail in progress when a worker dies, a turn ends, or the player unsubscribes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage

import psycopg
import pytest
from flask import Flask

from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.features.mail import mail
from api.features.mail.mail import SERVER as MAIL
from api.features.mail.mail import Outcome
from api.features.mail.preferences import Preferences
from tests.servers.mailbox import Mailbox
from tests.servers.serving import free_port
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import PACE, SITE, ask, play, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import smtp as smtp


@pytest.fixture
def settings(settings: Settings, mailbox: Mailbox) -> Settings:
    return replace(settings, public_url=SITE, mail_from="cards@example.org", smtp_url=mailbox.url)


class Killed(BaseException):
    """Simulates a killed worker, which does nothing more."""


def test_no_mail_is_lost_if_a_worker_dies_while_sending(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = new_game(host, [anna, four[1]], pace=PACE)

    def die(settings: Settings, message: EmailMessage) -> Outcome:
        raise Killed

    clock.move(minutes=11)
    with monkeypatch.context() as dying:
        dying.setattr(mail, "send", die)
        with pytest.raises(Killed):
            work(context)
    clock.move(minutes=3)  # its lease is over by then
    work(context)
    assert len(mailbox.mails) == 1
    assert game["id"] in mailbox.text()


def test_a_mail_server_that_works_again_is_noticed_without_a_mail(
    context: Context, settings: Settings, mailbox: Mailbox
) -> None:
    [look] = [job.work for job in load_features().jobs if job.work.__name__ == "notice_recovery"]
    away = replace(settings, smtp_url=f"smtp://127.0.0.1:{free_port()}")
    message = EmailMessage()
    message["To"] = "anna@example.org"
    assert mail.send(away, message).error
    look(replace(context, settings=away))
    assert MAIL.reason
    look(context)
    assert not MAIL.reason
    assert not mailbox.mails


def test_a_mail_that_is_sent_again_has_the_same_id_only_with_the_same_text(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Mail programs show one of two mails with the same id, perhaps the one that says less."""
    prefer(anna, frequency="each", mail=["game.started", "game.said"])
    game = new_game(host, [anna, four[1]], pace=PACE)
    deliver = mail.send

    def deliver_and_die(settings: Settings, message: EmailMessage) -> Outcome:
        deliver(settings, message)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(mail, "send", deliver_and_die)
        for _ in range(2):
            with pytest.raises(Killed):
                work(context)
            clock.move(minutes=3)  # its lease is over by then
    assert four[1].post(f"/v1/games/{game['id']}/messages", {"text": "Hello"}).status_code == 201
    work(context)
    ids, texts = [each["Message-ID"] for each in mailbox.mails], mailbox.texts()
    assert (ids[0], texts[0]) == (ids[1], texts[1])
    assert "There is a new message" in texts[2]
    assert "has begun" in texts[2], "nobody knows whether the first mail arrived"
    assert ids[2] != ids[0]


def test_no_mail_is_sent_for_an_ended_turn_even_if_another_has_begun(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.began"])
    game = new_game(host, [anna, four[1]], pace=PACE)
    for _ in range(6):
        clock.move(hours=1)
        game = play([anna, four[1]], game)
    if game["to_act"] == [1]:
        game = play([anna, four[1]], game)
    clock.move(hours=24)
    work(context)
    assert mailbox.text().count("It is your turn") == 1, mailbox.text()


def test_mail_about_a_turn_shows_its_current_deadline(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    prefer(anna, frequency="each", mail=["turn.began"])
    game = new_game(host, [anna, four[1]], pace={**PACE, "vacation_days": 5})
    if game["to_act"] == [1]:
        play([anna, four[1]], game)
    old = anna.get(f"/v1/games/{game['id']}").json["seats"][0]["deadline"]
    assert anna.post("/v1/me/vacation", {"days": 5}).status_code == 201
    new = anna.get(f"/v1/games/{game['id']}").json["seats"][0]["deadline"]
    clock.move(hours=24)
    work(context)
    wanted = Preferences.usual()
    assert wanted.local(datetime.fromisoformat(new)) in mailbox.text()
    assert wanted.local(datetime.fromisoformat(old)) not in mailbox.text()


def test_mail_that_is_cancelled_while_it_is_sent_is_not_sent_again(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    app: Flask,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    sql: psycopg.Connection,
) -> None:
    prefer(anna, frequency="each", mail=["game.started"])
    new_game(host, [anna, four[1]])

    def fail(settings: Settings, message: EmailMessage) -> Outcome:
        path = str(message["List-Unsubscribe"]).strip("<>").removeprefix(SITE)
        assert ask(app, "POST", path).status_code == 200, "she unsubscribes at this moment"
        return Outcome(451, "not now")

    with monkeypatch.context() as failing:
        failing.setattr(mail, "send", fail)
        work(context)
    clock.move(hours=1)
    work(context)
    assert mailbox.mails == []
    assert sql.execute("SELECT FROM outbox WHERE next_at IS NOT NULL").fetchall() == []


def test_a_game_with_an_unknown_ruleset_delays_no_other_mail(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    app: Flask,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
) -> None:
    games = [new_game(host, [anna, four[1]], pace=PACE, title=title) for title in ("Old", "New")]
    games = [play([anna, four[1]], game) if game["to_act"] == [1] else game for game in games]
    sql.execute(
        "UPDATE outbox SET payload = replace(payload, 'cats_and_dogs', 'gone') WHERE game_id = %s",
        [games[0]["id"]],
    )
    sql.execute("UPDATE games SET ruleset = 'gone' WHERE id = %s", [games[0]["id"]])
    clock.move(minutes=11)
    work(context)
    assert "It is your turn in gone “Old”" in mailbox.text()
    assert "It is your turn in Cats and Dogs “New”" in mailbox.text()


def test_a_time_zone_unknown_to_this_machine_stops_no_game(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
) -> None:
    for zone in ("localtime", "Factory"):  # names of Debian's files that other machines do not have
        assert anna("PATCH", "/v1/me/preferences", {"time_zone": zone}).status_code == 400, zone
    prefer(anna, time_zone="Europe/Berlin")
    sql.execute("UPDATE contacts SET preferences = replace(preferences, 'Europe/Berlin', 'Europe/Gone')")
    game = new_game(host, [anna, four[1]], pace=PACE)
    play([anna, four[1]], game)
    clock.move(minutes=11)
    work(context)
    assert "(UTC)" in mailbox.text()
    assert anna.get("/v1/me/preferences").json["time_zone"] == "Europe/Gone"
