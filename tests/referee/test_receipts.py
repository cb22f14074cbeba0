"""Receipts at the command line: compared with a record, and two that conflict turned into a proof."""

from __future__ import annotations

import base64
import copy
import json
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.proofs.receipts import read_receipt, read_vkey
from tests.servers.commands import run
from tests.support.forging import REBUILT, bent, chained_anew, places
from tests.support.receipts import LOG, NAME, ORIGIN, RECORD, SERVER, Server


@pytest.fixture
def files(tmp_path: Path) -> Any:
    """Return a function that writes files: files(name, text) returns the path."""

    def write(name: str, text: Any) -> str:
        path = tmp_path / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return str(path)

    write("keys", SERVER.vkey + "\n")
    write("record.json", RECORD)
    return write


def verify(files: Any, *words: str, record: Any = RECORD) -> Any:
    return run("verify", "--keys", files("keys", SERVER.vkey), *words, files("record.json", record))


def forged(seq: int = 8) -> dict[str, Any]:
    """Return the record with a changed entry, rebuilt by somebody who owns the database and the seed."""
    other = copy.deepcopy(RECORD)
    said = next(entry for entry in other["entries"] if entry["type"] == "said")
    said["private"]["all"]["text"] = "Bad luck."
    assert said["seq"] < seq
    return chained_anew(other)


def test_matching_receipts(files: Any) -> None:
    first, second = (
        files("a.txt", SERVER.receipt(5) + SERVER.receipt(7)),
        files("b.txt", SERVER.receipt(len(LOG))),
    )
    done = verify(files, "--receipts", first, second)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok    receipts: ") == 3
    assert f"fits entry {len(LOG)}; signed by {NAME}" in done.stdout


@pytest.mark.parametrize(
    "written",
    [
        lambda first, second: (first + second).rstrip("\n"),
        lambda first, second: f"\n\n{first}\n\n{second}\n\n",
        lambda first, second: (first + second).replace("\n", "\r\n"),
        lambda first, second: (
            f"{first}{Server(3, 'witness.example.org').receipt(5).splitlines()[-1]}\n{second}"
        ),
    ],
    ids=["no newline at the end", "blank lines around", "lines of Windows", "two signatures"],
)
def test_notes_that_follow_each_other_in_a_file(files: Any, written: Any) -> None:
    """However an editor left them, each is read completely and checked with its signatures."""
    path = files("a.txt", "")
    Path(path).write_bytes(written(SERVER.receipt(5), SERVER.receipt(7)).encode())
    done = verify(files, "--receipts", path)
    assert done.returncode == 0, done.stdout + done.stderr
    held = [line for line in done.stdout.splitlines() if "receipts: " in line]
    assert held == [f"ok    receipts: {path}: fits entry {n}; signed by {NAME}" for n in (5, 7)]


def test_answers_of_the_api_are_files_of_receipts(files: Any) -> None:
    answer = {"entry": {}, "game": {"receipt": SERVER.receipt(6)}, "receipt": SERVER.receipt(6)}
    lines = "\n".join(json.dumps({"receipt": SERVER.receipt(n)}) for n in (1, 2))
    done = verify(files, "--receipts", files("a.json", answer), "--receipts", files("b.ndjson", lines))
    assert done.returncode == 0
    assert done.stdout.count("ok    receipts: ") == 3


def test_a_rebuilt_log_is_found(files: Any) -> None:
    other = forged()
    assert verify(files, record=other).returncode == 0, "the hashes alone show nothing"
    done = verify(files, "--receipts", files("a.txt", SERVER.receipt(8)), record=other)
    assert done.returncode == 1
    assert "FAIL  receipts: " in done.stdout
    assert "another entry 8 was shown" in done.stdout


def test_a_receipt_vouches_for_nothing_that_follows_it(files: Any) -> None:
    """Whoever owns the seed rewrites what follows: the log is consistent, and fits the receipt as before."""
    seq = next(entry["seq"] for entry in LOG if entry["type"] == "said") - 1
    early, last = files("a.txt", SERVER.receipt(seq)), files("b.txt", SERVER.receipt(len(LOG)))
    done = verify(files, "--receipts", early, record=forged())
    assert "verdict: consistent; nobody vouches for it" in done.stdout
    assert "verdict: consistent; nobody vouches for it" in verify(files, "--receipts", early).stdout
    assert "verdict: proved" in verify(files, "--receipts", early, last).stdout


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
def test_every_change_of_a_receipted_record_is_found(step: int) -> None:
    """Whatever is changed in an entry, its hash or a later one differs from the receipt's."""
    last = read_receipt(SERVER.receipt(len(LOG))).root.hex()
    changes = [
        ("entries", i, *path)
        for i, entry in enumerate(LOG)
        for path in places({name: value for name, value in entry.items() if name not in REBUILT})
    ]
    assert len(changes) > 300
    for change in changes[::step]:
        assert chained_anew(bent(RECORD, change))["entries"][-1]["hash"] != last, change


def test_a_finished_log_that_ends_before_a_receipt_is_found(files: Any) -> None:
    short = copy.deepcopy(RECORD)
    del short["entries"][8:-1]
    short["entries"][-1]["seq"] = len(short["entries"])
    receipt = files("a.txt", SERVER.receipt(len(LOG)))
    done = verify(files, "--receipts", receipt, record=chained_anew(short))
    assert f"it has {len(LOG)} entries, and this log ends with entry 9" in done.stdout
    running = copy.deepcopy(RECORD)
    del running["entries"][8:], running["moves"][3:], running["chance"]
    running["result"] = None
    assert "this log ends with entry 8" in verify(files, "--receipts", receipt, record=running).stdout
    running["seed"] = None
    assert (
        f"-     receipts: {receipt}: this log does not go"
        in verify(files, "--receipts", receipt, record=running).stdout
    )


@pytest.mark.parametrize(
    ("note", "status", "why"),
    [
        (Server(2).receipt(8), 2, "a key that no trusted one endorses"),
        (Server(1, "other.example.org").receipt(8), 2, "the server's signature is missing"),
        (SERVER.receipt(8).replace("\n8\n", "\n9\n"), 1, "it is not what the key signed"),
        (
            SERVER.sign(8, LOG[7]["hash"], "other.example.org/0195f000-0000-7000-8000-000000000001"),
            1,
            "it is of another server",
        ),
    ],
    ids=["another key", "another server", "another size", "a log of another server"],
)
def test_unsigned_receipts_do_not_count(files: Any, note: str, status: int, why: str) -> None:
    done = verify(files, "--receipts", files("a.txt", note))
    assert done.returncode == status
    assert why in done.stdout


def test_a_witness_may_sign_too(files: Any) -> None:
    witness = Server(3, "witness.example.org")
    line = witness.receipt(8).rpartition("\n\n")[2]
    done = verify(files, "--receipts", files("a.txt", SERVER.receipt(8) + line))
    assert done.returncode == 0


@pytest.mark.parametrize("text", ["", "x", "a\n1\n", "{}", "[1]", "a\n1\nAA==\n\n\u2014 b AAAA\n", "{"])
def test_invalid_receipts_are_refused(files: Any, text: str) -> None:
    done = verify(files, "--receipts", files("a.txt", text))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "receipt" in done.stderr or "JSON" in done.stderr


def test_a_hash_can_be_written_in_only_one_way() -> None:
    note = SERVER.receipt(8)
    root = note.split("\n")[2]
    other = root[:-2] + chr(ord(root[-2]) + 1) + "="
    assert base64.b64decode(other) == base64.b64decode(root)
    with pytest.raises(referee.Malformed):
        read_receipt(note.replace(root, other))


def test_without_keys_only_the_hashes_are_compared(files: Any) -> None:
    done = run("verify", "--receipts", files("a.txt", Server(2).receipt(8)), files("r.json", RECORD))
    assert done.returncode == 0
    assert "by whom it is signed is not checked" in done.stdout


def test_a_key_signs_nothing_that_came_after_it_was_retired(files: Any) -> None:
    item = {"vkey": SERVER.vkey, "valid_from": "2026-01-01T00:00:00Z", "valid_until": LOG[9]["at"]}
    keys = files("keys.json", {"items": [item], "next": None})
    for size, status in ((10, 0), (11, 1)):
        receipt = files("a.txt", SERVER.receipt(size))
        done = run("verify", "--keys", keys, "--receipts", receipt, files("record.json", RECORD))
        assert done.returncode == status, done.stdout
    assert "was retired before entry 11" in done.stdout


@pytest.mark.parametrize("size", [8, len(LOG) + 1])
def test_a_receipt_from_before_a_restored_backup_is_no_forgery(files: Any, size: int) -> None:
    """Nor does it fit: the backup lacks the entry, or the server lies; the key alone does not tell which."""
    lost = SERVER.sign(size, "ab" * 32)
    item = {"vkey": SERVER.vkey, "valid_from": "2026-01-01T00:00:00Z"}
    for receipt, restored, status in (
        (lost, True, 0),
        (lost, False, 1),
        (Server(2).sign(size, "ab" * 32), True, 2),
    ):
        keys = files("keys.json", {"items": [{**item, "restored": restored}], "next": None})
        done = run(
            "verify", "--keys", keys, "--receipts", files("a.txt", receipt), files("record.json", RECORD)
        )
        assert done.returncode == status, done.stdout
        assert ("restored from a backup" in done.stdout) == (status == 0)


def test_a_fork_across_a_restored_backup_says_so(files: Any, tmp_path: Path) -> None:
    other, newer, proof = forged(), Server(2), tmp_path / "proof.json"
    mine, theirs = files("a.txt", SERVER.receipt(8)), files("b.txt", newer.receipt(len(LOG), other))
    verify(files, "--fork", str(proof), "--receipts", mine, theirs, record=other)
    items = [{"vkey": newer.vkey, "restored": False}, {"vkey": SERVER.vkey, "restored": True}]
    for restored, keys in ((True, items), (False, [{"vkey": item["vkey"]} for item in items])):
        checked = run("verify", str(proof), "--keys", files("keys.json", {"items": keys, "next": None}))
        assert checked.returncode == 0, checked.stderr
        assert ("restored from a backup" in checked.stdout) == restored


@pytest.mark.parametrize(("short", "long"), [(8, 8), (8, len(LOG))])
def test_two_conflicting_receipts_become_a_proof(files: Any, tmp_path: Path, short: int, long: int) -> None:
    """Two players were shown different logs: each has a receipt, and one of them also the record."""
    other = forged()
    mine, theirs = files("a.txt", SERVER.receipt(short)), files("b.txt", SERVER.receipt(long, other))
    proof = tmp_path / "proof.json"
    done = verify(files, "--fork", str(proof), "--receipts", mine, theirs, record=other)
    assert done.returncode == 1
    assert f"{proof} proves that two logs were signed" in done.stdout
    keys = files("keys.txt", SERVER.vkey)
    checked = run("verify", str(proof), "--keys", keys)
    assert checked.returncode == 0, checked.stderr
    assert f"{ORIGIN}: two logs were signed" in checked.stdout
    assert run("verify", str(proof), "--keys", files("others.txt", Server(2).vkey)).returncode == 1
    proof_data = json.loads(proof.read_text())
    for path in places(proof_data):
        changed = files("changed.json", bent(proof_data, path))
        assert run("verify", changed, "--keys", keys).returncode == 1, path
        if path[0] == "entries":
            break  # the others agree in their hashes


def test_receipts_of_one_log_prove_nothing(files: Any, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    receipts = files("a.txt", SERVER.receipt(3) + SERVER.receipt(8))
    assert verify(files, "--fork", str(proof), "--receipts", receipts).returncode == 0
    assert not proof.exists()
    forked = {
        "format": "card-referee-fork/1",
        "receipts": [SERVER.receipt(8), SERVER.receipt(8)],
        "hash": LOG[7]["hash"],
        "entries": [],
    }
    keys = files("keys.txt", SERVER.vkey)
    done = run("verify", files("p.json", forked), "--keys", keys)
    assert done.returncode == 1
    assert "agree with each other" in done.stderr
    games = [SERVER.receipt(8), SERVER.sign(8, "11" * 32, f"{NAME}/another-game")]
    done = run("verify", files("p.json", {**forked, "receipts": games, "hash": "11" * 32}), "--keys", keys)
    assert "two different logs" in done.stderr


@pytest.mark.parametrize("text", ["", "a", "a+b+c", f"{SERVER.vkey}A", SERVER.vkey.replace("+", "+0", 1)])
def test_invalid_keys_are_refused(files: Any, text: str) -> None:
    done = run("verify", "-", "--keys", files("keys.txt", text), given='{"format": "card-referee-fork/1"}')
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_keys_are_read_as_they_are_written() -> None:
    assert read_vkey(SERVER.vkey).vkey == SERVER.vkey


def test_a_receipt_of_another_game_accuses_nobody(tmp_path: Path):
    """The record names its game, so a receipt of another one is not taken for a sign of a changed log."""
    server, game = Server(), ORIGIN.rpartition("/")[2]
    other = server.sign(5, "ab" * 32, f"{NAME}/0195f000-0000-7000-8000-000000000002")
    (tmp_path / "other").write_text(other)
    (tmp_path / "keys").write_text(server.vkey)
    words = ("verify", "--keys", str(tmp_path / "keys"), "--receipts", str(tmp_path / "other"))
    done = run(*words, "-", given=json.dumps({**RECORD, "game": game}))
    assert done.returncode == 1
    assert f"is of game 0195f000-0000-7000-8000-000000000002, and the record of {game}" in done.stdout
    assert "another entry 5 was shown" not in done.stdout
    (tmp_path / "own").write_text(server.sign(5, LOG[4]["hash"]))
    done = run(*words[:-1], str(tmp_path / "own"), "-", given=json.dumps({**RECORD, "game": game}))
    assert (done.returncode, "fits entry 5" in done.stdout) == (0, True)
    imported = {**RECORD, "game": "0195f000-0000-7000-8000-000000000003", "origin": "imported"}
    done = run(*words[:-1], str(tmp_path / "own"), "-", given=json.dumps(imported))
    assert "fits entry 5" in done.stdout
