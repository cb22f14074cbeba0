"""A seat handed to another player or a bot while the game runs: by the app, or by all the other seats.

The others can only replace somebody who is missing. The seat keeps its cards, its entropy and its reserve;
`left` and `joined` in the log say who took over.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from api.services import bots, deadlines
from api.services.access import Sight, seats_of, sight
from api.services.context import APP, Context
from api.services.errors import Conflict, Forbidden, NotFound, SeatTaken
from api.services.moves import require_running
from api.services.showing import show_game
from api.services.standing import FLAG
from api.services.table import Table, load, save
from api.services.texts import loads
from api.store import games, log, orders, players

MISSING_AFTER = timedelta(days=7)  # of a turn without a move

Who = dict[str, Any]


@deadlines.punctual
def replace(context: Context, game_id: UUID, seat: int, wanted: dict[str, Any]) -> dict[str, Any]:
    """Hand a seat over, or, for a player, agree that it be handed over. Raises Conflict, SeatTaken."""
    with context.session.transaction():
        table = load(context, game_id, lock=True)
        seen = sight(context.caller, table)
        if not 0 <= seat < len(table.seats):
            raise NotFound(f"The game has seats 0 to {len(table.seats) - 1}.")
        voters = [number for number in seen.seats if number != seat]
        by_app = seen.maker and context.caller.kind == APP
        if not by_app and not voters:
            raise Forbidden("Only the app, or all other seats together, may hand a seat over.")
        deadlines.require_in_time(context, table)
        require_running(table)
        who = _who(context, table, wanted)
        if by_app or _agreed(context, table, seat, who, voters):
            _hand_over(context, table, seat, who)
            bots.play(context, table)
        save(context, table)
    table = bots.play_on(context, table)
    return show_game(table, seen if seen.maker else Sight(seats_of(context.caller, table)))


def _who(context: Context, table: Table, wanted: dict[str, Any]) -> Who:
    if "bot" in wanted:
        return {"player": None, "bot": wanted["bot"]}
    found = players.several(context.session, table.app_id, [wanted["player"]])
    if wanted["player"] not in found:
        raise NotFound("There is no such player.")
    player = found[wanted["player"]]
    if any(seat["player"] and seat["player"]["id"] == str(player.id) for seat in table.seats):
        raise SeatTaken(f"{player.name} sits at this table already.")
    return {"player": {"id": str(player.id), "name": player.name}, "bot": None}


def _agreed(context: Context, table: Table, seat: int, who: Who, voters: list[int]) -> bool:
    """Note the caller's agreement; tells whether all other seats have now agreed."""
    votes, missing = _votes(context, table, seat)
    if not missing:
        raise Conflict(
            f"Seat {seat} is not missing: it has moved in time, or its turn is younger than a week."
        )
    name = who["player"]["name"] if who["player"] else f"a {who['bot']} bot"
    mark = {"replacement": {"seat": seat, **who}}
    for voter in voters:
        text = f"Let {name} take over seat {seat}."
        table.write("said", context.now(), {**table.who(voter), "text": text, **mark})
        votes[voter] = who
    others = [n for n, taken in enumerate(table.seats) if taken["player"] and n != seat]
    return all(votes.get(other) == who for other in others)


def _votes(context: Context, table: Table, seat: int) -> tuple[dict[int, Who], bool]:
    """Read who has agreed to whom since the seat was last taken, and whether its player is missing."""
    votes: dict[int, Who] = {}
    late = False
    for entry in log.all_entries(context.session, table.id, table.version):
        public = loads(entry.public)
        mark = public.get("replacement")
        if mark and mark["seat"] == seat:
            votes[public["seat"]] = {"player": mark["player"], "bot": mark["bot"]}
        elif public.get("seat") != seat:
            continue
        elif public["type"] in ("joined", "moved"):
            late = late and bool(public.get("random"))
            votes = {} if not late else votes
        elif public["type"] == "timed_out":
            late = True
    since = table.seats[seat]["since"]
    idle = since is not None and context.now() - datetime.fromisoformat(since) >= MISSING_AFTER
    return votes, late or idle


def _hand_over(context: Context, table: Table, seat: int, who: Who) -> None:
    taken = table.seats[seat]
    before = {"seat": seat, "player": taken["player"], "bot": taken["bot"]}
    table.write("left", context.now(), {**before, "replaced": True})
    taken.update(who, since=None, deadline=None)  # a new turn for whoever sits down
    for gone in (FLAG, "away_until"):
        taken.pop(gone, None)
    orders.delete(context.session, table.id, seat)
    games.seat_player(
        context.session, table.id, seat, who["player"] and UUID(who["player"]["id"]), who["bot"]
    )
    clocks = table.turn_over(context.now())
    table.write("joined", context.now(), {"seat": seat, **who, "entropy": "", "replaced": True, **clocks})
