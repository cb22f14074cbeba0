"""The cell of an installation is part of every id and token. Without a cell, both stay as they were."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from psycopg import sql as words

from api.app import create_app
from api.callers import app_keys
from api.core.clock import new_id
from api.core.config import ConfigError, Settings
from api.features.mail import links
from api.features.mail.store import Contact
from api.http import tokens
from tests.support.callers import Caller, new_game
from tests.support.imports import forged
from tests.support.push import Browser

CELL, MARK, LETTER = 37, "25", "l"  # in two hex digits, and as a character of base64url
PACE = {"per_move": "PT1H", "on_timeout": "resign"}
NOT_IDS = {
    ("idempotency", "key"),  # a hash that is stored as a UUID
    ("processes", "id"),  # of the system, and gone with it
}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(
        settings,
        cell=CELL,
        guests=True,
        allow_private_webhooks=True,
        webhook_ports=None,
        public_url="https://cards.example.org",
        mail_from="cards@example.org",
        smtp_url="smtp://127.0.0.1:1",
    )


@pytest.fixture
def host(app: Flask, settings: Settings) -> Caller:
    """Return an app key, created as an operator creates one."""
    return Caller(app, app_keys.create(settings, "host", ["read", "write", "keys"], None)[1])


def do_everything(host: Caller, four: list[Caller], worker: Callable[[], None]) -> list[str]:
    """Create one of everything that has an id; return all tokens that were created."""
    anna, anyone = four[0], Caller(host.app)
    made = [host.token, *(player.token for player in four)]
    made.append(host.post("/v1/keys", {"scopes": ["read"]}).json["key"])
    guest = anyone.post("/v1/guests", {"name": "Ida"}).json
    made.append(guest["token"])
    host.post("/v1/webhooks", {"url": "http://127.0.0.1:1/hook"})
    webhook = host.get("/v1/webhooks").json["items"][0]["id"]
    assert host.post(f"/v1/webhooks/{webhook}/test").status_code == 202
    browser = Browser("http://127.0.0.1:1/push").subscription()
    assert anna.post("/v1/me/push-subscriptions", browser).status_code == 201
    assert anna.put("/v1/me/email", {"address": "anna@example.org"}).status_code == 200
    assert anyone.post("/v1/sign-ins", {"address": "ida@example.org"}).status_code == 202
    clock = host.post("/v1/test-clocks").json["id"]
    new_game(host, four, test_clock=clock)
    game = new_game(host, four, pace=PACE, metadata={"cup": "2026"})
    anna.post(f"/v1/games/{game['id']}/resignation")
    assert host.post(f"/v1/games/{game['id']}/rematch").status_code == 201
    assert anna.post("/v1/seeks", {"ruleset": "cats_and_dogs", "seats": 2}).status_code == 201
    assert host.post("/v1/players").status_code == 400  # is noted among the refused requests
    brought = host.post("/v1/records", forged(four))
    assert brought.status_code == 201, brought.text
    seats = [{"open": True}, {"bot": "random"}, {"bot": "random"}]
    table = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    invited = {"name": "Eve", "invite": table["seats"][0]["invite"]}
    seated = anyone.post(f"/v1/games/{table['id']}/seats/0/guest", invited)
    assert seated.status_code == 201, seated.text
    made.append(seated.json["token"])
    worker()
    return [str(token) for token in made]


def test_every_id_in_the_database_and_every_token_names_the_cell(
    host: Caller, four: list[Caller], worker: Callable[[], None], sql: psycopg.Connection
) -> None:
    for token in do_everything(host, four, worker):
        assert re.fullmatch(rf"cr[ap]_{LETTER}[A-Za-z0-9_-]{{43}}", token), token
    columns = sql.execute(
        "SELECT table_name, column_name FROM information_schema.columns JOIN pg_class ON relname = table_name"
        " WHERE table_schema = 'public' AND data_type = 'uuid' AND NOT relispartition"
    ).fetchall()
    with_ids = set()
    for table, column in columns:
        if (table, column) in NOT_IDS:
            continue
        query = words.SQL("SELECT {1} FROM {0} WHERE {1} IS NOT NULL")
        for (found,) in sql.execute(query.format(words.Identifier(table), words.Identifier(column))):
            with_ids.add((table, column))
            assert str(found).endswith(MARK), f"{table}.{column} has {found}"
    own = {(table, "id") for table, column in columns if column == "id"} - NOT_IDS
    assert own <= with_ids, f"nothing was made in {own - with_ids}: add it to do_everything"


def test_links_begin_with_a_players_id_and_so_name_the_cell(four: list[Caller]) -> None:
    contact = Contact(UUID(four[0].player), new_id(CELL), b"k" * 32)
    assert base64.urlsafe_b64decode(links.make(contact, links.MANAGE) + "==")[15] == CELL


def test_the_first_key_of_serve_names_the_cell(settings: Settings) -> None:
    assert re.fullmatch(rf"cra_{LETTER}[A-Za-z0-9_-]{{43}}", app_keys.make_default(settings, None))


def test_without_a_cell_ids_and_tokens_are_as_random_as_before() -> None:
    assert len({new_id(None).bytes[15] for _ in range(200)}) > 50
    plain = tokens.new(tokens.APP_PREFIX, lambda count: bytes(range(count)), None)
    assert plain == "cra_" + base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")
    named = [tokens.new(tokens.APP_PREFIX, lambda count: bytes(range(count)), cell) for cell in (0, 63)]
    assert named == [plain.replace("cra_", "cra_A"), plain.replace("cra_", "cra__")]


def test_what_was_made_before_the_installation_became_a_cell_stays_valid(
    app: Flask, settings: Settings
) -> None:
    before = replace(settings, cell=None)
    _, key = app_keys.create(before, "host", ["read", "write"], None)
    assert len(key) == len("cra_") + 43
    earlier = create_app(before)
    player = Caller(earlier, key).post("/v1/players", {"name": "Anna"}).json["id"]
    earlier.extensions["card_referee"].database.close()
    now = Caller(app, key)
    assert now.get(f"/v1/players/{player}").status_code == 200
    assert now.post("/v1/players", {"name": "Ben"}).json["id"].endswith(MARK)


def test_ids_of_a_cell_sort_by_their_time_and_are_each_other_than_the_rest() -> None:
    made = [new_id(CELL) for _ in range(1000)]
    assert made == sorted(set(made))
    assert all(UUID(str(each)).version == 7 and each.variant == new_id(None).variant for each in made)


def test_cells_have_numbers_from_0_to_63() -> None:
    assert Settings.from_env({}).cell is None
    for number in (0, 63):
        read = Settings.from_env({"CELL": str(number)})
        assert read.cell == number
        for handed_on in (read, read.for_web(), read.for_worker()):
            assert Settings.from_env(handed_on.environment()).cell == number
    for wrong in ("-1", "64", "A"):
        with pytest.raises(ConfigError, match="CELL must be"):
            Settings.from_env({"CELL": wrong})
