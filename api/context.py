"""What services need from outside: settings, a session, the caller, the time and randomness.

Time and randomness come only from here, so that a test can move the clock and fix the random bytes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from api.core.callers import NOBODY, Caller
from api.core.clock import new_id, utc_now
from api.core.config import Settings
from api.store.database.session import Session

SHORT = 256  # log entries; replaying so few does not delay other requests


class PassedOn(Exception):
    """The request must be forwarded to the compute processes."""


class NotLookedUp(Exception):
    """Nothing was done: the caller, who was only remembered, must be looked up first."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The Idempotency-Key of a request.

    `fingerprint` tells requests apart, also those of callers who do not know the same token or other secret.
    It belongs to the `owner`, if there is one, otherwise to the caller's credential.
    """

    text: str
    fingerprint: bytes
    owner: UUID | None = None


class ReceiptSigner(Protocol):
    """Signs receipts with the server's newest key."""

    def checkpoint(
        self, session: Session, now: datetime, name: str, size: int, root: bytes, *extensions: str
    ) -> str | None:
        """Sign the length and the root of one of the server's logs, or return None without a key."""


@dataclass(slots=True)
class Context:
    """The context of one request, or of one job."""

    settings: Settings
    session: Session
    hooks: Mapping[Any, Sequence[Callable[..., Any]]]
    """What the service's features do at each hook (`api/feature.py`)."""
    now: Callable[[], datetime] = utc_now
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    caller: Caller = NOBODY
    signer: ReceiptSigner | None = None
    """None in jobs, which answer no request, and where nothing is signed."""
    key: IdempotencyKey | None = None
    networks: tuple[str, ...] = ()
    """The address of the caller, or for IPv6 the networks around it, the largest first; none in jobs."""
    serves_others: bool = False
    """Long work would delay other requests in this process, and can be forwarded."""

    def require_short(self, entries: int) -> None:
        """Raise PassedOn if reading so many entries of a log would delay other requests."""
        if self.serves_others and entries > SHORT:
            raise PassedOn

    def new_id(self) -> UUID:
        """Return a new id: a UUIDv7, so that ids sort by time of creation."""
        return new_id()

    @property
    def app_id(self) -> UUID:
        """The app of the caller, who must have one."""
        assert self.caller.app_id is not None
        return self.caller.app_id

    @property
    def player_id(self) -> UUID:
        """The calling player, who must be one."""
        assert self.caller.player_id is not None
        return self.caller.player_id
