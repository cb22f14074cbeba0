"""Making, finding and showing games."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

import referee
from api.core.context import ANONYMOUS, PLAYER, Context, new_id
from api.core.errors import Forbidden, InvalidOptions, NotFound
from api.core.paging import Page, uuid_page
from api.game.game import FIRST_HASH, OPEN, RUNNING, Game, load
from api.game.history import at_version
from api.game.show import show_game, show_summary
from api.game.visibility import SPECTATOR, Visibility, seats_of, visibility
from api.play import acting
from api.store import games as store
from api.store import players
from api.store.games import GameRow, Search

SEED_BYTES = 32
PRIVATE = "private"


def create(context: Context, wanted: dict[str, Any]) -> Any:
    """Make a game; it starts by itself where every seat is taken. Raises InvalidOptions, NotFound."""
    return acting.create(context, partial(_make, context, wanted))


def _make(context: Context, wanted: dict[str, Any]) -> Game:
    rules, options = _rules(wanted)
    now = context.now()
    host = _guests_seat(context, wanted)
    seats = _seats(context, wanted["seats"])
    if host is not None:
        seats[host]["host"] = True
    game = Game(
        id=new_id(),
        app_id=context.app_id,
        ruleset=rules.ID,
        ruleset_version=rules.VERSION,
        options=options,
        visibility=wanted["visibility"],
        pace=wanted["pace"],
        status=OPEN,
        version=0,
        seats=seats,
        seed=context.random_bytes(SEED_BYTES),
        head=FIRST_HASH,
        drawn=0,
        state=None,
        result=None,
        created_at=now,
        updated_at=now,
    )
    game.turns = game.clocks()
    store.insert(context.session, game.row(), referee.commitment(game.seed))
    store.insert_seats(
        context.session, game.id, [(s["player"] and UUID(s["player"]["id"]), s["bot"]) for s in seats]
    )
    _write_beginning(game)
    return game


def _rules(wanted: dict[str, Any]) -> tuple[referee.Ruleset[Any], dict[str, Any]]:
    try:
        rules = referee.find(wanted["ruleset"])
        _, options = referee.read_options(rules, len(wanted["seats"]), wanted["options"])
    except referee.Malformed as error:
        raise InvalidOptions(str(error), errors={error.place: [error.detail]}) from None
    return rules, options


def _guests_seat(context: Context, wanted: dict[str, Any]) -> int | None:
    """Find the seat that a guest who creates a game takes; None for apps. Raises Forbidden."""
    caller = context.caller
    if caller.kind != PLAYER:
        return None
    seats = wanted["seats"]
    taken = [number for number, seat in enumerate(seats) if "player" in seat]
    if any(seats[number]["player"] != caller.player_id for number in taken) or len(taken) > 1:
        raise Forbidden("A guest takes one seat, its own; the others are open or for bots.")
    if not taken and (wanted["visibility"] == PRIVATE or any("open" in seat for seat in seats)):
        raise Forbidden("A game in which a guest takes no seat has bots only, and is public or unlisted.")
    return taken[0] if taken else None


def _seats(context: Context, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = [seat["player"] for seat in wanted if "player" in seat]
    known = players.several(context.session, context.app_id, ids) if ids else {}
    for number, seat in enumerate(wanted):
        if "player" in seat and seat["player"] not in known:
            raise NotFound(f"There is no such player as seats.{number} names.")
    return [
        {
            "player": {"id": str(seat["player"]), "name": known[seat["player"]].name}
            if "player" in seat
            else None,
            "bot": seat.get("bot"),
            "entropy": seat.get("entropy", ""),
            "since": None,
            "deadline": None,
        }
        for seat in wanted
    ]


def _write_beginning(game: Game) -> None:
    """Write the log's first entries: `created` commits to the seed before anybody sits down."""
    now = game.created_at
    game.write(
        "created",
        now,
        {
            "ruleset": game.ruleset,
            "ruleset_version": game.ruleset_version,
            "options": game.options,
            "seats": len(game.seats),
            "visibility": game.visibility,
            "pace": game.pace,
            "commitment": referee.commitment(game.seed),
            "log": referee.LOG,
        },
    )
    for number, seat in enumerate(game.seats):
        if seat["player"] or seat["bot"]:
            game.join(now, number)
    game.start_if_full(now)


def show(context: Context, game_id: UUID, version: int | None) -> dict[str, Any]:
    """Show a game as the caller sees it now, or saw it at an older version."""
    game = load(context, game_id)
    seen = visibility(context.caller, game)
    if version is not None and version != game.version:
        game = at_version(context, game, version)
        seen = Visibility(seats_of(context.caller, game)) if seen.seats else seen
    return show_game(game, seen)


def search(context: Context, filters: dict[str, Any], page: Page) -> dict[str, Any]:
    """Find games: the caller's own; with `visibility` public everyone's public ones. Newest first."""
    wanted = Search(**filters)
    caller = context.caller
    if caller.kind == ANONYMOUS:
        if wanted.visibility not in (None, "public"):
            raise Forbidden("Without a token only public games are listed.")
        wanted = wanted._replace(visibility="public")
    elif wanted.visibility != "public":
        wanted = wanted._replace(app_id=caller.app_id)
        if caller.kind == PLAYER:
            wanted = wanted._replace(seated=caller.player_id)
    rows = store.find(context.session, wanted, page.before, page.limit + 1)
    return uuid_page(rows, page, lambda row: _summary(context, row))


def _summary(context: Context, row: GameRow) -> dict[str, Any]:
    game = Game.of(row)
    caller = context.caller
    mine = caller.app_id == game.app_id and caller.kind != ANONYMOUS
    seen = visibility(caller, game) if mine else SPECTATOR
    waiting = [n for n, seat in enumerate(game.seats) if seat["since"]] if game.status == RUNNING else []
    return show_summary(game, seen, waiting)
