"""`referee-api archive`: the logs of old months move from the database to files; answers stay the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import zstandard

from api.core.config import Settings, StartError
from api.features.apps import apps
from api.features.archives import archiving
from api.features.proofs import exports
from api.features.statistics import results as statistics
from api.games import export as records
from api.run import backup
from api.store import archives, feed
from api.store import games as rows
from referee.audit.manifests import gaps
from referee.audit.marks import EndMark
from tests.commands import run_apart as referee
from tests.serving import environment, run_here
from tests.support.archived import FORMS, VIEWS, shown
from tests.support.callers import Caller, Clock, log, new_game, play_on
from tests.support.processes import sentence

NEXT = (datetime.now(UTC).replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0)
MONTH = datetime.now(UTC).strftime("%Y-%m")


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    (tmp_path / "archives").mkdir()
    return replace(settings, archive_dir=tmp_path / "archives")


@pytest.fixture
def games(
    host: Caller, four: list[Caller], worker: Callable[[], None], sql: psycopg.Connection
) -> list[dict[str, Any]]:
    """Return a finished game, a private one that ended by resignation, and one cancelled before its start.

    They are in a database that no other test uses afterwards, because parts of its log are gone.
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


def put_away(settings: Settings) -> list[str]:
    """Archive this month, as if it were the next one."""
    said: list[str] = []
    archiving.archive(settings, NEXT, said.append, now=NEXT)
    return said


def _exported(file: Path) -> list[Any]:
    """Return the games of an export, without what depends on the newest tree."""
    found = [json.loads(line) for line in file.read_text().splitlines()[:-1]]
    return [{**line, "record": {**line["record"], "inclusion": None}} for line in found]


def parts(sql: psycopg.Connection) -> list[str]:
    rows = sql.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'entries'::regclass"
    )
    return sorted(name for (name,) in rows)


def test_everything_is_served_as_before(
    games: list[dict[str, Any]],
    host: Caller,
    four: list[Caller],
    auditor: Caller,
    anyone: Caller,
    new_key: Callable[..., Caller],
    settings: Settings,
    sql: psycopg.Connection,
    tmp_path: Path,
) -> None:
    callers = [host, *four, auditor, anyone, new_key("other", "read")]
    before = shown(callers, games)
    assert {status for status, *_ in before.values()} == {200, 404, 410}
    counted = host.get(f"/v1/players/{four[0].player}/statistics").json
    lines: list[str] = []
    exports.export(settings, None, tmp_path / "before.ndjson", lines.append)

    (said,) = put_away(settings)
    entries = sum(game["version"] for game in games)
    assert said.startswith(f"{MONTH} is archived: 3 games, {entries} entries in {settings.archive_dir}")
    part = f"entries_{MONTH.replace('-', '_')}"
    assert part not in parts(sql)
    assert sql.execute("SELECT count(*) FROM entries").fetchone() == (0,)

    assert shown(callers, games) == before
    statistics.rebuild(settings, lines.append)
    assert "what was kept of 0 differed" in lines[-1]
    assert host.get(f"/v1/players/{four[0].player}/statistics").json == counted
    exports.export(settings, None, tmp_path / "after.ndjson", lines.append)
    assert _exported(tmp_path / "after.ndjson") == _exported(tmp_path / "before.ndjson")
    backup.verify(settings, lines.append)
    assert lines[-1] == "3 games verified, and every log holds"

    assert settings.archive_dir
    (file,) = archive_files(settings)
    assert file.stat().st_mode & 0o777 == 0o640
    (tmp_path / "keys.json").write_text(anyone.get("/v1/log-keys").text)
    done = referee("verify", str(file), "--keys", str(tmp_path / "keys.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "inclusion" not in done.stdout  # it is named only where it was not checked
    assert put_away(settings) == [f"The log has no month before {NEXT:%Y-%m}."]

    game = play_on(four, new_game(host, four[:3]), 4)  # into the default partition
    assert len(log(host, game)) == game["version"]


def test_an_app_is_deleted_but_not_from_the_archives_of_all_apps(
    games: list[dict[str, Any]], host: Caller, settings: Settings, sql: psycopg.Connection
) -> None:
    put_away(settings)
    said: list[str] = []
    apps.delete(settings, host.get("/v1/me").json["app"]["id"], False, lambda name: None, said.append)
    (file,) = archive_files(settings)
    assert "never change" in said[1]
    assert said[1].endswith(f"have games of it: {file.name}")
    assert sql.execute("SELECT count(*) FROM archived_games").fetchone() == (0,)
    backup.verify(settings, said.append)
    assert said[-1] == "0 games verified, and every log holds"


def test_a_month_whose_games_are_not_over_stays(
    games: list[dict[str, Any]],
    host: Caller,
    four: list[Caller],
    settings: Settings,
    clock: Clock,
    worker: Any,
) -> None:
    running = new_game(host, four[:3])
    worker()
    (said,) = put_away(settings)
    assert said == f"{MONTH} waits: 1 of its games are not over, such as {running['id']}"
    clock.time = NEXT
    assert host.post(f"/v1/games/{running['id']}/cancellation").status_code == 201
    (said,) = put_away(settings)
    assert "1 of its games ended later" in said
    assert "1 leaves are not in the log of all games yet" in said
    assert archive_files(settings) == []
    with pytest.raises(StartError, match="months that are over"):
        archiving.archive(settings, NEXT, print)


def archive_files(settings: Settings) -> list[Path]:
    assert settings.archive_dir
    return sorted(settings.archive_dir.glob("*.zst"))


def test_a_feed_refuses_to_omit_archived_entries(
    games: list[dict[str, Any]], host: Caller, four: list[Caller], settings: Settings
) -> None:
    first = host.get("/v1/events?limit=2").json["cursor"]
    last = host.get("/v1/events?limit=200").json["cursor"]
    put_away(settings)
    for path in ("/v1/events", "/v1/me/events"):
        caller = four[0] if "me" in path else host
        for query in ("", f"?cursor={first}"):
            for form in ("application/json", *FORMS):
                refused = caller.get(f"{path}{query}", headers={"Accept": form})
                assert refused.status_code == 410, refused.text
                assert refused.json["type"] == "/problems/archived"
                assert refused.json["cursor"] == last
        assert caller.get(f"{path}?cursor={last}").json == {"items": [], "next": None, "cursor": last}
        assert caller.get(f"{path}?cursor=now").json["cursor"] == last
    game = new_game(host, four[:3])
    found = host.get(f"/v1/events?cursor={last}").json["items"]
    assert [item["entry"]["seq"] for item in found if item["game"] == game["id"]] == [1, 2, 3, 4, 5]
    assert len(found) == 5


def test_a_feed_whose_entries_are_archived_while_it_is_read_is_cut_off(
    games: list[dict[str, Any]], host: Caller, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*asked: Any) -> Any:
        monkeypatch.undo()
        put_away(settings)
        return search(*asked)

    search = feed.search
    monkeypatch.setattr(feed, "search", read)
    assert host.get("/v1/events?limit=2").status_code == 410


def test_a_damaged_archive_is_a_problem(
    games: list[dict[str, Any]], host: Caller, settings: Settings, sql: psycopg.Connection
) -> None:
    put_away(settings)
    (file,) = archive_files(settings)
    whole = file.read_bytes()
    row = sql.execute(
        "SELECT place, size FROM archived_games WHERE game_id = %s", (games[0]["id"],)
    ).fetchone()
    assert row
    place, size = row
    flipped = (
        whole[: place + size // 2] + bytes([whole[place + size // 2] ^ 1]) + whole[place + size // 2 + 1 :]
    )
    moved = sql.execute(
        "SELECT place, size FROM archived_games WHERE game_id = %s", (games[1]["id"],)
    ).fetchone()
    assert moved
    other = whole[moved[0] : moved[0] + moved[1]]
    swapped = whole[:place] + other[:size].ljust(size, b"\0") + whole[place + size :]
    for damaged in (flipped, whole[: place + size - 1], swapped, None):
        if damaged is None:
            file.unlink()
        else:
            file.write_bytes(damaged)
        path = f"/v1/games/{games[0]['id']}"
        for view in VIEWS[1:]:
            refused = host.get(path + view)
            assert refused.status_code == 503, view
            assert refused.json["type"] == "/problems/archive-unreadable"
        for form in FORMS:
            refused = host.get(f"{path}/events", headers={"Accept": form})
            assert refused.json["type"] == "/problems/archive-unreadable"
        assert host.get(path).json["status"] == "finished"
        said: list[str] = []
        with pytest.raises(StartError, match="games do not verify"):
            backup.verify(settings, said.append)
        assert any(games[0]["id"] in line and file.name in line for line in said)
    file.write_bytes(whole)
    assert host.get(f"{path}/verification").json["ok"]


@pytest.mark.parametrize("change", ["public = replace(public, 'moved', 'said')", "hash = '\\x00'"])
def test_a_log_that_does_not_verify_is_not_archived(
    games: list[dict[str, Any]], settings: Settings, sql: psycopg.Connection, change: str
) -> None:
    sql.execute("SET session_replication_role = replica")
    sql.execute(f"UPDATE entries SET {change} WHERE seq = 9 AND game_id = %s", (games[0]["id"],))
    with pytest.raises(StartError, match=f"Game {games[0]['id']} does not verify, so its month stays"):
        put_away(settings)
    assert archive_files(settings) == []


@pytest.mark.parametrize("step", ["written", "checked"])
def test_an_app_that_is_deleted_meanwhile_is_no_failure_of_ours(
    games: list[dict[str, Any]],
    host: Caller,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    module, name = {"written": (records, "whole"), "checked": (rows, "get")}[step]
    read = getattr(module, name)

    def deleted_first(*arguments: Any) -> Any:
        monkeypatch.undo()
        apps.delete(settings, "host", True, lambda _: None, lambda _: None)
        return read(*arguments)

    monkeypatch.setattr(module, name, deleted_first)
    with pytest.raises(StartError, match="was deleted meanwhile"):
        put_away(settings)
    assert f"{MONTH} is archived: 0 games" in put_away(settings)[0]


def test_a_file_corrupted_by_the_disk_is_not_trusted(
    games: list[dict[str, Any]], host: Caller, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown([host], games)

    def spoil(descriptor: int) -> None:
        if b".part" in os.fsencode(os.readlink(f"/proc/self/fd/{descriptor}")):
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - 3)

    monkeypatch.setattr(os, "fsync", spoil)
    with pytest.raises(StartError, match="cannot be read again"):
        put_away(settings)
    monkeypatch.undo()
    assert (shown([host], games), archive_files(settings)) == (before, [])
    assert "is archived" in put_away(settings)[-1]
    assert shown([host], games) == before


KILLED = """
import os, signal, sys
from datetime import datetime
from api.core.config import Settings
from api.features.archives import archiving
from api.store.database.session import Session

def killed(*arguments, **more):
    os.kill(os.getpid(), signal.SIGKILL)

def after(step):
    def run(*arguments, **more):
        step(*arguments, **more)
        killed()
    return run

where = sys.argv[1]
if where == "written":
    archiving._check = killed
elif where == "half written":
    archiving.PIECE, archiving.NEXT = 1, archiving.NEXT.replace("LIMIT 100", "LIMIT 1")
    games = archiving._games
    def one(*arguments):
        for number, ids in enumerate(games(*arguments)):
            yield ids
            killed()
    archiving._games = one
elif where == "checked":
    archiving._drop = killed
elif where == "in place, not committed":
    archiving._put_in_place = after(archiving._put_in_place)
elif where == "committed":
    archiving._drop = after(archiving._drop)
moment = datetime.fromisoformat(sys.argv[2])
archiving.archive(Settings.from_env(os.environ), moment, print, now=moment)
"""


def test_the_command_says_what_it_does_not_do(settings: Settings) -> None:
    for month, code, why in (
        ("2020-01", 0, "The log has no month before 2020-01."),
        ("2999-01", 1, "Only months that are over can be archived."),
        ("soon", 2, "'soon' is not a month such as 2026-01."),
    ):
        done = run_here("archive", "--before", month, **settings.environment())
        assert (done.returncode, why in done.stdout + done.stderr) == (code, True), done


@pytest.mark.parametrize(
    "where",
    [
        pytest.param("half written", marks=pytest.mark.long),
        pytest.param("written", marks=pytest.mark.long),
        pytest.param("checked", marks=pytest.mark.long),
        "in place, not committed",
        pytest.param("committed", marks=pytest.mark.long),
    ],
)
def test_a_kill_loses_nothing(
    games: list[dict[str, Any]], host: Caller, four: list[Caller], settings: Settings, where: str
) -> None:
    before = shown([host, four[1]], games)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, where, NEXT.isoformat()],
        env=environment(**settings.environment()),
        timeout=90,
    )
    assert killed.returncode == -signal.SIGKILL
    assert shown([host, four[1]], games) == before
    left = archive_files(settings)
    said = put_away(settings)
    if where == "committed":
        assert said == ["The log has no month before 2026-12."]
    else:
        assert "is archived" in said[-1]
    if where == "in place, not committed":
        assert said[0] == f"{left[0].name} is no archive of this database: nothing here reads it"
    assert len(archive_files(settings)) == (2 if "not committed" in where else 1)
    assert shown([host, four[1]], games) == before


def test_a_month_is_proved_whole(
    games: list[dict[str, Any]], anyone: Caller, settings: Settings, tmp_path: Path
) -> None:
    put_away(settings)
    folder = settings.archive_dir
    assert folder is not None
    (manifest,) = folder.glob("*.manifest.json")
    file = folder / manifest.name.removesuffix(".manifest.json")
    keys = tmp_path / "keys.json"
    keys.write_text(anyone.get("/v1/log-keys").text)
    audit = ("audit", str(folder), "--jobs", "1", "--keys", str(keys))
    done = referee(*audit)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"ok    {file.name}: {MONTH} is whole: 3 games" in done.stdout
    assert "ok    dog_cards 1: 1 record, 0 do not hold" in done.stdout
    assert f"-     {file.name}: {MONTH}, 3 games: no trusted key" in referee(*audit[:4]).stdout

    whole, content = file.read_bytes(), manifest.read_bytes()
    for copied in (file, manifest):  # once more, as another month
        (copied.parent / f"again-{copied.name}").write_bytes(copied.read_bytes())
    again = referee(*audit)
    assert f"FAIL  again-{file.name}: has the manifest of {file.name}" in again.stdout
    assert again.returncode == 1
    for copied in (file, manifest):
        (copied.parent / f"again-{copied.name}").unlink()
    lines = zstandard.ZstdDecompressor().stream_reader(whole, read_across_frames=True).read().splitlines(True)
    mark = EndMark()
    for line in lines[1:-1]:  # without the first game, and with the end mark of the rest
        mark.add(line.removesuffix(b"\n"))
    file.write_bytes(b"".join(map(archives.compress, [*lines[1:-1], mark.line])))
    assert f"FAIL  {file.name}: has other lines than its manifest says: 2 games" in referee(*audit).stdout
    for old, new in ((b'"games":3', b'"games":2'), (MONTH.encode(), b"2020-01")):
        manifest.write_bytes(content.replace(old, new))
        file.write_bytes(whole)
        done = referee(*audit)
        assert (done.returncode, f"FAIL  {file.name}" in done.stdout or "FAIL" in done.stdout) == (1, True)
    manifest.write_bytes(content)
    file.unlink()
    assert "is missing" in referee(*audit).stdout


def test_a_manifest_that_was_not_written_is_written_later(
    games: list[dict[str, Any]], anyone: Caller, settings: Settings
) -> None:
    put_away(settings)
    assert settings.archive_dir is not None
    (manifest,) = settings.archive_dir.glob("*.manifest.json")
    first = manifest.read_bytes()
    size = anyone.get("/v1/log/checkpoint").text.split("\n")[1]
    manifest.unlink()
    put_away(settings)
    assert manifest.read_bytes() == first  # with the same leaf
    assert anyone.get("/v1/log/checkpoint").text.split("\n")[1] == size


def test_months_that_are_missing_or_claimed_twice_are_named() -> None:
    found = [(one.name, one.ok) for one in gaps(["2025-11", "2026-02", "2026-02"])]
    assert found == [("2026-02", False), ("2025-12", None), ("2026-01", None)]
    assert [*gaps([])] == []


def test_what_is_no_directory_is_refused_by_its_name(data_dir: Path) -> None:
    """The embedded database makes the directory, but not what it is to be in."""
    file = data_dir.with_name("file")
    file.touch()
    for folder in (file, data_dir.with_name("missing") / "archives"):
        done = run_here("archive", "--before", MONTH, "--data-dir", data_dir, ARCHIVE_DIR=str(folder))
        assert str(folder) in done.stderr, done
    assert str(folder) in sentence("serve", "--port", "0", "--data-dir", data_dir, ARCHIVE_DIR=str(folder))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_root_is_told_because_web_servers_read_nothing_of_it(
    settings: Settings, tmp_path: Path
) -> None:
    environment = replace(settings, archive_dir=tmp_path).environment()
    for owner in (0, 12345):
        os.chown(tmp_path, owner, owner)
        done = run_here("archive", "--before", "2020-01", **environment)
        assert (done.returncode, "belongs to root" in done.stdout) == (0, owner == 0), done


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of somebody else")
def test_nothing_is_archived_behind_the_link_of_somebody_else(
    games: list[dict[str, Any]], settings: Settings, tmp_path: Path
) -> None:
    """With a database of one's own, too, whose owner runs the command as root."""
    link, victim = tmp_path / "link", tmp_path / "archives"
    link.symlink_to(victim)
    os.chown(link, 12345, 12345, follow_symlinks=False)
    with pytest.raises(StartError, match="somebody else"):
        put_away(replace(settings, archive_dir=link))
    assert [*victim.iterdir()] == []
    os.chown(link, 0, 0, follow_symlinks=False)
    assert "is archived" in put_away(replace(settings, archive_dir=link))[-1]
