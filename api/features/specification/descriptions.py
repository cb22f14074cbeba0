"""Descriptions in the specification that belong to no single operation, and the problem types as shapes."""

from __future__ import annotations

from typing import Any

from api.http.inputs import UNGUESSABLE
from api.http.operation import COSTS_MORE, ITEMS
from api.http.patterns import FEED_CURSOR_PATTERN

DESCRIPTION = (
    "Card games with a referee. Each game has a log. Each caller sees only what their seats may see. Every "
    "move is checked against the rules, and a refusal names the rule. Errors are problem+json (RFC 9457), "
    "lists have pages with cursors, times are RFC 3339 in UTC, durations ISO 8601."
)

# The order of the tags, and of their operations, for people who read all of it.
ORDER = (
    "rulesets",
    "referee",
    "players",
    "guests",
    "accounts",
    "keys",
    "me",
    "notices",
    "games",
    "seats",
    "watching",
    "moves",
    "play by post",
    "clocks",
    "seeks",
    "requests",
    "test clocks",
    "events",
    "feeds",
    "records",
    "log",
    "webhooks",
    "system",
)


def _bearer(description: str) -> dict[str, Any]:
    return {"type": "http", "scheme": "bearer", "description": description}


SECURITY: dict[str, Any] = {
    "appKey": _bearer(
        "The key of an app. `x-scopes` of an operation names the scope that the key needs: `read`, `write` or"
        " `keys`. A key"
        " of scope `write` calls operations for players, too, if it names one of the app's players in the"
        " header `Card-Referee-Player`."
    ),
    "playerToken": _bearer(
        "The token of a player of an app, or of a guest of this server; where `x-scopes` names `guest`,"
        " only a guest's."
    ),
    "operatorToken": _bearer("The value of METRICS_TOKEN. If it is not set, the answer is 404."),
}

TAG = r'((W/)?"[^",]*"|[0-9a-f]{64}|[0-9]{1,10})'
ETAG_PATTERN = rf"^(\*|{TAG}( *, *{TAG})*)$"


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": {"type": "string", **schema},
    }


PARAMETERS: dict[str, Any] = {
    "IfMatch": _header(
        "If-Match",
        "Act only if this is still the version of the game: an ETag, its weak form, the bare version, or the"
        " hash of the last entry. Without it, the newest position is used.",
        pattern=ETAG_PATTERN,
        examples=['"17"'],
    ),
    "IfUnchanged": _header(
        "If-Match",
        "Change the object only if this is still its ETag; otherwise the answer is 412.",
        pattern=ETAG_PATTERN,
        examples=['"17-5f2b0c9a1d3e"'],
    ),
    "ActingPlayer": _header(
        "Card-Referee-Player",
        "With an app key of scope `write`: act (or read) as this player of the app, named by id.",
        format="uuid",
    ),
    "IfNoneMatch": _header(
        "If-None-Match",
        "Answer 304 if this is still the caller's ETag.",
        pattern=ETAG_PATTERN,
        examples=['"17"'],
    ),
    "IdempotencyKey": _header(
        "Idempotency-Key",
        "The same request with the same key changes nothing: an act in a game gets its entry again and the"
        " game as it is now, for as long as its log; others the first answer, for at least 24 hours.",
        pattern="^[!-~]{1,255}$",
    ),
    "SecretIdempotencyKey": _header(
        "Idempotency-Key",
        "The same request with the same key gets the first answer again, for at least 24 hours. The key"
        " must be hard to guess, because anyone who knows it gets the answer: use a UUID.",
        pattern=f"^[!-~]{{{UNGUESSABLE},255}}$",
    ),
    "LastEventId": _header(
        "Last-Event-ID",
        "The seq of the last entry before the stream was interrupted; the stream continues after it.",
        pattern="^[0-9]{1,10}$",
        examples=["17"],
    ),
    "LastEventCursor": _header(
        "Last-Event-ID",
        "The cursor of the last item before the stream was interrupted; the stream continues after it.",
        pattern=FEED_CURSOR_PATTERN,
        examples=["now"],
    ),
}


def _shown(description: str, required: bool = True, **schema: Any) -> dict[str, Any]:
    return {"description": description, "required": required, "schema": {"type": "string", **schema}}


HEADERS: dict[str, Any] = {
    "ETag": _shown(
        "The version of the game (of other objects: their mark) and of the caller's view; other callers get"
        " other values.",
        pattern='^"([0-9]+|[0-9a-f]{64})-[0-9a-f]{12}"$',
    ),
    "Location": _shown("Where the new resource is.", format="uri-reference"),
    "Idempotency-Replayed": _shown(
        "`true` if this request was made before; otherwise missing.", False, const="true"
    ),
    "Retry-After": _shown("The number of seconds after which to try again.", pattern="^[0-9]+$"),
    "WWW-Authenticate": _shown("The authentication scheme."),
    "X-Request-Id": _shown("The request's id in the server's log; the caller's own id if it is valid."),
    "RateLimit": _shown("The remaining quota: `r` requests now, more in `t` seconds.", False),
    "RateLimit-Policy": _shown(
        "The limits: `q` requests in `w` seconds. A request counts as its operation's `x-cost`, and one more"
        f" for every {COSTS_MORE} bytes of its body and every {ITEMS} items of its `limit`.",
        False,
    ),
    "Game-Origin": _shown("`dealt` by this server, or `imported` from a record.", False),
    "Allow": _shown("The methods of this resource."),
}

LINKS: dict[str, dict[str, Any]] = {
    "create_player": {
        "create_game": {
            "description": "A solo game, which starts at once.",
            "requestBody": {"ruleset": "cats_and_dogs", "seats": [{"player": "$response.body#/id"}]},
        }
    },
    "create_token": {
        "revoke_token": {
            "description": "The token that was shown.",
            "parameters": {"player": "$request.path.player", "token": "$response.body#/id"},
        }
    },
    "list_legal_moves": {
        "append_move": {
            "description": "The first of the moves, if the game has not changed.",
            "parameters": {"game": "$request.path.game", "header.If-Match": "$response.header.ETag"},
            "requestBody": {"move": "$response.body#/moves/0", "seat": "$response.body#/seat"},
        }
    },
}
