"""What a service needs from outside: settings, a session, the caller, the time and randomness.

Time and randomness come in here and nowhere else, so that a test can move the one and fix the other.
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

SHORT = 256  # entries that are replayed without keeping anybody waiting

APP, PLAYER, ANONYMOUS = "app", "player", "anonymous"
GUEST = "guest"  # the scope of the tokens of guests, who are players and may create games
SEAT_GUEST = "seat_guest"  # the scope of the tokens of players who came for one seat, by its invite code


Expected = frozenset[int | str] | None
"""The versions that a caller will do with, or the hashes of the last entry it has seen; None: any version."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: an app, one player of an app, or anybody."""

    kind: str = ANONYMOUS
    app_id: UUID | None = None
    player_id: UUID | None = None
    scopes: frozenset[str] = frozenset()
    expires_at: datetime | None = None
    credential_id: UUID | None = None
    by_app: bool = False
    """An app key speaks for the player."""
    ended: bool = False
    """The token has ended with its game: it reads that game for a while, and does nothing else."""

    @property
    def owner(self) -> UUID | None:
        """Whose requests these are, whatever token they come with: the player, else the app."""
        return self.player_id or self.app_id

    @property
    def person(self) -> str:
        """Who does what the caller does, in the words of entries: the player, or the app on its behalf."""
        return "app" if self.kind == APP or self.by_app else "player"

    @property
    def viewer(self) -> str:
        """Name whose view of a game this is: no two callers that may be shown different things share it."""
        parts = (self.kind, self.app_id, self.player_id, *sorted(self.scopes))
        return sha256(" ".join(map(str, parts)).encode()).hexdigest()[:12]


NOBODY = Caller()


class PassedOn(Exception):
    """The request is one for the compute processes."""


class NotAtOnce(Exception):
    """What is asked for takes a transaction, and so a caller who was looked up."""


@dataclass(slots=True)
class Keyed:
    """A request that came with an Idempotency-Key.

    `secret` is the caller's token, or what a caller without one knows; `fingerprint` tells requests apart,
    `render` makes the answer that is kept from what a service returns, and `answer` is what the caller gets,
    once there is one. The kept answer belongs to the caller's credential, else to the `owner`.
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
    """One request, or one job."""

    settings: Settings
    session: Session
    clock: Callable[[], datetime] = utc_now
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    caller: Caller = NOBODY
    keyed: Keyed | None = None
    signer: Signer | None = None
    """Signs receipts; jobs have none, for they answer nobody."""
    copies: Copies | None = None
    """Games that this process had in hand; None where nothing may rest on them."""
    used: Copy | None = None
    """The copy to be put back once the answer is written."""
    recalled: bool = False
    """The caller's token was not looked up for this request: only what looks it up as well may trust it."""
    followed: frozenset[UUID] = frozenset()
    """Apps with webhooks, and games with players who can be reached, that want notice of what was written."""
    serves_others: bool = False
    """Long work keeps others waiting here, and can be passed on."""

    def require_short(self, entries: int) -> None:
        """Raise PassedOn where reading so many entries of a log would keep others waiting."""
        if self.serves_others and entries > SHORT:
            raise PassedOn

    def now(self) -> datetime:
        """Return the time."""
        return self.clock()

    def new_id(self) -> UUID:
        """Make an id, which names the cell of this installation if it has one."""
        return new_id(self.settings.cell)

    @property
    def app_id(self) -> UUID:
        """The app that asks, or whose player asks. Only for callers that have one."""
        assert self.caller.app_id is not None
        return self.caller.app_id


def new_id(cell: int | None) -> UUID:
    """Make an id: UUIDv7, so that ids sort by the time they were made. The last byte is the cell, if any."""
    made = uuid_utils.uuid7()
    return made if cell is None else UUID(int=made.int & ~0xFF | cell)
