"""How many links to sign in are mailed: a mailbox is not flooded, and its owner can sign in."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from api.context import Context
from api.features.accounts import mails as sign_in_mails
from tests.servers.mailbox import Mailbox
from tests.support.accounts import Links
from tests.support.accounts import ask as ask
from tests.support.accounts import settings as settings
from tests.support.accounts import sign_in as sign_in
from tests.support.callers import Caller, Clock
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import smtp as smtp
from tests.support.mailing import work

ANNA = "anna@example.org"
Asking = Callable[..., int]


@pytest.fixture
def ask_from(anyone: Caller) -> Asking:
    """Return a function that asks for a link from a network, and returns the status."""

    def asked(network: object, address: str = ANNA, **more: str) -> int:
        body = {"address": address, **more}
        where = {"REMOTE_ADDR": network if isinstance(network, str) else f"192.0.2.{network}"}
        return anyone.post("/v1/sign-ins", body, environ_overrides=where).status_code

    return asked


@pytest.fixture
def device_key(ask: Links, anyone: Caller) -> Callable[..., str]:
    """Return a function that signs in with an address, and returns the key of the device."""

    def signed_in(address: str = ANNA) -> str:
        link = ask(address)
        made: Any = anyone.post(f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]}).json
        return str(made["device_key"])

    return signed_in


def test_a_mailbox_is_not_flooded_and_mail_for_another_reason_changes_nothing(
    ask_from: Asking,
    new_player: Callable[[str], Caller],
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
) -> None:
    for name in ("a", "b", "c"):
        assert new_player(name).put("/v1/me/email", {"address": ANNA}).status_code == 200
    work(context)
    mailbox.mails.clear()
    same = [ANNA, "a.nna@example.org", "ANNA+1@example.org"] * 4
    statuses = [ask_from(network, address) for network in range(3) for address in same]
    assert statuses == ([202] * 4 + [409] * 8) * 2 + [409] * 12
    sign_in_mails.send_due(context)
    assert len(mailbox.mails) == 8
    clock.move(hours=3)
    assert [ask_from(4), ask_from(4)] == [202, 409]


def test_a_stranger_does_not_use_up_the_mails_of_an_address(ask_from: Asking) -> None:
    assert [ask_from(1) for _ in range(10)][-1] == 409
    assert [ask_from(2) for _ in range(4)] == [202] * 4, "somebody who has never signed in here"


def test_strangers_in_many_networks_do_not_keep_a_known_device_from_signing_in(
    ask_from: Asking, device_key: Callable[..., str]
) -> None:
    annas, bens = device_key(), device_key("ben@example.org")
    for network in range(100, 255):
        while (
            ask_from(network, ANNA if network < 103 else f"{network}-{time.monotonic_ns()}@example.org")
            == 202
        ):
            pass
    for network in range(1, 99):
        ask_from(network, f"{network}@example.org")
    assert ask_from(99, "new@example.org") == 409, "all mails of the server are used up"
    changed = annas[:30] + ("A" if annas[30] != "A" else "B") + annas[31:]
    for useless in ("x", changed, bens, "é" * 54):
        assert ask_from(99, device_key=useless) == 409
    assert [ask_from(99, device_key=annas) for _ in range(7)] == [202] * 6 + [409]


def test_a_device_key_is_for_the_address_that_the_account_has(
    ask: Links, ask_from: Asking, device_key: Callable[..., str], anyone: Caller
) -> None:
    link = ask(ANNA)
    made: Any = anyone.post(f"/v1/sign-ins/{link['id']}/tokens", {"code": link["code"]}).json
    anna, key = Caller(anyone.app, made["token"]), made["device_key"]
    assert key == device_key(), "one for the account, which asks from two devices"
    for address in (ANNA, "new@example.org"):
        while 202 in [ask_from(network, address) for network in (1, 2, 3)]:
            pass
    assert ask_from(1, "new@example.org", device_key=key) == 409
    assert ask_from(1, device_key=key) == 202
    assert anna.delete("/v1/me").status_code == 204
    assert ask_from(1, device_key=key) == 409


def test_one_network_cannot_use_up_the_mails_of_the_server(app: Flask, anyone: Caller) -> None:
    def ask_from(network: str, number: int) -> int:
        client = app.test_client()
        answer = client.post(
            "/v1/sign-ins",
            json={"address": f"p{number}@example.org"},
            environ_overrides={"REMOTE_ADDR": network},
        )
        return answer.status_code

    asked = [ask_from("192.0.2.1", number) for number in range(60)]
    assert asked == [202] * 50 + [409] * 10, "a tenth of CONFIRMATION_MAILS"
    assert ask_from("192.0.2.2", 99) == 202


@pytest.mark.beside("mails to sign in")
def test_few_networks_cannot_use_up_the_mails_of_the_server(ask_from: Asking, clock: Clock) -> None:
    """The fewer are left, the fewer one network gets, of IPv6 one of 48 bits."""
    shares = []
    for network in range(11):
        asked = [ask_from(network, f"p{network}-{number}@example.org") for number in range(51)]
        shares.append(asked.count(202))
    assert shares[0] == 50
    assert shares == sorted(shares, reverse=True)
    assert sum(shares[:10]) < 500 * 2 / 3
    of_ipv6 = [ask_from(f"2001:db8:1:{number:x}::1", f"six-{number}@example.org") for number in range(51)]
    assert of_ipv6.count(202) < shares[10]
    assert ask_from("2001:db8:2::1", "new@example.org") == ask_from(99, "new@example.org") == 202
    clock.move(days=1)
    assert [ask_from(99, f"later-{number}@example.org") for number in range(51)].count(202) == 50


@pytest.mark.parametrize(("language", "hello"), [("de", "Guten Tag,"), ("es", "Hola:"), ("pt", "Olá,")])
def test_a_link_is_mailed_in_the_words_of_its_reader(
    anyone: Caller, mailbox: Mailbox, context: Context, language: str, hello: str
) -> None:
    wanted = {"HTTP_ACCEPT_LANGUAGE": language}
    assert anyone.post("/v1/sign-ins", {"address": ANNA}, environ_overrides=wanted).status_code == 202
    sign_in_mails.send_due(context)
    assert mailbox.text().startswith(hello)
