"""Generated from the specification by `generate.py`."""

from __future__ import annotations

from card_referee_client.errors import ApiError


class ArchiveUnreadable(ApiError):
    """The log of an old game is in an archive that is missing or damaged. Inform the operator."""


class Archived(ApiError):
    """The next entries of the feed belong to old games and are archived, so the feed would leave them out. Read the logs of these games one by one; the feed continues after `cursor`."""


class CommitmentKnown(ApiError):
    """A game with the commitment of the record was dealt here or has already been imported."""


class Conflict(ApiError):
    """`detail` says why."""


class ContentTooLarge(ApiError):
    """The limit is 256 KiB and 50,000 values; for records 16 MiB and 1,000,000 values."""


class DatabaseUnavailable(ApiError):
    """`detail` says whether something may have been changed, `Retry-After` in how many seconds to try again."""


class ExpectationFailed(ApiError):
    """`Expect` may only be `100-continue`."""


class ExternalIdTaken(ApiError):
    """An `external_id` is unique among an app's players, among its games and among its webhooks."""


class Forbidden(ApiError):
    """The token is valid, but does not allow this."""


class GameNotOpen(ApiError):
    """Seats can be taken and left before the game starts; moves can be made after it has started."""


class GameOver(ApiError):
    """Nothing more can happen in this game."""


class HeaderFieldsTooLarge(ApiError):
    """A request may have 100 headers of 8,190 bytes each."""


class IdempotencyKeyReused(ApiError):
    """A key belongs to one request; a new request needs a new key."""


class IllegalMove(ApiError):
    """`verdict` has the id of the rule that is broken, the reason, and a link to the rule's text."""


class InternalError(ApiError):
    """The error is in the server's log. `detail` says whether something may have been changed."""


class InvalidOptions(ApiError):
    """The ruleset is unknown, or does not allow this number of seats or these options; see `errors`."""


class InvalidRecord(ApiError):
    """`checks` lists what fails, `seq` is the first such entry. Nothing was stored."""


class LimitReached(ApiError):
    """`setting` is the server's setting with this limit, `limit` its value."""


class MalformedRequest(ApiError):
    """`errors` names each field and what is wrong."""


class MethodNotAllowed(ApiError):
    """`Allow` lists the methods of this resource."""


class NotAcceptable(ApiError):
    """`Accept` excludes every form that this resource has."""


class NotFound(ApiError):
    """The resource does not exist, or the caller may not know of it: both give the same answer."""


class NotImplemented(ApiError):
    """`Transfer-Encoding` may only be `chunked`."""


class Overloaded(ApiError):
    """`detail` says whether something may have been changed, `Retry-After` in how many seconds to try again."""


class RateLimited(ApiError):
    """`Retry-After` says in how many seconds to try again."""


class RequestTimeout(ApiError):
    """The server stopped waiting for the rest of the body."""


class Restored(ApiError):
    """The server was restored from a backup, which lacks entries that the caller has read. A feed continues after `cursor`, the last common entry; if that is null, read it from the beginning. Read the log of a game from its beginning."""


class RulesetNotInstalled(ApiError):
    """The server has lost the package with the rules of this game. The game is still listed, and its log and record can be read; everything that needs the rules waits until the package is back."""


class SeatTaken(ApiError):
    """Another player has this seat."""


class SignatureNeeded(ApiError):
    """The seat has a public key, so its actions must be signed with it (`signed`). `detail` says whether the signature is missing or wrong."""


class StaleVersion(ApiError):
    """`If-Match` has an outdated version; `version` is the newest."""


class TookTooLong(ApiError):
    """`detail` says whether something may have been changed. Such a long record can be replayed and verified offline: `referee verify`."""


class Unauthorized(ApiError):
    """The token is missing, unknown, revoked or expired: send `Authorization: Bearer …`."""


class UnsupportedMediaType(ApiError):
    """Send `Content-Type: application/json`, and the body in UTF-8 and uncompressed, without `Content-Encoding`. `errors` names the wrong header."""


class UriTooLong(ApiError):
    """The first line of a request is limited to 8,190 bytes."""


BY_TYPE: dict[str, type[ApiError]] = {
    "/problems/archive-unreadable": ArchiveUnreadable,
    "/problems/archived": Archived,
    "/problems/commitment-known": CommitmentKnown,
    "/problems/conflict": Conflict,
    "/problems/content-too-large": ContentTooLarge,
    "/problems/database-unavailable": DatabaseUnavailable,
    "/problems/expectation-failed": ExpectationFailed,
    "/problems/external-id-taken": ExternalIdTaken,
    "/problems/forbidden": Forbidden,
    "/problems/game-not-open": GameNotOpen,
    "/problems/game-over": GameOver,
    "/problems/header-fields-too-large": HeaderFieldsTooLarge,
    "/problems/idempotency-key-reused": IdempotencyKeyReused,
    "/problems/illegal-move": IllegalMove,
    "/problems/internal-error": InternalError,
    "/problems/invalid-options": InvalidOptions,
    "/problems/invalid-record": InvalidRecord,
    "/problems/limit-reached": LimitReached,
    "/problems/malformed-request": MalformedRequest,
    "/problems/method-not-allowed": MethodNotAllowed,
    "/problems/not-acceptable": NotAcceptable,
    "/problems/not-found": NotFound,
    "/problems/not-implemented": NotImplemented,
    "/problems/overloaded": Overloaded,
    "/problems/rate-limited": RateLimited,
    "/problems/request-timeout": RequestTimeout,
    "/problems/restored": Restored,
    "/problems/ruleset-not-installed": RulesetNotInstalled,
    "/problems/seat-taken": SeatTaken,
    "/problems/signature-needed": SignatureNeeded,
    "/problems/stale-version": StaleVersion,
    "/problems/took-too-long": TookTooLong,
    "/problems/unauthorized": Unauthorized,
    "/problems/unsupported-media-type": UnsupportedMediaType,
    "/problems/uri-too-long": UriTooLong,
}
