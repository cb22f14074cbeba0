"""What a service may refuse; `api.http.problems` turns each into an answer."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """A refusal: a sentence for the caller, members to go with it."""

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


class BadRequest(ServiceError):
    """Something given has the wrong form; `errors` names the fields."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        field, messages = next(iter(errors.items()))
        super().__init__(f"{field}: {messages[0]}", errors=errors)


class UnsupportedForm(ServiceError):
    """The body is not JSON in UTF-8, or is compressed; `errors` names the header that says so."""

    def __init__(self, header: str, message: str) -> None:
        super().__init__(f"{header}: {message}", errors={header: [message]})


ENDED = "The token has ended with its game."


class Unauthorized(ServiceError):
    """No token, or one that counts for nothing."""


class Forbidden(ServiceError):
    """The caller may see this but not do it."""


class NotFound(ServiceError):
    """There is none that the caller may know of."""

    def __init__(self, detail: str = "There is no such resource.") -> None:
        super().__init__(detail)


class SeatTaken(ServiceError):
    """Somebody sits there."""


class GameNotOpen(ServiceError):
    """The game's status does not allow this: it has begun, or has not begun yet."""


class GameOver(ServiceError):
    """The game has ended."""


class Conflict(ServiceError):
    """As things stand this cannot be done."""


class ExternalIdTaken(ServiceError):
    """Another thing of the app has this external id."""


class CommitmentKnown(ServiceError):
    """A game of this commitment is here already."""


class StaleVersion(ServiceError):
    """If-Match names another version than the newest."""

    def __init__(self, version: int) -> None:
        super().__init__(f"The game is at version {version}.", version=version)


class SignatureNeeded(ServiceError):
    """The seat has a key, and this is not signed with it."""


class IllegalMove(ServiceError):
    """The referee refuses the move."""


class InvalidOptions(ServiceError):
    """The ruleset is not played like this."""


class InvalidRecord(ServiceError):
    """The record does not hold."""


class KeyReused(ServiceError):
    """The Idempotency-Key came before with another request."""


DISK_FULL = "The disk of the database is full."
OUTCOME_UNKNOWN = (
    "It may or may not have happened: repeat it with the same Idempotency-Key, or look before you repeat it."
)


class Overloaded(ServiceError):
    """Too much is under way at the moment."""


class ArchiveUnreadable(ServiceError):
    """The log of an old game lies in an archive that is missing or damaged."""


class Archived(ServiceError):
    """What a feed would go on with lies in archives; `cursor` is where it goes on behind that."""


class TookTooLong(ServiceError):
    """The work was given up because it takes too long."""


class Unavailable(ServiceError):
    """The service cannot do its work at the moment."""
