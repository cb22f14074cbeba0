"""Backups: after a restore all data and rights are there, and every log verifies."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from api.app import create_app
from api.core.config import Settings, StartError, libpq
from api.run import backup, loading, migrate
from api.run.embedded.postgres import OWNER, SERVICE, WORKER, Postgres, supervise
from tests.support.callers import Caller, Clock, new_game, play_on


@pytest.fixture
def games(host: Caller, four: list[Caller]) -> list[str]:
    """Return a finished game and a running one."""
    found = [new_game(host, four[:3]), new_game(host, four, ruleset="pies")]
    play_on(four, found[0])
    play_on(four, found[1], 5)
    return [game["id"] for game in found]


Make = Callable[[], Settings]

LEFT = """
    SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace
"""


@pytest.fixture
def new_database(postgres: Postgres, settings: Settings, administrator: psycopg.Connection) -> Iterator[Make]:
    """Return a function that creates empty databases."""
    names: list[str] = []

    def make() -> Settings:
        names.append(f"restored_{len(names)}")
        administrator.execute(f"CREATE DATABASE {names[-1]}")
        return dataclasses.replace(
            settings,
            database_url=postgres.url(SERVICE, names[-1]),
            owner_database_url=postgres.url(OWNER, names[-1]),
            worker_database_url=postgres.url(WORKER, names[-1]),
        )

    yield make
    for name in names:
        administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")


UNSIGNED = {"receipt": None}  # another key signs receipts after a restoration


def test_everything_comes_back(
    games: list[str], host: Caller, four: list[Caller], settings: Settings, new_database: Make, tmp_path: Path
) -> None:
    file, messages = tmp_path / "games.backup", list[str]()
    backup.backup(settings, file, messages.append)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [file]
    with pytest.raises(StartError, match="already exists"):
        backup.backup(settings, file, messages.append)

    spoilt, empty = new_database(), new_database()
    half = tmp_path / "half.backup"
    half.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(StartError, match="pg_restore"):
        backup.restore(spoilt, half, messages.append)
    with psycopg.connect(libpq(spoilt.owner_database_url)) as owner:
        assert owner.execute(LEFT).fetchall() == []
    wrong = base64.b64encode(bytes(32)).decode()
    with pytest.raises(StartError, match="encrypted with a key"):
        backup.restore(dataclasses.replace(spoilt, encryption_keys=(wrong,)), file, messages.append)
    with pytest.raises(StartError, match="not empty"):
        backup.restore(spoilt, file, messages.append)
    backup.restore(empty, file, messages.append)
    with pytest.raises(StartError, match="not empty"):
        backup.restore(empty, file, messages.append)
    assert messages[-2:] == [
        "restored, with this release's schema and rights",
        "2 games verified, and every log holds",
    ]

    app = create_app(empty, clock=Clock())
    callers = [Caller(app, caller.token) for caller in (host, *four)]
    for game in games:
        for caller, again in zip((host, *four), callers, strict=True):
            for path in (f"/v1/games/{game}", f"/v1/games/{game}/events"):
                assert again.get(path).json | UNSIGNED == caller.get(path).json | UNSIGNED
    play_on(callers[1:], callers[0].get(f"/v1/games/{games[1]}").json, 1)  # the game continues
    app.extensions["card_referee"].database.close()

    with psycopg.connect(libpq(empty.database_url)) as service:
        for statement in ("UPDATE entries SET public = ''", "DELETE FROM entries", "TRUNCATE games CASCADE"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)
            service.rollback()
        assert service.execute("SELECT count(*) FROM games").fetchone() == (
            0,
        )  # rows of no app: row-level security

    with psycopg.connect(libpq(empty.owner_database_url), autocommit=True) as owner:
        owner.execute("SET session_replication_role = replica")  # without the triggers of the log
        owner.execute("DELETE FROM entries WHERE seq = 3 AND game_id = %s", [games[0]])
    with pytest.raises(StartError, match="1 of 2 games"):
        backup.verify(empty, messages.append)
    assert games[0] in messages[-1]


def test_a_restoration_that_was_killed_leaves_no_service_that_starts_empty(
    games: list[str],
    settings: Settings,
    new_database: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, empty = tmp_path / "games.backup", new_database()
    backup.backup(settings, file, print)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loading, "_copy", killed)
        with pytest.raises(KeyboardInterrupt):
            backup.restore(empty, file, print)
    for _ in range(2):
        with pytest.raises(StartError, match="run `referee-api restore` again"):
            migrate.upgrade(empty)
    backup.restore(empty, file, print)
    migrate.upgrade(empty)
    with psycopg.connect(libpq(empty.owner_database_url)) as owner:
        assert owner.execute("SELECT count(*) FROM games").fetchone() == (len(games),)


def test_a_restored_backup_retires_the_key_of_receipts_whenever_proofs_are_switched_on(
    games: list[str], settings: Settings, new_database: Make, tmp_path: Path
) -> None:
    """Receipts of what was lost are told apart, also if the database was restored without the feature."""
    file, empty = tmp_path / "games.backup", new_database()
    backup.backup(settings, file, print)
    backup.restore(dataclasses.replace(empty, features=("search",)), file, print)
    for _ in range(2):
        migrate.upgrade(empty)
    with psycopg.connect(libpq(empty.owner_database_url)) as owner:
        keys = owner.execute("SELECT valid_until IS NULL, restored FROM log_keys ORDER BY valid_from")
        assert keys.fetchall()[-2:] == [(False, True), (True, False)]


def test_an_unreadable_game_is_named_and_the_others_are_verified(
    games: list[str], settings: Settings, new_database: Make, sql: psycopg.Connection, tmp_path: Path
) -> None:
    """Neither a damaged row nor a missing ruleset keeps the others from being verified or restored."""
    file, empty, messages = tmp_path / "games.backup", new_database(), list[str]()
    sql.execute("UPDATE games SET seed = position WHERE id = %s", (games[0],))
    with pytest.raises(StartError, match="1 of 2 games"):
        backup.verify(settings, messages.append)
    assert games[0] in messages[-1]
    sql.execute("UPDATE games SET ruleset = 'gone' WHERE id = %s", (games[1],))
    backup.backup(settings, file, messages.append)
    with pytest.raises(StartError, match="2 of 2 games"):
        backup.restore(empty, file, messages.append)
    assert [games[0] in messages[-2], games[1] in messages[-1]] == [True, True]
    with pytest.raises(StartError, match="2 of 2 games"):  # they are all there
        backup.verify(empty, messages.append)


def test_a_restore_that_is_killed_leaves_no_database_that_passes_for_the_old_one(
    games: list[str], settings: Settings, new_database: Make, tmp_path: Path
) -> None:
    """Else its feeds would go on where they were, and the log of all games with the same key."""
    moved, files = new_database(), (tmp_path / "first.backup", tmp_path / "second.backup")
    backup.backup(settings, files[0], print)
    backup.restore(moved, files[0], print)
    backup.backup(moved, files[1], print)
    with psycopg.connect(libpq(moved.owner_database_url)) as owner:
        owner.execute("DROP SCHEMA public CASCADE")
        owner.execute("CREATE SCHEMA public")
        owner.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")
    loading.load(moved, files[1])  # and nothing that `restore` does after it
    migrate.upgrade(moved)  # as `serve` does
    with psycopg.connect(libpq(moved.owner_database_url)) as owner:
        assert owner.execute("SELECT count(*) FROM restorations").fetchone() == (2,)


def test_a_data_directory_gets_the_keys_of_the_restoration(
    games: list[str], settings: Settings, data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "games.backup"
    backup.backup(settings, file, print)
    with supervise(data_dir):
        assert (data_dir / "encryption.key").exists(), "its own"
    backup.restore(Settings(data_dir=data_dir, encryption_keys=settings.encryption_keys), file, print)
    assert (data_dir / "encryption.key").read_text().split() == [*settings.encryption_keys]


def test_months_on_another_disk_are_restored_on_a_machine_without_it(
    games: list[str], settings: Settings, new_database: Make, sql: psycopg.Connection, tmp_path: Path
) -> None:
    file, empty, messages = tmp_path / "games.backup", new_database(), list[str]()
    (part,) = sql.execute("SELECT DISTINCT tableoid::regclass::text FROM entries").fetchone() or ("",)
    sql.execute("SET allow_in_place_tablespaces = on")
    sql.execute("CREATE TABLESPACE old_months LOCATION ''")
    sql.execute(f"ALTER TABLE {part} SET TABLESPACE old_months")
    backup.verify(settings, messages.append)
    backup.backup(settings, file, messages.append)
    sql.execute(f"ALTER TABLE {part} SET TABLESPACE pg_default")
    sql.execute("DROP TABLESPACE old_months")
    backup.restore(empty, file, messages.append)
    assert messages.count("2 games verified, and every log holds") == 2


def test_a_backup_is_tried_beside_the_database(
    games: list[str], settings: Settings, sql: psycopg.Connection, tmp_path: Path
) -> None:
    file, messages = tmp_path / "games.backup", list[str]()
    backup.backup(settings, file, messages.append)
    backup.try_restore(settings, file, messages.append)
    assert any("verified" in line for line in messages), messages
    assert sql.execute("SELECT kind FROM backups ORDER BY written_at").fetchall() == [
        ("backup",),
        ("restore",),
    ]


def test_a_backup_that_cannot_be_written(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot be written"):
        backup.backup(settings, tmp_path / "nowhere" / "games.backup", print)
    with pytest.raises(StartError, match="is not a file"):
        backup.restore(settings, tmp_path / "nothing", print)
