"""The errors that services raise, each with its problem type.

`api.http.problems` turns them into answers. An error of one feature is in its folder, and its declaration
names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

RETRY_AFTER = "1"  # seconds


class ProblemType(NamedTuple):
    """A kind of error. Its `type` is `/problems/<slug>`, a page that shows `about`.

    Its `headers` have these values, where an answer has no others.
    """

    status: int
    slug: str
    title: str
    about: str
    headers: Mapping[str, str] = MappingProxyType({})


class ServiceError(Exception):
    """A refusal: a sentence for the caller, and further members of the answer."""

    problem: ClassVar[ProblemType]

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


class Slip(str):
    """What is wrong with a name that nobody knows: another field may be missing because of it."""

    __slots__ = ()


class BadRequest(ServiceError):
    """A value in the request has the wrong form; `errors` names the fields."""

    problem = ProblemType(
        400,
        "malformed-request",
        "The request is malformed",
        "`errors` names each field and what is wrong.",
    )

    def __init__(self, errors: dict[str, list[str]]) -> None:
        slips = (field for field, found in errors.items() if isinstance(found[0], Slip))
        field = next(slips, next(iter(errors)))
        super().__init__(f"{field}: {errors[field][0]}", errors=errors)


class UnsupportedForm(ServiceError):
    """The body is not JSON in UTF-8, or it is compressed; `errors` names the header that says so."""

    problem = ProblemType(
        415,
        "unsupported-media-type",
        "The body is not JSON",
        "Send `Content-Type: application/json`, and the body in UTF-8 and uncompressed, without"
        " `Content-Encoding`. `errors` names the wrong header.",
    )

    def __init__(self, header: str, message: str) -> None:
        super().__init__(f"{header}: {message}", errors={header: [message]})


class Unauthorized(ServiceError):
    """The token is missing or not valid."""

    problem = ProblemType(
        401,
        "unauthorized",
        "A valid token is needed",
        "The token is missing, unknown, revoked or expired: send `Authorization: Bearer …`.",
        {"WWW-Authenticate": "Bearer"},
    )


class Forbidden(ServiceError):
    """The caller may see this but not do it."""

    problem = ProblemType(
        403, "forbidden", "The caller may not do this", "The token is valid, but does not allow this."
    )


class NotFound(ServiceError):
    """There is no such resource, or the caller may not know of it."""

    problem = ProblemType(
        404,
        "not-found",
        "Not found",
        "The resource does not exist, or the caller may not know of it: both give the same answer.",
    )

    def __init__(self, detail: str = "There is no such resource.") -> None:
        super().__init__(detail)


class SeatTaken(ServiceError):
    """The seat is already taken."""

    problem = ProblemType(409, "seat-taken", "The seat is taken", "Another player has this seat.")


class GameNotOpen(ServiceError):
    """The game's status does not allow this: it has already begun, or it has not begun yet."""

    problem = ProblemType(
        409,
        "game-not-open",
        "The game's status does not allow this",
        "Seats can be taken and left before the game starts; moves can be made after it has started.",
    )


class GameOver(ServiceError):
    """The game has ended."""

    problem = ProblemType(409, "game-over", "The game is over", "Nothing more can happen in this game.")


class Conflict(ServiceError):
    """The current state does not allow this."""

    problem = ProblemType(409, "conflict", "Not possible in the current state", "`detail` says why.")


class RulesetNotInstalled(ServiceError):
    """The server no longer has the ruleset of this game, so it can be read but not played."""

    problem = ProblemType(
        409,
        "ruleset-not-installed",
        "The ruleset of this game is not installed",
        "The server has lost the package with the rules of this game. The game is still listed, and its"
        " log and record can be read; everything that needs the rules waits until the package is back.",
    )

    def __init__(self, ruleset: str, version: int) -> None:
        super().__init__(
            f"The ruleset {ruleset}, version {version}, is not installed on this server.",
            ruleset=ruleset,
            version=version,
        )


class GameUnreadable(ServiceError):
    """What is stored of the game cannot be read."""

    problem = ProblemType(
        409,
        "game-unreadable",
        "The game cannot be read",
        "What the server has stored of this game is damaged, or sealed with a key that it does not have. The"
        " reason is in the server's log. Lists still name the game.",
    )

    def __init__(self) -> None:
        super().__init__(
            "What is stored of this game cannot be read; the reason is in the log of the server."
        )


class ExternalIdTaken(ServiceError):
    """Another resource of the app has this external id."""

    problem = ProblemType(
        409,
        "external-id-taken",
        "The external id is already in use",
        "An `external_id` is unique among an app's players, among its games and among its webhooks.",
    )


class StaleVersion(ServiceError):
    """If-Match names a version other than the newest."""

    problem = ProblemType(
        412,
        "stale-version",
        "The game has changed",
        "`If-Match` has an outdated version; `version` is the newest.",
    )

    def __init__(self, version: int) -> None:
        super().__init__(f"The game is at version {version}.", version=version)


class ObjectChanged(ServiceError):
    """If-Match names an ETag other than the newest."""

    problem = ProblemType(
        412,
        "object-changed",
        "The object has changed",
        "`If-Match` has an outdated ETag: read the object again, and decide again.",
    )


class SignatureNeeded(ServiceError):
    """The seat has a key, and the request is not signed with it."""

    problem = ProblemType(
        422,
        "signature-needed",
        "The player's signature is needed",
        "The seat has a public key, so its actions must be signed with it (`signed`). `detail` says"
        " whether the signature is missing or wrong.",
    )


class IllegalMove(ServiceError):
    """The referee refuses the move."""

    problem = ProblemType(
        422,
        "illegal-move",
        "The referee refuses the move",
        "`verdict` has the id of the rule that is broken, the reason, and a link to the rule's text.",
    )


class InvalidOptions(ServiceError):
    """The ruleset does not allow these options."""

    problem = ProblemType(
        422,
        "invalid-options",
        "The options are invalid",
        "The ruleset does not allow these options; see `errors`.",
    )


class UnknownPlayer(ServiceError):
    """A field of the body names no player of the app."""

    problem = ProblemType(
        422,
        "unknown-player",
        "The player is unknown",
        "A field of the body, which `errors` names, is the id of no player of the app.",
    )

    def __init__(self, field: str) -> None:
        message = "There is no such player."
        super().__init__(f"{field}: {message}", errors={field: [message]})


class InvalidRecord(ServiceError):
    """The record is not valid."""

    problem = ProblemType(
        422,
        "invalid-record",
        "The record is invalid",
        "`checks` lists what fails, `seq` is the first such entry. Nothing was stored.",
    )


class KeyReused(ServiceError):
    """The Idempotency-Key was already used for another request."""

    problem = ProblemType(
        422,
        "idempotency-key-reused",
        "The Idempotency-Key was used for another request",
        "A key belongs to one request; a new request needs a new key.",
    )


DISK_FULL = "The disk of the database is full."
OUTCOME_UNKNOWN = (
    "It may or may not have happened: repeat it with the same Idempotency-Key, or look before you repeat it."
)


class LimitReached(ServiceError):
    """The app has as many of these as it may have; `setting` is the limit's name, `limit` its value."""

    problem = ProblemType(
        409,
        "limit-reached",
        "The app has as many of these as it may have",
        "`setting` is the server's setting with this limit, `limit` its value.",
    )


class LineFull(ServiceError):
    """Too many requests of the caller's app, or its address, are waiting already."""

    problem = ProblemType(
        429,
        "rate-limited",
        "Too many requests",
        "`Retry-After` says in how many seconds to try again.",
        {"Retry-After": "2"},
    )


class Overloaded(ServiceError):
    """The server has too much to do at the moment."""

    problem = ProblemType(
        503,
        "overloaded",
        "The server is overloaded",
        "`detail` says whether something may have been changed, `Retry-After` in how many seconds to try"
        " again.",
        {"Retry-After": RETRY_AFTER},
    )


class Detached(ServiceError):
    """The next entries of a feed were taken out of the service; with `cursor`, it continues after them."""

    problem = ProblemType(
        410,
        "detached",
        "The next entries are no longer here",
        "The operator has taken old games out of the service, and with them the next entries of the feed. It"
        " continues after `cursor`; entries of other games before that are read game by game.",
    )


class Restored(ServiceError):
    """The caller has read entries that were lost when a backup was restored."""

    problem = ProblemType(
        410,
        "restored",
        "What was read has been lost",
        "The server was restored from a backup, which lacks entries that the caller has read. A feed"
        " continues after `cursor`, the last common entry; if that is null, read it from the beginning."
        " Read the log of a game from its beginning.",
    )


class TookTooLong(ServiceError):
    """The work was aborted because it took too long."""

    problem = ProblemType(
        504,
        "took-too-long",
        "The work takes too long",
        "`detail` says whether something may have been changed. Such a long record can be replayed and"
        " verified offline: `referee verify`.",
    )


class Unavailable(ServiceError):
    """The service cannot work at the moment."""

    problem = ProblemType(
        503,
        "database-unavailable",
        "The database does not answer",
        "`detail` says whether something may have been changed, `Retry-After` in how many seconds to try"
        " again.",
        {"Retry-After": RETRY_AFTER},
    )
