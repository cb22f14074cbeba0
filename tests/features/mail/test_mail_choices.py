"""The page on which the owner of an address chooses which mail to get."""

from __future__ import annotations

import re

from flask import Flask

from api.context import Context
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, new_game
from tests.support.mailing import PACE, ask, link, log, play, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp


def next_mail(host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context) -> None:
    """Have a mail sent to Anna."""
    prefer(anna, frequency="each", mail=["turn.began"])
    game = new_game(host, four[:2], pace=PACE)
    while game["to_act"] != [0]:
        game = play(four, game)
    work(context)


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


def test_mail_to_an_address_that_was_refused_is_sent_again_where_its_owner_says_so(
    app: Flask, host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    next_mail(host, four, anna, mailbox, context)
    manage = link(mailbox, "manage")
    mailbox.to_mail = "550 5.1.1 no such user"
    next_mail(host, four, anna, mailbox, context)
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"]
    assert "the address does not exist" in ask(app, "GET", manage).text
    form = {"frequency": "each", "mail": ["turn.began"]}
    ask(app, "POST", manage, data=form)
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"], "saving something else resumes nothing"
    page = ask(app, "POST", manage, data={**form, "again": "yes"})
    assert "No mail has been sent" not in page.text
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"] is None
    mailbox.to_mail = "250 OK"
    before = len(mailbox.mails)
    next_mail(host, four, anna, mailbox, context)
    assert len(mailbox.mails) == before + 1


def test_the_page_changes_what_is_mailed(
    app: Flask, host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    next_mail(host, four, anna, mailbox, context)
    path = link(mailbox, "manage")
    page = ask(app, "GET", path).text
    assert 'value="each" checked' in page
    assert 'value="turn.began" checked' in page
    assert 'value="game.finished" checked' not in page
    form = {"frequency": "until_visit", "mail": ["game.finished", "nonsense"]}
    assert "Your choice is stored." in ask(app, "POST", path, data=form).text
    shown = anna.get("/v1/me/preferences").json
    assert (shown["frequency"], shown["mail"]) == ("until_visit", ["game.finished"])
    for wrong in (
        path[:-3],
        path.replace("manage", "unsubscribe"),
        link(mailbox, "unsubscribe").replace("unsubscribe", "manage"),
    ):
        assert ask(app, "GET", wrong).status_code == (200 if wrong == path else 404)
    assert log(anna)
