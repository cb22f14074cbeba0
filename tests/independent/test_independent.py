"""The verifier of tests/independent agrees with the test vectors, and with records of all nine games."""

from __future__ import annotations

import ast
import base64
import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

import referee
from docs.generating import log_format, log_records, log_vectors
from referee import authoring
from referee.engine import registry
from referee.log import pace
from referee.table import Earlier, Fold
from referee.table.commands import agreements, clocks
from tests.independent.game import Referee
from tests.independent.numbers import (
    VECTORS,
    canonical,
    chosen,
    game_key,
    hashed,
    is_signed,
    later,
    length,
    mac,
    offset,
    outcome,
    time,
    time_text,
    u32,
    words,
)
from tests.independent.verify import verify
from tests.referee.ageing import Rules
from tests.support.honest import honest, played

following = import_module("referee.table.commands.following")  # the package has a function of this name
HERE = Path(__file__).parent
LOGS = sorted((HERE.parent / "records").glob("*/log-*.json"))
GAMES = sorted({path.parent.name for path in LOGS})


@pytest.fixture(scope="module")
def referee_command() -> Iterator[Referee]:
    referee = Referee()
    yield referee
    referee.close()


def test_the_data_files_are_those_that_the_code_gives() -> None:
    assert log_format.FORMAT.read_text("utf-8") == log_format.written(log_format.declared()), (
        "run `make generate`"
    )
    assert log_format.VECTORS.read_text("utf-8") == log_format.written(log_vectors.vectors()), (
        "run `make generate`"
    )


def test_an_option_that_is_added_to_a_game_does_not_change_the_vectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = {"added": authoring.switch("an option that is added later")}
    for name in log_records.OPTIONS:
        old: Any = referee.find(name)
        rules = Rules(**{each: value for each, value in vars(old).items() if each != "__builtins__"})
        rules.options = lambda seats, options=old.options: options(seats) | more
        monkeypatch.setitem(registry._BY_ID, (name, 1), rules)
    assert log_format.VECTORS.read_text("utf-8") == log_format.written(log_vectors.vectors())
    for record in ("record", "clocks", "hand_overs"):
        assert referee.verify(VECTORS[record]).ok


def test_it_imports_nothing_of_the_project() -> None:
    for path in HERE.glob("[!t]*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            foreign = [
                name for name in names if name.partition(".")[0] in ("referee", "api", "witness", "docs")
            ]
            assert foreign == [], path.name
            assert all(name.startswith("tests.independent") for name in names if name.startswith("tests"))


def test_canonical_json_and_hashes() -> None:
    for case in VECTORS["canonical"]:
        assert canonical(case["value"]).decode() == case["text"]
    for case in VECTORS["hashes"]:
        assert hashed(bytes.fromhex(case["previous"]), case["public"].encode()) == case["hash"]


def test_keys_and_outcomes() -> None:
    case = VECTORS["commitment"]
    assert hashed(bytes.fromhex(case["seed"])) == case["commitment"]
    case = VECTORS["key"]
    seed = bytes.fromhex(case["seed"])
    assert (
        mac(seed, bytes.fromhex(case["message"])).hex()
        == game_key(seed, case["entropy"]).hex()
        == case["key"]
    )
    case = VECTORS["outcomes"]
    key = bytes.fromhex(case["key"])
    assert [word for word, _ in zip(words(key, 0), range(8), strict=False)] == case["words_of_outcome_0"]
    for k, due in enumerate(case["outcomes"]):
        assert outcome(key, k, due).items() <= due.items()
    case = VECTORS["places"]
    bot = [chosen(key, b"bot", n, case["seq"], k) for k, n in enumerate((7, 7, 2**32))]
    assert (chosen(key, b"timeout", 7, case["seq"]), bot) == (case["late"], case["bot"])
    for case in VECTORS["bots"]:
        for k, taken in enumerate(case["numbers"]):
            assert chosen(key, b"bot", taken["below"], case["seq"], k) == taken["number"]
        assert case["move"] in case["moves"]


def test_seals_and_salts() -> None:
    seed, case = bytes.fromhex(VECTORS["key"]["seed"]), VECTORS["salts"]
    salt = mac(seed, b"salt", u32(case["seq"]))
    assert salt.hex() == case["salt"]
    for seat, due in case["shares"].items():
        assert mac(seed, b"salt", u32(case["seq"]), u32(int(seat)))[:16].hex() == due
    case = VECTORS["seals"]
    assert canonical(case["private"]).decode() == case["canonical"]
    assert hashed(salt, case["canonical"].encode()) == case["sealed"]
    assert {seat: hashed(canonical(share)) for seat, share in case["private"].items()} == case["seals"]


def test_signatures_and_receipts() -> None:
    case = VECTORS["signature"]
    assert is_signed(case["public_key"], case["signature"], case["message"].encode())
    case = VECTORS["receipt"]
    name, key_id, key = case["vkey"].split("+", 2)
    public = base64.b64decode(key)
    assert sha256(name.encode() + b"\n" + public).digest()[:4].hex() == key_id
    text, _, line = case["note"].rpartition("\n\n")
    value = base64.b64decode(line.split(" ")[2])
    assert value[:4].hex() == key_id
    Ed25519PublicKey.from_public_bytes(public[1:]).verify(value[4:], f"{text}\n".encode())
    last = VECTORS["record"]["entries"][-1]
    root = base64.b64encode(bytes.fromhex(last["hash"])).decode()
    assert text.split("\n")[1:] == [str(last["seq"]), root]


def test_leaves() -> None:
    case = VECTORS["leaves"]
    hashes = [sha256(b"\0" + data.encode()).digest() for data in case["data"]]
    assert [each.hex() for each in hashes] == case["hashes"]
    assert hashed(b"\1", *hashes) == case["root"]


def led_to(leaf: bytes, one: dict[str, Any], size: int) -> str:
    """Return the root that the proof of a leaf leads to (RFC 9162, 2.1.3.2)."""
    node, last, root = one["index"], size - 1, leaf
    for sibling in map(bytes.fromhex, one["proof"]):
        if node % 2 or node == last:
            root = sha256(b"\1" + sibling + root).digest()
            while node and node % 2 == 0:
                node, last = node // 2, last // 2
        else:
            root = sha256(b"\1" + root + sibling).digest()
        node, last = node // 2, last // 2
    assert last == 0
    return root.hex()


def test_proofs() -> None:
    """RFC 9162, 2.1.4.2."""
    case = VECTORS["proofs"]
    for one in case["inclusion"]:
        leaf = bytes.fromhex(case["leaves"][one["index"]])
        assert led_to(leaf, one, one["size"]) == case["roots"][str(one["size"])], one
    for one in case["consistency"]:
        path = [*map(bytes.fromhex, one["proof"])]
        if one["first"] & (one["first"] - 1) == 0:
            path.insert(0, bytes.fromhex(case["roots"][str(one["first"])]))
        node, last = one["first"] - 1, one["second"] - 1
        while node % 2:
            node, last = node // 2, last // 2
        before = after = path[0]
        for sibling in path[1:]:
            if node % 2 or node == last:
                before, after = (sha256(b"\1" + sibling + root).digest() for root in (before, after))
                while node and node % 2 == 0:
                    node, last = node // 2, last // 2
            else:
                after = sha256(b"\1" + after + sibling).digest()
            node, last = node // 2, last // 2
        roots = (case["roots"][str(one["first"])], case["roots"][str(one["second"])])
        assert (before.hex(), after.hex()) == roots, one


def test_a_cosignature_and_a_policy() -> None:
    case = VECTORS["cosignature"]
    name, key_id, key = case["vkey"].split("+", 2)
    public = base64.b64decode(key)
    assert sha256(name.encode() + b"\n" + public).digest()[:4].hex() == key_id
    text, _, lines = case["note"].rpartition("\n\n")
    value = base64.b64decode(lines.splitlines()[1].split(" ")[2])
    assert (value[:4].hex(), int.from_bytes(value[4:12], "big")) == (key_id, case["time"])
    signed = f"cosignature/v1\ntime {case['time']}\n{text}\n"
    Ed25519PublicKey.from_public_bytes(public[1:]).verify(value[12:], signed.encode())
    words = [line.split() for line in case["policy"].splitlines()]
    assert words[1:] == [["witness", "first", case["vkey"]], ["quorum", "first"]]


@pytest.mark.parametrize("case", VECTORS["times"])
def test_times(case: dict[str, Any]) -> None:
    quiet = offset(case["weekends"]) if case["quiet_weekends"] else None
    found = later(time(case["start"]), length(case["length"]), quiet)
    assert time_text(found) == case["deadline"]


@pytest.mark.parametrize("path", LOGS, ids=[path.parent.name for path in LOGS])
def test_it_agrees_on_golden_records(path: Path, referee_command: Referee) -> None:
    assert verify(json.loads(path.read_text("utf-8")), referee_command) == (None, set())


@pytest.mark.parametrize("number", range(9))
def test_it_agrees_on_records_with_many_features(number: int, referee_command: Referee) -> None:
    fault, skipped = verify(honest(number, GAMES[number], most=12), referee_command)
    assert (fault, skipped - {"moves of the bot cautious"}) == (None, set())


FAULTS: dict[str, tuple[Any, str, Any]] = {
    "days off count": (pace.Clock, "present", lambda clock, at: at),
    "no increment": (pace.Pace, "earn", lambda terms, seat: seat),
    "increments are kept when moves are taken back": (pace.Increments, "since", lambda past, of: {}),
    "clocks run on in a pause": (agreements, "pause", lambda seats, terms, at: None),
    "nothing is given back after an outage": (clocks, "outlast", lambda *given: {}),
    "half of the time is added": (
        *(clocks, "add_time"),
        lambda seats, seat, terms, length: pace.add_time(seats, seat, terms, length / 2),
    ),
    "the first move is made for late seats": (
        *(following, "forced_move"),
        lambda state, seat, *given: referee.legal_moves(state, seat)[-1],
    ),
    "a take-back leaves the position": (
        *(Fold, "_before"),
        lambda fold, of: Earlier(fold.table.position, fold.table.drawn),
    ),
    "late seats are never dropped": (following, "_drop", lambda *given: ()),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_tables_is_found(
    fault: str, referee_command: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever shares no code with tables finds that one of them played a game wrongly."""
    monkeypatch.setattr(*FAULTS[fault])
    for number in range(120):
        with suppress(AssertionError, KeyError, ValueError, TypeError):
            if verify(played(number, most=30).record(), referee_command)[0] is not None:
                return
    raise AssertionError("nobody finds it")


@pytest.mark.parametrize("name", ["clocks", "hand_overs"])
def test_it_agrees_on_the_records_among_the_vectors(name: str, referee_command: Referee) -> None:
    assert verify(VECTORS[name], referee_command) == (None, set())


def test_the_bundle() -> None:
    """Its leaves lead to the root of the checkpoint, which the endorsed key and the witness have signed."""
    case = VECTORS["bundle"]
    bundle, (log, witness, _) = case["bundle"], case["policy"].splitlines()
    newest, oldest = bundle["keys"]
    assert log == f"log {oldest['vkey']}"
    assert signed_by(oldest["vkey"], newest["endorsement"]) == f"referee.example/keys\n{newest['vkey']}\n"
    record, inclusion = bundle["record"], bundle["record"]["inclusion"]
    text = signed_by(newest["vkey"], inclusion["checkpoint"])
    root = base64.b64encode(bytes.fromhex(inclusion["root"])).decode()
    assert text == f"referee.example/games\n{inclusion['size']}\n{root}\n"
    assert witness.split()[2] == VECTORS["cosignature"]["vkey"]
    for leaf, entry in zip(inclusion["leaves"], (record["entries"][0], record["entries"][-1]), strict=True):
        named = json.loads(leaf["data"])
        assert named == {
            **{name: entry[name] for name in ("at", "hash", "seq", "type")},
            "commitment": record["commitment"],
        }
        assert (
            led_to(sha256(b"\0" + leaf["data"].encode()).digest(), leaf, inclusion["size"])
            == inclusion["root"]
        )
    (receipt,) = bundle["receipts"]
    assert signed_by(newest["vkey"], receipt).splitlines()[:2] == [f"referee.example/{record['game']}", "10"]


def signed_by(vkey: str, note: str) -> str:
    """Return the text of a note that this key has signed first."""
    _, key_id, key = vkey.split("+", 2)
    text, _, lines = note.rpartition("\n\n")
    value = base64.b64decode(lines.splitlines()[0].split(" ")[2])
    assert value[:4].hex() == key_id
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key)[1:])
    public.verify(value[4:], f"{text}\n".encode())
    return f"{text}\n"


def test_it_finds_every_changed_card_and_word_of_the_example(referee_command: Referee) -> None:
    assert verify(VECTORS["record"], referee_command) == (None, set())
    for number, entry in enumerate(VECTORS["record"]["entries"]):
        for name in entry:
            bent = copy.deepcopy(VECTORS["record"])
            bent["entries"][number][name] = "other"
            assert verify(bent, referee_command)[0] is not None, (number, name)
