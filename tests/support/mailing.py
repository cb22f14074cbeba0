"""Players with mail addresses, and a service that sends through the tests' mail server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from api.context import Context
from api.core.config import Settings
from api.features.mail.queue import claim
from api.features.mail.sending import send_mail
from api.features.notices.outbox import MAIL, PUSH
from api.features.push import sending as push
from tests.servers.mailbox import Mailbox, mail_server
from tests.support.callers import Caller, first_move
from tests.support.due_jobs import keep_time

SITE = "https://cards.example.org"
ADDRESS = "anna@example.org"
PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": "PT12H"}


@pytest.fixture(scope="session")
def smtp() -> Iterator[Mailbox]:
    with mail_server() as running:
        yield running


@pytest.fixture
def mailbox(smtp: Mailbox) -> Mailbox:
    smtp.mails.clear()
    smtp.recipients.clear()
    smtp.logins.clear()
    smtp.to_recipient = smtp.to_mail = "250 OK"
    return smtp


@pytest.fixture
def settings(settings: Settings, mailbox: Mailbox) -> Settings:
    return replace(
        settings, public_url=SITE, mail_from="Card Referee <cards@example.org>", smtp_url=mailbox.url
    )


def send_next(context: Context) -> bool:
    """Send what is due to the player who has waited longest, by mail or push; return whether anything was."""
    for channel, send in ((MAIL, send_mail), (PUSH, push.send)):
        if claimed := claim(context, channel):
            send(context, claimed.player_id, claimed.lease)
            return True
    return False


def work(context: Context) -> None:
    """Do everything due, as one worker does."""
    keep_time(context)
    while send_next(context):
        pass


def link(mailbox: Mailbox, purpose: str) -> str:
    found = re.search(rf"{SITE}(/mail/{purpose}/[\w-]+)", mailbox.text())
    assert found, mailbox.text()
    return found[1]


def ask(app: Flask, method: str, path: str, **more: Any) -> Any:
    """Return the answer to a caller without a token."""
    return app.test_client().open(path, method=method, **more)


@pytest.fixture
def anna(four: list[Caller], app: Flask, mailbox: Mailbox, context: Context) -> Caller:
    """Return a player with a confirmed address."""
    assert four[0].put("/v1/me/email", {"address": ADDRESS}).status_code == 200
    work(context)
    assert ask(app, "POST", link(mailbox, "confirm")).status_code == 200
    mailbox.mails.clear()
    mailbox.recipients.clear()
    return four[0]


def prefer(player: Caller, **wanted: Any) -> None:
    assert player("PATCH", "/v1/me/preferences", wanted).status_code == 200


def play(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    mover = players[game["to_act"][0]]
    done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    assert done.status_code == 201, done.text
    found: dict[str, Any] = done.json["game"]
    return found


def log(player: Caller) -> list[tuple[str, str]]:
    items = player.get("/v1/me/notices").json["items"]
    return [(item["event"], item["status"]) for item in reversed(items)]
