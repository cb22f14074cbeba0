"""Programs that cannot start say why in one sentence, exit with a non-zero status, and leave nothing."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import make_url

from api.core.config import ConfigError, Settings, libpq
from api.run.embedded.postgres import Postgres
from tests.servers import serving
from tests.support.processes import sentence

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("PORT", "eighty", "whole number"),
        ("PORT", "65536", "from 0 to 65535"),
        ("PORT", "-1", "from 0 to 65535"),
        ("WORKERS", "0", "from 1 to 64"),
        ("ENCRYPTION_KEYS", ",", "keys of 32 bytes"),
        ("HOST", "not a host", "host name"),
        ("DATABASE_URL", "mysql://root:secret@localhost/x", "postgresql://"),
        ("DATABASE_URL", "postgresql://bob:secret@localhost:99999/x", "port"),
        ("DATABASE_URL", "postgresql://bob:secret@a:5432,b:99999/x", "port"),
        ("DATABASE_URL", "postgresql://bob:secret@a:5432,b:port/x", "port"),
        ("DATABASE_URL", "postgresql://bob:my@secret@localhost/x", "%40"),
        ("DATABASE_URL", "postgresql://bob:secret%zz@a:5432,b:5433/x", "%25"),
        ("MIGRATION_DATABASE_URL", "bob:secret", "postgresql://"),
        ("DATA_DIR", "a\nb", "printable"),
        ("POOL_SIZE", "1.5", "whole number"),
        ("MAX_RECORD_BODY", "12", "from 1024"),
        ("ALLOW_PRIVATE_WEBHOOKS", "perhaps", "true or false"),
        ("CORS_ORIGINS", "https://a.example b.example", "'b.example'"),
        ("CORS_ORIGINS", "https://a.example/page", "'https://a.example/page'"),
        ("DATA_DIR", "~nobody-of-this-name/data", "user"),
        ("SMTP_URL", "smtp://bob:sec[secret@mail.example.org", "smtp://user:password"),
        ("MAIL_FROM", "Karten <kärten@example.org>", "Card Referee <cards@"),
        ("RATE_LIMIT_STORAGE", "redis://:secret/x@host:6379", "redis://host:6379/0"),
        ("LOG_LEVEL", "chatty", "debug, info, warning, error"),
    ],
)
def test_a_wrong_setting_is_named(variable: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Settings.from_env({variable: value})
    text = str(refusal.value)
    assert text.startswith(f"{variable} ")
    assert words in text
    assert "secret" not in text


def test_flags_win_and_a_wrong_flag_is_named_as_a_flag() -> None:
    assert Settings.from_env({"PORT": "1"}, port="2").port == 2
    with pytest.raises(ConfigError, match=r"^--data-dir|^--port "):
        Settings.from_env({}, port="x")


def test_an_address_may_name_several_hosts() -> None:
    """libpq accepts them, and SQLAlchemy reads the same."""
    for text, hosts, ports in (
        ("postgresql://bob:s%40@a:5433,b/n?target_session_attrs=read-write", "a,b", "5433,5432"),
        ("postgresql://bob:s%40@/n?host=/x,/y&target_session_attrs=read-write", "/x,/y", ","),
    ):
        address = Settings.from_env({"DATABASE_URL": text}).database_url
        for known in (
            conninfo_to_dict(libpq(address)),
            make_url(address).get_dialect()().create_connect_args(make_url(address))[1],
        ):
            assert (known["user"], known["password"], known["dbname"]) == ("bob", "s@", "n")
            assert (known["host"], known.get("port", ",")) == (hosts, ports)
            assert known["target_session_attrs"] == "read-write"


def test_settings_can_be_passed_through_the_environment() -> None:
    settings = Settings.from_env(
        {
            "DATABASE_URL": "postgres://a:b%25@h/n?sslmode=require",
            "RATE_LIMIT": "5 per second",
            "WORKERS": "3",
        },
        cors_origins="https://a.example https://b.example/",
        allow_private_webhooks="yes",
    )
    assert settings.database_url == "postgresql+psycopg://a:b%25@h/n?sslmode=require"
    assert Settings.from_env(settings.environment()) == settings


def test_lists_need_no_quotes_in_a_file_that_a_shell_reads(tmp_path: Path) -> None:
    """With blanks, the shell would take the second key for a command, and print it."""
    keys = ",".join(2 * ["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="])
    lists = {"ENCRYPTION_KEYS": keys, "CORS_ORIGINS": "https://a.example,https://b.example"}
    settings = Settings.from_env({**lists, "WEBHOOK_PORTS": "80,443"}).environment()
    file = tmp_path / "web.env"
    names = ("ENCRYPTION_KEYS", "CORS_ORIGINS", "WEBHOOK_PORTS")
    file.write_text("".join(f"{name}={settings[name]}\n" for name in names))
    shell = ["sh", "-c", f"set -a; . {file}; env"]
    read = subprocess.run(shell, env={}, capture_output=True, text=True, check=True)
    assert read.stderr == ""
    assert {f"{name}={settings[name]}" for name in names} <= set(read.stdout.splitlines())


def test_serve_names_a_wrong_port(data_dir: Path) -> None:
    assert "--port" in sentence("serve", "--port", "123456", "--data-dir", data_dir)
    assert "PORT" in sentence("serve", "--data-dir", data_dir, PORT="http")
    assert not data_dir.exists()


def test_more_connections_than_the_server_allows(data_dir: Path) -> None:
    text = sentence("serve", "--port", "0", "--data-dir", data_dir, WORKERS="8", POOL_SIZE="100")
    assert "POOL_SIZE" in text
    assert not data_dir.exists()


@pytest.mark.long
def test_a_port_in_use(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = sentence("serve", "--port", port, "--data-dir", data_dir)
    assert str(port) in text
    assert "in use" in text
    assert not data_dir.exists()


@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_an_unreachable_database(command: str, data_dir: Path) -> None:
    with socket.socket() as unused:  # bound, not listening: nobody answers, and nobody else can use it
        unused.bind(("127.0.0.1", 0))
        address = f"postgresql://bob:secret@127.0.0.1:{unused.getsockname()[1]}/cards"
        text = sentence(command, DATABASE_URL=address, DATA_DIR=str(data_dir), PORT="0")
    assert "cannot be reached" in text
    assert "secret" not in text
    assert not data_dir.exists()


@pytest.mark.parametrize("command", ["web", "worker"])
def test_a_part_that_waits_for_its_database_says_why(command: str) -> None:
    """It starts all the same; a wrong password used to show only as 503."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        address = f"postgresql://bob:secret@127.0.0.1:{port}/cards"
        process = subprocess.Popen(
            serving.command(command),
            env=serving.environment(DATABASE_URL=address, PORT="0", WORKERS="1", COMPUTE_WORKERS="0"),
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert process.poll() is None
        finally:
            process.terminate()
            process.communicate(timeout=serving.TIMEOUT)
    said = json.loads(line)["event"]
    assert said.startswith(f"The database at 127.0.0.1:{port}/cards cannot be reached yet: ")
    assert "secret" not in line


def test_a_web_server_ends_at_once_while_it_waits_for_a_silent_database() -> None:
    """The process that checks the database used to stay behind."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://bob:secret@127.0.0.1:{silent.getsockname()[1]}/cards"
        process = subprocess.Popen(
            serving.command("web"),
            env=serving.environment(DATABASE_URL=address, PORT="0", WORKERS="1", COMPUTE_WORKERS="0"),
            stderr=subprocess.PIPE,
        )
        connection, _ = silent.accept()
        with connection:
            process.terminate()
            process.communicate(timeout=serving.TIMEOUT)  # until nobody can write to its stderr
    assert process.returncode == 0


def test_a_login_that_may_not_migrate(settings: Settings) -> None:
    text = sentence("migrate", DATABASE_URL=settings.environment()["DATABASE_URL"])
    assert "cannot be migrated" in text
    assert "permission denied" in text


@pytest.fixture
def old_database() -> Iterator[int]:
    """Yield a port where a server greets as PostgreSQL 13 does, and can do nothing else."""

    def message(kind: bytes, body: bytes) -> bytes:
        return kind + struct.pack("!i", len(body) + 4) + body

    greeting = (
        message(b"R", struct.pack("!i", 0))
        + message(b"S", b"server_version\x0013.9\x00")
        + message(b"S", b"client_encoding\x00UTF8\x00")
        + message(b"K", struct.pack("!ii", 1, 1))
        + message(b"Z", b"I")
    )

    def greet(listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                while True:
                    head = client.recv(8)
                    if len(head) < 8:
                        break
                    length, code = struct.unpack("!ii", head)
                    client.recv(length - 8)
                    if code == 3 << 16:  # the start-up message, after offers of encryption
                        client.sendall(greeting)
                        client.recv(1024)
                        break
                    client.sendall(b"N")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=greet, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1]


@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_a_database_that_is_too_old(command: str, old_database: int) -> None:
    text = sentence(command, DATABASE_URL=f"postgresql://bob:secret@127.0.0.1:{old_database}/cards", PORT="0")
    assert "PostgreSQL 13" in text
    assert "14 or newer" in text
    assert "secret" not in text


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["migrate"], ["keys", "list"], ["worker"]])
def test_a_directory_of_another_user(command: list[str], data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "thesis.txt").write_text("chapter one")
    mode = data_dir.stat().st_mode
    assert str(data_dir) in sentence(*command, "--data-dir", data_dir)
    assert [path.name for path in data_dir.iterdir()] == ["thesis.txt"]
    assert data_dir.stat().st_mode == mode


def test_a_data_directory_that_is_a_file(data_dir: Path) -> None:
    data_dir.write_text("")
    assert "not a directory" in sentence("serve", "--port", "0", "--data-dir", data_dir)


def test_a_data_directory_that_nobody_can_reach(data_dir: Path) -> None:
    """Root's PostgreSQL runs as `nobody`, who cannot enter it; nor can another user."""
    home = data_dir.parent / "home"
    home.mkdir()
    home.chmod(0o700 if os.geteuid() == 0 else 0o000)
    mode = home.stat().st_mode
    try:
        assert str(home / "data") in sentence("serve", "--port", "0", "--data-dir", home / "data")
        assert home.stat().st_mode == mode
    finally:
        home.chmod(0o700)


@pytest.mark.long
def test_a_data_directory_in_use(postgres: Postgres) -> None:
    text = sentence("serve", "--port", "0", "--data-dir", postgres.directory)
    assert str(postgres.directory) in text
    assert "in use" in text
    assert postgres.alive()


def test_parts_without_a_database_say_what_is_missing(data_dir: Path) -> None:
    for part in ("web", "worker"):
        assert "DATABASE_URL" in sentence(part, "--data-dir", data_dir)
    assert not data_dir.exists()
