"""What services need from outside: settings, a session, the caller, the time and randomness.

Time and randomness come only from here, so that a test can move the clock and fix the random bytes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from api.core.callers import NOBODY, Caller
from api.core.config import Settings
from api.core.ids import new_id
from api.core.times import utc_now

if TYPE_CHECKING:
    from api.game.receipts import Signer
    from api.play.copies import Copies, Copy
    from api.store.database.session import Session
    from api.store.idempotency_keys import Answer

SHORT = 256  # log entries; replaying so few does not delay other requests


class PassedOn(Exception):
    """The request must be forwarded to the compute processes."""


class NotAtOnce(Exception):
    """The request needs a transaction, and therefore a caller who was looked up."""


@dataclass(slots=True)
class Keyed:
    """A request with an Idempotency-Key.

    `secret` is the caller's token, or a secret that a caller without a token knows. `fingerprint` tells
    requests apart, `render` makes the kept answer from the result of a service, and `answer` is the answer to
    the caller, as soon as there is one. The kept answer belongs to the caller's credential, otherwise to the
    `owner`.
    """

    key: str
    secret: str
    fingerprint: bytes
    render: Callable[[Any], Answer]
    answer: Answer | None = None
    owner: UUID | None = None


@dataclass(slots=True)
class Context:
    """The context of one request, or of one job."""

    settings: Settings
    session: Session
    clock: Callable[[], datetime] = utc_now
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    caller: Caller = NOBODY
    keyed: Keyed | None = None
    signer: Signer | None = None
    """Signs receipts; None in jobs, which answer no request."""
    copies: Copies | None = None
    """Copies of games that this process used recently; None if they must not be used."""
    used: Copy | None = None
    """The copy to put back after the answer is written."""
    recalled: bool = False
    """The caller's token was not looked up for this request: only code that looks it up too may trust it."""
    serves_others: bool = False
    """Long work would delay other requests in this process, and can be forwarded."""

    def require_short(self, entries: int) -> None:
        """Raise PassedOn if reading so many entries of a log would delay other requests."""
        if self.serves_others and entries > SHORT:
            raise PassedOn

    def now(self) -> datetime:
        """Return the time."""
        return self.clock()

    def new_id(self) -> UUID:
        """Return a new id, which names the cell of this installation, if it has one."""
        return new_id(self.settings.cell)

    @property
    def app_id(self) -> UUID:
        """The app of the caller, who must have one."""
        assert self.caller.app_id is not None
        return self.caller.app_id
