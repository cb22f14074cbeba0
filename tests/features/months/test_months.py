"""`referee-api export` writes finished months to files; `detach` takes one out of the database."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from api.core.config import Settings, StartError
from api.features.months import detaching, exporting, files, months
from api.features.months.commands import COMMANDS
from api.features.proofs import keys as log_keys
from api.features.proofs.evidence import BUNDLE
from api.run import backup
from api.store import feed, removal
from tests.servers.commands import run as referee
from tests.servers.serving import run_here
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.node import ask

NOW = datetime.now(UTC)
MONTH = f"{NOW:%Y-%m}"
LATER = NOW.replace(day=1) + timedelta(days=35)
FORMS = ("application/json", "text/event-stream")


@pytest.fixture
def games(
    host: Caller, four: list[Caller], worker: Callable[[], None], sql: psycopg.Connection
) -> list[dict[str, Any]]:
    """Return a finished game, a private one that ended by resignation, and one cancelled before its start.

    They are in a database that no other test uses afterwards, because a part of its log is gone.
    """
    found = [
        play_on(four, new_game(host, four[:3])),
        new_game(host, four, ruleset="dog_cards", visibility="private"),
        host.post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).json,
    ]
    play_on(four, found[1], 12)
    for game, end in ((found[1], "resignation"), (found[2], "cancellation")):
        by = four[0] if end == "resignation" else host
        assert by.post(f"/v1/games/{game['id']}/{end}").status_code == 201
    worker()
    return [host.get(f"/v1/games/{game['id']}").json for game in found]


def export(settings: Settings, folder: Path) -> list[str]:
    """Export this month, as if it were the next one."""
    said: list[str] = []
    exporting.export(settings, folder, said.append, LATER)
    return said


def detach(settings: Settings, file: Path) -> list[str]:
    said: list[str] = []
    detaching.detach(settings, NOW, file, said.append, LATER)
    return said


def file_of(folder: Path) -> Path:
    return folder / f"{MONTH}.ndjson.gz"


def parts(sql: psycopg.Connection) -> list[str]:
    rows = sql.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'entries'::regclass"
    )
    return sorted(name for (name,) in rows)


def test_a_finished_month_is_written_once_and_proved(
    games: list[dict[str, Any]], host: Caller, anyone: Caller, settings: Settings, tmp_path: Path
) -> None:
    """Also after the key was rotated, for whoever has pinned only the first one."""
    keys = anyone.get("/v1/log-keys").json
    trusted = tmp_path / "keys.json", tmp_path / "policy"
    trusted[0].write_text(json.dumps(keys))
    trusted[1].write_text(f"log {keys['items'][0]['vkey']}\nquorum none\n")
    for name, trust in (("first", trusted), ("rotated", trusted[1:])):
        folder = tmp_path / name
        folder.mkdir()
        assert export(settings, folder) == [f"{file_of(folder)}: 3 games"]
        assert export(settings, folder) == []
        assert [path.name for path in folder.iterdir()] == [f"{MONTH}.ndjson.gz"]
        for file in trust:
            words = "--keys" if file == trusted[0] else "--policy", str(file)
            done = referee("verify", str(folder), "--require-end", "--jobs", "1", *words)
            assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "NOTE  verdict: proved"), done
            assert "inclusion" not in done.stdout  # it is named only where it was not checked
        log_keys.rotate(settings)
    lines = [*files.read(file_of(tmp_path / "first"))]
    assert [line["game"] for line in lines] == [game["id"] for game in games]
    for line in lines:
        shown = host.get(f"/v1/games/{line['game']}/record")
        assert shown.status_code == 404 or shown.json["entries"] == line["record"]["entries"]
    bundles = [
        {"format": BUNDLE, "record": line["record"], "receipts": [], "keys": keys["items"]} for line in lines
    ]
    for promises in ask([{"bundle": each, "policy": trusted[1].read_text()} for each in bundles]):
        assert {one["name"]: one["ok"] for one in promises}["inclusion"] is True


def test_a_month_waits_until_nothing_can_be_added_to_it(
    games: list[dict[str, Any]],
    host: Caller,
    four: list[Caller],
    settings: Settings,
    clock: Clock,
    worker: Any,
    tmp_path: Path,
) -> None:
    running = new_game(host, four[:3])
    worker()
    assert export(settings, tmp_path) == [
        f"{MONTH} waits: 1 of its games are not over, such as {running['id']}"
    ]
    clock.time = LATER
    assert host.post(f"/v1/games/{running['id']}/cancellation").status_code == 201
    (said,) = export(settings, tmp_path)
    assert "1 of its games were changed in the last two days, such as" in said
    assert "1 leaves are not in the log of all games yet" in said
    file = file_of(tmp_path)
    files.write(file, [])
    with pytest.raises(StartError, match=f"{MONTH} stays: 1 of its games were changed"):
        detach(settings, file)
    with pytest.raises(StartError, match="is not over"):
        detaching.detach(settings, NOW, file, print, NOW)


def test_detached_games_answer_like_deleted_ones(
    games: list[dict[str, Any]],
    host: Caller,
    four: list[Caller],
    anyone: Caller,
    settings: Settings,
    sql: psycopg.Connection,
    tmp_path: Path,
) -> None:
    checkpoint = anyone.get("/v1/log/checkpoint").text
    first = host.get("/v1/events?limit=2").json["cursor"]
    export(settings, tmp_path)
    file = file_of(tmp_path)
    assert detach(settings, file) == [f"{MONTH} is detached, with 3 games: keep {file}"]
    assert f"entries_{MONTH.replace('-', '_')}" not in parts(sql)
    for table in ("entries", "games", "game_seats"):
        assert sql.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    for game in games:
        for view in ("", "/events", "/record", "/verification"):
            assert host.get(f"/v1/games/{game['id']}{view}").status_code == 404
    assert anyone.get("/v1/log/checkpoint").text == checkpoint
    leaves = sql.execute("SELECT count(*) FROM tree_leaves").fetchone()
    assert leaves == (2 * len(games),)

    for path, caller in (("/v1/events", host), ("/v1/me/events", four[0])):
        for query in ("", f"?cursor={first}"):
            for form in FORMS:
                refused = caller.get(f"{path}{query}", headers={"Accept": form})
                assert (refused.status_code, refused.json["type"]) == (410, "/problems/detached")
                last = refused.json["cursor"]
        assert caller.get(f"{path}?cursor={last}").json == {"items": [], "next": None, "cursor": last}
        assert caller.get(f"{path}?cursor=now").json["cursor"] == last
    game = play_on(four, new_game(host, four[:3]), 4)  # into the default partition
    found = host.get(f"/v1/events?cursor={last}&limit=200").json["items"]
    assert [item["entry"]["seq"] for item in found] == [*range(1, game["version"] + 1)]
    said: list[str] = []
    backup.verify(settings, said.append)
    assert said == ["1 games verified, and every log holds"]


def test_a_feed_whose_entries_are_detached_while_it_is_read_is_cut_off(
    games: list[dict[str, Any]],
    host: Caller,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def read(*asked: Any) -> Any:
        monkeypatch.undo()
        detach(settings, file_of(tmp_path))
        return search(*asked)

    export(settings, tmp_path)
    search = feed.search
    monkeypatch.setattr(feed, "search", read)
    assert host.get("/v1/events?limit=2").status_code == 410


def test_a_file_and_its_name_are_on_the_disk_when_it_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", lambda number: synced.append(os.fstat(number).st_ino))
    files.write(tmp_path / "2026-01.ndjson.gz", [{}])
    assert synced == [(tmp_path / "2026-01.ndjson.gz").stat().st_ino, tmp_path.stat().st_ino]


def test_two_writers_of_a_file_leave_the_whole_one_of_the_first(tmp_path: Path) -> None:
    file = tmp_path / "2026-01.ndjson.gz"

    def lines() -> Iterator[dict[str, int]]:
        yield {"line": 1}
        files.write(file, [{"line": 2}])
        yield {"line": 3}

    with pytest.raises(StartError, match="File exists"):
        files.write(file, lines())
    assert [*files.read(file)] == [{"line": 2}]
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("month", ["2026-13", "0001-01", "1969-12", "9999-12", "soon"])
def test_a_month_of_no_game_is_named(month: str, tmp_path: Path) -> None:
    found = CliRunner().invoke(COMMANDS[1], [month, str(Path(__file__))], env={"DATA_DIR": str(tmp_path)})
    assert (found.exit_code, f"{month!r} is not a month" in found.output) == (2, True), found.output


def test_an_interrupted_detachment_is_continued(
    games: list[dict[str, Any]],
    host: Caller,
    settings: Settings,
    sql: psycopg.Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    export(settings, tmp_path)

    def killed(session: Any, ids: Any) -> None:
        delete(session, ids)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        delete = removal.delete_games
        patched.setattr(removal, "delete_games", killed)
        patched.setattr(detaching, "PIECE", 1)
        with pytest.raises(KeyboardInterrupt):
            detach(settings, file_of(tmp_path))
    assert host.get("/v1/events").status_code == 410
    assert [host.get(f"/v1/games/{game['id']}").status_code for game in games] == [404, 200, 200]
    assert detach(settings, file_of(tmp_path))[0].startswith(f"{MONTH} is detached, with 2 games")
    assert f"entries_{MONTH.replace('-', '_')}" not in parts(sql)


def test_only_what_a_verified_file_has_is_detached(
    games: list[dict[str, Any]], host: Caller, settings: Settings, sql: psycopg.Connection, tmp_path: Path
) -> None:
    export(settings, tmp_path)
    file = file_of(tmp_path)
    whole, lines = file.read_bytes(), [*files.read(file)]
    changed = json.loads(json.dumps(lines))
    changed[1]["record"]["entries"][3]["at"] = "2025-01-01T00:00:00.000000Z"
    for found, why in (
        (lines[:2], f"lacks 1 of its games, such as {games[2]['id']}"),
        (changed, f"The record of game {games[1]['id']} is another one"),
    ):
        file.unlink()
        files.write(file, found)
        with pytest.raises(StartError, match=why):
            detach(settings, file)
    for member in ("inclusion", "seed", "options", "looks", "chance"):
        less = {name: value for name, value in lines[0]["record"].items() if name != member}
        assert less != lines[0]["record"], member
        file.unlink()
        files.write(file, [{**lines[0], "record": less}, *lines[1:]])
        with pytest.raises(StartError, match=f"The record of game {lines[0]['game']} is another one"):
            detach(settings, file)
    for strange in ([], {"game": 5}, {"game": "x"}):
        file.unlink()
        files.write(file, [strange])
        with pytest.raises(StartError, match="has a line that `export` has not written"):
            detach(settings, file)
    for damaged in (
        whole[:-20],
        whole[:200] + bytes([whole[200] ^ 1]) + whole[201:],
        gzip.compress(b"\n".join(gzip.decompress(whole).splitlines()[:-1]) + b"\n"),
        b"",
    ):
        file.write_bytes(damaged)
        with pytest.raises(StartError, match=r"cannot be read|is not whole|is another one"):
            detach(settings, file)
    file.write_bytes(whole)
    sql.execute(
        "INSERT INTO notice_positions SELECT id, 0, '00000000-0000-0000-0000-000000000000', 0 FROM apps"
        " WHERE name = 'host' ON CONFLICT (app_id) DO UPDATE SET tick = 0"
    )
    with pytest.raises(StartError, match="not all of it is announced"):
        detach(settings, file)
    assert {host.get(f"/v1/games/{game['id']}").status_code for game in games} == {200}


@pytest.mark.parametrize("change", ["public = replace(public, 'moved', 'said')", "hash = '\\x00'"])
def test_a_log_that_does_not_hold_is_not_detached(
    games: list[dict[str, Any]], settings: Settings, sql: psycopg.Connection, tmp_path: Path, change: str
) -> None:
    sql.execute("SET session_replication_role = replica")
    sql.execute(f"UPDATE entries SET {change} WHERE seq = 9 AND game_id = %s", (games[0]["id"],))

    def both() -> None:
        export(settings, tmp_path)
        detach(settings, file_of(tmp_path))

    with pytest.raises(StartError, match=f"game {games[0]['id']}"):
        both()
    assert sql.execute("SELECT count(*) FROM games").fetchone() == (3,)


def test_errors_are_one_sentence(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson.gz"
    files.write(file, [])
    for words, code, why in (
        (("export", tmp_path / "no"), 2, "does not exist"),
        (("detach", "2999-01", file), 1, "2999-01 stays: it is not over."),
        (("detach", "soon", file), 2, "'soon' is not a month such as 2026-01."),
        (("detach", "2020-01", tmp_path / "b.ndjson.gz"), 2, "does not exist"),
    ):
        done = run_here(*words, **settings.environment())
        assert (done.returncode, why in done.stdout + done.stderr) == (code, True), done
        assert "Traceback" not in done.stderr
    for name, why in (("a.ndjson.gz", "already exists"), ("a.csv", "is called"), ("no/a.ndjson", "written")):
        with pytest.raises(StartError, match=why):
            files.write(tmp_path / name, [])


def test_months_are_those_of_the_ids() -> None:
    found = months.month_of(datetime(2025, 12, 31, 23, 59, tzinfo=UTC))
    assert (found.name, found.part) == ("2025-12", "entries_2025_12")
    assert found.beyond == months.month_of(datetime(2026, 1, 1, tzinfo=UTC)).first
