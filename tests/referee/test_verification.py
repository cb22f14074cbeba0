"""Verification: whole records verify, and every change in one is found and named."""

import contextlib
import copy
import json
import random
from typing import Any

import pytest

import referee
import referee.records
import referee.verification
from referee.dispute.page import dispute_report
from referee.verification.findings import PROMISES
from tests.referee.logged import game_seed, logged
from tests.servers.commands import run
from tests.support.forging import GIFTS, REBUILT, ROUNDS, as_seen, bent, chained_anew, failed, places


@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_whole_records_of_every_game_verify(game: Any):
    for seats in game.SEATS:
        record = json.loads(json.dumps(logged(game.ID, seats, number=seats, most=300)))
        report = referee.verify(record)
        assert report.ok, report
        assert report.unchecked == {}
        assert report.to_json()["ok"] is True


@pytest.mark.long
@pytest.mark.parametrize("record", [GIFTS, ROUNDS], ids=["gifts", "rounds"])
def test_no_value_of_any_entry_can_be_changed(record: dict[str, Any]):
    tried = 0
    for i, entry in enumerate(record["entries"]):
        for path in places(entry):
            found = failed(bent(record, ("entries", i, *path)))
            private = path[0] == "private"
            assert found.get("sealed" if private else "chain") == i + 1, (i, path, found)
            tried += 1
    assert tried > 500


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("record", [GIFTS, ROUNDS], ids=["gifts", "rounds"])
def test_rebuilding_the_chain_does_not_allow_other_events(record: dict[str, Any], step: int):
    """With database and seed the chain can be rebuilt; the deal and the rules cannot be changed."""
    moves = [i for i, entry in enumerate(record["entries"]) if entry["type"] == "moved"]
    for i, entry in enumerate(record["entries"]):
        if entry["type"] in ("started", "finished") or i in moves[::step]:
            for path in places(entry):
                if path[0] not in (*REBUILT, "at") and path != ("player", "name"):
                    forged = chained_anew(bent(record, ("entries", i, *path)))
                    assert failed(forged), (i, path)


def test_the_last_entry_of_a_finished_game_cannot_be_dropped_unnoticed():
    record = copy.deepcopy(ROUNDS)
    record["entries"].pop()
    assert failed(record).keys() == {"order", "result"}
    record["result"] = None
    assert failed(record).keys() == {"order", "result"}


def test_another_seed_is_found():
    record = copy.deepcopy(ROUNDS)
    record["seed"] = game_seed(99).hex()
    found = failed(record)
    assert found["commitment"] == 1
    assert found["shuffles"] == 5
    assert {"sealed", "result"} <= found.keys()


def test_an_illegal_move_is_named_with_its_rule():
    record = copy.deepcopy(ROUNDS)
    i = next(i for i, entry in enumerate(record["entries"]) if entry["type"] == "moved")
    seat = record["entries"][i]["seat"]
    hand = next(
        transfer["cards"]
        for transfer in record["entries"][4]["private"][str(seat)]["transfers"]
        if transfer["to"] == f"hand.{seat}"
    )
    card = next(f"C{n}" for n in range(1, 10) if f"C{n}" not in hand)
    record["entries"][i]["move"]["card"] = record["moves"][0]["move"]["card"] = card
    report = referee.verify(chained_anew(record))
    verdicts = next(check for check in report.checks if check.name == "verdicts")
    assert not verdicts.ok
    assert verdicts.seq == i + 1
    assert "common.not_held" in verdicts.detail
    assert "result" in report.unchecked


@pytest.mark.parametrize("end", ["resigned", "timed_out", "cancelled"])
def test_games_that_do_not_end_by_a_move(end: str):
    record = json.loads(json.dumps(logged("bisca", 4, most=9, end=end, partners=True)))
    assert referee.verify(record).ok
    assert (record["result"] is None) == (end == "cancelled")
    without = {key: value for key, value in record.items() if key != "entries"}
    assert referee.verify(without).ok
    last = referee.replay(referee.read_record(without)).state
    assert last.result == record["result"]
    for ended in (
        None,
        {"type": "resigned", "seat": (record["moves"][-1]["seat"] + 1) % 4},
        {"type": "cancelled"},
    ):
        if ended != record["ended"]:
            assert "moves" in failed({**record, "ended": ended})
    other = {"winners": [0, 1, 2], "losers": [3], "reason": "resigned"}
    assert "result" in failed({**record, "result": other})
    assert "result" in failed({**without, "result": other})


def test_nobody_can_resign_a_finished_game():
    ended = {"type": "resigned", "seat": 0}
    without = {key: value for key, value in ROUNDS.items() if key != "entries"}
    assert failed({**without, "ended": ended}).keys() == {"result"}
    assert "moves" in failed({**ROUNDS, "ended": ended})


def test_only_messages_come_after_the_end():
    record = copy.deepcopy(ROUNDS)
    number = len(record["entries"]) + 1
    said = {**record["entries"][5], "seq": number, "at": record["entries"][-1]["at"]}
    record["entries"].append(said)
    assert failed(chained_anew(record)) == {}
    said["type"] = "resigned"
    for name in ("private", "sealed", "seals"):
        del said[name]
    assert failed(chained_anew(record)) == {"order": number}


def test_a_running_game_can_be_followed_without_the_seed():
    for seat in (None, 0, 2):
        shown = as_seen(GIFTS, seat)
        report = referee.verify(shown)
        assert report.ok
        assert {"verdicts", "shuffles", "commitment"} <= report.unchecked.keys()
        for i, entry in enumerate(shown["entries"]):
            for path in places(entry):
                if path[0] != "private":
                    assert failed(bent(shown, ("entries", i, *path)))["chain"] == i + 1


def test_a_follower_can_check_the_sealed_parts_afterwards():
    """The hashes seen live are those of the whole record; with it and the seed every sealed part opens."""
    live = [entry["hash"] for entry in as_seen(ROUNDS, None)["entries"]]
    assert live == [entry["hash"] for entry in ROUNDS["entries"]]
    seed = bytes.fromhex(ROUNDS["seed"])
    opened = 0
    for entry in ROUNDS["entries"]:
        if "sealed" in entry:
            assert referee.records.seal(seed, entry["seq"], entry["private"]) == entry["sealed"]
            opened += 1
    assert opened > 1


@pytest.mark.parametrize(
    ("one", "next_one", "holds"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5Z", True),
        ("2026-01-02T03:04:05.50Z", "2026-01-02T03:04:05.5Z", True),
        ("2026-01-02T03:04:05.9Z", "2026-01-02T03:04:05.123456789Z", False),
        ("2026-01-02T03:04:05.000000001Z", "2026-01-02T03:04:05Z", False),
    ],
)
def test_times_are_compared_whatever_number_of_digits_they_have(one: str, next_one: str, holds: bool):
    record = copy.deepcopy(ROUNDS)
    first, second, *later = record["entries"]
    first["at"], second["at"] = one, next_one
    for entry in later:
        entry["at"] = "2026-12-31T00:00:00Z"
    assert failed(chained_anew(record)) == ({} if holds else {"times": 2})


def test_entries_may_come_one_by_one():
    head = {key: value for key, value in ROUNDS.items() if key not in ("entries", "moves")}
    verification = referee.Verification(head)
    for entry in ROUNDS["entries"]:
        verification.read(entry)
    assert verification.head.hex() == ROUNDS["entries"][-1]["hash"]
    assert verification.state.result == ROUNDS["result"]
    report = verification.report()
    assert report.ok
    assert report.unchecked.keys() == {"moves"}
    assert referee.verify(head, entries=iter(ROUNDS["entries"])) == report


@pytest.mark.parametrize(
    "entry",
    [
        None,
        1,
        [],
        {},
        {"type": []},
        {"type": "x"},
        {"type": "moved", "seat": [], "private": {"0": 1}, "move": None},
    ],
)
def test_nonsense_for_an_entry_is_reported_without_a_crash(entry: Any):
    for i in range(len(ROUNDS["entries"])):
        record = {**ROUNDS, "entries": [*ROUNDS["entries"][:i], entry, *ROUNDS["entries"][i + 1 :]]}
        assert not referee.verify(record).ok


@pytest.mark.parametrize("value", [None, [], {}, -1, 10**20, 1.5, "x", True, [[]], {"a": []}, "x" * 65])
def test_nonsense_in_any_field_is_reported_without_a_crash(value: Any):
    for i in (0, 1, 4, 6, 9, -1):
        for key in ROUNDS["entries"][i]:
            if ROUNDS["entries"][i][key] != value:
                record = copy.deepcopy(ROUNDS)
                record["entries"][i][key] = value
                assert not referee.verify(record).ok
                if value != 10**20 and key not in ("seq", "private"):  # these cannot be chained
                    referee.verify(chained_anew(record))


def test_an_invalid_record_is_refused():
    for data in (
        None,
        [],
        {},
        {**ROUNDS, "entries": {}},
        {**ROUNDS, "ended": 1},
        {**ROUNDS, "ruleset": "chess"},
    ):
        with pytest.raises(referee.Malformed):
            referee.verify(data)


def test_the_command_prints_a_line_a_check():
    done = run("verify", "-", given=json.dumps(ROUNDS))
    assert done.returncode == 0
    checks = [line for line in done.stdout.splitlines() if not line.startswith("NOTE")]
    of_the_record = checks[: len(referee.verification.CHECKS)]
    assert [line.split(":")[0] for line in of_the_record] == [
        f"ok    {n}" for n in referee.verification.CHECKS
    ]
    assert {line.rpartition(" [")[2] for line in of_the_record} == {"mathematics]"}
    names = [line[6:].partition(":")[0] for line in checks]
    assert [*dict.fromkeys(names)] == [*PROMISES]
    record = bent(ROUNDS, ("entries", 6, "at"))
    done = run("verify", "-", given=json.dumps(record))
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line.startswith("FAIL  chain: entry 7: ")]
    assert run("verify", "-", given="{}").returncode == 1


def test_handwritten_records_need_no_log():
    record = json.loads(run("random", "pies", "--seats", "4", "--max-moves", "20").stdout)
    report = referee.verify(record)
    assert report.ok
    assert [check.name for check in report.checks] == ["verdicts", "result", "members"]
    record["moves"][5]["seat"] = (record["moves"][5]["seat"] + 1) % 4
    assert "verdicts" in failed(record)
    assert failed({**record, "moves": record["moves"][:3], "result": {"winners": [0]}}).keys() == {"result"}


ODD = (
    None,
    True,
    0,
    -1,
    99,
    2**70,
    1.5,
    "",
    "x",
    "ab" * 32,
    [],
    {},
    [None],
    {"type": "play"},
    {"0": {}},
    [[]],
)


def mangled(choose: random.Random, record: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which some value is changed, missing, or added."""
    other = copy.deepcopy(record)
    node: Any = other
    while True:
        key = choose.choice(list(node) if type(node) is dict else range(len(node)))
        if not (type(node[key]) in (dict, list) and node[key] and choose.random() < 0.85):
            break
        node = node[key]
    match choose.choice(("change", "change", "drop", "add")):
        case "change":
            node[key] = copy.deepcopy(choose.choice(ODD))
        case "drop":
            del node[key]
        case _ if type(node) is list:
            node.insert(key, copy.deepcopy(choose.choice(ODD)))
        case _:
            node["more"] = 1
    return other


@pytest.mark.parametrize("record", [GIFTS, ROUNDS], ids=["gifts", "rounds"])
def test_no_record_causes_a_crash(record: dict[str, Any]):
    choose = random.Random(8)
    refused = 0
    for n in range(120):
        other = mangled(choose, mangled(choose, record) if n % 2 else record)
        if n % 3:
            with contextlib.suppress(Exception):  # not everything can be chained
                chained_anew(other)
        for read in (referee.verify, lambda data: "".join(dispute_report(data, 0))):
            try:
                read(other)
            except referee.Malformed as error:
                refused += bool(str(error))
    assert refused
