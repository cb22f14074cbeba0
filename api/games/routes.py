"""The operations on games: create, find, move, talk, seats, records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from api.context import Context
from api.core.callers import Expected
from api.core.json import Body, sorted_bytes
from api.games import export, games, loading, looks, messages, moves, seats, verification
from api.games.answers import Game
from api.games.answers_of_logs import (
    DryRun,
    GameRecord,
    LegalMoves,
    LookList,
    MessageList,
    Moved,
    Said,
    Suggestion,
    Verification,
)
from api.games.commanding import obey, obey_app
from api.games.inputs import FIRST_GAMES, NewGame, NewMessage, NewMove, Resignation, Reveal, SeatTaking
from api.http import auth, conditional
from api.http.operation import Operations
from api.http.queries import AtVersion, ForSeat, Titled
from referee.table import commands

GAMES = Operations("games", __name__, "Create, find and show games.")

UNVERSIONED = ("title", "external_id", "metadata", "rematch", "ruleset_installed")
LONG = 64 * 1024  # of a body with a record, which is verified


def etag(game: Mapping[str, object]) -> dict[str, str]:
    """Return a game's ETag: its version, and a mark of what else changes. The viewer is added later."""
    unversioned = {name: game[name] for name in UNVERSIONED if game.get(name) not in (None, {})}
    mark = f"+{sha256(sorted_bytes(unversioned)).hexdigest()}" if unversioned else ""
    return {
        "ETag": f'"{game["version"]}{mark}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Card-Referee-Player",
    }


def created(game: dict[str, Any]) -> Any:
    """Present a game that was created."""
    return game, 201, etag(game)


def shown(game: dict[str, Any]) -> Any:
    """Present a game that was changed."""
    return game, 200, etag(game)


def _moved(done: dict[str, Any]) -> Any:
    """Present an entry that was written, with the game."""
    return done, 201, etag(done["game"])


# The answers of requests that append to the log, and of those that change a game.
APPENDS: dict[str, Any] = {"answers": {201: Moved}, "etag": True, "idempotent": True, "presents": _moved}
CHANGES: dict[str, Any] = {"answers": {200: Game}, "etag": True, "idempotent": True, "presents": shown}


@GAMES.POST(
    "/v1/games",
    auth.APP_WRITERS_OR_GUESTS,
    Game,
    body=NewGame,
    examples=FIRST_GAMES,
    cost=5,
    problems=(
        *("invalid-options", "unknown-player", "not-found", "external-id-taken", "conflict", "limit-reached"),
        *("illegal-move", "invalid-record", "overloaded", "took-too-long"),
    ),
    etag=True,
    idempotent=True,
    large=True,
    long=LONG,
    presents=created,
    creates="/v1/games",
)
def create_game(context: Context, body: Body) -> object:
    """Create a game.

    It starts automatically when every seat is taken. Open seats have an invite code, which is shown only to
    the creator. A guest of this server can take only one seat, their own.
    """
    return games.create(context, body)


@GAMES.GET(
    "/v1/games/<uuid:game>",
    auth.READERS_OR_ANYBODY,
    Game,
    query=AtVersion,
    problems=("overloaded", "took-too-long"),
    etag=True,
    remembers=True,
)
def get_game(context: Context, game: UUID, query: dict[str, Any]) -> object:
    """Show a game as the caller sees it, now or at an older version."""
    found, version = loading.find(context, game), query.get("version")
    if version is None and conditional.asks():
        newest = etag(games.outline(context, found))
        if conditional.is_known(newest, context):
            found.back(context)
            return None, 304, newest
    shown = games.show(context, found, version)
    return shown, 200, etag(shown)


@GAMES.PATCH(
    "/v1/games/<uuid:game>",
    auth.APP_WRITERS,
    body=Titled,
    problems=("external-id-taken",),
    etag=True,
    presents=shown,
)
def change_game(context: Context, game: UUID, body: Body) -> Game:
    """Change a game's title, external id or metadata.

    This does not change the game itself or its version. Only the named keys of the metadata change; a key
    whose value is null or empty is removed.
    """
    require = partial(conditional.require_unchanged, context)
    return games.relabel(context, game, body, lambda shown: require(etag(shown)["ETag"]))


@GAMES.POST("/v1/games/<uuid:game>/cancellation", auth.APP_WRITERS, problems=("game-over",), **APPENDS)
def cancel_game(context: Context, game: UUID) -> object:
    """Cancel a game that is not over; nobody wins."""
    return obey_app(context, game, commands.play.Cancel())


MOVES = Operations("moves", __name__, "List, judge and make moves.")


@MOVES.GET(
    "/v1/games/<uuid:game>/legal-moves", auth.WRITERS, LegalMoves, query=ForSeat, etag=True, remembers=True
)
def list_legal_moves(context: Context, game: UUID, query: dict[str, Any]) -> object:
    """List a seat's legal moves in the current position."""
    found, seat = loading.find(context, game), query.get("seat")
    if conditional.asks():
        newest = etag(moves.outline(context, found, seat))
        if conditional.is_known(newest, context):
            found.back(context)
            return None, 304, newest
    listed = moves.legal_moves(context, found, seat)
    return listed, 200, etag(listed)


@MOVES.GET(
    "/v1/games/<uuid:game>/suggestion",
    auth.WRITERS,
    query=ForSeat,
    problems=("conflict", "game-not-open", "game-over"),
)
def suggest_move(context: Context, game: UUID, query: dict[str, Any]) -> Suggestion:
    """Suggest a move to a beginner.

    Only in a game in which all other seats are bots: nobody is helped against people. The bot that chooses
    sees what the seat sees.
    """
    return moves.suggestion(context, game, query.get("seat"))


@MOVES.POST(
    "/v1/games/<uuid:game>/moves",
    auth.WRITERS,
    body=NewMove,
    answers={201: Moved},
    problems=("game-not-open", "game-over", "conflict", "stale-version", "illegal-move", "signature-needed"),
    if_match=True,
    etag=True,
    idempotent=True,
    remembers=True,
    presents=_moved,
)
def append_move(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> object:
    """Make a move."""
    return moves.append(context, game, body["seat"], body["move"], if_match, body["signed"])


@MOVES.POST(
    "/v1/games/<uuid:game>/moves/dry-run",
    auth.WRITERS,
    body=NewMove,
    answers={200: DryRun},
    problems=("game-not-open", "game-over", "stale-version"),
    if_match=True,
    etag=True,
)
def try_move(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> object:
    """Judge a move without making it.

    An illegal move is a normal answer here, not an error. Nothing is changed, so no `Idempotency-Key` is
    needed.
    """
    verdict = moves.dry_run(context, game, body["seat"], body["move"], if_match)
    return verdict, 200, etag(verdict)


@MOVES.POST(
    "/v1/games/<uuid:game>/resignation",
    auth.WRITERS,
    body=Resignation,
    examples={"seat": ("For the one seat that I hold", {})},
    problems=("game-not-open", "game-over", "stale-version", "signature-needed"),
    if_match=True,
    **APPENDS,
)
def resign(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> object:
    """Resign: the seat's team loses, and the game is over."""
    return obey(context, game, body["seat"], commands.play.Resign, body["signed"], if_match)


@MOVES.POST(
    "/v1/games/<uuid:game>/messages",
    auth.WRITERS,
    Said,
    body=NewMessage,
    examples={"greeting": ("A greeting", {"text": "Good luck!"})},
    problems=("game-over", "conflict", "illegal-move", "signature-needed", "stale-version"),
    idempotent=True,
)
def post_message(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Post a chat message, visible to everybody who can see the game.

    A game has the member `talk` where its rules limit what players may say: a message is a move, and the
    entry a `moved` one; or talk is forbidden, and refused as an illegal move is. For a day after the end of
    the game its table can talk on: at most 50 messages of each seat, which are not in the log.
    """
    return messages.say(context, game, body["seat"], body["text"], body["signed"])


@MOVES.GET("/v1/games/<uuid:game>/messages", auth.READERS_OR_ANYBODY, MessageList, etag=True)
def list_messages(context: Context, game: UUID) -> object:
    """List what was said after the end of a game; what was said before is in its log.

    Everybody who can see the game can read it, except who watches a private one by a link. No stream and no
    notice tells of it: ask again, with `If-None-Match`.
    """
    said = messages.said_after(context, game)
    headers = {"ETag": f'"{len(said)}"', "Cache-Control": "private, no-cache"}
    return {"items": said, "next": None}, 200, headers


SEATS = Operations("seats", __name__, "Take and leave seats before the start.")


@SEATS.PUT(
    "/v1/games/<uuid:game>/seats/<int:seat>",
    auth.WRITERS,
    body=SeatTaking,
    examples={
        "entropy": ("With entropy for the deal", {"entropy": "seven of nine"}),
        "bot": ("For a bot", {"bot": "cautious"}),
    },
    problems=("seat-taken", "game-not-open", "unknown-player"),
    **CHANGES,
)
def take_seat(context: Context, game: UUID, seat: int, body: Body) -> object:
    """Take an open seat.

    If the player may not see the game otherwise, the seat's invite code is needed. Repeating the call as the
    same player changes nothing. Whoever made the game may give the seat to a `bot`.
    """
    return seats.take(context, game, seat, body)


@SEATS.DELETE(
    "/v1/games/<uuid:game>/seats/<int:seat>", auth.WRITERS, "The seat is free.", problems=("game-not-open",)
)
def leave_seat(context: Context, game: UUID, seat: int) -> None:
    """Leave a seat before the game starts. Whoever made the game may also take a bot's seat back."""
    seats.leave(context, game, seat)


@SEATS.POST(
    "/v1/games/<uuid:game>/entropy",
    auth.WRITERS,
    body=Reveal,
    problems=("game-not-open", "conflict"),
    **APPENDS,
)
def reveal_entropy(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Reveal the entropy to which a seat has committed.

    In games whose `entropy` is `commit`, after all seats are taken and before `reveal_by`. The cards are
    dealt when the last seat has revealed. Bots have nothing to reveal.
    """
    return obey(context, game, body["seat"], lambda seat: commands.play.Reveal(seat, body["entropy"]))


RECORDS = Operations("records", __name__, "Games as files: export, import, verification.")
WHOLE: dict[str, Any] = {"cost": 10, "long": 0}


@RECORDS.GET("/v1/games/<uuid:game>/record", auth.READERS_OR_ANYBODY, **WHOLE)
def get_record(context: Context, game: UUID) -> GameRecord:
    """Export a game: complete when it is over, before that only what the caller may see."""
    return export.record(context, game)


@RECORDS.GET("/v1/games/<uuid:game>/looks", auth.READERS_OR_ANYBODY)
def list_looks(context: Context, game: UUID) -> LookList:
    """List who besides a seat's player has looked at its cards or moves during the game.

    A game with `seats_private` has no looks by its app. The record and the bundle have the list, too.
    """
    return {"items": looks.listing(context, game), "next": None}


@RECORDS.GET("/v1/games/<uuid:game>/verification", auth.READERS_OR_ANYBODY, **WHOLE)
def verify_game(context: Context, game: UUID) -> Verification:
    """Verify a game.

    The log is replayed from its seed: numbers, hashes, sealed parts, commitment, shuffles, verdicts,
    transfers, result, and the stored position. Each check says whether it holds, or which entry fails first.
    """
    return verification.verify(context, game)
