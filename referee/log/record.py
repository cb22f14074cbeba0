"""Game records, which games export, and their replay move by move."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from referee.engine.chance import Seeded, game_key, seed_bytes
from referee.engine.jsontext import plain
from referee.engine.play import advance, conclude, deal, draw, judge, resign, rule
from referee.engine.position import Moved
from referee.engine.verdicts import Malformed, Verdict
from referee.log.entries import ENDINGS

FORMAT = "card-referee/1"
WITHOUT_SEAT = ("cancelled", "drawn", "adjudicated")  # endings that no single seat has caused


@dataclass(frozen=True, slots=True)
class Record:
    """A record that was read: every field has the right type, but the moves are not judged yet."""

    ruleset: str
    version: int | None
    seats: int
    options: dict[str, Any]
    seed: bytes
    entropy: list[str]
    moves: list[dict[str, Any]]
    result: dict[str, Any] | None
    ended: dict[str, Any] | None = None

    @property
    def key(self) -> bytes:
        """The key of the game. Raises Malformed if an entropy is too long."""
        return game_key(self.seed, self.entropy)


@dataclass(frozen=True, slots=True)
class Step:
    """A point of a replay: the deal (n = 0) or the n-th move, with its transfers and the state after it.

    If the move was illegal, `verdict` refuses it, and `state` is the one before it and the last. The state
    belongs to the replay, which continues to change it.
    """

    n: int
    seat: int | None
    move: dict[str, Any] | None
    verdict: Verdict | None
    transfers: list[Moved]
    state: Any


def read_record(data: object) -> Record:
    """Read a record from JSON. Raises Malformed, naming the field."""
    if type(data) is not dict:
        raise Malformed("record", "must be an object")
    if data.get("format") != FORMAT:
        raise Malformed("format", f"must be {FORMAT!r}")
    for key in ("ruleset", "seats", "seed", "moves"):
        if key not in data:
            raise Malformed(key, "is missing")
    seats = data["seats"]
    if type(seats) is not int or not 1 <= seats <= 64:
        raise Malformed("seats", "must be a number of seats")
    entropy = data.get("entropy", [""] * seats)
    if type(entropy) is not list or len(entropy) != seats or not all(type(e) is str for e in entropy):
        raise Malformed("entropy", f"must be {seats} strings, one a seat")
    result = data.get("result")
    if result is not None and type(result) is not dict:
        raise Malformed("result", "must be null or an object")
    return Record(
        ruleset=data["ruleset"],
        version=data.get("version"),
        seats=seats,
        options=data.get("options", {}),
        seed=seed_bytes(data["seed"]),
        entropy=entropy,
        moves=_moves(data["moves"], seats),
        result=result,
        ended=_ended(data.get("ended"), seats),
    )


def _ended(given: object, seats: int) -> dict[str, Any] | None:
    if given is None:
        return None
    if type(given) is not dict or given.get("type") not in ENDINGS:
        raise Malformed("ended", "must be null or an object whose type is one of " + ", ".join(ENDINGS))
    if given["type"] == "adjudicated":
        for name in ("winners", "losers"):
            _read_seats(given.get(name), seats, f"ended.{name}")
        if {*given["winners"]} & {*given["losers"]}:
            raise Malformed("ended", "names a seat as winner and as loser")
    elif given["type"] not in WITHOUT_SEAT:
        read_seat(given.get("seat"), seats, "ended.seat")
        _read_seats(given.get("seats", []), seats, "ended.seats")
    return given


def _read_seats(given: object, seats: int, place: str) -> None:
    if type(given) is not list:
        raise Malformed(place, "must be a list of seats")
    for i, seat in enumerate(given):
        read_seat(seat, seats, f"{place}[{i}]")


def _moves(given: object, seats: int) -> list[dict[str, Any]]:
    if type(given) is not list:
        raise Malformed("moves", "must be a list")
    for i, entry in enumerate(given):
        if type(entry) is not dict or "move" not in entry:
            raise Malformed(f"moves[{i}]", 'must be an object with "seat" and "move"')
        read_seat(entry.get("seat"), seats, f"moves[{i}].seat")
    return given


def read_seat(seat: object, seats: int, place: str = "seat") -> int:
    """Read a seat's number. Raises Malformed if the table has no such seat."""
    if type(seat) is not int or not 0 <= seat < seats:
        raise Malformed(place, f"must be a seat, 0 to {seats - 1}")
    return seat


def steps(record: Record, chance: Seeded | None = None) -> Iterator[Step]:
    """Replay a record: the deal first, then each move; ends after the first refused one.

    If a game `ended` without a move, the state of the last step has the result after all steps. Raises
    Malformed for an unknown ruleset, for options or numbers of seats that it does not allow, and for an
    `ended` after a move that already ended the game.
    """
    chance = chance or Seeded(record.key)
    state, transfers = deal(record.ruleset, record.seats, record.options, chance, version=record.version)
    yield Step(0, None, None, None, transfers, state)
    for n, entry in enumerate(record.moves, 1):
        seat, move = entry["seat"], entry["move"]
        verdict = judge(state, seat, move)
        transfers = advance(state, seat, move, chance) if verdict.legal else []
        yield Step(n, seat, move, verdict, transfers, state)
        if not verdict.legal:
            return
    if record.ended is not None:
        close(state, record.ended)


def close(state: Any, ended: dict[str, Any]) -> None:
    """End a game without a move. Raises Malformed if it is already over.

    `ended` is `{"type", "seat"}`, with `seats` if several ran out of time together, or with `winners` and
    `losers` if a director has decided.
    """
    if state.result is not None:
        raise Malformed("ended", "the game was over by then")
    if ended["type"] == "drawn":
        conclude(state, draw(state))
    elif ended["type"] == "adjudicated":
        conclude(state, rule(ended))
    elif ended["type"] != "cancelled":
        seats = ended.get("seats") or [ended["seat"]]
        conclude(state, resign(state, *seats, reason=ended["type"]))


def replay(record: Record) -> Step:
    """Replay a record to its end, or to the first refused move, and return that last step."""
    return deque(steps(record), maxlen=1).pop()


def write_record(state: Any, seed: bytes, entropy: list[str], moves: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the record of a game that has reached this state by these moves, each `{"seat", "move", …}`."""
    return {
        "format": FORMAT,
        "ruleset": state.ruleset.ID,
        "version": state.ruleset.VERSION,
        "seats": state.seats,
        "options": dict(state.options),
        "seed": seed.hex(),
        "entropy": list(entropy),
        "moves": moves,
        "result": plain(state.result),
    }
