"""Play by post: what a seat may do in addition to moving."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields, validates_schema

import referee.records
from api.context import Context
from api.core.callers import Expected
from api.features.post import nudges, orders, replacements, vacations
from api.features.post.answers import Orders, VacationsTaken
from api.games.bots import BOTS
from api.games.commanding import obey
from api.games.routes import APPENDS, CHANGES
from api.http import auth
from api.http.answers import Json, Ref
from api.http.fields import Choice, Flag, Input, Items, Whole
from api.http.operation import Operations
from api.http.patterns import Id
from api.http.queries import SIGNED, Acting, ForSeat, Signing
from api.rulesets.inputs import MoveToJudge
from referee.table import commands

MOST_ORDERS = 100


class Vacation(Signing):
    """The days of vacation to take, and the seat if the caller acts for several."""

    days = Whole(1, 365, required=True)


class VacationEverywhere(Input):
    """The days of vacation to take in all of the player's games."""

    days = Whole(1, 365, required=True)


class Pause(Signing):
    """The seat that agrees to a pause, ends one or gives up its key, if the caller acts for several."""


class Ending(Signing):
    """How a seat agrees to end the game: cancelled without a result, or as a draw."""

    ending = Choice(*referee.records.ENDINGS_AGREED, required=True)


class Nudge(Acting):
    """The seat that sends the reminder, if the caller acts for several."""


class Automatic(Signing):
    """What is done automatically at each turn of a seat."""

    always_pass = Flag(load_default=False, about="Pass whenever the rules allow it.")
    only_move = Flag(
        load_default=False,
        about="Make the move if only one is legal; not in rulesets whose lists are not `complete`.",
    )


class NewOrder(Input):
    """A move to be made when it is the seat's turn. If it is not legal then, all orders are cancelled."""

    move = fields.Nested(MoveToJudge, required=True)


class NewOrders(Signing):
    """Moves to make one after the other, each as soon as it is the seat's turn."""

    orders = Items(fields.Nested(NewOrder), 1, MOST_ORDERS, required=True)


class Replacement(Input):
    """The player or bot that takes over a seat."""

    player = Id()
    bot = Choice(*BOTS)
    signed = SIGNED

    @validates_schema
    def one_kind(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that it is exactly one of the two."""
        if ("player" in data) == ("bot" in data):
            raise ValidationError("Must have either a player or a bot.")

    def published(self, schema: Json, ref: Ref) -> Json:
        """Exclude both and none. Uses `not`, because with `oneOf` generated clients lose the members."""
        either = [{"properties": {kind: {}}, "required": [kind]} for kind in ("player", "bot")]
        return {**schema, "not": {"anyOf": [{"allOf": either}, {"not": {"anyOf": either}}]}}


blueprint = Operations(
    "play by post", __name__, "Orders, vacation, pauses, reminders, take-backs, and replacing a player."
)
ENDED = ("game-not-open", "game-over", "conflict", "stale-version", "signature-needed")
LONG = ("overloaded", "took-too-long")  # operations that read the whole log


@blueprint.POST("/v1/games/<uuid:game>/vacation", auth.WRITERS, body=Vacation, problems=ENDED, **APPENDS)
def take_vacation(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Take days of vacation in a game whose pace allows them.

    They begin now, or at the end of the current vacation. The seat's time does not run during them: a running
    deadline is moved. A day is 24 hours.
    """

    def away(seat: int) -> commands.Command:
        return commands.clocks.TakeVacation(seat, body["days"])

    return obey(context, game, body["seat"], away, body["signed"])


@blueprint.POST(
    "/v1/me/vacation",
    auth.PLAYERS,
    body=VacationEverywhere,
    idempotent=True,
)
def take_vacation_everywhere(context: Context, body: dict[str, Any]) -> VacationsTaken:
    """Take days of vacation in all of my running games that have deadlines.

    This is a single change: it is made completely or not at all. Games in which it is not possible are listed
    with the reason.
    """
    return vacations.take_all(context, body["days"])


@blueprint.POST("/v1/games/<uuid:game>/pause", auth.WRITERS, body=Pause, problems=ENDED, **APPENDS)
def agree_to_pause(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Agree to pause a game with deadlines.

    The pause begins when all seats that are held by players have agreed; any other action in the game before
    that ends the agreement. During the pause all clocks stand still, and nobody can move.
    """
    return obey(context, game, body["seat"], commands.agreements.AgreeToPause, body["signed"])


@blueprint.POST("/v1/games/<uuid:game>/resumption", auth.WRITERS, body=Pause, problems=ENDED, **APPENDS)
def end_pause(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """End a pause, as any seat may. The seats to act have as much time as before it."""
    return obey(context, game, body["seat"], commands.agreements.EndPause, body["signed"])


@blueprint.POST("/v1/games/<uuid:game>/key-retirement", auth.WRITERS, body=Pause, problems=ENDED, **APPENDS)
def retire_key(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Give up the public key of a seat, signed with it a last time.

    From then on, nothing is signed there, and whoever has a token of the player acts: also on devices that
    have no key, as after signing in.
    """
    return obey(context, game, body["seat"], commands.play.RetireKey, body["signed"])


@blueprint.POST("/v1/games/<uuid:game>/ending", auth.WRITERS, body=Ending, problems=ENDED, **APPENDS)
def agree_to_end(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Agree to end the game: to cancel it, or to a draw.

    The game ends when all seats that are held by players have agreed to the same; any other action in the
    game before that ends the agreement. A cancelled game has no result; after a draw, all seats win together.
    """

    def agreed(seat: int) -> commands.Command:
        return commands.agreements.AgreeToEnd(seat, body["ending"])

    return obey(context, game, body["seat"], agreed, body["signed"])


@blueprint.POST("/v1/games/<uuid:game>/nudges", auth.WRITERS, body=Nudge, problems=ENDED, **APPENDS)
def nudge(context: Context, game: UUID, body: dict[str, Any]) -> object:
    """Remind the players for whom the game is waiting to move.

    Possible when their turn has lasted for a day, and then once a day, whoever asks. It is recorded in the
    log.
    """
    return nudges.nudge(context, game, body["seat"])


def with_tag(shown: dict[str, Any]) -> Any:
    """Present orders; their ETag is for `If-Match`."""
    headers = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Card-Referee-Player"}
    return shown, 200, {"ETag": f'"{orders.tag(shown)}"', **headers}


ORDERS: dict[str, Any] = {"answers": {200: Orders}, "etag": True, "presents": with_tag}


@blueprint.GET("/v1/games/<uuid:game>/orders", auth.PLAYERS, query=ForSeat, cacheable=False, **ORDERS)
def get_orders(context: Context, game: UUID, query: dict[str, Any]) -> Any:
    """Show my standing orders; nobody else can see them."""
    return orders.show(context, game, query.get("seat"))


@blueprint.PUT(
    "/v1/games/<uuid:game>/orders",
    auth.PLAYERS,
    body=NewOrders,
    problems=("game-not-open", "game-over", "stale-version", "signature-needed", "illegal-move"),
    if_match=True,
    idempotent=True,
    **ORDERS,
)
def put_orders(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> Any:
    """Store moves to be made automatically, replacing the previous orders.

    When it is my turn, the first one is played, immediately if it is my turn now. A move that I make in
    another way does not change the orders. If a move is not legal when it is its turn, all orders are
    cancelled. So they are when a new hand is dealt, if one of them names a card.

    With the ETag of my orders in `If-Match`, nothing is overwritten that another device has stored.
    """
    return orders.put(context, game, body["seat"], body["orders"], if_match, body["signed"])


@blueprint.PUT(
    "/v1/games/<uuid:game>/automatic",
    auth.PLAYERS,
    body=Automatic,
    problems=("game-not-open", "game-over", "stale-version", "signature-needed"),
    if_match=True,
    idempotent=True,
    **ORDERS,
)
def put_automatic(context: Context, game: UUID, body: dict[str, Any], if_match: Expected) -> Any:
    """Set what is done at each of my turns for which there is no order.

    The entries have `order: true`, like those of orders, so everybody sees that the move was automatic, and
    with `only_move` that it was the only legal one. This ends after a hundred moves.
    """
    switches = {name: body[name] for name in ("always_pass", "only_move")}
    return orders.set_automatic(context, game, body["seat"], switches, if_match, body["signed"])


@blueprint.DELETE(
    "/v1/games/<uuid:game>/orders",
    auth.PLAYERS,
    "There are no orders any more.",
    query=ForSeat,
    problems=("game-not-open", "game-over", "stale-version"),
    if_match=True,
)
def delete_orders(context: Context, game: UUID, query: dict[str, Any], if_match: Expected) -> None:
    """Delete my standing orders and automatic moves."""
    orders.delete(context, game, query.get("seat"), if_match)


@blueprint.PUT(
    "/v1/games/<uuid:game>/seats/<int:seat>/player",
    auth.WRITERS,
    body=Replacement,
    problems=("seat-taken", "unknown-player", *ENDED, *LONG),
    **CHANGES,
)
def replace_player(context: Context, game: UUID, seat: int, body: dict[str, Any]) -> object:
    """Hand a seat of a running game over to another player or to a bot.

    An app can do this for any seat. A call by a player is an agreement; the seat is handed over when all
    other seats that are held by players have agreed to the same. Players can do this only for a seat that has
    timed out, or whose turn has lasted for a week. Repeating the call changes nothing.
    """
    return replacements.replace(context, game, seat, body)
