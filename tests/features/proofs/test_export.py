"""`referee-api export`: every finished game once, whatever interrupts it and however often it runs."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from flask import Flask

from api.cli import cli
from api.context import Context
from api.core.config import Settings, StartError
from api.features import load_features
from api.features.proofs import exports
from api.features.proofs import keys as log_keys
from api.features.proofs.evidence import BUNDLE
from api.store.database.session import Database, Session
from tests.commands import run as referee
from tests.serving import run_here
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.keeping_time import keep_time
from tests.support.page_verifier import ask

KINDS = ["ndjson", "ndjson.zst"]
Work = Callable[[], None]


@pytest.fixture
def work(app: Flask, clock: Clock, workers_database: Database) -> Iterator[Work]:
    site = app.extensions["card_referee"]
    session = Session(workers_database)

    def later() -> None:
        clock.move(seconds=1)
        keep_time(Context(site.settings, session, load_features().hooks, clock))

    yield later
    session.close()


def export_here(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `referee-api WORDS` in this process and return its output and status."""
    done = CliRunner(env=environment).invoke(cli, [*map(str, words)], catch_exceptions=False)
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def ended(host: Caller, players: list[Caller], number: int) -> list[str]:
    """Return the ids of ended games: one played to its end, the last cancelled, all others resigned."""
    games = [new_game(host, players[:3]) for _ in range(number - 1)]
    games.append(new_game(host, players, ruleset="pies", visibility="private"))
    for game in games[:-1][:1]:
        play_on(players, game)
    for game in games[1:-1]:
        play_on(players, game, 2)
        assert players[0].post(f"/v1/games/{game['id']}/resignation").status_code == 201
    assert host.post(f"/v1/games/{games[-1]['id']}/cancellation").status_code == 201
    return [game["id"] for game in games]


def exported(file: Path) -> dict[str, Any]:
    """Return the content of an archive by game, checking that no game occurs twice."""
    data = file.read_bytes()
    if file.suffix == ".zst":
        import zstandard

        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    games = [(line["game"], line["record"]) for line in map(json.loads, data.splitlines()[:-1])]
    assert len(dict(games)) == len(games)
    return dict(games)


@pytest.mark.parametrize("kind", KINDS)
def test_each_game_is_exported_once_and_verifies(
    host: Caller, four: list[Caller], work: Work, settings: Settings, tmp_path: Path, kind: str
) -> None:
    given = settings.environment()
    files = [tmp_path / f"{n}.{kind}" for n in range(3)]
    first = ended(host, four, 3)
    work()
    new_game(host, four)  # which has not ended
    done = export_here("export", "--to", files[0], **given)
    assert done.returncode == 0, done.stderr
    assert list(exported(files[0])) == first
    second = ended(host, four, 2)
    assert export_here("export", "--to", tmp_path / f"early.{kind}", **given).returncode == 0
    assert list(exported(tmp_path / f"early.{kind}")) == first  # the worker has not run yet
    work()
    since = re.search(r"3 games; the next archive begins with --since (\S+)", done.stdout)
    assert since is not None
    done = export_here("export", "--since", since[1], "--to", files[1], **given)
    assert list(exported(files[1])) == second
    since = re.search(r"2 games; the next archive begins with --since (\S+)", done.stdout)
    assert since is not None
    done = export_here("export", "--since", since[1], "--to", files[2], **given)
    assert f"0 games; the next archive begins with --since {since[1]}" in done.stdout
    for game, record in exported(files[0]).items():
        assert record["entries"] == host.get(f"/v1/games/{game}/record").json["entries"]
    verified = referee("verify", str(files[0]))
    assert verified.returncode == 0, verified.stdout
    assert "3 hold, 0 do not" in verified.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*(file.name for file in files), f"early.{kind}"]
    )


def test_exported_games_prove_that_the_server_has_signed_the_log_of_all_games(
    host: Caller,
    anyone: Caller,
    four: list[Caller],
    work: Work,
    settings: Settings,
    clock: Clock,
    tmp_path: Path,
) -> None:
    """Also after the key was rotated, for whoever has pinned only the first one."""
    ended(host, four, 3)
    work()
    file, keys = tmp_path / "games.ndjson", anyone.get("/v1/log-keys").json
    assert export_here("export", "--to", file, **settings.environment()).returncode == 0
    (tmp_path / "keys.json").write_text(json.dumps(keys))
    (tmp_path / "policy").write_text(f"log {keys['items'][0]['vkey']}\nquorum none\n")
    for trust in ("--keys", tmp_path / "keys.json"), ("--policy", tmp_path / "policy"):
        done = referee("verify", str(file), "--jobs", "1", *map(str, trust))
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "NOTE  verdict: proved"), done.stdout
        assert "inclusion" not in done.stdout, done.stdout  # it is named only where it was not checked
    log_keys.rotate(settings)
    clock.move(minutes=2)
    rotated = tmp_path / "rotated.ndjson"
    assert export_here("export", "--to", rotated, **settings.environment()).returncode == 0
    done = referee("verify", str(rotated), "--jobs", "1", "--policy", str(tmp_path / "policy"))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "NOTE  verdict: proved"), done.stdout
    bundles = [
        {"format": BUNDLE, "record": record, "receipts": [], "keys": keys["items"]}
        for record in exported(file).values()
    ]
    policy = (tmp_path / "policy").read_text()
    for promises in ask([{"bundle": bundle, "policy": policy} for bundle in bundles]):
        assert {one["name"]: one["ok"] for one in promises}["inclusion"] is True


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_export_continues(
    host: Caller,
    four: list[Caller],
    work: Work,
    settings: Settings,
    tmp_path: Path,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    games = ended(host, four, 8)
    work()
    file, whole, seen = tmp_path / f"games.{kind}", exports.records.whole, []

    def dies(context: Context, game_id: Any) -> Any:
        seen.append(game_id)
        if len(seen) == 6:  # in the middle of the third part
            raise KeyboardInterrupt
        return whole(context, game_id)

    with monkeypatch.context() as patched:
        patched.setattr(exports, "PIECE", 2)
        patched.setattr(exports.records, "whole", dies)
        with pytest.raises(KeyboardInterrupt):
            exports.export(settings, None, file, print)
    assert not file.exists()
    with (tmp_path / f"games.{kind}.part").open("ab") as part:
        part.write(b"half of a pie")  # as after a crash
    ended(host, four, 1)  # too late for the archive that was begun
    work()
    done = run_here("export", "--to", file, **settings.environment())
    assert done.returncode == 0, done.stderr
    assert "8 games; " in done.stdout
    assert list(exported(file)) == games
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_an_unreadable_game_is_named_and_the_others_are_exported(
    host: Caller, four: list[Caller], work: Work, settings: Settings, sql: psycopg.Connection, tmp_path: Path
) -> None:
    games = ended(host, four, 3)
    work()
    sql.execute("UPDATE games SET seed = %s || substring(seed FROM 6) WHERE id = %s", (b"\1none", games[1]))
    file, messages = tmp_path / "games.ndjson", list[str]()
    with pytest.raises(StartError, match="1 game cannot be read"):
        exports.export(settings, None, file, messages.append)
    assert games[1] in messages[0]
    assert messages[-1].startswith("2 games; the next archive begins with --since ")
    assert exported(file).keys() == {games[0], games[2]}


def test_errors_of_the_export_are_one_sentence(settings: Settings, tmp_path: Path) -> None:
    there = tmp_path / "there.ndjson"
    there.write_text("")
    for file, words in (
        (there, "already"),
        (tmp_path / "games.csv", "is called"),
        (tmp_path / "no/x.ndjson", "no"),
    ):
        done = run_here("export", "--to", file, **settings.environment())
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    assert run_here("export", "--since", "yesterday", "--to", tmp_path / "x.ndjson").returncode == 2
    assert there.read_text() == ""
