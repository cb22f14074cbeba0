"""Directories in which somebody else could put files: root's commands refuse them, and follow no links."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.serving import run
from tests.support.processes import sentence

NOBODY = 65534
KEY = base64.b64encode(bytes(32)).decode()

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of somebody else"),
]


def world_writable(data: Path, elsewhere: Path) -> None:
    os.chown(data, NOBODY, NOBODY)
    data.chmod(0o777)


def of_somebody_else(data: Path, elsewhere: Path) -> None:
    os.chown(data, NOBODY, NOBODY)


def writable_for_a_group(data: Path, elsewhere: Path) -> None:
    os.chown(data, 0, NOBODY)
    data.chmod(0o775)


def own_but_world_writable(data: Path, elsewhere: Path) -> None:
    data.chmod(0o1777)


def in_a_world_writable_one(data: Path, elsewhere: Path) -> None:
    data.parent.chmod(0o777)


def linked_key(data: Path, elsewhere: Path) -> None:
    (data / "card-referee.json").write_text('{"made_by": "card-referee", "format": 1}\n')
    (elsewhere / "key").write_text(f"{KEY}\n")
    (data / "encryption.key").symlink_to(elsewhere / "key")


def key_of_somebody_else(data: Path, elsewhere: Path) -> None:
    (data / "card-referee.json").write_text('{"made_by": "card-referee", "format": 1}\n')
    (data / "encryption.key").write_text(f"{KEY}\n")
    os.chown(data / "encryption.key", NOBODY, NOBODY)


def linked_marker(data: Path, elsewhere: Path) -> None:
    (elsewhere / "empty").touch()
    (data / "card-referee.json").symlink_to(elsewhere / "empty")


def linked_socket_directory(data: Path, elsewhere: Path) -> None:
    (data / "card-referee.json").write_text('{"made_by": "card-referee", "format": 1}\n')
    (data / "run").symlink_to(elsewhere)


def linked_log(data: Path, elsewhere: Path) -> None:
    (data / "card-referee.json").write_text('{"made_by": "card-referee", "format": 1}\n')
    (data / "postgres.log").symlink_to(elsewhere / "log")


CASES = [
    world_writable,
    of_somebody_else,
    own_but_world_writable,
    writable_for_a_group,
    in_a_world_writable_one,
    linked_key,
    key_of_somebody_else,
    linked_marker,
    linked_socket_directory,
    linked_log,
]


@pytest.mark.parametrize("command", ["migrate", "serve"])
@pytest.mark.parametrize("prepare", CASES, ids=lambda case: case.__name__)
def test_an_unsafe_data_directory_is_refused(
    data_dir: Path, prepare: Callable[[Path, Path], None], command: str
) -> None:
    data_dir.mkdir(mode=0o755)
    elsewhere = data_dir.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    prepare(data_dir, elsewhere)
    before = {path: path.lstat() for path in (data_dir, elsewhere, *elsewhere.iterdir())}
    words = sentence(command, "--data-dir", data_dir)
    assert str(data_dir) in words or str(data_dir.parent) in words
    assert "postgres" not in os.listdir(data_dir)
    after = {path: path.lstat() for path in (data_dir, elsewhere, *elsewhere.iterdir())}
    assert [*after] == [*before]
    for path, found in after.items():
        assert (found.st_uid, found.st_mode, found.st_size) == (
            before[path].st_uid,
            before[path].st_mode,
            before[path].st_size,
        )


@pytest.mark.parametrize("below", ["", "deep/er"])
def test_no_data_directory_is_made_where_everybody_can_replace_it(data_dir: Path, below: str) -> None:
    data_dir.mkdir()
    data_dir.chmod(0o777)
    assert str(data_dir) in sentence("migrate", "--data-dir", data_dir / below / "new")
    assert [*data_dir.iterdir()] == []


def test_a_backup_is_not_written_through_a_link(data_dir: Path) -> None:
    """Everybody may create links in a directory such as /tmp; the kernel protects only some of these."""
    assert run("migrate", "--data-dir", data_dir).returncode == 0
    victim, file = data_dir.with_name("victim"), data_dir.with_name("a.backup")
    victim.write_text("precious\n")
    file.with_name("a.backup.part").symlink_to(victim)
    done = run("backup", "--data-dir", data_dir, file)
    assert victim.read_text() == "precious\n"
    assert done.returncode == 0, done.stderr
    assert file.stat().st_size > 1000
    shutil.rmtree(data_dir)
