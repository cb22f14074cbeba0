"""Mail servers that refuse or are slow: no address is lost, nobody waits for others, and apps are told."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from api.context import Context
from api.core.config import Settings
from api.features.mail import contacts, mail
from api.features.mail.mail import Outcome
from api.features.mail.queue import claim
from api.features.mail.sending import send_mail
from api.features.mail.store import Contact
from api.features.notices import events, outbox
from api.features.notices.outbox import MAIL
from api.features.notices.projection import announce_all
from api.run.worker import Worker
from api.store.database.encryption import Undecipherable
from tests.servers.mailbox import Mailbox
from tests.servers.receiver import Receiver, eventually
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import ADDRESS, SITE, log, prefer, send_next, work
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import smtp as smtp
from tests.support.webhooks import hook, receiver
from tests.support.webhooks import work as deliver

__all__ = ["receiver"]  # a fixture


@pytest.fixture
def settings(settings: Settings, mailbox: Mailbox) -> Settings:
    return replace(
        settings,
        public_url=SITE,
        mail_from="cards@example.org",
        smtp_url=mailbox.url,
        allow_private_webhooks=True,
        webhook_ports=None,
    )


POLICIES = [
    "550 5.7.1 blocked by policy",
    "554 5.7.1 <anna@example.org>: listed at bl.example.net",
    "552 5.2.2 mailbox full",
    "550 5.2.1 mailbox disabled",
    "550 not now",
    "553 sorry",
    "521 no mail",
    "550-5.7.26 unauthenticated\r\n550 5.7.26 mail",
]


@pytest.mark.parametrize("at", ["recipient", "mail"])
@pytest.mark.parametrize("answer", POLICIES)
def test_a_policy_of_the_mail_server_disables_no_address(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    answer: str,
    at: str,
) -> None:
    prefer(anna, frequency="each", mail=["game.started"])
    setattr(mailbox, f"to_{at}", answer)
    new_game(host, four[:2])
    work(context)
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"] is None
    assert log(anna)[-1] == ("game.started", "pending")
    (notice, *_) = anna.get("/v1/me/notices").json["items"]
    assert notice["attempts"][0]["status"] == int(answer[:3])
    assert ADDRESS not in str(notice)
    mailbox.to_recipient = mailbox.to_mail = "250 OK"
    clock.move(seconds=6)
    work(context)
    assert len(mailbox.mails) == 1


@pytest.mark.parametrize("answer", ["550 5.1.1 unknown", "550 5.1.10 null MX", "553 5.1.3 bad syntax"])
def test_an_address_that_does_not_exist_is_disabled_and_its_app_told(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    receiver: Receiver,
    answer: str,
) -> None:
    hook(host, receiver, events=["mail.failed"])
    prefer(anna, frequency="each", mail=["game.started"])
    mailbox.to_recipient = answer
    new_game(host, four[:2])
    work(context)
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"] is not None
    deliver(context)
    (told,) = receiver.events()
    assert told["type"] == "mail.failed"
    assert told["data"]["player"] == anna.player
    assert (told["data"]["status"], told["data"]["address_disabled"]) == (int(answer[:3]), True)
    assert ADDRESS not in str(told)


def test_a_mail_that_is_refused_for_more_than_a_day_is_reported_to_the_app(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "PAUSES", outbox.PAUSES[-25:])  # of an hour each
    hook(host, receiver, events=["mail.failed"])
    prefer(anna, frequency="each", mail=["game.started"])
    mailbox.to_recipient = f"554 5.7.1 {ADDRESS} is spam"
    new_game(host, four[:2])
    for _ in range(26):
        work(context)
        if log(anna)[-1][1] == "failed":
            break
        deliver(context)
        assert receiver.events() == []
        clock.move(hours=1)
    deliver(context)
    (told,) = receiver.events()
    assert told["data"]["status"] == 554
    assert told["data"]["error"] == "the mail server refused the recipient (5.7.1)"
    assert told["data"]["address_disabled"] is False
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"] is None


def test_no_mail_is_sent_after_a_player_was_deleted_even_if_it_was_claimed(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context
) -> None:
    prefer(anna, frequency="each", mail=["game.started"])
    new_game(host, four[:2])
    announce_all(context)
    claimed = claim(context, MAIL)
    assert claimed is not None
    assert host.delete(f"/v1/players/{anna.player}").status_code == 204
    send_mail(context, claimed.player_id, claimed.lease)
    assert mailbox.mails == []


def test_a_player_who_is_deleted_meanwhile_gets_no_new_address(
    host: Caller,
    four: list[Caller],
    mailbox: Mailbox,
    context: Context,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deletion comes after the token was looked up, and before the address is stored."""
    player, find = four[0], contacts.own_contact

    def deleted(asked: Context) -> Contact:
        assert host.delete(f"/v1/players/{player.player}").status_code == 204
        return find(asked)

    monkeypatch.setattr(contacts, "own_contact", deleted)
    assert player.put("/v1/me/email", {"address": ADDRESS}).status_code == 401
    work(context)
    assert mailbox.mails == []
    rows = sql.execute("SELECT FROM contacts WHERE player_id = %s", (player.player,)).fetchall()
    assert rows == sql.execute("SELECT FROM outbox").fetchall() == []


def test_a_mailbox_that_does_not_exist_disables_no_other_address(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The player sets another address while the mail server refuses the old one."""
    prefer(anna, frequency="each", mail=["game.started"])
    new_game(host, four[:2])
    announce_all(context)
    claimed = claim(context, MAIL)
    assert claimed is not None
    with monkeypatch.context() as patched:

        def refuse(settings: Settings, message: object) -> Outcome:
            assert anna.put("/v1/me/email", {"address": "new@example.org"}).status_code == 200
            return Outcome(550, "unknown", final=True, no_mailbox=True)

        patched.setattr(mail, "send", refuse)
        send_mail(context, claimed.player_id, claimed.lease)
    work(context)
    assert [each["To"] for each in mailbox.mails] == ["new@example.org"]
    assert anna.get("/v1/me/preferences").json["email"]["refused_at"] is None


def test_a_worker_that_is_too_late_reports_no_failure(
    host: Caller, four: list[Caller], anna: Caller, context: Context, clock: Clock, monkeypatch: Any
) -> None:
    """Another worker has delivered the mail after the lease of the first one."""
    prefer(anna, frequency="each", mail=["game.started"])
    new_game(host, four[:2])
    announce_all(context)
    first = claim(context, MAIL)
    assert first is not None

    def late(settings: Settings, message: object) -> Outcome:
        clock.move(hours=1)
        with monkeypatch.context() as other:
            other.setattr(mail, "send", lambda settings, message: Outcome(250))
            again = claim(context, MAIL)
            assert again is not None
            send_mail(context, again.player_id, again.lease)
        return Outcome(554, "too late", final=True)

    posted: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr(mail, "send", late)
        patched.setattr(events, "posted", lambda *given: posted.append(given))
        send_mail(context, first.player_id, first.lease)
    assert (posted, log(anna)[-1]) == ([], ("game.started", "delivered"))


def confirmed(sql: psycopg.Connection, players: list[Caller]) -> None:
    for n, player in enumerate(players):
        prefer(player, frequency="each", mail=["game.started", "game.said"])
        sql.execute(
            "UPDATE contacts SET email = convert_to(%s, 'UTF8'), confirmed_at = now() WHERE player_id = %s",
            [f"player{n}@example.org", player.player],
        )


def test_a_slow_mail_server_does_not_delay_everybody(
    host: Caller,
    four: list[Caller],
    settings: Settings,
    mailbox: Mailbox,
    clock: Clock,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four mails to a server that takes two seconds for each arrive in less than the time of two."""
    clock.time = datetime.now(UTC) - timedelta(minutes=1)
    confirmed(sql, four)
    answer, begun = Mailbox.handle_DATA, list[float]()

    async def slowly(self: Mailbox, *args: Any) -> str:
        begun.append(time.monotonic())
        await asyncio.sleep(2)
        return await answer(self, *args)

    monkeypatch.setattr(Mailbox, "handle_DATA", slowly)
    new_game(host, four, ruleset="pies")
    worker = Worker(settings)
    worker.start()
    try:
        assert eventually(lambda: len(mailbox.mails) == 4)
    finally:
        worker.stop()
    assert max(begun) - min(begun) < 1.5
    assert {str(mail["To"]) for mail in mailbox.mails} == {f"player{n}@example.org" for n in range(4)}


def test_one_player_gets_one_mail_after_another(
    host: Caller,
    four: list[Caller],
    settings: Settings,
    mailbox: Mailbox,
    clock: Clock,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock.time = datetime.now(UTC) - timedelta(minutes=1)
    confirmed(sql, four[:1])
    answer, under_way, most = Mailbox.handle_DATA, [0], [0]

    async def counted(self: Mailbox, *args: Any) -> str:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        await asyncio.sleep(0.3)
        under_way[0] -= 1
        return await answer(self, *args)

    monkeypatch.setattr(Mailbox, "handle_DATA", counted)
    worker = Worker(settings)
    worker.start()
    try:
        game = new_game(host, four[:2])
        for n in range(5):
            four[1].post(f"/v1/games/{game['id']}/messages", {"text": str(n)})
            time.sleep(0.15)
        assert eventually(lambda: all(status == "delivered" for _, status in log(four[0])))
    finally:
        worker.stop()
    assert most == [1]


def test_a_contact_that_cannot_be_read_delays_no_other_mail(
    host: Caller,
    four: list[Caller],
    mailbox: Mailbox,
    context: Context,
    sql: psycopg.Connection,
) -> None:
    confirmed(sql, four[:2])
    new_game(host, four[:2])
    announce_all(context)
    sql.execute(
        r"UPDATE contacts SET key = '\x0100000000' || key || key WHERE player_id = %s", [four[0].player]
    )
    for _ in range(3):
        try:
            send_next(context)
        except Undecipherable:
            continue
    assert {str(mail["To"]) for mail in mailbox.mails} == {"player1@example.org"}
