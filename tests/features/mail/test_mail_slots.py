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
from api.features.mail.queue import MAIL
from api.features.mail.sending import CONNECTIONS, Sender
from api.store.database.session import Database, Session
from tests.support.callers import Caller
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp


@pytest.mark.beside("mail and push slots")
def test_an_app_whose_mails_take_long_delays_no_other_app(
    settings: Settings, new_key: Callable[..., Caller], new_player: Callable[..., Caller]
) -> None:
    loud, other = (new_key(name, "read", "write") for name in ("loud", "other"))
    many = [new_player(f"p{n}", loud) for n in range(CONNECTIONS + 2)]
    for player in many:
        assert player.put("/v1/me/email", {"address": f"{player.player}@example.org"}).status_code == 200
    innocent = new_player("innocent", other)
    assert innocent.put("/v1/me/email", {"address": "innocent@example.org"}).status_code == 200
    released, hanging, sent = threading.Event(), [], threading.Event()

    def send(context: Context, player_id: UUID, lease: datetime) -> None:
        if str(player_id) == innocent.player:
            sent.set()
        else:
            hanging.append(player_id)
            released.wait()

    with closing(Database(settings.for_worker())) as database:

        @contextmanager
        def contexts() -> Iterator[Context]:
            with closing(Session(database)) as session:
                yield Context(settings, session, load_features().hooks)

        sender = Sender(MAIL, send, contexts)
        thread = threading.Thread(target=sender.run)
        thread.start()
        try:
            assert sent.wait(10), len(hanging)
        finally:
            released.set()
            sender.stop()
            thread.join()
