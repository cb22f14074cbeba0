"""The Python package: installed, its README's programs run as written, also with a bad network."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from api.http.operation import OPERATIONS
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
    readme,
    source,
    through_an_outage,
)
from tests.serving import Server
from tests.support.node import run

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed package and the README's programs."""
    directory = tmp_path_factory.mktemp("python-sdk")
    # Its dependencies and build tools are in this environment.
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    pip = (sys.executable, "-m", "pip", "install", *flags, "--target", directory)
    run(*pip, source("python", directory), directory=directory)
    shutil.rmtree(directory / "clients")
    for name, program in zip(PROGRAMS, readme("python", "python"), strict=True):
        (directory / f"{name}.py").write_text(program)
    return directory


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
    """Values and kinds of objects may be added (docs/versioning.md); they are returned unchanged."""
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


def test_every_operation_has_a_name_in_the_clients() -> None:
    names = yaml.safe_load((CLIENTS / "operations.yaml").read_text())
    assert set(names) == set(OPERATIONS)
    assert len(set(names.values())) == len(names)


PAUSES = {
    "synchronous": """\
import time
from email.utils import formatdate
import httpx
from card_referee_client import AsyncCardReferee, CardReferee
pauses = []
time.sleep = pauses.append
asked = iter(('50', formatdate(time.time() + 90, usegmt=True), None, '999999', None))
def answer(request):
    after = next(asked)
    return httpx.Response(503 if after else 429, headers={'Retry-After': after} if after else {})
client = CardReferee('key', 'http://example.org', retries=4, transport=httpx.MockTransport(answer))
try:
    client.system.health()
except Exception as fault:
    print(type(fault).__name__, *map(int, pauses))
""",
    "asynchronous": """\
import asyncio, time
from email.utils import formatdate
import httpx
from card_referee_client import AsyncCardReferee, CardReferee
pauses = []
async def sleep(seconds):
    pauses.append(seconds)
asyncio.sleep, real = sleep, asyncio.sleep
asked = iter(('50', formatdate(time.time() + 90, usegmt=True), None, '999999', None))
def answer(request):
    after = next(asked)
    return httpx.Response(503 if after else 429, headers={'Retry-After': after} if after else {})
async def main():
    client = AsyncCardReferee('key', 'http://example.org', retries=4, transport=httpx.MockTransport(answer))
    try:
        await client.system.health()
    except Exception as fault:
        print(type(fault).__name__, *map(int, pauses))
asyncio.run(main())
""",
}


@pytest.mark.parametrize("way", PAUSES)
def test_python_waits_as_long_as_it_is_asked_to(python: Path, way: str) -> None:
    """Seconds or a date, an hour at most, plus a random addition, so that not all clients return at once."""
    (python / f"pauses_{way}.py").write_text(PAUSES[way])
    name, first, second, ours, longest = run(sys.executable, f"pauses_{way}.py", directory=python).split()
    assert name == "ApiError"
    assert 50 <= int(first) <= 51
    assert 60 <= int(second) <= 91
    assert int(ours) <= 1
    assert int(longest) == 3600


LIMITED = """\
import asyncio, selectors
import httpx
from card_referee_client import AsyncCardReferee, CardReferee


class Ahead(selectors.DefaultSelector):
    \"\"\"Waits for nothing: the time goes on at once.\"\"\"

    now = 0.0

    def select(self, timeout=None):
        self.now += timeout or 0
        return super().select(0)


class Loop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.ahead = Ahead()
        super().__init__(self.ahead)

    def time(self):
        return self.ahead.now


requests, free = 0, 0.0


def answer(request):
    \"\"\"One request every two seconds, whoever asks: as 30 a minute are, once thirty were made.\"\"\"
    global requests, free
    requests, now = requests + 1, loop.time()
    if now < free:
        return httpx.Response(429, headers={'Retry-After': '2'})
    free = now + 2
    return httpx.Response(200, json={'status': 'ok'})


async def main():
    client = AsyncCardReferee('key', 'http://example.org', transport=httpx.MockTransport(answer))
    calls = (client.system.health() for _ in range(30))
    return await asyncio.gather(*calls, return_exceptions=True)


loop = Loop()
done = loop.run_until_complete(main())
print(done.count({'status': 'ok'}), requests, int(loop.time()))
"""


def test_python_waits_for_a_rate_limit_until_each_call_succeeds(python: Path) -> None:
    """Thirty calls at once, where one is allowed every two seconds; the test's clock does not wait."""
    (python / "limited.py").write_text(LIMITED)
    good, requests, seconds = map(int, run(sys.executable, "limited.py", directory=python).split())
    assert good == 30
    assert seconds >= 58
    assert requests < 300, "calls return spread out; all together would need 465 requests"


REFUSED = """\
import time
import httpx
from card_referee_client import AsyncCardReferee, CardReferee
pauses = []
time.sleep = pauses.append
for retries, after, then in ((1, '3', 200), (0, '3', 200), (1, '3601', 429), (1, 'soon', 429)):
    left = [429] * 8 if then == 200 else [429] * 99
    def answer(request):
        status = left.pop() if left else then
        return httpx.Response(status, headers={'Retry-After': after}, json={'status': 'ok'})
    transport = httpx.MockTransport(answer)
    client = CardReferee('key', 'http://example.org', retries=retries, transport=transport)
    pauses.clear()
    try:
        client.system.health()
        print(200, len(pauses), min(pauses) >= 3, max(pauses) <= 33)
    except Exception as fault:
        print(type(fault).__name__, len(pauses))
"""


def test_python_gives_up_if_a_limit_names_no_time_within_an_hour(python: Path) -> None:
    (python / "refused.py").write_text(REFUSED)
    found = run(sys.executable, "refused.py", directory=python).splitlines()
    assert found == ["200 8 True True", "ApiError 0", "ApiError 1", "ApiError 1"]


ACTING = """\
import asyncio
import httpx
from card_referee_client import AsyncCardReferee, CardReferee

class Own(httpx.MockTransport):
    closed = False
    def close(self):
        self.closed = True
    async def aclose(self):
        self.closed = True

def answer(request):
    return httpx.Response(200, json={'status': request.headers.get('Card-Referee-Player', 'app')})

own = Own(answer)
client = CardReferee('key', 'http://example.org', transport=own)
with client.acting_as('anna') as me:
    print(me.system.health()['status'], me.acting_as('ben').system.health()['status'])
print(client.system.health()['status'], own.closed)
client.close()
print(own.closed)

async def main():
    own = Own(answer)
    async with AsyncCardReferee('key', 'http://example.org', transport=own) as client:
        async with client.acting_as('anna') as me:
            print((await me.system.health())['status'])
        print((await client.system.health())['status'], own.closed)
    print(own.closed)

asyncio.run(main())
"""


def test_acting_as_a_player_uses_the_clients_own_connections(python: Path) -> None:
    """Its proxy and certificates too; they are closed with the client, not with what acts as a player."""
    (python / "acting.py").write_text(ACTING)
    said = run(sys.executable, "acting.py", directory=python).splitlines()
    assert said == ["anna ben", "app False", "True", "anna", "app False", "True"]


CACHED = """\
import httpx
from card_referee_client import CardReferee

def answer(request):
    game = request.url.path.rsplit('/', 1)[1]
    if 'If-None-Match' not in request.headers:
        return httpx.Response(200, json={'id': game, 'seats': [1]}, headers={'ETag': '"1"'})
    if game == 'first' and others:
        for number in range(others.pop()):  # read by other threads meanwhile
            client.games.get(f'g{number}')
    return httpx.Response(304, headers={'ETag': '"1"'})

others = []
client = CardReferee('key', 'http://example.org', transport=httpx.MockTransport(answer))
client.games.get('first')['seats'].clear()
print(client.games.get('first'))
others.append(250)
print(client.games.get('first'))
"""


def test_an_answer_from_memory_is_whole_whatever_else_is_read_or_changed(python: Path) -> None:
    (python / "cached.py").write_text(CACHED)
    said = run(sys.executable, "cached.py", directory=python).splitlines()
    assert said == ["{'id': 'first', 'seats': [1]}"] * 2
