"""What an operator can do who owns the database, the seeds and every hash, and how it is detected."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pytest

from docs.generating import guarantees
from referee.proofs.receipts import read_keys, read_receipts
from referee.verification.forks import compare
from tests.servers.commands import run
from tests.support.callers import Caller, first_move, new_game, play_on
from tests.support.forging import bent, chained_anew, failed, places


def over(host: Caller, four: list[Caller]) -> tuple[dict[str, Any], str]:
    """Return a finished game with messages, its record, and the receipt that a player kept."""
    game = new_game(host, four[:3])
    four[1].post(f"/v1/games/{game['id']}/messages", {"text": "Good luck."})
    ended = play_on(four, game, 6)
    if ended["status"] == "running":
        ended = four[0].post(f"/v1/games/{game['id']}/resignation").json["game"]
    return host.get(f"/v1/games/{game['id']}/record").json, ended["receipt"]


def test_every_mutation_of_a_finished_receipted_record_is_found(host: Caller, four: list[Caller]) -> None:
    """Whatever is changed, added or removed, with all hashes and seals rebuilt after it."""
    record, kept = over(host, four)
    receipts = read_receipts(kept)
    keys = read_keys(host.get("/v1/log-keys").text)
    assert [held.ok for held in compare(record, receipts, keys)] == [True]
    tried = 0
    for i, entry in enumerate(record["entries"]):
        for path in places({name: value for name, value in entry.items() if name not in ("hash", "sealed")}):
            forged = bent(record, ("entries", i, *path))
            if path[0] == "seals":  # rebuilding corrects this
                continue
            assert [held.ok for held in compare(chained_anew(forged), receipts, keys)] == [False], path
            tried += 1
        for forged in (dict(entry, more=1), None):
            other = json.loads(json.dumps(record))
            other["entries"][i : i + 1] = [forged] if forged else []
            for seq, each in enumerate(other["entries"], 1):
                each["seq"] = seq
            found = [held.ok for held in compare(chained_anew(other), receipts, keys)]
            assert found != [True], (i, forged)
            tried += 1
    assert tried > 200


def test_a_log_rewritten_in_the_database_is_proved(
    host: Caller, four: list[Caller], sql: psycopg.Connection, tmp_path: Path
) -> None:
    """The operator changes an entry, rebuilds the chain and serves it: two receipts prove this."""
    record, kept = over(host, four)
    said = next(entry for entry in record["entries"] if entry["type"] == "said")
    said["private"]["all"]["text"] = "I will lose on purpose."
    chained_anew(record)
    game = sql.execute("SELECT id FROM games").fetchone()[0]
    sql.execute("SET session_replication_role = replica")
    for entry in record["entries"]:
        public = {name: value for name, value in entry.items() if name not in ("hash", "private")}
        sql.execute(
            "UPDATE entries SET public = %s, hash = %s WHERE game_id = %s AND seq = %s",
            (orjson.dumps(public).decode(), bytes.fromhex(entry["hash"]), game, entry["seq"]),
        )
    head = bytes.fromhex(record["entries"][-1]["hash"])
    sql.execute(
        "UPDATE words SET share = %s WHERE game_id = %s AND seq = %s",
        (orjson.dumps(said["private"]["all"]).decode(), game, said["seq"]),
    )
    sql.execute("UPDATE games SET head = %s WHERE id = %s", (head, game))
    sql.execute("RESET session_replication_role")
    shown = host.get(f"/v1/games/{game}")
    now = host.get(f"/v1/games/{game}/record")
    assert failed(now.json) == {}, "the hashes alone show nothing"
    assert host.get(f"/v1/games/{game}/verification").json["ok"]
    files = {"mine": kept, "now": shown.text, "record": now.text, "keys": host.get("/v1/log-keys").text}
    paths = {name: tmp_path / name for name in (*files, "proof")}
    for name, text in files.items():
        paths[name].write_text(text)
    words = ["--keys", paths["keys"], "--fork", paths["proof"], "--receipts", paths["mine"], paths["now"]]
    done = run("verify", *map(str, words), str(paths["record"]))
    assert done.returncode == 1
    assert run("verify", str(paths["proof"]), "--keys", str(paths["keys"])).returncode == 0


def test_a_client_that_names_the_last_hash_moves_in_no_other_log(host: Caller, four: list[Caller]) -> None:
    """A client that sends the last hash in `If-Match` cannot be made to move in another log."""
    game = new_game(host, four[:3])
    mover = four[game["to_act"][0]]
    body = {"move": first_move(mover, game)}
    path = f"/v1/games/{game['id']}/moves"
    assert mover.post(path, body, headers={"If-Match": f'"{"ab" * 32}"'}).status_code == 412
    last = host.get(f"/v1/games/{game['id']}/events?after={game['version'] - 1}").json["items"][-1]["hash"]
    assert mover.post(path, body, headers={"If-Match": f'"{last}"'}).status_code == 201


@pytest.mark.parametrize("named", sorted({*chain(*guarantees.tests().values())}))
def test_every_attack_has_its_test(named: str) -> None:
    file, _, name = named.partition("::")
    assert f"def {name}(" in (Path(__file__).parents[2] / file).read_text("utf-8")


def test_every_attack_has_a_number_and_tests() -> None:
    assert [*guarantees.attacks()] == [*guarantees.tests()]
    assert len(guarantees.attacks()) >= 30
    assert all(guarantees.tests().values())
