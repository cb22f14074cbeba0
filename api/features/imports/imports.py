"""Imported records: verified first, then stored as games that say who imported them.

Their hashes prove that nothing was changed since, not who played. So an imported game is private unless its
importer says otherwise, players of other services are plain names in it, and a commitment that this server
already knows is refused. The log is kept unchanged, byte for byte. Only games that are over come in.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Any, cast
from uuid import UUID

import referee
import referee.positions
import referee.records
import referee.table
import referee.verification
from api.context import Context
from api.core.errors import BadRequest, IllegalMove, InvalidRecord, ProblemType, ServiceError
from api.core.json import stored
from api.feature import EventType
from api.features.imports import store as imports
from api.features.notices.declared import GAME, OfSeat
from api.features.notices.events import Notification, posted, subject_of
from api.games import acting, games, words
from api.games.game import Game
from api.games.loading import find, row_of
from api.games.seat import Seat, named, without_strangers
from api.games.verification import EFFORT
from api.rulesets.rulesets import require_few_moves
from api.store import credentials, players, seating
from api.store import games as store
from api.store.games import NewEntry
from referee.table import commands

IMPORTED = EventType(
    "game.imported",
    "A game that is over has been imported. Its log is not sent.",
    OfSeat,
    {"game": str(GAME), "version": 30},
)
PRIVATE = "private"
ALL = referee.records.ALL
SHOWN_WITH = ("hash", "private")
KNOWN = "A game with this commitment was dealt here, or has been imported before."
NO_SEED = "A record comes in with its seed; a running game's is secret."
NOT_OVER = "The game is not over: only finished and cancelled games are imported."


class CommitmentKnown(ServiceError):
    """A game with this commitment already exists here."""

    problem = ProblemType(
        409,
        "commitment-known",
        "The game already exists on this server",
        "A game with the commitment of the record was dealt here or has already been imported.",
    )


class _RecordKnown(Exception):
    """The same record of the same app is here already."""

    def __init__(self, game_id: UUID) -> None:
        super().__init__()
        self.game_id = game_id


def import_record(context: Context, data: dict[str, Any], visibility: str = PRIVATE) -> Any:
    """Store a record as a game; return the game and whether it is new. The same record is stored only once.

    Raises Malformed, BadRequest, IllegalMove and InvalidRecord for an invalid record, naming the first error;
    CommitmentKnown for a game that already exists here, unless it is the same record of the same app.
    """
    require_few_moves(data)
    data = referee.records.known_members(
        data
    )  # the other members are not stored, so anything is allowed in them
    if data.get("seed") is None:
        raise BadRequest({"seed": [NO_SEED]})
    verification = verified(data)
    if data.get("test_clock") is not None:
        raise InvalidRecord("The game ran on a test clock: tests are not imported.", checks=[], seq=1)
    logged = data.get("entries") is not None
    fingerprint = verification.head if logged else _fingerprint(data)
    commitment = referee.commitment(referee.read_record({"moves": [], **data}).seed)

    def make() -> Game:
        imports.lock(context.session, bytes.fromhex(commitment))
        known = imports.find(context.session, context.app_id, fingerprint)
        if known is not None:
            raise _RecordKnown(known)
        if imports.knows_commitment(context.session, commitment):
            own = imports.of_commitment(context.session, context.app_id, commitment)
            raise CommitmentKnown(KNOWN, conflicts_with=own and str(own))
        name = credentials.app_name(context.session, context.app_id)
        importer = {"visibility": visibility, "imported_by": {"id": str(context.app_id), "name": name}}
        game = _copied(context, data, verification, importer) if logged else _written(context, data, importer)
        if not game.over:
            raise InvalidRecord(NOT_OVER, checks=[], seq=game.version if logged else None)
        _keep(context, game, commitment)
        for one in {fingerprint, game.head}:
            imports.keep(context.session, context.app_id, one, game.id)
        return game

    try:
        return acting.create(context, make, lambda act: (acting.game_only(act), True))
    except _RecordKnown as here:  # so the request has done nothing, and its key is still unused
        return games.show(context, find(context, here.game_id), None), False


def verified(data: dict[str, Any]) -> referee.Verification:
    """Verify a record, entry by entry, so that the first error is reported."""
    entries = data.get("entries")
    if entries is not None and type(entries) is not list:
        raise referee.Malformed("entries", "must be a list")
    verification = referee.Verification({"moves": [], **data}, EFFORT)
    for entry in entries or ():
        verification.read(entry)
    report = verification.report(logged=entries is not None)
    failed = sorted((check for check in report.checks if not check.ok), key=lambda check: check.seq or 0)
    if verification.refused is not None and failed[0].name == "verdicts":
        refused = verification.refused
        verdict = {
            **refused["verdict"],
            "link": f"/docs/rules/{data['ruleset']}#{refused['verdict']['rule']}",
        }
        detail = f"Move {refused['n']} is refused by {verdict['rule']}: {verdict['reason']}"
        raise IllegalMove(detail, verdict=verdict, refused={**refused, "verdict": verdict}, seq=failed[0].seq)
    if failed:
        raise _invalid(failed)
    for seq, entry in enumerate(entries or (), 1):
        if fault := referee.records.entry_fault(entry, data["seats"]):
            raise _invalid([referee.verification.Check("order", False, fault, seq)])
    return verification


def _invalid(failed: list[referee.verification.Check]) -> InvalidRecord:
    first = failed[0]
    where = "" if first.seq is None else f"Entry {first.seq}: "
    checks = [check._asdict() for check in failed]
    return InvalidRecord(f"{where}{first.detail} ({first.name}).", checks=checks, seq=first.seq)


def _fingerprint(data: dict[str, Any]) -> bytes:
    """Return the identity of a record without a log: everything that determines its game."""
    record = referee.read_record(data)
    rules = referee.find(record.ruleset, record.version)
    _, options = referee.positions.read_options(rules, record.seats, record.options)
    moves = [{"seat": move["seat"], "move": move["move"]} for move in record.moves]
    parts = [
        rules.ID,
        rules.VERSION,
        record.seats,
        options,
        record.seed.hex(),
        record.entropy,
        moves,
        record.ended,
    ]
    return sha256(referee.records.canonical({"record": parts})).digest()


def _table(context: Context, data: dict[str, Any], **known: Any) -> Game:
    record = referee.read_record({"moves": [], **data})
    rules = referee.find(record.ruleset, record.version)
    now = context.now()
    return Game(
        **{
            "id": context.new_id(),
            "app_id": context.app_id,
            "ruleset": rules.ID,
            "ruleset_version": rules.VERSION,
            "options": referee.positions.read_options(rules, record.seats, record.options)[1],
            "pace": None,
            "seats": [Seat()] * record.seats,
            "seed": record.seed,
            "created_at": now,
            "updated_at": now,
            **known,
        }
    )


def _copied(
    context: Context, data: dict[str, Any], verification: referee.Verification, importer: dict[str, Any]
) -> Game:
    """Store a game with its existing log, entry by entry, unchanged."""
    log = data["entries"]
    begun = datetime.fromisoformat(log[0]["at"])
    game = _table(context, data, **importer, head=verification.head, created_at=begun, updated_at=begun)
    fold = referee.table.Fold(game)
    erased = players.deleted(context.session, game.app_id, _named(log))
    for entry in log:
        public: Any = {name: value for name, value in entry.items() if name not in SHOWN_WITH}
        shares = entry.get("private", {})
        name = (data.get("names") or {}).get(str(public["seq"]))
        if (name or ALL in shares) and words.whose(public) in erased:
            name, shares = None, {seat: share for seat, share in shares.items() if seat != ALL}
        fold.read(public, shares, name)
        game.entries.append(referee.records.Entry(public, shares, bytes.fromhex(entry["hash"]), name))
    game.seats = without_strangers(game.seats, _own_players(context, game))
    return game


def _named(log: list[dict[str, Any]]) -> set[UUID]:
    """Return the ids of all players in a log."""
    places = (place for entry in log for place in (entry, entry.get("replacement", {})))
    return {UUID(place["player"]["id"]) for place in places if place.get("player")}


def _own_players(context: Context, game: Game) -> set[str]:
    ids = [UUID(player_id) for player_id in named(game.seats)]
    return {str(player) for player in players.several(context.session, game.app_id, ids)} if ids else set()


def _written(context: Context, data: dict[str, Any], known: dict[str, Any]) -> Game:
    """Write the log of a record without one, in which no player has a seat.

    What is `known` of the game besides are members of it.
    """
    game = _table(context, data, **known)
    record = referee.read_record(data)
    now = game.created_at
    origin = {name: value for name, value in game.origin.items() if value is not None}
    game.obey(commands.play.Create(game.visibility, cast(referee.table.Members, origin)), now)
    for seat, entropy in enumerate(record.entropy):
        game.obey(commands.seats.Sit(seat, referee.table.Who(), entropy), now)
    game.enter(referee.table.Event("started", now))
    for move in record.moves:
        game.play(now, move["seat"], move["move"])
    if record.ended is not None:
        _end(game, record.ended)
        game.go_on(now)
    return game


def _end(game: Game, ended: dict[str, Any]) -> None:
    """Write how a game has ended without a move."""
    now, kind = game.created_at, ended["type"]
    if kind == "cancelled":
        game.obey(commands.play.Cancel(), now)
    elif kind == "drawn":
        game.enter(referee.table.Event(kind, now))
    elif kind == "adjudicated":
        ruling = commands.play.Adjudicate({"winners": ended["winners"], "losers": ended["losers"]})
        game.obey(ruling, now)
    else:
        for seat in ended.get("seats") or [ended["seat"]]:
            game.enter(referee.table.Event(kind, now, game.who(seat)))


def _keep(context: Context, game: Game, commitment: str) -> None:
    """Store a game that comes with its log."""
    session = context.session
    store.insert(session, row_of(game), commitment)
    seats = [(seat.player and UUID(seat.player.id), seat.bot) for seat in game.seats]
    seating.insert_seats(session, game.id, seats)
    log = [NewEntry(e.public["seq"], stored(e.public), words.shares_of(e), e.hash) for e in game.entries]
    imports.append_all(session, game.id, game.app_id, log)
    words.keep(context, game)
    session.publish(game.app_id, game.id, game.version)
    game.entries = []
    seating.list_players(session, [game.id], seated=False)
    notice = Notification(IMPORTED.name, {"game": str(game.id), "version": game.version})
    posted(context, subject_of(game), [notice], context.now())
