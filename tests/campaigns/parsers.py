"""Everything that parses input of others, as functions that fail unless it is accepted or refused properly.

`fuzz` runs these, guided by coverage.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from flask import Flask

import referee
import referee.records
from api.app import create_app
from api.core.config import Settings
from api.core.errors import ServiceError
from api.features import load_features
from api.http import auth, inputs
from api.routes import operations
from api.streams import routes
from referee.cli import stdio
from referee.engine.jsontext import _DECODER, _check_texts, _require_shallow
from referee.proofs import receipts
from referee.verification import forks
from tests.referee.tables import tables, wander

OPERATIONS = operations(load_features())

ROOT = Path(__file__).parents[2]
MOST_MOVES = 60  # of a replayed record; longer ones test nothing else
REFUSALS = (referee.Malformed, ServiceError)
HEADERS = ("Authorization", "Card-Referee-Player", "If-Match", "Idempotency-Key", "Last-Event-ID")


def refused(read: Callable[[], Any]) -> bool:
    """Read; return whether the input was refused properly. Any other exception is a fault."""
    try:
        read()
    except REFUSALS:
        return True
    return False


def documents(data: bytes) -> None:
    """Read JSON in both ways: what the fast reader accepts, the strict one reads equally."""
    try:
        value = referee.records.parse(data)
    except referee.Malformed:
        return
    strict = _DECODER.decode(data.decode())
    _require_shallow(strict)
    _check_texts(strict)
    assert json.dumps(strict) == json.dumps(value)


@cache
def states() -> list[Any]:
    """Return positions of every ruleset, some from each table."""
    found = []
    for table in tables():
        for n, point in enumerate(wander(table, 1, 60)):
            if n % 20 == 5:
                found.append(referee.clone(point.state))
    return found


def moves(data: bytes) -> None:
    """Judge a move in a position selected by the first bytes; make it if it is legal."""
    if len(data) < 3:
        return
    known = states()
    state = known[int.from_bytes(data[:2], "big") % len(known)]
    seat = data[2] % state.seats
    try:
        move = referee.records.parse(data[3:])
    except referee.Malformed:
        return
    verdict = referee.judge(state, seat, move)
    if verdict.legal:
        made = referee.clone(state)
        referee.advance(made, seat, move, referee.Seeded.from_seed(b"", [""] * state.seats))
        referee.read(json.loads(json.dumps(referee.dump(made))))
    else:
        assert verdict.refusal is not None
        assert verdict.refusal.reason


def positions(data: bytes) -> None:
    """Read a position; if accepted, it can be written, viewed and played on."""
    try:
        state = referee.read(referee.records.parse(data))
    except referee.Malformed:
        return
    written = referee.dump(state)
    assert referee.dump(referee.read(json.loads(json.dumps(written)))) == written
    for seat in range(state.seats):
        referee.view(state, seat)
        for move in referee.legal_moves(state, seat)[:4]:
            made = referee.clone(state)
            referee.advance(made, seat, move, referee.Seeded.from_seed(b"", [""] * state.seats))
            referee.dump(made)


def records(data: bytes) -> None:
    """Replay and verify a record."""
    try:
        value = referee.records.parse(data)
        record = referee.read_record(value)
    except referee.Malformed:
        return
    if len(record.moves) <= MOST_MOVES:
        refused(lambda: referee.replay(record))
        refused(lambda: referee.verify(value))


def scenarios(data: bytes) -> None:
    """Run scenario files."""
    for outcome in referee.check(data.decode("utf-8", "replace")):
        str(outcome.failure)


def lines(data: bytes) -> None:
    """Process lines as `referee judge`, `legal`, `view` and `deal` do; each line gets one line."""
    for answer in (stdio.judged, stdio.legal, stdio.viewed, stdio.dealt):
        out = BytesIO()
        stdio.answer_lines(BytesIO(data), out, answer)
        asked = [line for line in data.split(b"\n") if line and not line.isspace()]
        assert out.getvalue().count(b"\n") == len(asked)


def notes(data: bytes) -> None:
    """Read signed notes, keys and proofs of forks; an accepted receipt can be written again."""
    text = data.decode("utf-8", "replace")
    refused(lambda: receipts.read_keys(text))
    refused(lambda: receipts.read_vkey(text))
    try:
        found = receipts.read_receipts(text)
    except referee.Malformed:
        found = []
    key = receipts.Key("example.org", bytes(32))
    for receipt in found:
        assert receipt.note.startswith(receipts.checkpoint(receipt.origin, receipt.size, receipt.root))
        refused(lambda receipt=receipt: receipts.signer(receipt, [key]))
    try:
        proof = referee.records.parse(data)
    except referee.Malformed:
        return
    refused(lambda: forks.check_fork(proof, [key]))


@cache
def app() -> Flask:
    """Return the application without a database, which parsers do not need."""
    return create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/none"))


@cache
def queries() -> list[Any]:
    return sorted(
        (one.query for one in OPERATIONS.values() if one.query is not None), key=lambda s: type(s).__name__
    )


@cache
def bodies() -> list[Any]:
    return sorted(
        (one.body for one in OPERATIONS.values() if one.body is not None), key=lambda s: type(s).__name__
    )


def cursors(data: bytes) -> None:
    """Read a query string as each list and feed does."""
    if not data:
        return
    app()
    schema = queries()[data[0] % len(queries())]
    with app().test_request_context(query_string=quote(data[1:], safe="=&%+,-:")):
        try:
            inputs.query(schema)
        except REFUSALS:
            return


def headers(data: bytes) -> None:
    """Read the headers that callers send: tokens, ids, keys, versions, positions in streams."""
    text = data.decode("latin-1").replace("\r", "").replace("\n", "")
    refused(lambda: auth.bearer_token(text))
    refused(lambda: auth.acting_player(text))
    refused(lambda: inputs.if_match(text))
    refused(lambda: inputs.etags("If-None-Match", text))
    inputs.KEY.fullmatch(text)
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "HTTP_LAST_EVENT_ID": text, "SERVER_NAME": "x"}
    environ |= {"SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": BytesIO()}
    with app().request_context(environ):
        refused(routes._event_after)
        refused(routes._cursor_after)


def requests(data: bytes) -> None:
    """Read a body as each operation does."""
    if not data:
        return
    app()
    schema = bodies()[data[0] % len(bodies())]
    with app().test_request_context(method="POST", data=data[1:], content_type="application/json"):
        refused(lambda: inputs.body(schema))


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each
    for each in (
        documents,
        moves,
        positions,
        records,
        scenarios,
        lines,
        notes,
        cursors,
        headers,
        requests,
    )
}

KEY = "example.org/log+2d3ac7f2+AbeG1Ap0Ky3mzWZ0Vq8nXzZ0N1wzvzYJ5bM3m0wqKs2k"


def examples(name: str) -> list[bytes]:
    """Valid inputs to begin with."""
    if name == "moves":
        found = []
        for n, state in enumerate(states()):
            for seat in range(state.seats):
                for move in referee.legal_moves(state, seat)[:2]:
                    found.append(n.to_bytes(2, "big") + bytes([seat]) + json.dumps(move).encode())
        return found
    if name in ("positions", "lines", "json_texts"):
        written = [referee.dump(state) for state in states()[::3]]
        if name == "lines":
            return [
                json.dumps({"position": one, "seat": 0, "move": {"type": "pass"}}).encode() for one in written
            ] + [b'{"ruleset": "pies", "seats": 4, "options": {}, "seed": "00"}\n']
        return [json.dumps(one).encode() for one in written]
    if name == "records":
        short = []
        for file in sorted((ROOT / "tests" / "records").rglob("*.json")):
            record = json.loads(file.read_text())
            if len(record["moves"]) <= MOST_MOVES:
                short.append(json.dumps(record).encode())
            short.append(json.dumps({**record, "entries": None, "moves": record["moves"][:9]}).encode())
        return short
    if name == "scenarios":
        files = sorted((ROOT / "tests" / "scenarios").rglob("*.yaml"))
        return [text.encode() for file in files[::2] for text in file.read_text().split("\n---\n")[:2]]
    if name == "notes":
        note = receipts.signed_note(
            receipts.checkpoint("example.org/x", 3, bytes(32)),
            receipts.Key("example.org", bytes(32)),
            bytes(64),
        )
        proof = {"format": forks.FORMAT, "receipts": [note, note], "hash": "00" * 32, "entries": []}
        keys = {"items": [{"vkey": KEY, "valid_from": "2026-01-01T00:00:00Z", "valid_until": None}]}
        return [note.encode(), KEY.encode(), json.dumps(proof).encode(), json.dumps(keys).encode()]
    if name == "cursors":
        return [
            bytes([n]) + text
            for n in range(len(queries()))
            for text in (b"cursor=" + b"0" * 56 + b"&limit=5", b"cursor=" + b"a1" * 16, b"after=5&limit=30")
        ]
    if name == "headers":
        return [b"Bearer player_abc", b"01890000-0000-7000-8000-000000000000", b'W/"17-ab", "18"', b"0" * 56]
    app()
    found = [
        b'{"move": {"type": "x"}, "seat": 0, "signed": null}',
        b'{"name": "Anna", "metadata": {"a": "b"}}',
    ]
    found.append(
        b'{"ruleset": "pies", "seats": [{"open": true}], "pace": {"per_move": "PT72H"}, "options": {}}'
    )
    return [bytes([n]) + text for n in range(len(bodies())) for text in found]


def words(name: str) -> list[str]:
    """Return strings worth trying, from the declarations."""
    found = {'"', "{", "}", "[", "]", ":", ",", "null", "true", "false", "0", "-1", "1.0", "1e999", "\\u0000"}
    if name in ("moves", "positions", "records", "scenarios", "lines", "json_texts"):
        for game in referee.newest():
            found |= {game.ID, *game.PHASES, *game.MOVES, *(f for m in game.MOVES.values() for f in m)}
            found |= set(
                sorted(
                    game.deck(game.SEATS[0], {k: o.default for k, o in game.options(game.SEATS[0]).items()})
                )[:8]
            )
        found |= set(referee.dump(states()[0])) | set(referee.records.ENTRY_TYPES)
    if name == "scenarios":
        found |= {
            "seats: ",
            "steps: ",
            "- {",
            "seat: ",
            "move: ",
            "illegal: ",
            "legal: ",
            "sees: ",
            "expect: ",
            "---",
        }
    if name in ("cursors", "requests"):
        app()
        for schema in [*queries(), *bodies()]:
            found |= set(schema.fields)
    return sorted(found)


assert yaml  # the reader of scenarios, so that its coverage counts too
