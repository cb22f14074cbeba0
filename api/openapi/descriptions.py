"""The words of the specification: what stands in no single operation."""

from __future__ import annotations

from typing import Any

from api.http.replay import UNGUESSABLE
from api.schemas.fields import ENFORCED
from api.schemas.patterns import FEED_CURSOR_PATTERN

DESCRIPTION = (
    "Games of cards, each with its log and a referee that knows the exact rules. Whoever may see a game sees "
    "exactly what its seats let them see; every move is judged, and a refusal names the rule. Errors are "
    "problem+json (RFC 9457), lists are paged by cursors, times are RFC 3339 in UTC, durations ISO 8601."
)

TAGS = {
    "rulesets": "The games on offer, with their rules.",
    "referee": "The referee without a game: nothing is stored.",
    "players": "An app's players and their tokens.",
    "guests": "People who play without an app of their own.",
    "keys": "An app's keys.",
    "me": "Who am I, and what waits for me.",
    "notices": "Which notices a player gets, and how.",
    "games": "Games: made, found, shown.",
    "seats": "Seats: taken and left before the start.",
    "moves": "Moves: listed, judged, appended.",
    "play by post": "What a seat may do beside moving: orders, vacation, take-backs; handing a seat over.",
    "test clocks": "Games in which an app sets what time it is, to test deadlines and all that follows.",
    "events": "The log of a game.",
    "feeds": "What happens in all games of an app, or of a player.",
    "records": "Games as files.",
    "log": "The log of all games, which nobody can shorten or change unseen.",
    "webhooks": "Notices to an app's server.",
    "system": "For operators.",
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
        "Only if this is still the game's version: an ETag of it, its weak form, the bare version, or the"
        " hash of the last entry. Left out, the newest position counts.",
        pattern=ETAG_PATTERN,
        examples=['"17"'],
    ),
    "ActingPlayer": _header(
        "Card-Referee-Player",
        "With an app key of scope `write`: the id of the app's player as whom this is done, for reading too.",
        format="uuid",
    ),
    "IfNoneMatch": _header(
        "If-None-Match",
        "Answer 304 where this is still the caller's ETag.",
        pattern=ETAG_PATTERN,
        examples=['"17"'],
    ),
    "IdempotencyKey": _header(
        "Idempotency-Key",
        "The same request with the same key gets the first answer again; kept for 24 hours at least.",
        pattern="^[!-~]{1,255}$",
    ),
    "SecretIdempotencyKey": _header(
        "Idempotency-Key",
        "The same request with the same key gets the first answer again; kept for 24 hours at least. Nobody"
        " may guess it, for whoever knows it gets the answer: a UUID will do.",
        pattern=f"^[!-~]{{{UNGUESSABLE},255}}$",
        **{ENFORCED: ["pattern"]},
    ),
    "LastEventId": _header(
        "Last-Event-ID",
        "The seq of the last entry that came before the stream broke; the stream goes on after it.",
        pattern="^[0-9]{1,10}$",
        examples=["17"],
    ),
    "LastEventCursor": _header(
        "Last-Event-ID",
        "The cursor of the last item that came before the stream broke; the stream goes on after it.",
        pattern=FEED_CURSOR_PATTERN,
        examples=["now"],
    ),
}


def _shown(description: str, required: bool = True, **schema: Any) -> dict[str, Any]:
    return {"description": description, "required": required, "schema": {"type": "string", **schema}}


HEADERS: dict[str, Any] = {
    "ETag": _shown(
        "The version of the game and whose view it is: another caller's differs.",
        pattern='^"[0-9]+-[0-9a-f]{12}"$',
    ),
    "Location": _shown("Where the new resource is.", format="uri-reference"),
    "Idempotency-Replayed": _shown(
        "There, and `true`, where this is the first answer again.", False, const="true"
    ),
    "Retry-After": _shown("After how many seconds to try again.", pattern="^[0-9]+$"),
    "WWW-Authenticate": _shown("How to say who you are."),
    "X-Request-Id": _shown("The request's id in our log: the caller's own where it sent a sane one."),
    "RateLimit": _shown("What is left: `r` requests at once, more of them in `t` seconds.", False),
    "RateLimit-Policy": _shown(
        "The limits: `q` requests in `w` seconds, of which costly ones take several.", False
    ),
    "Game-Origin": _shown("`dealt` by this server, or `imported` from a record.", False),
    "Deprecation": _shown(
        "Since when (in seconds of Unix time) the operation, or a parameter that was given, is deprecated.",
        False,
        pattern="^@[0-9]+$",
    ),
    "Sunset": _shown("After which day what is deprecated may be gone.", False),
    "Allow": _shown("The methods of this resource."),
}

LINKS: dict[str, dict[str, Any]] = {
    "create_player": {
        "create_game": {
            "description": "A solo game, which begins at once.",
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
            "description": "The first of the moves, if the game is still where it was.",
            "parameters": {"game": "$request.path.game", "header.If-Match": "$response.header.ETag"},
            "requestBody": {"move": "$response.body#/moves/0", "seat": "$response.body#/seat"},
        }
    },
}

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_player": {"anna": {"summary": "A player", "value": {"name": "Anna"}}},
    "create_token": {"quarter": {"summary": "For ninety days", "value": {"expires_in": "P90D"}}},
    "create_game": {
        "open": {
            "summary": "A game that waits for three players beside a bot",
            "value": {
                "ruleset": "pies",
                "options": {"blocking": "top"},
                "visibility": "public",
                "pace": None,
                "seats": [{"open": True}, {"open": True}, {"open": True}, {"bot": "random"}],
            },
        },
        "bots": {
            "summary": "A game of bots, played at once",
            "value": {
                "ruleset": "cats_and_dogs",
                "seats": [{"bot": "random"}, {"bot": "random"}, {"bot": "random"}],
            },
        },
    },
    "take_seat": {"entropy": {"summary": "With entropy for the deal", "value": {"entropy": "seven of nine"}}},
    "append_move": {"play": {"summary": "Cats and dogs", "value": {"move": {"type": "play", "card": "C3"}}}},
    "post_message": {"greeting": {"summary": "A greeting", "value": {"text": "Good luck!"}}},
    "resign": {"seat": {"summary": "For the one seat that I hold", "value": {}}},
    "replay_record": {
        "opening": {
            "summary": "The first move of a solo game",
            "value": {
                "format": "card-referee/1",
                "ruleset": "cats_and_dogs",
                "version": 1,
                "seats": 1,
                "options": {},
                "seed": "00",
                "entropy": [""],
                "moves": [],
                "result": None,
            },
        }
    },
}
