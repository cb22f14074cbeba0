"""The Python package: installed, its README's programs run as written, also with a bad network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from api.features import load_features
from api.routes import operations
from tests.contract.flaky import flaky
from tests.contract.scripted import Scripted, scripted
from tests.contract.sdks import (
    CLIENTS,
    PROGRAMS,
    QUICKSTARTS,
    RAW,
    SECRET,
    answer_with_news,
    judge_notices,
    notices,
    play,
    through_an_outage,
)
from tests.servers.serving import Server
from tests.support.node import run

pytestmark = pytest.mark.long

OPERATIONS = operations(load_features())


def test_the_python_package_is_well_typed(python: Path) -> None:
    files = ["card_referee_client"]
    checker = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache")
    run(*checker, *(f"{name}.py" for name in PROGRAMS), *files, directory=python)


@pytest.mark.node
def test_pyright_finds_nothing_in_the_python_package(python: Path) -> None:
    (python / "calls.py").write_text(CALLS)
    include = ["card_referee_client", "calls.py", *(f"{name}.py" for name in QUICKSTARTS)]
    settings = {"include": include, "typeCheckingMode": "strict"}
    (python / "pyrightconfig.json").write_text(json.dumps(settings))
    run(sys.executable, "-m", "pyright", "--pythonpath", sys.executable, directory=python)


@pytest.mark.parametrize("program", QUICKSTARTS)
def test_the_quickstarts_in_python(python: Path, server: Server, program: str) -> None:
    play([sys.executable, f"{program}.py"], server, server.url, python)


@pytest.mark.parametrize("program", QUICKSTARTS)
def test_python_through_a_bad_network(python: Path, server: Server, program: str) -> None:
    with flaky(server.url) as url:
        play([sys.executable, f"{program}.py"], server, url, python)


def test_python_verifies_webhooks(python: Path) -> None:
    (python / "judge.py").write_text(
        "import json, receiver\n"
        "requests = json.load(open('notices.json'))\n"
        f"print([receiver.receive({SECRET!r}, h, b.encode()) for h, b in requests])\n"
    )
    judge_notices([sys.executable, "judge.py"], python)


HANDED = f"""\
from flask import Flask, request
from werkzeug.datastructures import Headers

from card_referee_client import verify_webhook

app = Flask("receiver")


@app.post("/hook")
def receive() -> str:
    return str(verify_webhook({SECRET!r}, request.headers, request.get_data())["type"])


@app.post("/parsed")
def parse() -> str:
    try:
        verify_webhook({SECRET!r}, request.headers, request.get_json())
    except TypeError as fault:
        return str(fault)
    return ""


@app.post("/forgotten")
def forget() -> str:
    try:
        verify_webhook("", request.headers, request.get_data())
    except ValueError as fault:
        return str(fault)
    return ""


if __name__ == "__main__":
    import json

    headers, body = json.load(open("notices.json"))[0]
    for path in ("/hook", "/parsed", "/forgotten"):
        given = {{"headers": Headers(headers), "data": body, "content_type": "application/json"}}
        answer = app.test_client().post(path, **given)
        print(answer.status_code, answer.text)
"""


def test_python_verifies_headers_and_bodies_of_web_frameworks(python: Path) -> None:
    """Headers as Flask has them; a parsed body or a missing secret is an error of the receiver."""
    (python / "handed.py").write_text(HANDED)
    checker = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache")
    run(*checker, "handed.py", directory=python)
    (python / "notices.json").write_text(json.dumps([[headers, body] for headers, body, _ in notices()]))
    said = run(sys.executable, "handed.py", directory=python).splitlines()
    assert said == ["200 game.finished", f"200 {RAW}", "200 A webhook has a secret: none was given."]


OUTAGE = {
    "synchronous": """\
import os
from card_referee_client import CardReferee
client = CardReferee('key', os.environ['URL'])
print(client.players.create(name='Anna')['name'])
for event in client.events.follow():
    print(event.id or '-')
""",
    "asynchronous": """\
import asyncio, os
from card_referee_client import AsyncCardReferee
async def main():
    async with AsyncCardReferee('key', os.environ['URL']) as client:
        print((await client.players.create(name='Anna'))['name'])
        async for event in client.events.follow():
            print(event.id or '-')
asyncio.run(main())
""",
}


@pytest.mark.parametrize("way", OUTAGE)
def test_python_continues_after_an_outage(python: Path, way: str) -> None:
    (python / f"outage_{way}.py").write_text(OUTAGE[way])
    through_an_outage([sys.executable, f"outage_{way}.py"], python)


PAGES = {
    "synchronous": """\
import os
from card_referee_client import CardReferee
for game in CardReferee('key', os.environ['URL']).games.list(limit=1):
    print(game['ruleset'], game['status'])
""",
    "asynchronous": """\
import asyncio, os
from card_referee_client import AsyncCardReferee
async def main():
    async with AsyncCardReferee('key', os.environ['URL']) as client:
        async for game in client.games.list(limit=1):
            print(game['ruleset'], game['status'])
asyncio.run(main())
""",
}


@pytest.mark.parametrize("way", PAGES)
def test_python_reads_page_after_page_of_a_newer_server(python: Path, way: str) -> None:
    """A page that fails is requested again with its cursor; new values are returned unchanged."""
    (python / f"pages_{way}.py").write_text(PAGES[way])
    news = answer_with_news()["GameList"]
    first, last = ({**news, "items": news["items"][:1], "next": cursor} for cursor in ("here", None))
    answers = [Scripted(200, json.dumps(first)), Scripted(503), Scripted(200, json.dumps(last))]
    with scripted(*answers) as (url, requests):
        assert run(sys.executable, f"pages_{way}.py", directory=python, URL=url).split() == ["news"] * 4
    asked = [parse_qs(urlsplit(request[":path"]).query) for request in requests]
    assert asked == [{"limit": ["1"]}, *[{"limit": ["1"], "cursor": ["here"]}] * 2]


def test_python_reads_answers_of_newer_servers(python: Path) -> None:
    """Values and kinds of objects may be added (docs/reference/versioning.md); they stay as they are."""
    news = answer_with_news()["EntryList"]
    (python / "news.py").write_text(
        "import json, os\n"
        "from card_referee_client import CardReferee\n"
        "print(json.dumps(list(CardReferee('key', os.environ['URL']).games.events('g'))))\n"
    )
    with scripted(Scripted(200, json.dumps({**news, "next": None}))) as (url, _):
        assert json.loads(run(sys.executable, "news.py", directory=python, URL=url)) == news["items"]


CALLS = """\
import os
from uuid import UUID
from card_referee_client import CardReferee, errors, types

client = CardReferee('key', os.environ['URL'])
chosen = os.environ['RULESET']
seat: types.PlayerSeat = {'player': str(UUID(int=1))}
client.games.create(ruleset=chosen, seats=[seat, {'bot': 'random'}], title=None)
game = client.games.get('a/b')
assert client.games.get('a/b') == game
client.games.move('g', {'type': 'play'}, version=7, seat=1)
me = client.acting_as(UUID(int=1))
try:
    me.games.move('g', {'type': 'play'}, version='W/"7-ab"', idempotency_key='mine')
except errors.IllegalMove as refused:
    print(refused.rule, refused.reason, refused.status)
client.players.delete('p')
print(client.log.checkpoint())
try:
    CardReferee('key', 'localhost:8080')
except ValueError as fault:
    print(fault)


def describe(ruleset: str) -> types.Ruleset:
    return client.rulesets.get(ruleset)
"""


def test_python_sends_what_its_methods_are_given(python: Path) -> None:
    """Members that are left out are not sent; null is; versions are quoted; unchanged answers are kept."""
    (python / "calls.py").write_text(CALLS)
    checker = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache")
    run(*checker, "calls.py", directory=python)
    verdict = {"legal": False, "rule": "pies.1", "reason": "Not now."}
    illegal = json.dumps({"type": "/problems/illegal-move", "status": 422, "verdict": verdict})
    answers = [
        Scripted(201, "{}"),
        Scripted(200, '{"version": 7}', headers={"ETag": '"7-ab"'}),
        Scripted(304, ""),
        Scripted(201, "{}"),
        Scripted(422, illegal, "application/problem+json"),
        Scripted(204, ""),
        Scripted(200, "log 5", "text/plain"),
    ]
    with scripted(*answers) as (url, requests):
        said = run(sys.executable, "calls.py", directory=python, URL=url, RULESET="pies").splitlines()
    assert said == [
        "pies.1 Not now. 422",
        "log 5",
        "The address of the server must begin with https:// or http://: 'localhost:8080'",
    ]
    created, first, again, moved, acted, deleted, _ = requests
    assert json.loads(created[":body"]) == {
        "ruleset": "pies",
        "seats": [{"player": "00000000-0000-0000-0000-000000000001"}, {"bot": "random"}],
        "title": None,
    }
    assert (first[":path"], first.get("if-none-match")) == ("/v1/games/a%2Fb", None)
    assert again["if-none-match"] == '"7-ab"'
    assert (moved["if-match"], json.loads(moved[":body"])) == ('"7"', {"move": {"type": "play"}, "seat": 1})
    assert (acted["if-match"], acted["idempotency-key"]) == ('W/"7-ab"', "mine")
    assert acted["card-referee-player"] == "00000000-0000-0000-0000-000000000001"
    assert "idempotency-key" in created
    assert "idempotency-key" not in deleted


def test_only_operations_have_names_in_the_clients() -> None:
    names = yaml.safe_load((CLIENTS / "operations.yaml").read_text())
    assert set(names["operations"]) <= set(OPERATIONS), "named, but gone"
    assert set(names["tags"]) <= {operation.tag for operation in OPERATIONS.values()}
