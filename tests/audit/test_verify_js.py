"""The second verifier, in JavaScript: it agrees with ours on the same records, valid and forged."""

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import referee
import referee.records
from docs.generating import log_format
from referee.log.chain import canonical
from referee.log.jsontypes import checker
from referee.log.keys import _P, _WEAK
from tests.audit.forging.judging import found
from tests.referee.logged import logged
from tests.servers.commands import run
from tests.support.forging import GIFTS, ROUNDS, as_seen, bent, chained_anew, failed, places
from tests.support.honest import honest
from tests.support.node import RUNNER, ask, failures

SCRIPTS = [
    RUNNER.parents[2] / "api/web/verify" / name
    for name in (
        "verify.js",
        "encoding.js",
        "table_rules.js",
        "shapes.js",
        "consent.js",
        "dealing.js",
        "clocks.js",
    )
]
IMPORTED = {
    "verify.js": ["./declared.js", "./encoding.js"],
    "encoding.js": [],
    "shapes.js": ["./declared.js"],
    "clocks.js": ["./declared.js", "./verify.js"],
    "consent.js": ["./declared.js", "./encoding.js", "./verify.js"],
    "dealing.js": ["./encoding.js", "./verify.js"],
    "table_rules.js": [
        "./clocks.js",
        "./consent.js",
        "./dealing.js",
        "./declared.js",
        "./encoding.js",
        "./shapes.js",
        "./verify.js",
    ],
}


def test_its_declarations_are_those_of_the_referee():
    assert log_format.MODULE.read_text("utf-8") == log_format.module(), "run `make generate`"


SCALARS: list[Any] = [None, True, False, 0, 1, -1, "", "1", [], {}]
VALUES = [
    *SCALARS,
    *[[value] for value in SCALARS],
    *[
        {name: value}
        for name in ("0", "id", "asks", "of", "winners", "reason", "type", "move", "extra")
        for value in SCALARS
    ],
    *[[{name: value}] for name in ("from", "cards", "what", "seat") for value in [*SCALARS, [None], [1]]],
]


def test_members_have_the_same_types():
    pairs = [(name, value) for name in referee.records.MEMBERS for value in VALUES]
    answers = ask([{"typed": {name: value}} for name, value in pairs])
    assert [(*pair, answer) for pair, answer in zip(pairs, answers, strict=True)] == [
        (name, value, checker(referee.records.MEMBERS[name].kind)(value)) for name, value in pairs
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_it_is_short_and_imports_nothing_else(script: Path):
    text = re.sub(r"/\*\* @import .*types\.d\.ts.*\n", "", script.read_text())  # types, which do nothing
    assert len(text.splitlines()) <= 300
    imported = re.findall(r"^import .* from \"(.*)\";$", text, re.MULTILINE)
    assert imported == IMPORTED[script.name]
    assert text.count("import ") == len(imported)


def test_whole_records_of_every_game_verify():
    tables = [(game.ID, seats) for game in referee.newest() for seats in game.SEATS]
    for table, answer in zip(
        tables, ask([logged(*table, number=3, most=150) for table in tables]), strict=True
    ):
        assert failures(answer) == {}, table
        assert len(answer["checks"]) == 15


def test_canonical_json_is_the_same():
    text = st.text(st.characters(exclude_categories=["Cs"]))
    scalars = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | text
    scalars |= st.floats(allow_nan=False, allow_infinity=False)
    values = st.recursive(
        scalars, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=20
    )

    @settings(max_examples=10, deadline=None)
    @given(st.lists(values, min_size=5))
    def same(given: list[Any]) -> None:
        answers = ask([{"canonical": value} for value in given])
        assert answers == [canonical(value).decode() for value in given]

    same()


def test_no_field_of_any_entry_can_be_changed():
    record = GIFTS
    fields = {(i, path[0]): path for i, entry in enumerate(record["entries"]) for path in places(entry)}
    paths = [(i, *path) for (i, _), path in fields.items()]
    answers = ask([bent(record, ("entries", *path)) for path in paths])
    for path, answer in zip(paths, answers, strict=True):
        assert failures(answer).get("sealed" if path[1] == "private" else "chain") == path[0] + 1, path


@pytest.mark.parametrize("record", [GIFTS, ROUNDS], ids=["gifts", "rounds"])
def test_rebuilding_the_chain_does_not_allow_another_deal(record: dict[str, Any]):
    started = next(i for i, entry in enumerate(record["entries"]) if entry["type"] == "started")
    paths = [("entries", started, *path) for path in places(record["entries"][started]) if "cards" in path]
    shown = [path for path in paths if _value(record, path) is not None and "move" not in path]
    bad = [chained_anew(_card_changed(record, path)) for path in shown]
    # Without rules, only cards from the pack can be checked, not those moved on from the draw pile.
    out_of_pack = [path for path in shown if _value(record, (*path[:-2], "from")) is None]
    answers = dict(zip(shown, ask(bad), strict=True))
    for path in out_of_pack:
        assert "dealt" in failures(answers[path]), path
    assert out_of_pack or record is GIFTS


def _value(record: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        record = record[key]
    return record


def _card_changed(record: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    other = copy.deepcopy(record)
    cards = _value(other, path[:-1])
    cards[path[-1]] = "C1" if cards[path[-1]] != "C1" else "C2"
    return other


def test_swapped_dropped_and_other_seeds_are_found():
    count = len(ROUNDS["entries"])
    swapped, dropped = copy.deepcopy(ROUNDS), copy.deepcopy(ROUNDS)
    entries = swapped["entries"]
    entries[7], entries[8] = entries[8], entries[7]
    dropped["entries"].pop()
    seeded = {**ROUNDS, "seed": "00" * 32}
    result = {**ROUNDS, "result": None}
    moves = {**ROUNDS, "moves": ROUNDS["moves"][:-1]}
    chance = copy.deepcopy(ROUNDS)
    chance["chance"][1]["shuffle"].reverse()
    pick = copy.deepcopy(ROUNDS)
    pick["chance"][0]["pick"] ^= 1
    found = list(map(failures, ask([swapped, dropped, seeded, result, moves, chance, pick])))
    assert found[0]["sequence"] == found[0]["chain"] == 8
    assert "result" in found[1]
    assert found[2]["commitment"] == 1
    assert {"result", "sealed", "chance"} <= found[2].keys()
    assert found[3] == {"result": count}
    assert found[4] == {"moves": count - 1}
    assert found[5].keys() == {"chance", "dealt"}
    assert found[6].keys() == {"chance"}


def test_a_running_game_is_checked_by_its_chain():
    for seat in (None, 1):
        (answer,) = ask([as_seen(GIFTS, seat)])
        assert failures(answer) == {}
        of_hashes = ["sequence", "chain", "terms", "result", "sealed"]
        of_tables = ["times", "order", "seats", "consent", "clocks", "members"]
        assert [check["name"] for check in answer["checks"]] == of_hashes + of_tables


@pytest.mark.parametrize(
    "nonsense", [{}, {"entries": [None]}, {"entries": [{}], "seed": "zz"}, {"entries": 1}]
)
def test_nonsense_is_reported(nonsense: Any):
    (answer,) = ask([nonsense])
    assert not answer["ok"]


def key(y: int) -> str:
    return (y % 2**256).to_bytes(32, "little").hex()


@pytest.mark.parametrize("sign", [0, 1 << 255])
def test_both_verifiers_refuse_keys_that_anybody_can_sign_for(sign: int) -> None:
    weak = [key(y | sign) for y in sorted(_WEAK)] + [key(_P | sign), key((_P + 1) | sign), "00", "zz" * 32]
    fine = key(4 | sign)
    bent = []
    for text in [*weak, fine]:
        other = copy.deepcopy(ROUNDS)
        next(each for each in other["entries"] if each["type"] == "joined")["public_key"] = text
        bent.append(chained_anew(other))
    found = [
        (failed(other).get("seats"), failures(answer).get("seats"))
        for other, answer in zip(bent, ask(bent), strict=True)
    ]
    assert found == [(2, 2)] * len(weak) + [(None, None)]


@pytest.mark.parametrize("place", [-1, 9])
def test_a_place_that_a_table_does_not_have_is_found(place: int) -> None:
    """In a `joined` of a seat that does nothing else, and in a ruling."""
    bent = []
    for number in range(60):
        record = honest(number, most=2)
        named = Counter(entry.get("seat") for entry in record["entries"])
        for entry in record["entries"]:
            if entry["type"] == "joined" and named[entry["seat"]] == 1 and len(bent) < 4:
                other = copy.deepcopy(record)
                other["entries"][entry["seq"] - 1]["seat"] = place
                bent.append(chained_anew(other))
            if entry["type"] == "adjudicated":
                other = copy.deepcopy(record)
                parts = (other["entries"][entry["seq"] - 1]["ruling"], other["ended"], other["result"])
                for part in parts:
                    part["winners"] = [place]
                    part["losers"] = []
                other["entries"][entry["seq"]]["result"] = {**parts[2]}
                bent.append(chained_anew(other))
    assert {"joined", "adjudicated"} <= {entry["type"] for record in bent for entry in record["entries"]}
    for record, answer in zip(bent, ask(bent), strict=True):
        assert found(record)
        assert failures(answer)


def test_a_log_that_was_removed_is_reported_first() -> None:
    without = json.dumps({name: value for name, value in ROUNDS.items() if name != "entries"})
    for words, status, word in ((["-"], 0, "NOTE"), (["--require-log", "-"], 1, "FAIL")):
        done = run("verify", *words, given=without)
        assert done.returncode == status
        assert done.stdout.startswith(f"{word}  log: THERE IS NO LOG")
    assert run("verify", "--require-log", "-", given=json.dumps(ROUNDS)).returncode == 0
    assert "sequence" in failures(ask([json.loads(without)])[0])
