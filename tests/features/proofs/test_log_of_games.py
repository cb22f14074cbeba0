"""The log of all games: a leaf for each game created and each end, in a tree that can only grow."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Flask

import referee
import referee.proofs
from api.context import Context
from api.core.config import Settings, libpq
from api.features import load_features
from api.features.proofs import tree
from api.store.database.session import Database, Session
from referee.proofs.receipts import Receipt, read_keys, read_receipt, signer
from tests.servers.commands import run
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.due_jobs import keep_time

Work = Callable[[], None]
Signer = Callable[[str], str]
RECORDS = Path(__file__).parents[2] / "records"


@pytest.fixture
def work(app: Flask, clock: Clock, workers_database: Database) -> Iterator[Work]:
    """Do what the job worker does every second."""
    site = app.extensions["card_referee"]
    session = Session(workers_database)
    yield lambda: keep_time(Context(site.settings, session, load_features().hooks, clock))
    session.close()


def checkpoint(anyone: Caller) -> Receipt:
    """Return the newest checkpoint after checking its signature."""
    answer = anyone.get("/v1/log/checkpoint")
    assert answer.status_code == 200
    found = read_receipt(answer.text)
    key = signer(found, read_keys(anyone.get("/v1/log-keys").text))
    assert key is not None
    assert found.origin == f"{key.name}/games"
    return found


def leaves(anyone: Caller) -> list[dict[str, Any]]:
    """Return every leaf, read from the public bundles, after checking that they lead to the signed root."""
    _, size, root, *_ = checkpoint(anyone)
    data: list[bytes] = []
    for bundle in range(-(-size // 256)):
        width = min(256, size - 256 * bundle)
        partial = "" if width == 256 else f".p/{width}"
        rest = anyone.get(f"/v1/log/tile/entries/{bundle:03}{partial}").data
        while rest:
            length = int.from_bytes(rest[:2], "big")
            data.append(rest[2 : 2 + length])
            rest = rest[2 + length :]
    assert len(data) == size

    def node(level: int, index: int) -> bytes:
        if level == 0:
            return referee.proofs.leaf_hash(data[index])
        return referee.proofs.node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

    assert referee.proofs.tree_root(size, node) == root
    return [json.loads(one) for one in data]


def test_everybody_can_count_finished_cancelled_and_unfinished_games(
    host: Caller, anyone: Caller, four: list[Caller], work: Work
) -> None:
    assert leaves(anyone) == []
    finished = play_on(four, new_game(host, four))
    called_off = new_game(host, four[:2])
    host.post(f"/v1/games/{called_off['id']}/cancellation")
    running = new_game(host, four[:3], visibility="private")
    work()
    found = leaves(anyone)
    assert Counter(leaf["type"] for leaf in found) == {"created": 3, "finished": 1, "cancelled": 1}
    ended = {leaf["commitment"] for leaf in found if leaf["type"] != "created"}
    assert {leaf["commitment"] for leaf in found} - ended == {running["commitment"]}
    last = host.get(f"/v1/games/{finished['id']}/record").json["entries"][-1]
    assert next(leaf for leaf in found if leaf["type"] == "finished") == {
        **{name: last[name] for name in ("at", "hash", "seq")},
        **{"commitment": finished["commitment"], "type": "finished"},
    }
    assert not any(game["id"] in str(found) for game in (finished, called_off, running))
    assert "cats_and_dogs" not in str(found)


def test_the_log_only_grows_and_proves_it(
    host: Caller, anyone: Caller, four: list[Caller], work: Work
) -> None:
    roots = {}
    for _ in range(6):
        game = new_game(host, four[:2])
        work()
        found = checkpoint(anyone)
        roots[found.size] = found.root
        host.post(f"/v1/games/{game['id']}/cancellation")
    assert list(roots) == [1, 3, 5, 7, 9, 11]
    for first in roots:
        for second in (size for size in roots if size >= first):
            path = f"/v1/log/proofs/consistency?first={first}&second={second}"
            proof = [bytes.fromhex(text) for text in anyone.get(path).json["proof"]]
            assert referee.proofs.is_consistent(first, second, roots[first], roots[second], proof)
    for wrong, status in (("first=12", 404), ("first=5&second=3", 404), ("first=0", 400)):
        assert anyone.get(f"/v1/log/proofs/consistency?{wrong}").status_code == status


def test_a_game_carries_its_proofs(host: Caller, anyone: Caller, four: list[Caller], work: Work) -> None:
    for _ in range(3):
        new_game(host, four)
    game = play_on(four, new_game(host, four[:2], visibility="private"))
    path = f"/v1/games/{game['id']}"
    assert "inclusion" not in host.get(f"{path}/record").json
    work()
    record = host.get(f"{path}/record").json
    proved, entries = record["inclusion"], record["entries"]
    found = read_receipt(proved["checkpoint"])
    for entry, shown in zip((entries[0], entries[-1]), proved["leaves"], strict=True):
        data = referee.proofs.leaf(entry, game["commitment"], entry["hash"])
        assert data.decode() == shown["data"]
        proof = [bytes.fromhex(text) for text in shown["proof"]]
        root = referee.proofs.root_of_inclusion(
            shown["index"], found.size, referee.proofs.leaf_hash(data), proof
        )
        assert root == found.root
    assert anyone.get(f"{path}/record").status_code == 404


def test_tiles_are_those_of_tlog_tiles(
    host: Caller, anyone: Caller, four: list[Caller], work: Work, sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2])
    queue = "INSERT INTO tree_queue (game_id, ended) SELECT %s, false FROM generate_series(1, %s)"
    sql.execute(queue, (game["id"], 256 * 3 + 9))  # the same game repeatedly: only hashes matter here
    work()
    sql.execute(queue, (game["id"], 5))
    work()
    assert checkpoint(anyone).size == 256 * 3 + 15
    assert len(leaves(anyone)) == 256 * 3 + 15
    first = host.get(f"/v1/games/{game['id']}/events?limit=1").json["items"][0]
    hashed = referee.proofs.leaf_hash(referee.proofs.leaf(first, game["commitment"], first["hash"]))
    full = anyone.get("/v1/log/tile/0/002")
    assert (full.data, full.headers["Cache-Control"]) == (hashed * 256, "public, max-age=31536000, immutable")
    assert anyone.get("/v1/log/tile/0/003.p/15").data == hashed * 15
    assert anyone.get("/v1/log/tile/0/003.p/3").data == hashed * 3
    above = hashed
    for _ in range(8):
        above = referee.proofs.node_hash(above, above)
    assert anyone.get("/v1/log/tile/1/000.p/3").data == above * 3
    for missing in ("0/003", "0/003.p/16", "0/004.p/1", "1/000", "2/000.p/1", "0/x001/000", "entries/003"):
        assert anyone.get(f"/v1/log/tile/{missing}").status_code == 404, missing
    for nonsense in (
        "0/3",
        "0/003.p/0",
        "0/003.p/256",
        "0/003/000",
        "x/000",
        "64/000",
        "0",
        "0/0000",
        "/000",
    ):
        assert anyone.get(f"/v1/log/tile/{nonsense}").status_code == 404, nonsense


def test_imported_games_say_so(host: Caller, anyone: Caller, work: Work) -> None:
    record = json.loads((RECORDS / "truco/target-show.json").read_text())
    assert host.post("/v1/records", record).status_code == 201
    work()
    found = leaves(anyone)
    assert [leaf["type"] for leaf in found] == ["created", "finished"]
    assert [leaf["origin"] for leaf in found] == ["imported"] * 2


def test_queued_leaves_survive_the_death_of_a_worker(
    host: Caller, anyone: Caller, four: list[Caller], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        new_game(host, four[:2])

    def die(*given: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(tree.referee.proofs, "tree_root", die)
        with pytest.raises(KeyboardInterrupt):
            work()
    assert checkpoint(anyone).size == 0
    work()
    work()
    assert [leaf["type"] for leaf in leaves(anyone)] == ["created"] * 4


def test_a_change_that_is_rolled_back_leaves_nothing(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2])
    count = "SELECT count(*) FROM tree_queue"
    assert sql.execute(count).fetchone() == (1,)
    with sql.transaction(force_rollback=True):
        sql.execute("UPDATE games SET status = 'cancelled' WHERE id = %s", (game["id"],))
        assert sql.execute(count).fetchone() == (2,)
    assert sql.execute(count).fetchone() == (1,)
    sql.execute("UPDATE games SET status = 'running' WHERE id = %s", (game["id"],))
    assert sql.execute(count).fetchone() == (1,)


def test_an_end_that_its_log_does_not_show_yet_keeps_nobody_waiting(
    host: Caller,
    anyone: Caller,
    four: list[Caller],
    work: Work,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "BATCH", 2)
    game = new_game(host, four[:2])
    sql.execute(
        "INSERT INTO tree_queue (game_id, ended) SELECT %s, true FROM generate_series(1, 3)", (game["id"],)
    )
    for _ in range(3):
        new_game(host, four[:2])
    work()
    assert [leaf["type"] for leaf in leaves(anyone)] == ["created"] * 4
    assert sql.execute("SELECT count(*) FROM tree_queue").fetchone() == (3,)


def test_nobody_changes_the_tree(
    host: Caller, four: list[Caller], work: Work, sql: psycopg.Connection, settings: Settings
) -> None:
    new_game(host, four[:2])
    work()
    for statement in (
        "UPDATE tree_leaves SET data = '\\x00'",
        "DELETE FROM tree_leaves",
        "UPDATE tree_heads SET root = '\\x00'",
        "DELETE FROM tree_heads",
        "UPDATE tree_tiles SET hashes = '\\x00'",
        "UPDATE tree_tiles SET hashes = ''",
        "DELETE FROM tree_tiles",
    ):
        with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
            sql.execute(statement)
    with psycopg.connect(libpq(settings.database_url), autocommit=True) as service:
        for statement in (
            "DELETE FROM tree_queue",
            "INSERT INTO tree_leaves VALUES (9)",
            "SELECT game_id FROM tree_leaves",
            "SELECT FROM tree_queue",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)


def test_the_checkpoint_is_a_signed_note(anyone: Caller) -> None:
    lines = anyone.get("/v1/log/checkpoint").text.split("\n")
    assert lines[1:4] == ["0", base64.b64encode(referee.proofs.EMPTY_TREE).decode(), ""]
    assert lines[4].startswith(f"— {lines[0].removesuffix('/games')} ")


def changed(value: Any) -> Any:
    if isinstance(value, str):
        return value[:-2] + ("0" if value[-2] != "0" else "1") + value[-1]
    return value + 1


def test_a_record_contains_its_proofs_and_no_value_of_them_can_be_changed(
    host: Caller, four: list[Caller], work: Work
) -> None:
    for _ in range(3):
        new_game(host, four)
    game = play_on(four, new_game(host, four[:2]))
    path = f"/v1/games/{game['id']}/record"
    assert "inclusion" not in host.get(path).json
    work()
    new_game(host, four)
    work()
    record = host.get(path).json
    assert len(record["inclusion"]["leaves"]) == 2
    keys = read_keys(host.get("/v1/log-keys").text)
    found = referee.verify(record, keys=keys)
    assert found.ok, [check for check in found.checks if not check.ok]
    assert "inclusion" in {check.name for check in found.checks}

    def broken(change: Callable[[dict[str, Any]], None]) -> None:
        other = json.loads(json.dumps(record))
        change(other["inclusion"])
        report = referee.verify(other)
        assert [check.name for check in report.checks if not check.ok] == ["inclusion"], other["inclusion"]

    for member in ("root", "size"):
        broken(lambda held, member=member: held.update({member: changed(held[member])}))
    for n in range(2):
        for member in ("index", "data"):
            broken(
                lambda held, n=n, member=member: held["leaves"][n].update(
                    {member: changed(held["leaves"][n][member])}
                )
            )
        for place in range(len(record["inclusion"]["leaves"][n]["proof"])):
            broken(lambda held, n=n, place=place: held["leaves"][n]["proof"].__setitem__(place, "00" * 32))
        broken(lambda held, n=n: held["leaves"][n]["proof"].append("00" * 32))
        broken(lambda held, n=n: held["leaves"][n].update(more=1))
    broken(lambda held: held["leaves"].reverse())
    broken(lambda held: held["leaves"].append(held["leaves"][0]))
    broken(lambda held: held.update(checkpoint="x"))
    broken(lambda held: held.update(leaves=None))
    broken(lambda held: held.update(more=1))
    imported = host.post("/v1/records", record)
    assert imported.status_code == 409, imported.text  # it was dealt here


def test_a_running_games_record_has_the_proof_of_its_beginning(
    host: Caller, four: list[Caller], work: Work
) -> None:
    game = play_on(four, new_game(host, four[:2]), 2)
    work()
    record = four[0].get(f"/v1/games/{game['id']}/record").json
    assert [json.loads(leaf["data"])["type"] for leaf in record["inclusion"]["leaves"]] == ["created"]
    found = referee.verify(record, keys=read_keys(four[0].get("/v1/log-keys").text))
    assert found.ok
    assert "inclusion" in {check.name for check in found.checks}


# --- what `referee verify` says of a record's proofs ------------------------------------------------


def verified(folder: Path, record: dict[str, Any], *words: str, **files: str) -> tuple[int, dict[str, str]]:
    """Run `referee verify`; return its status and its lines about the log of all games, by check."""
    given = [*words]
    for name, text in {"record": json.dumps(record), **files}.items():
        (folder / name).write_text(text)
        given += [str(folder / name)] if name == "record" else [f"--{name}", str(folder / name)]
    done = run("verify", *given)
    lines = [line for line in done.stdout.splitlines() if "inclusion" in line]
    return done.returncode, {line[6:].partition(":")[0]: line for line in lines}


def in_another_tree(record: dict[str, Any], signer: Signer) -> dict[str, Any]:
    """Return a record with proofs in a tree that somebody has invented and signed."""
    entries = record["entries"]
    data = [
        referee.proofs.leaf(entry, record["commitment"], entry["hash"]) for entry in (entries[0], entries[-1])
    ]
    one, other = map(referee.proofs.leaf_hash, data)
    root = referee.proofs.node_hash(other, one)  # the server's tree has them in the other order
    leaves = [
        {"index": 1 - n, "data": text.decode(), "proof": [hash_.hex()]}
        for n, (text, hash_) in enumerate(zip(data, (other, one), strict=True))
    ]
    note = signer(referee.proofs.checkpoint(record["inclusion"]["checkpoint"].split("\n")[0], 2, root))
    return {**record, "inclusion": {"checkpoint": note, "size": 2, "root": root.hex(), "leaves": leaves}}


def stranger(name: str) -> Signer:
    private = Ed25519PrivateKey.generate()
    key = referee.proofs.Key(name, private.public_key().public_bytes_raw())
    return lambda text: referee.proofs.signed_note(text, key, private.sign(text.encode()))


def test_a_tree_that_the_server_has_not_signed_proves_nothing(
    host: Caller, four: list[Caller], work: Work, tmp_path: Path
) -> None:
    game = play_on(four, new_game(host, four[:2]))
    work()
    record = host.get(f"/v1/games/{game['id']}/record").json
    keys = host.get("/v1/log-keys").text
    status, lines = verified(tmp_path, record, keys=keys)
    assert (status, lines["inclusion"][:4]) == (0, "ok  ")
    status, lines = verified(tmp_path, record)
    assert (status, lines["inclusion"][:4]) == (0, "-   ")
    assert "no keys were given" in lines["inclusion"]
    unsigned = {**record, "inclusion": {**record["inclusion"], "checkpoint": None}}
    status, lines = verified(tmp_path, unsigned, keys=keys)
    assert (status, lines["inclusion"][:4]) == (2, "-   ")
    name = record["inclusion"]["checkpoint"].split("/games")[0]
    invented = in_another_tree(record, stranger(name))
    assert verified(tmp_path, invented)[1]["inclusion"].startswith("-   ")
    status, lines = verified(tmp_path, invented, keys=keys)
    assert (status, lines["inclusion"][:4]) == (2, "-   ")
    assert "a key that no trusted one endorses" in lines["inclusion"]
    bare = {key: value for key, value in record.items() if key != "inclusion"}
    status, lines = verified(tmp_path, bare, keys=keys)
    assert (status, lines["inclusion"][:4]) == (0, "-   ")
    (tmp_path / "records.ndjson").write_text(json.dumps(record) + "\n" + json.dumps(invented) + "\n")
    done = run("verify", "--jobs", "1", "--keys", str(tmp_path / "keys"), str(tmp_path / "records.ndjson"))
    assert "1 hold, 0 do not, 1 lack evidence" in done.stdout
    assert done.returncode == 2


def test_a_record_without_the_leaf_of_its_end_says_so(
    host: Caller, four: list[Caller], work: Work, tmp_path: Path
) -> None:
    game = play_on(four, new_game(host, four[:2]), 2)
    work()
    host.post(f"/v1/games/{game['id']}/cancellation")
    record = host.get(f"/v1/games/{game['id']}/record").json
    keys = host.get("/v1/log-keys").text
    assert len(record["inclusion"]["leaves"]) == 1
    status, lines = verified(tmp_path, record, keys=keys)
    assert (status, lines["inclusion"][:4]) == (2, "-   ")
    assert "the end of the game" in lines["inclusion"]
    work()
    status, lines = verified(tmp_path, host.get(f"/v1/games/{game['id']}/record").json, keys=keys)
    assert (status, lines["inclusion"][:4]) == (0, "ok  ")
