"""Judge, legal, view and deal for other programs: questions and answers as lines of JSON."""

from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedIOBase
from typing import Any, BinaryIO

from referee.engine.chance import Chance, Scripted, Seeded, seed_bytes
from referee.engine.jsontext import line, parse
from referee.engine.play import advance, deal, judge, legal_moves, read
from referee.engine.verdicts import Malformed
from referee.engine.views import dump, show_transfers, view
from referee.log.record import read_seat

AT_ONCE = 65536  # bytes


def answer_lines(
    source: BufferedIOBase, out: BinaryIO, answer: Callable[[dict[str, Any]], dict[str, Any]]
) -> bool:
    """Answer each line, even with an error; return whether all could be answered.

    No answer waits for a line that has not arrived yet; those to lines that arrived together are written
    together, because writing to a pipe costs as much as judging a move.
    """
    all_answered = True
    for lines in _arrived(source):
        answers: list[bytes] = []
        try:
            for text in lines:
                if not text or text.isspace():
                    continue
                try:
                    question = parse(text)
                    if type(question) is not dict:
                        raise Malformed("line", "must be an object")
                    answers.append(line(answer(question)))
                except Malformed as error:
                    all_answered = False
                    answers.append(line({"error": {"type": "malformed", "detail": str(error)}}))
        finally:  # also when a ruleset's own mistake ends the command
            out.write(b"".join(answers))
            out.flush()
    return all_answered


def _arrived(source: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield the lines, grouped by what has arrived together."""
    begun: list[bytes] = []  # the pieces of an incomplete line
    while chunk := source.read1(AT_ONCE):
        head, end, tail = chunk.rpartition(b"\n")
        if end:
            yield b"".join([*begun, head]).split(b"\n")
            begun.clear()
        begun.append(tail)
    yield [b"".join(begun)]


def judged(question: dict[str, Any]) -> dict[str, Any]:
    """Judge a move, and make it if it is legal. Raises Malformed."""
    state = read(_needed(question, "position"))
    seat = read_seat(_needed(question, "seat"), state.seats)
    move = _needed(question, "move")
    verdict = judge(state, seat, move)
    if not verdict.legal:
        return {"verdict": verdict.to_json()}
    transfers = advance(state, seat, move, chance_of(question, state.seats))
    return {
        "verdict": verdict.to_json(),
        "position": dump(state),
        "transfers": show_transfers(transfers, None, whole=True),
    }


def legal(question: dict[str, Any]) -> dict[str, Any]:
    """List a seat's legal moves. Raises Malformed."""
    state = read(_needed(question, "position"))
    seat = question.get("seat")
    return {"legal": [] if seat is None else [*legal_moves(state, read_seat(seat, state.seats))]}


def viewed(question: dict[str, Any]) -> dict[str, Any]:
    """Show a position as a seat or a spectator sees it. Raises Malformed."""
    state = read(_needed(question, "position"))
    seat = question.get("seat")
    return {"view": view(state, seat if seat is None else read_seat(seat, state.seats))}


def dealt(question: dict[str, Any]) -> dict[str, Any]:
    """Deal a game. Raises Malformed."""
    seats = _needed(question, "seats")
    chance = chance_of(question, seats if type(seats) is int and 0 < seats < 64 else 1)
    state, transfers = deal(
        _needed(question, "ruleset"),
        seats,
        question.get("options", {}),
        chance,
        version=question.get("version"),
    )
    return {"position": dump(state), "transfers": show_transfers(transfers, None, whole=True)}


def legal_by_seat(state: Any) -> dict[str, list[dict[str, Any]]]:
    """Return every seat's legal moves, by seat."""
    return {str(seat): [*legal_moves(state, seat)] for seat in range(state.seats)}


def chance_of(question: dict[str, Any], seats: int) -> Chance:
    """Read the chance in a question: outcomes, then a seed without entropy. Raises Malformed."""
    seeded = None
    if question.get("seed") is not None:
        seeded = partial(Seeded.from_seed, seed_bytes(question["seed"]), [""] * seats)
    outcomes = question.get("chance")
    return Scripted([] if outcomes is None else outcomes, seeded)


def _needed(question: dict[str, Any], key: str) -> Any:
    if key not in question:
        raise Malformed(key, "is missing")
    return question[key]
