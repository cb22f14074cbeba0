"""Mail that comes back, complaints, and the page on which their owner chooses which mail to get."""

from __future__ import annotations

import re
from dataclasses import replace
from email.message import EmailMessage

import pytest
from flask import Flask

from api.context import Context
from api.core.config import Settings
from api.core.readers import ConfigError, read_bounces
from tests.mailbox import Mailbox
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import ADDRESS, PACE, ask, link, log, play, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as mail_settings
from tests.support.mailing import smtp as smtp
from tests.support.statements import recorded

__all__ = ["mail_settings"]


@pytest.fixture
def settings(mail_settings: Settings) -> Settings:
    return replace(mail_settings, mail_bounces="bounces@example.org")


def next_mail(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> tuple[EmailMessage, str]:
    """Have a mail sent to Anna; return it and its envelope's sender."""
    prefer(anna, frequency="each", mail=["turn.began"])
    game = new_game(host, four[:2], pace=PACE)
    while game["to_act"] != [0]:
        game = play(four, game)
    work(context)
    return mailbox.mails[-1], mailbox.senders[-1]


REPORT = """\
From: MAILER-DAEMON@mx.example
To: {to}
Subject: Report
MIME-Version: 1.0
Content-Type: multipart/report; report-type={kind}; boundary="=_1"

--=_1
Content-Type: text/plain

This is a report.

--=_1
Content-Type: message/{kind}

{fields}

--=_1
Content-Type: message/rfc822

{mail}

--=_1--
"""
FAILED = "Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; {to}\nAction: {action}\nStatus: {status}"
ABUSE = "Feedback-Type: abuse\nUser-Agent: mx.example/1\nVersion: 1"


def bounce(sender: str, status: str, action: str = "failed") -> bytes:
    """Return a report of a mail server (RFC 3464) to a mail's sender."""
    fields = FAILED.format(to=ADDRESS, action=action, status=status)
    return REPORT.format(
        to=sender, kind="delivery-status", fields=fields, mail="Subject: It is gone"
    ).encode()


def complaint(mail: EmailMessage) -> bytes:
    """Return a complaint (RFC 5965), which has our mail in it and is sent to nobody in particular."""
    to = "abuse@example.org"
    return REPORT.format(to=to, kind="feedback-report", fields=ABUSE, mail=mail.as_string()).encode()


def post(app: Flask, message: bytes) -> int:
    answer = app.test_client().post("/mail/bounces", data=message, content_type="message/rfc822")
    return answer.status_code


def refused_because(anna: Caller) -> str | None:
    found: str | None = anna.get("/v1/me/preferences").json["email"]["refused_because"]
    return found


def test_every_mail_has_a_sender_of_its_own(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    mail, sender = next_mail(host, four, anna, mailbox, context)
    assert re.fullmatch(r"bounces\+[a-z2-7]{40}@example\.org", sender)
    assert len(sender.partition("@")[0]) <= 64
    assert "".join(mail["CFBL-Address"].split()) == f"{sender};report=arf"
    assert mail["From"] == "Card Referee <cards@example.org>"
    assert "anna" not in sender


def test_an_address_that_does_not_exist_gets_no_more_mail(
    app: Flask, host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    _, sender = next_mail(host, four, anna, mailbox, context)
    assert post(app, bounce(sender.upper(), "5.1.1")) == 204
    assert refused_because(anna) == "no_mailbox"
    game = new_game(host, four[:2], pace=PACE)
    play(four, play(four, game))
    before = len(mailbox.mails)
    work(context)
    assert len(mailbox.mails) == before


def test_only_repeated_bounces_on_different_days_pause_mail(
    app: Flask,
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
) -> None:
    _, sender = next_mail(host, four, anna, mailbox, context)
    for _ in range(5):
        assert post(app, bounce(sender, "5.2.2")) == 204
    assert refused_because(anna) is None, "all on one day"
    clock.move(days=1)
    assert post(app, bounce(sender, "5.2.2")) == 204
    assert post(app, bounce(sender, "4.4.1", "delayed")) == 204
    clock.move(days=40)
    assert post(app, bounce(sender, "5.2.2")) == 204
    assert refused_because(anna) is None, "the earlier ones are forgotten"
    for _ in range(2):
        clock.move(days=1)
        assert post(app, bounce(sender, "5.7.1")) == 204
    assert refused_because(anna) == "bounces"


def test_saving_the_page_as_it_is_changes_no_choice(
    app: Flask, host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    next_mail(host, four, anna, mailbox, context)
    offered = [*anna.get("/v1/me/preferences").json["mail"], "game.invited"]
    prefer(anna, mail=offered)
    manage = link(mailbox, "manage")
    checked = re.findall(r'name="mail" value="([a-z_.]+)" checked', ask(app, "GET", manage).text)
    ask(app, "POST", manage, data={"frequency": "each", "mail": checked})
    assert sorted(anna.get("/v1/me/preferences").json["mail"]) == sorted(offered)


def test_a_complaint_pauses_mail_until_the_player_wants_it_again(
    app: Flask,
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
) -> None:
    mail, _ = next_mail(host, four, anna, mailbox, context)
    manage = link(mailbox, "manage")
    assert post(app, complaint(mail)) == 204
    assert refused_because(anna) == "complaint"
    page = ask(app, "GET", manage)
    assert "because one of them was reported as unwanted" in page.text
    form = {"frequency": "each", "mail": ["turn.began"]}
    ask(app, "POST", manage, data=form)
    assert refused_because(anna) == "complaint", "saving something else resumes nothing"
    page = ask(app, "POST", manage, data={**form, "again": "yes"})
    assert "No mail has been sent" not in page.text
    assert refused_because(anna) is None
    before = len(mailbox.mails)
    next_mail(host, four, anna, mailbox, context)
    assert len(mailbox.mails) == before + 1


def test_what_names_no_mail_of_ours_changes_nothing(
    app: Flask, host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    _, sender = next_mail(host, four, anna, mailbox, context)
    token = sender.partition("+")[2].partition("@")[0]
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    for address in (sender.replace(token, wrong), sender.replace("+", "-"), "bounces@example.org"):
        assert post(app, bounce(address, "5.1.1")) == 404
    assert post(app, b"") == 404
    assert post(app, b"\xff" * 1000) == 404
    away = (
        f"To: {sender}\nSubject: I am away\nAuto-Submitted: auto-replied\n\nAction: failed\nStatus: 5.1.1\n"
    )
    assert post(app, away.encode()) == 204
    deep = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(3000))
    assert post(app, f"To: {sender}\n{deep}".encode()) == 204
    assert refused_because(anna) is None
    anna.put("/v1/me/email", {"address": "new@example.org"})
    assert post(app, bounce(sender, "5.1.1")) == 404, "of the address before"


def test_a_message_full_of_addresses_costs_no_more_than_another(
    app: Flask,
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Anybody may post one without a token: 4,200 addresses took twelve seconds and as many statements."""
    _, sender = next_mail(host, four, anna, mailbox, context)
    token = sender.partition("+")[2].partition("@")[0]
    others = [sender.replace(token, f"{token[:-3]}{a}{b}x") for a in "abcdefg" for b in "abcdefg"]
    with recorded(monkeypatch) as statements:
        assert post(app, bounce(", ".join([*others, sender]), "5.1.1")) == 404
    assert len(statements) < 30
    assert refused_because(anna) is None
    assert post(app, bounce(", ".join([*others[:5], sender]), "5.1.1")) == 204
    assert refused_because(anna) == "no_mailbox"


def test_the_page_changes_what_is_mailed(
    app: Flask, host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    next_mail(host, four, anna, mailbox, context)
    path = link(mailbox, "manage")
    page = ask(app, "GET", path).text
    assert 'value="each" checked' in page
    assert 'value="turn.began" checked' in page
    assert 'value="game.finished" checked' not in page
    form = {"frequency": "daily", "mail": ["game.finished", "nonsense"]}
    assert "Your choice is stored." in ask(app, "POST", path, data=form).text
    shown = anna.get("/v1/me/preferences").json
    assert (shown["frequency"], shown["mail"]) == ("daily", ["game.finished"])
    for wrong in (
        path[:-3],
        path.replace("manage", "unsubscribe"),
        link(mailbox, "unsubscribe").replace("unsubscribe", "manage"),
    ):
        assert ask(app, "GET", wrong).status_code == (200 if wrong == path else 404)
    assert log(anna)


@pytest.mark.parametrize(
    "text", ["bounces", "a b@example.org", "bounces+x@example.org", "x" * 21 + "@example.org", ""]
)
def test_a_wrong_address_for_bounces_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        read_bounces(text)
