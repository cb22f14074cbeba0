"""What services need from outside: settings, a session, the caller, the time and randomness.

Time and randomness come only from here, so that a test can move the clock and fix the random bytes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import UUID

import uuid_utils.compat as uuid_utils

from api.core.config import Settings
from referee import timestamp as timestamp  # how every time is written

if TYPE_CHECKING:
    from api.game.receipts import Signer
    from api.play.copies import Copies, Copy
    from api.store.answers.kept_answers import Answer
    from api.store.database.session import Session

SHORT = 256  # log entries; replaying so few does not delay other requests

APP, PLAYER, ANONYMOUS = "app", "player", "anonymous"
GUEST = "guest"  # the scope of the tokens of guests, who are players and may create games
SEAT_GUEST = "seat_guest"  # the scope of the tokens of players who joined by the invite code of a seat


Expected = frozenset[int | str] | None
"""The versions that the caller expects, or hashes of the last entry that it has seen; None: any version."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: an app, a player of an app, or neither of them."""

    kind: str = ANONYMOUS
    app_id: UUID | None = None
    player_id: UUID | None = None
    scopes: frozenset[str] = frozenset()
    expires_at: datetime | None = None
    credential_id: UUID | None = None
    by_app: bool = False
    """An app key acts for the player."""
    ended: bool = False
    """The token has ended with its game: for a while it can still read that game, and do nothing else."""

    @property
    def owner(self) -> UUID | None:
        """The owner of the caller's requests, whichever token they use: the player, otherwise the app."""
        return self.player_id or self.app_id

    @property
    def person(self) -> str:
        """Who acts, in the words of entries: the player, or the app on the player's behalf."""
        return "app" if self.kind == APP or self.by_app else "player"

    @property
    def viewer(self) -> str:
        """A name for the caller's view of games: callers who may be shown different things never share it."""
        parts = (self.kind, self.app_id, self.player_id, *sorted(self.scopes))
        return sha256(" ".join(map(str, parts)).encode()).hexdigest()[:12]


NOBODY = Caller()


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


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


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


def new_id(cell: int | None) -> UUID:
    """Return a new id: a UUIDv7, so that ids sort by time of creation. The last byte is the cell, if any."""
    made = uuid_utils.uuid7()
    return made if cell is None else UUID(int=made.int & ~0xFF | cell)
