"""Accounts of a server that accepts guests: links in mails, and signing in by them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from api.context import Context
from api.core.config import Settings
from api.features.accounts import mails as sign_in_mails
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller
from tests.support.mailing import SITE

LINK = re.compile(rf"{SITE}/sign-in#id=([\w-]+)&code=([\w-]+)")
TYPED = re.compile(r"^(\d{6})\s*$", re.MULTILINE)
Links = Callable[..., dict[str, str]]


@pytest.fixture
def settings(settings: Settings, mailbox: Mailbox) -> Settings:
    return replace(
        settings,
        guests=True,
        public_url=SITE,
        mail_from="Card Referee <cards@example.org>",
        smtp_url=mailbox.url,
    )


@pytest.fixture
def ask(anyone: Caller, mailbox: Mailbox, context: Context) -> Links:
    """Return a function that asks for a link to an address, and returns its id and both its codes."""

    def asked(address: str, guest: Caller = anyone) -> dict[str, str]:
        mailbox.mails.clear()
        answer = guest.post("/v1/sign-ins", {"address": address})
        assert answer.status_code == 202, answer.text
        sign_in_mails.send_due(context)
        (text,) = [text for text in mailbox.texts() if answer.json["id"] in text]  # others may be due too
        found, typed = LINK.search(text), TYPED.search(text)
        assert found, text
        assert typed, text
        return {"id": found[1], "code": found[2], "typed": typed[1]}

    return asked


@pytest.fixture
def sign_in(ask: Links, anyone: Caller) -> Callable[..., Caller]:
    """Return a function that signs in with an address, and adopts the guests of a device."""

    def signed_in(address: str = "anna@example.org", *guests: Caller, **more: object) -> Caller:
        link = ask(address)
        body = {"code": link["code"], "guests": [guest.token for guest in guests], **more}
        answer = anyone.post(f"/v1/sign-ins/{link['id']}/tokens", body)
        assert answer.status_code == 201, answer.text
        return Caller(anyone.app, answer.json["token"], answer.json["player"]["id"])

    return signed_in
