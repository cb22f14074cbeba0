"""Mails, push messages and the pages behind their links in the language of their reader."""

from __future__ import annotations

import re

import pytest
from flask import Flask

import referee.texts
from api.context import Context
from api.core.languages import NAMES
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, new_game
from tests.support.mailing import PACE, ask, play, prefer, work
from tests.support.mailing import anna as anna
from tests.support.mailing import link as link_for
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp

SAID = {
    "de": (
        "Sie sind am Zug in Cats and Dogs, bis ",
        r"\w+\.? \d+\. \w+\.?, \d\d:\d\d$",
        "Seit Ihrem letzten Zug:",
    ),
    "es": (
        "Es su turno en Cats and Dogs, hasta ",
        r"\w+\.? \d+ \w+\.?, \d\d:\d\d$",
        "Desde su última jugada:",
    ),
    "pt": (
        "É a sua vez em Cats and Dogs, até ",
        r"\w+\.? \d+ (de )?\w+\.?, \d\d:\d\d$",
        "Desde a sua última jogada:",
    ),
}
ENGLISH = re.compile(r"\b(the|your|you|card|cards|Hello|Open|Scores|trick)\b")


@pytest.mark.parametrize("language", SAID)
def test_a_mail_has_the_language_of_its_reader(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    language: str,
) -> None:
    prefer(anna, frequency="each", mail=["turn.began", "game.finished"], language=language)
    game = new_game(host, four[:2], pace=PACE)
    while game["to_act"] != [0] or game["version"] < 9:
        game = play(four, game)
    work(context)
    mail = mailbox.mails[-1]
    subject, when, since = SAID[language]
    assert str(mail["Subject"]).startswith(subject)
    assert re.search(when, str(mail["Subject"]))
    assert since in mailbox.text()
    cat = referee.texts.words("cats_and_dogs", language)["cat 1"].split()[0]
    dog = referee.texts.words("cats_and_dogs", language)["dog 1"].split()[0]
    assert re.search(rf"\b({cat}|{dog}) \d", mailbox.text())
    assert f'<html lang="{language}">' in mailbox.texts("html")[-1]
    mailbox.mails.clear()
    four[1].post(f"/v1/games/{game['id']}/resignation")
    work(context)
    for text in mailbox.texts():
        shown = re.sub(r"http\S+|Cats and Dogs", "", text)
        assert not ENGLISH.search(shown), shown


def test_the_pages_behind_links_have_a_language(
    host: Caller, four: list[Caller], anna: Caller, app: Flask, mailbox: Mailbox, context: Context
) -> None:
    prefer(anna, frequency="each", mail=["turn.began"], language="de")
    game = new_game(host, four[:2], pace=PACE)
    while game["to_act"] != [0]:
        game = play(four, game)
    work(context)
    german = {"Accept-Language": "de"}
    for purpose, words in (
        ("manage", "Wie oft"),
        ("unsubscribe", "Alle Mails über Ihre Partien abbestellen?"),
    ):
        path = link_for(mailbox, purpose)
        page = ask(app, "GET", path, headers=german)
        assert words in page.text
        assert page.headers["Content-Language"] == "de"
    assert "ungültig oder abgelaufen" in ask(app, "GET", "/mail/manage/xx", headers=german).text


def test_only_known_languages_are_accepted(anna: Caller) -> None:
    assert anna.get("/v1/me/preferences").json["language"] == "en"
    assert anna("PATCH", "/v1/me/preferences", {"language": "fi"}).status_code == 400
    for language in NAMES:
        assert anna("PATCH", "/v1/me/preferences", {"language": language}).json["language"] == language
