"""The kinds of errors, each with its page at `/problems/<slug>`."""

from __future__ import annotations

from typing import NamedTuple

from api.core import errors

RETRY_AFTER = "1"  # seconds


class ProblemType(NamedTuple):
    """A kind of error. Its `type` is `/problems/<slug>`, a page that shows `about`."""

    status: int
    slug: str
    title: str
    about: str
    headers: tuple[str, ...] = ()


TYPES = {
    kind.slug: kind
    for kind in (
        ProblemType(
            400,
            "malformed-request",
            "The request is malformed",
            "`errors` names each field and what is wrong, `codes` the same for programs.",
        ),
        ProblemType(
            401,
            "unauthorized",
            "A valid token is needed",
            "The token is missing, unknown, revoked or expired: send `Authorization: Bearer …`.",
            ("WWW-Authenticate",),
        ),
        ProblemType(
            403,
            "sign-in-again",
            "A recent sign-in is needed",
            "This could take an account from its owner, so it needs a token that is less than an hour old:"
            " sign in again.",
        ),
        ProblemType(
            403, "forbidden", "The caller may not do this", "The token is valid, but does not allow this."
        ),
        ProblemType(
            404,
            "not-found",
            "Not found",
            "The resource does not exist, or the caller may not know of it: both give the same answer.",
        ),
        ProblemType(
            405,
            "method-not-allowed",
            "Method not allowed",
            "`Allow` lists the methods of this resource.",
            ("Allow",),
        ),
        ProblemType(
            406, "not-acceptable", "Not acceptable", "`Accept` excludes every form that this resource has."
        ),
        ProblemType(
            408,
            "request-timeout",
            "The body did not arrive in time",
            "The server stopped waiting for the rest of the body.",
        ),
        ProblemType(409, "seat-taken", "The seat is taken", "Another player has this seat."),
        ProblemType(
            409,
            "game-not-open",
            "The game's status does not allow this",
            "Seats can be taken and left before the game starts; moves can be made after it has started.",
        ),
        ProblemType(409, "conflict", "Not possible in the current state", "`detail` says why."),
        ProblemType(
            409,
            "external-id-taken",
            "The external id is already in use",
            "An `external_id` is unique among an app's players, among its games and among its webhooks.",
        ),
        ProblemType(
            409,
            "commitment-known",
            "The game already exists on this server",
            "A game with the commitment of the record was dealt here or has already been imported.",
        ),
        ProblemType(
            409,
            "ruleset-not-installed",
            "The ruleset of this game is not installed",
            "The server has lost the package with the rules of this game. The game is still listed, and its"
            " log and record can be read; everything that needs the rules waits until the package is back.",
        ),
        ProblemType(
            409,
            "limit-reached",
            "The app has as many of these as it may have",
            "`setting` is the server's setting with this limit, `limit` its value.",
        ),
        ProblemType(409, "game-over", "The game is over", "Nothing more can happen in this game."),
        ProblemType(
            410,
            "archived",
            "The next entries are archived",
            "The next entries of the feed belong to old games and are archived, so the feed would leave them"
            " out. Read the logs of these games one by one; the feed continues after `cursor`.",
        ),
        ProblemType(
            410,
            "restored",
            "What was read has been lost",
            "The server was restored from a backup, which lacks entries that the caller has read. A feed"
            " continues after `cursor`, the last common entry; if that is null, read it from the beginning."
            " Read the log of a game from its beginning.",
        ),
        ProblemType(
            412,
            "stale-version",
            "The game has changed",
            "`If-Match` has an outdated version; `version` is the newest.",
        ),
        ProblemType(
            412,
            "object-changed",
            "The object has changed",
            "`If-Match` has an outdated ETag: read the object again, and decide again.",
        ),
        ProblemType(
            413,
            "content-too-large",
            "The body is too large",
            "The limit is 256 KiB and 50,000 values; for records 16 MiB and 1,000,000 values.",
        ),
        ProblemType(
            414,
            "uri-too-long",
            "The address is too long",
            "The first line of a request is limited to 8,190 bytes.",
        ),
        ProblemType(
            415,
            "unsupported-media-type",
            "The body is not JSON",
            "Send `Content-Type: application/json`, and the body in UTF-8 and uncompressed, without"
            " `Content-Encoding`. `errors` names the wrong header.",
        ),
        ProblemType(
            417,
            "expectation-failed",
            "The expectation cannot be met",
            "`Expect` may only be `100-continue`.",
        ),
        ProblemType(
            422,
            "illegal-move",
            "The referee refuses the move",
            "`verdict` has the id of the rule that is broken, the reason, and a link to the rule's text.",
        ),
        ProblemType(
            422,
            "signature-needed",
            "The player's signature is needed",
            "The seat has a public key, so its actions must be signed with it (`signed`). `detail` says"
            " whether the signature is missing or wrong.",
        ),
        ProblemType(
            422,
            "invalid-options",
            "The options are invalid",
            "The ruleset is unknown, or does not allow this number of seats or these options; see `errors`.",
        ),
        ProblemType(
            422,
            "unknown-player",
            "The player is unknown",
            "A field of the body, which `errors` names, is the id of no player of the app.",
        ),
        ProblemType(
            422,
            "invalid-record",
            "The record is invalid",
            "`checks` lists what fails, `seq` is the first such entry. Nothing was stored.",
        ),
        ProblemType(
            422,
            "idempotency-key-reused",
            "The Idempotency-Key was used for another request",
            "A key belongs to one request; a new request needs a new key.",
        ),
        ProblemType(
            429,
            "rate-limited",
            "Too many requests",
            "`Retry-After` says in how many seconds to try again.",
            ("Retry-After",),
        ),
        ProblemType(
            431,
            "header-fields-too-large",
            "The headers are too large",
            "A request may have 100 headers of 8,190 bytes each.",
        ),
        ProblemType(
            500,
            "internal-error",
            "Internal server error",
            "The error is in the server's log. `detail` says whether something may have been changed.",
        ),
        ProblemType(
            501,
            "not-implemented",
            "The transfer coding is not supported",
            "`Transfer-Encoding` may only be `chunked`.",
        ),
        ProblemType(
            503,
            "archive-unreadable",
            "The archive of this game cannot be read",
            "The log of an old game is in an archive that is missing or damaged. Inform the operator.",
            ("Retry-After",),
        ),
        ProblemType(
            503,
            "database-unavailable",
            "The database does not answer",
            "`detail` says whether something may have been changed, `Retry-After` in how many seconds to try"
            " again.",
            ("Retry-After",),
        ),
        ProblemType(
            503,
            "overloaded",
            "The server is overloaded",
            "`detail` says whether something may have been changed, `Retry-After` in how many seconds to try"
            " again.",
            ("Retry-After",),
        ),
        ProblemType(
            504,
            "took-too-long",
            "The work takes too long",
            "`detail` says whether something may have been changed. Such a long record can be replayed and"
            " verified offline: `referee verify`.",
        ),
    )
}

SLUGS: dict[type[Exception], str] = {
    errors.BadRequest: "malformed-request",
    errors.UnsupportedForm: "unsupported-media-type",
    errors.Unauthorized: "unauthorized",
    errors.Forbidden: "forbidden",
    errors.SignInAgain: "sign-in-again",
    errors.NotFound: "not-found",
    errors.SeatTaken: "seat-taken",
    errors.GameNotOpen: "game-not-open",
    errors.GameOver: "game-over",
    errors.RulesetNotInstalled: "ruleset-not-installed",
    errors.ExternalIdTaken: "external-id-taken",
    errors.CommitmentKnown: "commitment-known",
    errors.Conflict: "conflict",
    errors.StaleVersion: "stale-version",
    errors.ObjectChanged: "object-changed",
    errors.IllegalMove: "illegal-move",
    errors.SignatureNeeded: "signature-needed",
    errors.InvalidOptions: "invalid-options",
    errors.UnknownPlayer: "unknown-player",
    errors.InvalidRecord: "invalid-record",
    errors.KeyReused: "idempotency-key-reused",
    errors.LimitReached: "limit-reached",
    errors.LineFull: "rate-limited",
    errors.Overloaded: "overloaded",
    errors.TookTooLong: "took-too-long",
    errors.Archived: "archived",
    errors.Restored: "restored",
    errors.ArchiveUnreadable: "archive-unreadable",
    errors.Unavailable: "database-unavailable",
}
HEADERS = {
    errors.LineFull: {"Retry-After": "2"},
    errors.Unauthorized: {"WWW-Authenticate": "Bearer"},
    errors.Overloaded: {"Retry-After": RETRY_AFTER},
    errors.Unavailable: {"Retry-After": RETRY_AFTER},
    errors.ArchiveUnreadable: {"Retry-After": RETRY_AFTER},  # its file system may be unavailable for a moment
}
BY_STATUS = {kind.status: kind for kind in TYPES.values() if kind.status not in (409, 422)}
