"""Receipts over HTTP: every answer that adds to a game or shows it has one, which anybody can check."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from api.core.config import Settings
from api.features.proofs import keys as log_keys
from api.run import encryption_keys, migrate
from tests.servers.commands import run
from tests.servers.serving import run_here
from tests.support.callers import Caller, Clock, first_move, new_game, play_on


def opened(note: str, vkey: str) -> tuple[str, int, str]:
    """Check a receipt as C2SP specifies; return its origin, size and root (hex). Raises InvalidSignature."""
    name, key_id, encoded = vkey.split("+", 2)
    public = base64.b64decode(encoded)
    assert sha256(name.encode() + b"\n" + public).hexdigest()[:8] == key_id
    text, _, line = note.rpartition("\n\n")
    dash, signer, value = line.rstrip("\n").split(" ")
    assert (dash, signer) == ("\u2014", name)
    signature = base64.b64decode(value)
    assert signature[:4].hex() == key_id
    assert public[:1] == b"\x01"
    Ed25519PublicKey.from_public_bytes(public[1:]).verify(signature[4:], f"{text}\n".encode())
    origin, size, root, *_ = text.split("\n")
    return origin, int(size), base64.b64decode(root).hex()


@pytest.fixture
def vkey(anyone: Caller) -> str:
    return anyone.get("/v1/log-keys").json["items"][0]["vkey"]


def head(host: Caller, game: dict[str, Any], seq: int) -> str:
    return host.get(f"/v1/games/{game['id']}/events?after={seq - 1}&limit=1").json["items"][0]["hash"]


def test_every_answer_that_appends_or_shows_has_a_receipt(
    host: Caller, four: list[Caller], vkey: str
) -> None:
    name = vkey.partition("+")[0]
    game = new_game(host, four)
    path = f"/v1/games/{game['id']}"
    signed = [(game["receipt"], game["version"])]
    mover = four[game["to_act"][0]]
    moved = mover.post(f"{path}/moves", {"move": first_move(mover, game)}).json
    signed += [
        (moved["receipt"], moved["game"]["version"]),
        (moved["game"]["receipt"], moved["entry"]["seq"]),
    ]
    said = mover.post(f"{path}/messages", {"text": "Hello."}).json
    signed.append((said["receipt"], said["version"]))
    for caller in (host, *four):
        shown = caller.get(path).json
        signed.append((shown["receipt"], shown["version"]))
    for version in (1, 3, game["version"]):
        signed.append((host.get(f"{path}?version={version}").json["receipt"], version))
    ended = mover.post(f"{path}/resignation").json
    signed += [(ended["receipt"], ended["game"]["version"])]
    for receipt, size in signed:
        assert opened(receipt, vkey) == (f"{name}/{game['id']}", size, head(host, game, size))


def test_seats_and_cancellations_have_receipts_too(host: Caller, four: list[Caller], vkey: str) -> None:
    seats = [{"open": True}, {"player": four[1].player}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    path = f"/v1/games/{game['id']}"
    taken = four[0].put(f"{path}/seats/0", {"invite": game["seats"][0]["invite"]}).json
    assert opened(taken["receipt"], vkey)[1:] == (taken["version"], head(host, game, taken["version"]))
    off = host.post(f"{path}/cancellation").json
    assert opened(off["receipt"], vkey)[1:] == (off["game"]["version"], off["entry"]["hash"])


def test_a_receipt_shows_no_more_than_its_viewer_sees(host: Caller, four: list[Caller]) -> None:
    """It is the same for all who see the game, and nobody else gets it."""
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}"
    assert len({caller.get(path).json["receipt"] for caller in (host, *four[:3])}) == 1
    assert four[3].get(path).status_code == 404
    assert "receipt" not in host.get("/v1/games").json["items"][0]


def test_a_repeat_gets_the_same_receipt(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four)
    mover = four[game["to_act"][0]]
    body = {"move": first_move(mover, game)}
    answers = [
        mover.post(f"/v1/games/{game['id']}/moves", body, headers={"Idempotency-Key": "once"}).json
        for _ in range(2)
    ]
    assert answers[0] == answers[1]


def test_receipts_are_compared_with_the_record(host: Caller, four: list[Caller], tmp_path: Path) -> None:
    """A player keeps the answers and the keys, and verifies when the game is over."""
    game = new_game(host, four[:3])
    kept = []
    while game["status"] == "running":
        mover = four[game["to_act"][0]]
        answer = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)}).json
        kept.append(json.dumps(answer))
        game = answer["game"]
    (tmp_path / "answers").write_text("\n".join(kept))
    (tmp_path / "keys").write_text(host.get("/v1/log-keys").text)
    (tmp_path / "record").write_text(host.get(f"/v1/games/{game['id']}/record").text)
    words = [
        "--keys",
        str(tmp_path / "keys"),
        "--receipts",
        str(tmp_path / "answers"),
        str(tmp_path / "record"),
    ]
    done = run("verify", *words)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("ok    receipts: ") == len(kept)


def test_if_match_accepts_the_last_hash(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four)
    path = f"/v1/games/{game['id']}/moves"
    mover = four[game["to_act"][0]]
    body = {"move": first_move(mover, game)}
    last, before = head(host, game, game["version"]), head(host, game, game["version"] - 1)
    for tag in (before, f'"{before}"', last[:-1] + ("0" if last[-1] != "0" else "1")):
        refused = mover.post(path, body, headers={"If-Match": tag})
        assert (refused.status_code, refused.json["version"]) == (412, game["version"])
    for tag in (last, f'"{last}"', f'W/"{last}"', f'"1", "{last}"'):
        dry = mover.post(f"{path}/dry-run", body, headers={"If-Match": tag})
        assert dry.status_code == 200, tag
    assert mover.post(path, body, headers={"If-Match": f'"{last}"'}).status_code == 201
    assert mover.post(path, body, headers={"If-Match": f'"{last}"'}).status_code == 412


# --- keys -------------------------------------------------------------------------------------------


def test_a_rotated_key_no_longer_signs_but_stays_listed(
    host: Caller,
    four: list[Caller],
    anyone: Caller,
    clock: Clock,
    settings: Settings,
    sql: psycopg.Connection,
) -> None:
    game = new_game(host, four)
    old = anyone.get("/v1/log-keys").json["items"][0]
    before = game["receipt"]
    made = log_keys.rotate(settings)
    assert log_keys.lines(settings)[0].startswith(made)
    clock.move(seconds=31)
    after = host.get(f"/v1/games/{game['id']}").json["receipt"]
    listed = anyone.get("/v1/log-keys").json["items"]
    assert [item["vkey"] for item in listed] == [made, old["vkey"]]
    assert listed[0]["valid_until"] is None
    assert listed[1]["valid_until"] is not None
    assert opened(before, old["vkey"]) == opened(after, made), (
        "the log is the same, the signature another one"
    )
    with pytest.raises((InvalidSignature, AssertionError)):
        opened(after, old["vkey"])
    kept = sql.execute("SELECT count(*) FROM log_keys WHERE private_key IS NOT NULL").fetchone()
    assert kept == (1,), "the private part of a retired key is not kept"


def test_another_server_name_comes_with_another_key(settings: Settings, sql: psycopg.Connection) -> None:
    named = replace(settings, server_name="cards.example.org")
    for given, name in (
        (named, "cards.example.org"),
        (named, "cards.example.org"),
        (settings, "cards.example.org"),
    ):
        migrate.upgrade(given)
        assert log_keys.lines(settings)[0].partition("+")[0] == name
    assert len(log_keys.lines(settings)) == 2


@pytest.mark.usefixtures("no_pause")
def test_the_private_key_is_stored_encrypted_and_is_resealed(
    settings: Settings, sql: psycopg.Connection
) -> None:
    private = bytes(sql.execute("SELECT private_key FROM log_keys WHERE valid_until IS NULL").fetchone()[0])
    assert len(private) > 32
    assert private[:1] == b"\x01"
    newest = base64.b64encode(bytes(32)).decode()
    encryption_keys.rotate(
        Settings(**{**vars(settings), "encryption_keys": (newest, *settings.encryption_keys)})
    )
    resealed = bytes(sql.execute("SELECT private_key FROM log_keys WHERE valid_until IS NULL").fetchone()[0])
    assert resealed[:5] != private[:5]


@pytest.mark.parametrize("role", ["database_url", "worker_database_url"])
def test_nobody_but_the_owner_changes_keys(settings: Settings, sql: psycopg.Connection, role: str) -> None:
    address = getattr(settings, role).replace("postgresql+psycopg://", "postgresql://", 1)
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in (
            "UPDATE log_keys SET valid_until = now()",
            "DELETE FROM log_keys",
            "INSERT INTO log_keys SELECT * FROM log_keys",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_the_command_line_lists_and_rotates(settings: Settings, sql: psycopg.Connection) -> None:
    environ = {"DATABASE_URL": settings.database_url, "MIGRATION_DATABASE_URL": settings.owner_database_url}
    environ["ENCRYPTION_KEYS"] = settings.encryption_keys[0]

    def command(*words: str) -> list[str]:
        done = run_here("log-keys", *words, **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    (first,) = command("list")
    (made,) = command("rotate")
    assert [line.split(" ")[0] for line in command("list")] == [made, first.split(" ")[0]]


def test_a_finished_game_of_another_release_gets_receipts(
    host: Caller, four: list[Caller], vkey: str
) -> None:
    game = play_on(four[:3], new_game(host, four[:3]))
    assert opened(game["receipt"], vkey)[1] == game["version"]


def test_games_continue_without_a_key(host: Caller, four: list[Caller], sql: psycopg.Connection) -> None:
    sql.execute("DELETE FROM log_keys")
    game = new_game(host, four[:3])
    mover = four[game["to_act"][0]]
    moved = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
    assert (moved.status_code, moved.json["receipt"]) == (201, None)
    assert host.get("/v1/log-keys").json == {"items": [], "next": None}
