"""Mails about a fork say that it is one."""

from __future__ import annotations

from typing import Any

import pytest

from api.context import Context
from tests.mailbox import Mailbox
from tests.support.callers import Caller, Clock
from tests.support.forks import fork, over
from tests.support.mailing import anna, mailbox, prefer, settings, smtp, work

__all__ = ["anna", "mailbox", "over", "settings", "smtp"]  # fixtures


@pytest.mark.parametrize(
    ("language", "mark"),
    [("en", "(fork: a test game)"), ("de", "(Abzweigung: eine Testpartie)")],
)
def test_a_mail_about_a_fork_says_so(
    host: Caller,
    over: dict[str, Any],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    language: str,
    mark: str,
) -> None:
    prefer(anna, language=language)
    clock.move(days=1)
    work(context)
    mailbox.mails.clear()
    seats: list[dict[str, Any]] = [{"player": anna.player}, {"open": True}, {"open": True}]
    made = fork(host, {"game": over["id"]}, over["version"] - 6, seats)
    assert made.status_code == 201, made.text
    clock.move(days=1)
    work(context)
    assert mark in mailbox.text()
    assert all(mark in mail["Subject"] for mail in mailbox.mails)
