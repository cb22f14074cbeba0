"""Mail to addresses whose owners have not asked for it: little, and without the words of whoever asked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest
from flask import Flask

from api.context import Context
from api.core.config import Settings
from api.features.mail import allowances
from tests.servers.mailbox import Mailbox
from tests.support.callers import Caller, Clock
from tests.support.mailing import ADDRESS, ask, link, log, work
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp

SAME = ["anna@example.org", "ANNA@EXAMPLE.ORG", "Anna@example.org", "anna@Example.Org"]


def test_new_players_of_a_key_cannot_flood_a_mailbox(
    host: Caller, new_player: Callable[[str], Caller], mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    statuses = []
    for n in range(13):
        player = new_player("Click https://evil.example")
        statuses.append(player.put("/v1/me/email", {"address": SAME[n % 4]}).status_code)
        work(context)
        assert host.delete(f"/v1/players/{player.player}").status_code == 204
        clock.move(seconds=1)
    assert statuses == [200] * 3 + [409] * 10
    assert len(mailbox.mails) == 3
    for mail in mailbox.mails:
        assert "evil" not in str(mail)
    clock.move(days=1)
    assert new_player("Anna").put("/v1/me/email", {"address": ADDRESS}).status_code == 200


def test_dots_and_plus_signs_make_no_other_mailbox(new_player: Callable[[str], Caller]) -> None:
    """Many mail servers ignore them, so one mailbox has thousands of addresses."""
    same = ["an.na@example.org", "anna+1@example.org", "a.n.n.a@example.org", "anna+2@example.org"]
    statuses = [
        new_player("a").put("/v1/me/email", {"address": address}).status_code
        for address in [*same, "anna@other.example.org"]
    ]
    assert statuses == [200] * 3 + [409, 200]


def test_several_apps_cannot_flood_a_mailbox(
    new_key: Callable[..., Caller], new_player: Callable[..., Caller], mailbox: Mailbox, context: Context
) -> None:
    sent = 0
    for n in range(4):
        app = new_key(f"app {n}", "read", "write")
        for name in ("a", "b", "c"):
            sent += new_player(name, app).put("/v1/me/email", {"address": ADDRESS}).status_code == 200
    work(context)
    assert sent == len(mailbox.mails) == 6


def test_one_app_cannot_mail_all_the_world(
    app: Flask, settings: Settings, new_player: Callable[[str], Caller]
) -> None:
    site = app.extensions["card_referee"]
    app.extensions["card_referee"] = replace(site, settings=replace(settings, confirmation_mails=4))
    statuses = [
        new_player("a").put("/v1/me/email", {"address": f"a{n}@example.org"}).status_code for n in range(6)
    ]
    assert statuses == [200] * 4 + [409] * 2


def test_requests_at_the_same_time_share_a_limit(
    new_player: Callable[[str], Caller], mailbox: Mailbox, context: Context
) -> None:
    players = [new_player("a") for _ in range(12)]
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(player.put, "/v1/me/email", {"address": ADDRESS}) for player in players]
    assert sorted(each.result().status_code for each in asked) == [200] * 3 + [409] * 9
    work(context)
    assert len(mailbox.mails) == 3


def test_limits_are_kept_without_the_address_and_deleted(
    four: list[Caller], context: Context, clock: Clock, sql: psycopg.Connection
) -> None:
    assert four[0].put("/v1/me/email", {"address": ADDRESS}).status_code == 200
    rows = sql.execute("SELECT bucket, used_until FROM allowances").fetchall()
    assert len(rows) == 4
    assert all(len(bucket) == 32 for bucket, _ in rows)
    clock.move(days=1)
    assert allowances.prune(context) == 4


@pytest.mark.parametrize(
    ("address", "to"),
    [
        ("anna@bücher.example", "anna@xn--bcher-kva.example"),
        ("anna@例え.example", "anna@xn--r8jz45g.example"),
        ("anna@straße.example", "anna@xn--strae-oqa.example"),
    ],
)
def test_domains_may_be_written_in_any_script(
    four: list[Caller], app: Flask, mailbox: Mailbox, context: Context, address: str, to: str
) -> None:
    assert four[0].put("/v1/me/email", {"address": address}).json["email"]["address"] == address
    work(context)
    assert mailbox.recipients == [to]
    assert ask(app, "POST", link(mailbox, "confirm")).status_code == 200
    assert log(four[0]) == [("email.confirmation", "delivered")]
    same = [four[n].put("/v1/me/email", {"address": to.upper() if n == 2 else to}) for n in (1, 2, 3)]
    assert [each.status_code for each in same] == [200, 200, 409], "all of them are one address"


@pytest.mark.parametrize(
    "address", ["änna@example.org", "пётр@example.org", "anna@bü..example", "a@ü_b.example"]
)
def test_the_reason_for_a_refused_address_is_told(four: list[Caller], address: str) -> None:
    refused = four[0].put("/v1/me/email", {"address": address})
    assert refused.status_code == 400
    (reason,) = refused.json["errors"]["address"]
    assert reason.startswith("Must be a mail address such as anna@example.org, with only ASCII characters")
