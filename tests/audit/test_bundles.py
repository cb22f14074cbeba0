"""Bundles: a finished game with all evidence in one file, and a verdict that says who guarantees what."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings
from api.features.proofs import keys as log_keys
from referee import game_key
from referee.proofs.policy import read_policy
from referee.proofs.receipts import read_keys, read_vkey
from referee.proofs.succession import trusted
from referee.verification.assessment import Promise, assess
from tests.servers.commands import run
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.node import ask
from tests.support.witnesses import VKEYS, cosigned_by, policy_text

Verdict = dict[str, Promise]


@pytest.fixture
def app(settings: Settings, clock: Clock) -> Iterator[Flask]:
    """Return the application with three witnesses."""
    made = create_app(replace(settings, witnesses=tuple(VKEYS)), clock=clock)
    yield made
    made.extensions["card_referee"].database.close()


@pytest.fixture
def game(host: Caller, four: list[Caller], worker: Callable[[], None]) -> Any:
    """Return a finished game whose leaves are in a tree that two witnesses have cosigned."""
    made = play_on(four, new_game(host, four[:2]))
    worker()
    note = host.get("/v1/log/checkpoint").text
    sent = host.put("/v1/log/cosignatures", {"checkpoint": cosigned_by(note, 1, 3)})
    assert (sent.status_code, sent.json["cosignatures"]) == (200, 2)
    return made


@pytest.fixture
def policy(anyone: Caller) -> str:
    return policy_text(anyone.get("/v1/log-keys").json["items"][0]["vkey"])


def judged(bundle: Any, policy: str | None) -> Verdict:
    found = assess(bundle, read_policy(policy) if policy else None)
    return {promise.name: promise for promise in found.promises}


@pytest.mark.long
def test_the_bundle_of_a_long_game_is_hardly_larger_than_its_record(
    host: Caller, four: list[Caller], worker: Callable[[], None]
) -> None:
    made = play_on(four, new_game(host, four, "pies"), 150)
    if made["status"] == "running":
        host.post(f"/v1/games/{made['id']}/cancellation")
    worker()
    bundle, record = (host.get(f"/v1/games/{made['id']}/{what}") for what in ("bundle", "record"))
    assert len(record.json["entries"]) > 150
    assert len(record.data) < len(bundle.data) <= 1.05 * len(record.data)


def test_one_file_proves_a_game(host: Caller, game: Any, policy: str, tmp_path: Path) -> None:
    answer = host.get(f"/v1/games/{game['id']}/bundle")
    assert answer.status_code == 200
    record = host.get(f"/v1/games/{game['id']}/record")
    assert len(answer.data) <= 1.3 * len(record.data)
    (tmp_path / "game.bundle").write_bytes(answer.data)
    (tmp_path / "policy").write_text(policy)
    done = run("verify", str(tmp_path / "game.bundle"), "--policy", str(tmp_path / "policy"))
    assert done.returncode == 0, done.stdout
    lines = {line[6:].partition(":")[0]: line for line in done.stdout.splitlines()}
    guaranteed = {
        **dict.fromkeys(("commitment", "verdicts", "result"), "mathematics"),
        **dict.fromkeys(("receipts", "inclusion"), "the server's key"),
        "witnessed": "2 of w1, w2, w3 (witnesses)",
    }
    for name, by in guaranteed.items():
        assert lines[name].startswith(f"ok    {name}: ")
        assert lines[name].endswith(f" [{by}]")
    for name in ("entropy", "signatures", "clock", "others"):
        assert lines[name].startswith("-     "), lines[name]
    verdict = "NOTE  verdict: proved by the server's key and 2 of w1, w2, w3 (witnesses)"
    assert done.stdout.splitlines()[-1] == verdict


def test_nothing_that_only_signatures_prove_is_ok_without_a_policy(host: Caller, game: Any) -> None:
    found = judged(host.get(f"/v1/games/{game['id']}/bundle").json, None)
    assert {name for name, one in found.items() if one.ok and one.by != "mathematics"} == set()
    assert not any(one.ok is False for one in found.values())
    assert "a policy can pin" in found["receipts"].detail


def change_hash(bundle: Any) -> None:
    bundle["record"]["entries"][3]["hash"] = "00" * 32


def change_receipt(bundle: Any) -> None:
    lines = bundle["receipts"][0].split("\n")
    lines[1] = str(int(lines[1]) - 1)
    bundle["receipts"][0] = "\n".join(lines)


def drop_cosignature(bundle: Any) -> None:
    lines = bundle["record"]["inclusion"]["checkpoint"].splitlines(keepends=True)
    bundle["record"]["inclusion"]["checkpoint"] = "".join(lines[:-1])


def swap_cosignature(bundle: Any) -> None:
    note = bundle["record"]["inclusion"]["checkpoint"]
    bundle["record"]["inclusion"]["checkpoint"] = note.replace("witness-1.test", "witness-2.test")


def change_proof(bundle: Any) -> None:
    bundle["record"]["inclusion"]["leaves"][0]["proof"][0] = "11" * 32


def change_terms(bundle: Any) -> None:
    leaf = bundle["record"]["inclusion"]["leaves"][0]
    data = json.loads(leaf["data"])
    leaf["data"] = json.dumps({**data, "hash": "22" * 32}, sort_keys=True, separators=(",", ":"))


FORGERIES = [
    (change_hash, "chain"),
    (change_receipt, "receipts"),
    (change_proof, "inclusion"),
    (change_terms, "inclusion"),
]


@pytest.mark.parametrize(("forge", "promise"), FORGERIES)
def test_every_part_of_a_bundle_is_checked(
    host: Caller, game: Any, policy: str, forge: Callable[[Any], None], promise: str
) -> None:
    bundle = copy.deepcopy(host.get(f"/v1/games/{game['id']}/bundle").json)
    assert judged(bundle, policy)[promise].ok
    forge(bundle)
    assert judged(bundle, policy)[promise].ok is False


def drop_inclusion(bundle: Any) -> None:
    del bundle["record"]["inclusion"]


def drop_receipts(bundle: Any) -> None:
    bundle["receipts"] = []


def drop_end(bundle: Any) -> None:
    del bundle["record"]["inclusion"]["leaves"][1]


def drop_signature(bundle: Any) -> None:
    bundle["record"]["inclusion"]["checkpoint"] = None


def hide_seed(bundle: Any) -> None:
    bundle["record"] |= {"seed": None, "moves": []}
    bundle["record"].pop("chance", None)


REMOVALS: list[tuple[Callable[[Any], None], str]] = [
    (drop_inclusion, "inclusion"),
    (drop_receipts, "receipts"),
    (drop_end, "inclusion"),
    (drop_signature, "inclusion"),
    (drop_cosignature, "witnessed"),
    (swap_cosignature, "witnessed"),
]


def verified(folder: Path, bundle: Any, policy: str | None) -> Any:
    """Return what the command says of a bundle: its exit status and its lines."""
    (folder / "a.bundle").write_text(json.dumps(bundle))
    (folder / "policy").write_text(policy or "")
    return run("verify", str(folder / "a.bundle"), *(["--policy", str(folder / "policy")] if policy else []))


@pytest.mark.parametrize(("remove", "promise"), REMOVALS)
def test_evidence_that_is_removed_is_missed(
    host: Caller, game: Any, policy: str, tmp_path: Path, remove: Callable[[Any], None], promise: str
) -> None:
    bundle = copy.deepcopy(host.get(f"/v1/games/{game['id']}/bundle").json)
    remove(bundle)
    assert judged(bundle, policy)[promise].is_missing
    done = verified(tmp_path, bundle, policy)
    last = done.stdout.splitlines()[-1]
    assert (done.returncode, last.partition(" (")[0]) == (2, "NOTE  verdict: not enough evidence yet"), last
    assert promise in last
    assert "fetch it again" in last
    assert verified(tmp_path, bundle, None).returncode == 0  # nobody has asked for it


def test_a_bundle_that_is_fetched_at_once_is_not_contradicted(
    host: Caller, anyone: Caller, four: list[Caller], worker: Callable[[], None], policy: str, tmp_path: Path
) -> None:
    made = play_on(four, new_game(host, four[:2]))
    address = f"/v1/games/{made['id']}/bundle"
    early = [host.get(address).json]
    worker()
    early.append(host.get(address).json)
    anyone.put("/v1/log/cosignatures", {"checkpoint": cosigned_by(anyone.get("/v1/log/checkpoint").text, 1)})
    early.append(host.get(address).json)
    assert [verified(tmp_path, bundle, policy).returncode for bundle in early] == [2, 2, 2]
    assert ask([{"verdict": bundle, "policy": policy} for bundle in early]) == ["not enough evidence yet"] * 3
    anyone.put("/v1/log/cosignatures", {"checkpoint": cosigned_by(anyone.get("/v1/log/checkpoint").text, 3)})
    late = host.get(address).json
    assert verified(tmp_path, late, policy).returncode == 0
    assert ask([{"verdict": late, "policy": policy}]) == ["proved"]


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_game_that_is_over_without_its_seed_is_contradicted(
    host: Caller, four: list[Caller], tmp_path: Path, is_cancelled: bool
) -> None:
    made = new_game(host, four[:2])
    if is_cancelled:
        assert host.post(f"/v1/games/{made['id']}/cancellation").status_code == 201
    else:
        play_on(four, made)
    bundle = host.get(f"/v1/games/{made['id']}/bundle").json
    assert verified(tmp_path, bundle, None).returncode == 0
    hide_seed(bundle)
    for entry in bundle["record"]["entries"]:
        entry.pop("private", None)
    done = verified(tmp_path, bundle, None)
    assert done.returncode == 1
    assert "FAIL  commitment: " in done.stdout
    assert "its seed is not shown" in done.stdout
    assert ask([{"verdict": bundle, "policy": None}]) == ["contradicted"]


def test_a_record_under_a_policy_gets_the_same_verdicts(
    host: Caller, game: Any, policy: str, tmp_path: Path
) -> None:
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert verified(tmp_path, record, policy).returncode == 0
    del record["inclusion"]
    assert verified(tmp_path, record, policy).returncode == 2


def test_a_folder_of_bundles_is_verified(host: Caller, game: Any, policy: str, tmp_path: Path) -> None:
    bundle = host.get(f"/v1/games/{game['id']}/bundle").json
    (folder := tmp_path / "bundles").mkdir()
    for name in ("a.bundle", "b.json"):
        (folder / name).write_text(json.dumps(bundle))
    (tmp_path / "trusted").write_text(policy)
    words = ("verify", str(folder), "--jobs", "1", "--policy", str(tmp_path / "trusted"))
    done = run(*words)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "NOTE  verdict: proved"), done.stdout
    for spoil, status, words_of in ((drop_receipts, 2, "1 lack evidence"), (change_receipt, 1, "receipts: ")):
        spoiled = copy.deepcopy(bundle)
        spoil(spoiled)
        (folder / "b.json").write_text(json.dumps(spoiled))
        done = run(*words)
        assert done.returncode == status, done.stdout
        assert words_of in done.stdout


def test_what_is_no_ordinary_game_is_told_first(host: Caller, game: Any, policy: str, tmp_path: Path) -> None:
    bundle = host.get(f"/v1/games/{game['id']}/bundle").json
    assert not verified(tmp_path, bundle, policy).stdout.startswith("NOTE")
    for change, words in (
        ({"test_clock": "x"}, "NOTE  test_clock: a test game"),
        ({"origin": "imported"}, "NOTE  origin: an imported game"),
    ):
        changed = {**bundle, "record": {**bundle["record"], **change}}
        assert verified(tmp_path, changed, policy).stdout.startswith(words)
        (folder := tmp_path / next(iter(change.values()))).mkdir()
        (folder / "game.json").write_text(json.dumps(changed))
        lines = run("verify", str(folder), "--jobs", "1").stdout.splitlines()
        summary = next(line for line in lines if not line.startswith("FAIL"))
        assert summary.startswith("NOTE  "), lines
        assert summary.endswith(": 1 record")


def test_the_record_of_a_running_game_proves_nothing_yet(
    host: Caller, four: list[Caller], tmp_path: Path
) -> None:
    made = new_game(host, four[:2])
    done = verified(tmp_path, host.get(f"/v1/games/{made['id']}/record").json, None)
    assert done.returncode == 2
    assert "fetch it again when it is over" in done.stdout.splitlines()[-1]


def test_another_servers_key_and_other_witnesses_prove_nothing(host: Caller, game: Any, policy: str) -> None:
    bundle = host.get(f"/v1/games/{game['id']}/bundle").json
    stranger = read_vkey(bundle["keys"][0]["vkey"])._replace(public=bytes(32)).vkey
    found = judged(bundle, policy_text(stranger))
    assert found["receipts"].is_missing
    assert found["inclusion"].is_missing
    found = judged(bundle, policy_text(bundle["keys"][0]["vkey"], quorum=3))
    assert found["witnessed"].is_missing
    assert "only w1, w3" in found["witnessed"].detail


def test_a_new_key_is_trusted_through_the_old_one(
    host: Caller, game: Any, policy: str, settings: Settings, clock: Clock
) -> None:
    log_keys.rotate(settings)
    clock.move(minutes=2)
    bundle = host.get(f"/v1/games/{game['id']}/bundle").json
    newest, oldest = bundle["keys"]
    assert bundle["receipts"][0].split()[-2] == newest["vkey"].partition("+")[0]
    found = judged(bundle, policy)  # which pins the old key only
    assert (found["receipts"].ok, found["inclusion"].ok) == (True, True)
    keys = read_keys(json.dumps(bundle["keys"]))
    pinned = [read_vkey(oldest["vkey"])]
    assert len(trusted(pinned, keys)) == 2
    for endorsement in (None, "", keys[0].endorsement and keys[0].endorsement.replace("A", "B")):
        assert trusted(pinned, [keys[0]._replace(endorsement=endorsement), keys[1]]) == [keys[1]]
    log_keys.rotate(settings)
    clock.move(minutes=2)
    keys = read_keys(json.dumps(host.get("/v1/log-keys").json["items"]))
    assert trusted(pinned, keys) == [keys[2], keys[1], keys[0]], "each by the one before it"


def test_a_running_game_has_no_bundle(host: Caller, four: list[Caller]) -> None:
    running = new_game(host, four[:2])
    assert host.get(f"/v1/games/{running['id']}/bundle").status_code == 409


def test_only_cosignatures_of_this_servers_witnesses_are_kept(anyone: Caller, game: Any) -> None:
    note = anyone.get("/v1/log/checkpoint").text
    assert note.count("\n\u2014 ") == 3
    assert anyone.get("/v1/log/checkpoint?cosigned=2").text == note
    assert anyone.get("/v1/log/checkpoint?cosigned=3").status_code == 404
    signed = "".join(note.splitlines(keepends=True)[:5])
    changed = signed.replace("\n2\n", "\n1\n")
    for wrong, status in (
        ("nonsense", 400),
        (signed, 400),
        (cosigned_by(changed, 2), 404),
        (cosigned_by(signed.replace("/games", "/other"), 2), 404),
        (signed + cosigned_by(signed, 2).splitlines()[-1].replace("witness-2", "witness-1") + "\n", 400),
    ):
        answer = anyone.put("/v1/log/cosignatures", {"checkpoint": wrong})
        assert answer.status_code == status, answer.text


# --- in the browser ---


def judged_by_page(bundles: list[Any], policy: str | None) -> list[dict[str, bool | None]]:
    answers = ask([{"bundle": bundle, "policy": policy} for bundle in bundles])
    return [{one["name"]: one["ok"] for one in answer} for answer in answers]


def test_the_page_judges_bundles_as_the_command_does(host: Caller, game: Any, policy: str) -> None:
    honest = host.get(f"/v1/games/{game['id']}/bundle").json
    bundles = [honest]
    for forge, _ in (*FORGERIES, *REMOVALS):
        bundles.append(copy.deepcopy(honest))
        forge(bundles[-1])
    signed = ("receipts", "inclusion", "witnessed", "signatures", "entropy", "chain")
    stranger = read_vkey(honest["keys"][0]["vkey"])._replace(public=bytes(32)).vkey
    for text in (policy, policy.replace(" 2 w1", " 3 w1"), policy_text(stranger), None):
        for bundle, found in zip(bundles, judged_by_page(bundles, text), strict=True):
            due = {name: promise.ok for name, promise in judged(bundle, text).items() if name in signed}
            assert {name: found[name] for name in due} == due
        commands = [assess(bundle, read_policy(text) if text else None).verdict for bundle in bundles]
        assert ask([{"verdict": bundle, "policy": text} for bundle in bundles]) == commands
    assert judged_by_page([honest], policy)[0]["verdicts"] is None  # what it does not know is not ok


def test_the_page_follows_a_key_to_its_successor(
    host: Caller, game: Any, policy: str, settings: Settings, clock: Clock
) -> None:
    log_keys.rotate(settings)
    clock.move(minutes=2)
    bundle = host.get(f"/v1/games/{game['id']}/bundle").json
    assert judged_by_page([bundle], policy)[0]["receipts"] is True
    assert "keys" not in bundle["record"]["inclusion"]
    bundle["keys"][0]["endorsement"] = None
    assert judged_by_page([bundle], policy)[0]["receipts"] is None


def test_the_page_recomputes_a_deal_and_notices_every_other_input(host: Caller, four: list[Caller]) -> None:
    made = play_on(four, new_game(host, four[:2], ruleset="bisca"))
    record = host.get(f"/v1/games/{made['id']}/record").json
    (worked,) = ask([{"dealt": record}])
    assert worked["commitment"]["ok"]
    assert [one["computed"] for one in worked["outcomes"]] == record["chance"]
    assert all(one["ok"] for one in worked["outcomes"])
    key = game_key(bytes.fromhex(record["seed"]), record["entropy"])
    assert worked["key"] == key.hex()
    given = {"seed": record["seed"], "entropy": record["entropy"], "signature": None}
    seed = ("0" if record["seed"][0] != "0" else "1") + record["seed"][1:]
    other_seed, other_entropy = ask(
        [
            {"dealt": record, "given": {**given, "seed": seed}},
            {"dealt": record, "given": {**given, "entropy": ["x", *record["entropy"][1:]]}},
        ]
    )
    assert not other_seed["commitment"]["ok"]
    for worked in (other_seed, other_entropy):
        assert not all(one["ok"] for one in worked["outcomes"])
