"""The errors that services raise, which `api.http.problems` turns into answers, and codes of wrong fields.

The codes are for programs: messages are for people, and may be worded otherwise.
"""

from __future__ import annotations

import re
from typing import Any


class ServiceError(Exception):
    """A refusal: a sentence for the caller, and further members of the answer."""

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


class BadRequest(ServiceError):
    """A value in the request has the wrong form; `errors` names the fields."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        field, messages = next(iter(errors.items()))
        super().__init__(f"{field}: {messages[0]}", errors=errors)


class UnsupportedForm(ServiceError):
    """The body is not JSON in UTF-8, or it is compressed; `errors` names the header that says so."""

    def __init__(self, header: str, message: str) -> None:
        super().__init__(f"{header}: {message}", errors={header: [message]})


ENDED = "The token has ended with its game."


class Unauthorized(ServiceError):
    """The token is missing or not valid."""


class Forbidden(ServiceError):
    """The caller may see this but not do it."""


class SignInAgain(ServiceError):
    """What the caller asks for needs a token that is new: an old one may have been stolen."""


class NotFound(ServiceError):
    """There is no such resource, or the caller may not know of it."""

    def __init__(self, detail: str = "There is no such resource.") -> None:
        super().__init__(detail)


class SeatTaken(ServiceError):
    """The seat is already taken."""


class GameNotOpen(ServiceError):
    """The game's status does not allow this: it has already begun, or it has not begun yet."""


class GameOver(ServiceError):
    """The game has ended."""


class Conflict(ServiceError):
    """The current state does not allow this."""


class RulesetNotInstalled(ServiceError):
    """The server no longer has the ruleset of this game, so it can be read but not played."""

    def __init__(self, ruleset: str, version: int) -> None:
        super().__init__(
            f"The ruleset {ruleset}, version {version}, is not installed on this server.",
            ruleset=ruleset,
            version=version,
        )


class ExternalIdTaken(ServiceError):
    """Another resource of the app has this external id."""


class CommitmentKnown(ServiceError):
    """A game with this commitment already exists here."""


class StaleVersion(ServiceError):
    """If-Match names a version other than the newest."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The game is at version {version}.", version=version)


class ObjectChanged(ServiceError):
    """If-Match names an ETag other than the newest."""


class SignatureNeeded(ServiceError):
    """The seat has a key, and the request is not signed with it."""


class IllegalMove(ServiceError):
    """The referee refuses the move."""


class InvalidOptions(ServiceError):
    """The ruleset does not allow these options."""


class UnknownPlayer(ServiceError):
    """A field of the body names no player of the app."""

    def __init__(self, field: str) -> None:
        message = "There is no such player."
        super().__init__(f"{field}: {message}", errors={field: [message]})


class InvalidRecord(ServiceError):
    """The record is not valid."""


class KeyReused(ServiceError):
    """The Idempotency-Key was already used for another request."""


DISK_FULL = "The disk of the database is full."
OUTCOME_UNKNOWN = (
    "It may or may not have happened: repeat it with the same Idempotency-Key, or look before you repeat it."
)


class LimitReached(ServiceError):
    """The app has as many of these as it may have; `setting` is the limit's name, `limit` its value."""


class LineFull(ServiceError):
    """Too many requests of the caller's app, or its address, are waiting already."""


class Overloaded(ServiceError):
    """The server has too much to do at the moment."""


class ArchiveUnreadable(ServiceError):
    """The log of an old game is in an archive that is missing or damaged."""


class Archived(ServiceError):
    """The next entries of a feed are in archives; with `cursor`, the feed continues after them."""


class Restored(ServiceError):
    """The caller has read entries that were lost when a backup was restored."""


class TookTooLong(ServiceError):
    """The work was aborted because it took too long."""


class Unavailable(ServiceError):
    """The service cannot work at the moment."""


OTHER = "invalid"
# The beginnings of messages, ours, marshmallow's and the referee's; the first that fits counts.
MESSAGES = {
    "missing": "missing data|is missing|must have (either|exactly one|a position)|say which seat",
    "unknown": "unknown |.*no such ",
    "null": "field may not be null",
    "duplicate": ".*(more than once|only once|each seat once|the same |already)",
    "choice": "must be one of",
    "size": "longer |shorter |length |too long|.*(at most|at least) |must be (greater|an integer from)",
    "type": "not a valid |invalid |must be (an object|a list|a string|true or false|an integer)",
}
CODES = (*MESSAGES, OTHER)
_KNOWN = [(code, re.compile(pattern, re.IGNORECASE)) for code, pattern in MESSAGES.items()]


def codes(errors: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the code of each message of each field, in the same order."""
    return {field: [_code(message) for message in messages] for field, messages in errors.items()}


def _code(message: str) -> str:
    return next((code for code, pattern in _KNOWN if pattern.match(message)), OTHER)
