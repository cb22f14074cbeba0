"""Creating and showing games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import referee
import referee.positions
import referee.proofs
import referee.table
from api.context import Context
from api.core.callers import PLAYER
from api.core.errors import BadRequest, Forbidden, InvalidOptions, UnknownPlayer
from api.core.json import Body, Json
from api.core.names import Labels, WithLabels
from api.feature import Hook
from api.games import acting, answers, quotas
from api.games.game import Game
from api.games.history import show_version
from api.games.loading import Found, load, put, row_of, turns_of
from api.games.looks import look_at
from api.games.receipts import receipt
from api.games.seat import Seat
from api.games.views import show_game, visibility_of
from api.store import games as store
from api.store import players, seating
from api.store.labels import unique
from referee.table import commands

R = TypeVar("R")
SEED_BYTES = 32
PRIVATE = "private"
REVEAL_WITHIN = "PT1H"
MISSING = "This server has no {}."


clock_bound: Hook[[UUID], datetime] = Hook()
"""Returns the time of a test clock that a new game will follow."""


clock_free: Hook[[UUID], bool] = Hook()
"""Returns whether another game may follow this test clock; then it stays as it is for this transaction."""


def create(context: Context, request: Body) -> object:
    """Create a game, which starts by itself if every seat is taken."""

    def make_one() -> Game:
        return make(context, request, host=guests_seat(context, request))

    with unique(context.session, context.app_id, request):
        return acting.create(context, make_one, acting.game_only)


def _only(answers: list[R], member: str, what: str) -> R:
    """Return the answer of the feature for a member of a request. Raises BadRequest if there is none."""
    if not answers:
        raise BadRequest({member: [MISSING.format(what)]})
    return answers[0]


def make(context: Context, request: Body, host: int | None) -> Game:
    """Create a game in the open transaction, without saving its log; `host` is the seat of a guest who does.

    Raises InvalidOptions, BadRequest, NotFound, LimitReached.
    """
    rules, options = read_rules(request["ruleset"], len(request["seats"]), request["options"])
    test_clock = request["test_clock"]
    now = context.now()
    if test_clock is not None:
        now = _only(clock_bound(context, test_clock), "test_clock", "test clocks")
    if request["distinct_players"]:
        _require_distinct(request["seats"])
    dealing = _dealing(context, request)
    seats = seats_of(context, request["seats"])
    if host is not None:
        seats[host] = replace(seats[host], host=True)
    game = Game(
        id=context.new_id(),
        app_id=context.app_id,
        ruleset=rules.ID,
        ruleset_version=rules.VERSION,
        options=options,
        visibility=request["visibility"],
        pace=request["pace"],
        seats=seats,
        seed=context.random_bytes(SEED_BYTES),
        created_at=now,
        updated_at=now,
        title=request.get("title"),
        by=context.caller.person,
        seats_private=request["seats_private"],
        distinct_players=request["distinct_players"],
        labels=Labels().changed(request),
        test_clock=test_clock,
        dealing=dealing,
    )
    begin(context, game)
    return game


def begin(context: Context, game: Game) -> None:
    """Store a new game and write the first entries of its log. Raises LimitReached."""
    maker = quotas.maker_of_game(context, game.app_id)
    game.turns = turns_of(game)
    store.insert(context.session, row_of(game), referee.commitment(game.seed), maker)
    seats = [(seat.player and UUID(seat.player.id), seat.bot) for seat in game.seats]
    seating.insert_seats(context.session, game.id, seats)
    _write_beginning(game)


def read_rules(ruleset: str, seats: int, options: Json) -> tuple[referee.Ruleset[Any], Json]:
    """Return the newest version of a ruleset, and all its options. Raises BadRequest, InvalidOptions."""
    try:
        rules = referee.find(ruleset)
        _, options = referee.positions.read_options(rules, seats, options)
    except referee.Malformed as error:
        errors = {error.place: [error.detail]}
        if error.place in ("ruleset", "seats"):  # as for a bot that does not exist
            raise BadRequest(errors) from None
        raise InvalidOptions(str(error), errors=errors) from None
    return rules, options


def _dealing(context: Context, request: Body) -> referee.table.Dealing | None:
    """Return what the deal depends on besides the seed, or None. Raises BadRequest if that is impossible."""
    if request["entropy"] != referee.table.COMMIT:
        return None
    if request["test_clock"] is not None:
        raise BadRequest({"test_clock": ["Reveals use real time."]})
    return referee.table.Dealing(request["reveal_within"] or REVEAL_WITHIN)


def guests_seat(context: Context, request: Body) -> int | None:
    """Return the seat of a guest who creates a game, if it takes one; None for apps. Raises Forbidden."""
    caller = context.caller
    if caller.kind != PLAYER:
        return None
    seats = request["seats"]
    taken = [number for number, seat in enumerate(seats) if "player" in seat]
    if any(seats[number]["player"] != caller.player_id for number in taken) or len(taken) > 1:
        raise Forbidden("A guest can take only one seat; the others must be open or bots.")
    if not taken and (request["visibility"] == PRIVATE or any("open" in seat for seat in seats)):
        raise Forbidden("A game without the guest must have only bots, and be public or unlisted.")
    return taken[0] if taken else None


def _require_distinct(seats: list[Body]) -> None:
    """Raise BadRequest if a player is named for two seats."""
    named: set[UUID] = set()
    for number, seat in enumerate(seats):
        if seat.get("player") in named:
            raise BadRequest({f"seats.{number}.player": ["Has another seat already (distinct_players)."]})
        if "player" in seat:
            named.add(seat["player"])


def seats_of(context: Context, requests: list[Body]) -> list[Seat]:
    """Return the seats as they are asked for. Raises UnknownPlayer."""
    ids = [seat["player"] for seat in requests if "player" in seat]
    known = players.several(context.session, context.app_id, ids) if ids else {}
    for number, seat in enumerate(requests):
        if "player" in seat and seat["player"] not in known:
            raise UnknownPlayer(f"seats.{number}.player")
    result: list[Seat] = []
    for seat in requests:
        player = (
            referee.table.PlayerName(str(seat["player"]), known[seat["player"]].name)
            if "player" in seat
            else None
        )
        result.append(
            Seat(
                player=player,
                bot=seat.get("bot"),
                entropy=seat.get("entropy", ""),
                commitment=seat.get("commitment"),
                public_key=seat.get("public_key"),
            )
        )
    return result


def _write_beginning(game: Game) -> None:
    """Write the log's first entries: `created` commits to the seed before anybody takes a seat."""
    now, seats = game.created_at, game.seats
    game.seats = [
        replace(seat, player=None, bot=None, public_key=None, entropy="", commitment=None) for seat in seats
    ]
    more: referee.table.Members = {"test_clock": str(game.test_clock)} if game.test_clock else {}
    game.obey(commands.play.Create(game.visibility, more), now)
    for number, seat in enumerate(seats):
        if seat.taken:
            added = seat.entropy, seat.commitment, seat.public_key
            game.obey(commands.seats.Sit(number, seat.who, *added), now, f"seats.{number}.")
    game.go_on(now)


def outline(context: Context, found: Found) -> Json:
    """Return the members of a game that its ETag depends on, without unpacking the game."""
    game = found.outline()
    visibility = look_at(context, game)
    return _outline(game, visibility.own)


def _outline(game: Game, own: bool) -> Json:
    labels = game.labels.to_json() if own else WithLabels()
    rematch = str(game.rematch) if game.rematch else None
    shown = {"version": game.version, "title": game.title, "rematch": rematch, **labels}
    return shown if game.installed else {**shown, "ruleset_installed": False}


def show(context: Context, found: Found, version: int | None) -> answers.Game:
    """Return a game as the caller sees it now, or as it was at an older version."""
    game = found.unpack(context)
    visibility = look_at(context, game)
    shown = show_version(context, game, visibility, version)
    put(context, game, found.mark)
    return shown


def relabel(context: Context, game_id: UUID, changes: Body, check: Callable[[Json], None]) -> answers.Game:
    """Change the title and the labels of an app's own game, if `check` lets what is there pass.

    Raises NotFound, Forbidden, ExternalIdTaken.
    """
    with unique(context.session, context.app_id, changes), context.session.transaction():
        game = load(context, game_id, lock=True)
        visibility = visibility_of(context.caller, game)
        if not visibility.own:
            raise Forbidden("Only the app of this game may do this.")
        check(_outline(game, own=True))
        game.title = changes.get("title", game.title)
        game.labels = game.labels.changed(changes)
        store.set_labels(context.session, game.app_id, game.id, game.title, game.labels)
    return show_game(game, visibility, receipt(context, game))
