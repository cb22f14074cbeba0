"""The slots of a worker for mail and push: an app with many notices, or slow ones, delays no other app's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from uuid import UUID

import pytest

from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.features.mail.sending import CONNECTIONS, Send, dispatcher
from api.features.notices.outbox import MAIL
from api.store.database.session import Database, Session
from tests.servers.receiver import eventually
from tests.support.callers import Caller
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp


@contextmanager
def sending(settings: Settings, send: Send) -> Iterator[Callable[[], None]]:
    """Run what sends mail, with this instead of a mail server; yield what wakes it."""
    with closing(Database(settings.for_worker())) as database:

        @contextmanager
        def contexts() -> Iterator[Context]:
            with closing(Session(database)) as session:
                yield Context(settings, session, load_features().hooks)

        sender = dispatcher(MAIL, send, contexts)
        thread = threading.Thread(target=sender.run)
        thread.start()
        try:
            yield sender.wake
        finally:
            sender.stop()
            thread.join()


class Slow:
    """Sends nothing before it is released, but to some players at once."""

    def __init__(self, *quick: Caller) -> None:
        self.quick = {player.player for player in quick}
        self.begun: list[str] = []
        self.released = threading.Event()

    def __call__(self, context: Context, player_id: UUID, lease: datetime) -> None:
        self.begun.append(str(player_id))
        if str(player_id) not in self.quick:
            self.released.wait()


def ask_to_confirm(player: Caller, name: str = "a") -> None:
    asked = player.put("/v1/me/email", {"address": f"{name}@{player.player}.example"})
    assert asked.status_code == 200, asked.text


@pytest.mark.beside("mail and push slots")
def test_an_app_whose_mails_take_long_delays_no_other_app(
    settings: Settings, new_key: Callable[..., Caller], new_player: Callable[..., Caller]
) -> None:
    loud, other = (new_key(name, "read", "write") for name in ("loud", "other"))
    for number in range(CONNECTIONS + 2):
        ask_to_confirm(new_player(f"p{number}", loud))
    innocent = new_player("innocent", other)
    ask_to_confirm(innocent)
    slow = Slow(innocent)
    with sending(settings, slow):
        try:
            # Threads begin in any order.
            assert eventually(lambda: len(slow.begun) >= 1 + CONNECTIONS // 2, 10)
            assert innocent.player in slow.begun
            assert len(slow.begun) == 1 + CONNECTIONS // 2
        finally:
            slow.released.set()


def test_a_player_is_sent_one_mail_after_another(
    settings: Settings, new_player: Callable[..., Caller]
) -> None:
    player, other = new_player("player"), new_player("other")
    slow = Slow(other)
    with sending(settings, slow) as wake:
        try:
            ask_to_confirm(player)
            wake()
            assert eventually(lambda: slow.begun == [player.player])
            for each in (player, other):
                ask_to_confirm(each, "b")
            wake()
            assert eventually(lambda: other.player in slow.begun)
            assert slow.begun == [player.player, other.player]
        finally:
            slow.released.set()
