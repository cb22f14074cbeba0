"""The Python package: installed, its README's programs run as written, also with a bad network."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

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
    written = [path.name for path in (CLIENTS / "python" / "card_referee_client").glob("*.py")]
    files = [f"card_referee_client/{name}" for name in written]
    checker = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache")
    run(*checker, *(f"{name}.py" for name in PROGRAMS), *files, directory=python)


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
from card_referee_client import connect, follow, got
from card_referee_client.core.api.players import create_player
from card_referee_client.core.models import NewPlayer
app = connect(os.environ['URL'], 'key')
print(got(create_player.sync(client=app, body=NewPlayer(name='Anna'))).name)
for event in follow(app, '/v1/events'):
    print(event.id or '-')
""",
    "asynchronous": """\
import asyncio, os
from card_referee_client import afollow, connect, got
from card_referee_client.core.api.players import create_player
from card_referee_client.core.models import NewPlayer
async def main():
    async with connect(os.environ['URL'], 'key') as app:
        print(got(await create_player.asyncio(client=app, body=NewPlayer(name='Anna'))).name)
        async for event in afollow(app, '/v1/events'):
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
from card_referee_client import connect, items
from card_referee_client.core.api.games import list_games
for game in items(list_games.sync, client=connect(os.environ['URL'], 'key'), limit=1):
    print(game.ruleset, game.status)
""",
    "asynchronous": """\
import asyncio, os
from card_referee_client import aitems, connect
from card_referee_client.core.api.games import list_games
async def main():
    async with connect(os.environ['URL'], 'key') as app:
        async for game in aitems(list_games.asyncio, client=app, limit=1):
            print(game.ruleset, game.status)
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
    (python / "news.json").write_text(json.dumps(answer_with_news()))
    (python / "news.py").write_text(
        "import json\n"
        "from card_referee_client.core import models\n"
        "news = json.load(open('news.json'))\n"
        "for name, value in news.items():\n"
        "    read = getattr(models, name).from_dict(value)\n"
        "    assert read.to_dict().keys() == value.keys()\n"
        "entry = models.EntryList.from_dict(news['EntryList']).items[0]\n"
        "assert isinstance(entry, models.OtherEntry), entry\n"
        "print(len(news), entry.type_, entry.seq)\n"
    )
    assert run(sys.executable, "news.py", directory=python).split() == ["7", "news", "1"]


PAUSES = {
    "synchronous": """\
import time
from email.utils import formatdate
import httpx
from card_referee_client import connect
from card_referee_client.core.api.system import healthz
pauses = []
time.sleep = pauses.append
asked = iter(('50', formatdate(time.time() + 90, usegmt=True), None, '999999', None))
def answer(request):
    after = next(asked)
    return httpx.Response(503 if after else 429, headers={'Retry-After': after} if after else {})
app = connect('http://example.org', 'key', retries=4, transport=httpx.MockTransport(answer))
try:
    healthz.sync(client=app)
except Exception as fault:
    print(type(fault).__name__, *map(int, pauses))
""",
    "asynchronous": """\
import asyncio, time
from email.utils import formatdate
import httpx
from card_referee_client import connect
from card_referee_client.core.api.system import healthz
pauses = []
async def sleep(seconds):
    pauses.append(seconds)
asyncio.sleep, real = sleep, asyncio.sleep
asked = iter(('50', formatdate(time.time() + 90, usegmt=True), None, '999999', None))
def answer(request):
    after = next(asked)
    return httpx.Response(503 if after else 429, headers={'Retry-After': after} if after else {})
async def main():
    app = connect('http://example.org', 'key', retries=4, async_transport=httpx.MockTransport(answer))
    try:
        await healthz.asyncio(client=app)
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
from card_referee_client import connect
from card_referee_client.core.api.system import healthz


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
    app = connect('http://example.org', 'key', async_transport=httpx.MockTransport(answer))
    calls = (healthz.asyncio_detailed(client=app) for _ in range(30))
    return await asyncio.gather(*calls, return_exceptions=True)


loop = Loop()
done = loop.run_until_complete(main())
print(sum(getattr(each, 'status_code', 0) == 200 for each in done), requests, int(loop.time()))
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
from card_referee_client import connect
from card_referee_client.core.api.system import healthz
pauses = []
time.sleep = pauses.append
for retries, after, then in ((1, '3', 200), (0, '3', 200), (1, '3601', 429), (1, 'soon', 429)):
    left = [429] * 8 if then == 200 else [429] * 99
    def answer(request):
        status = left.pop() if left else then
        return httpx.Response(status, headers={'Retry-After': after}, json={'status': 'ok'})
    app = connect('http://example.org', 'key', retries=retries, transport=httpx.MockTransport(answer))
    pauses.clear()
    try:
        status = healthz.sync_detailed(client=app).status_code.value
        print(status, len(pauses), min(pauses) >= 3, max(pauses) <= 33)
    except Exception as fault:
        print(type(fault).__name__, len(pauses))
"""


def test_python_gives_up_if_a_limit_names_no_time_within_an_hour(python: Path) -> None:
    (python / "refused.py").write_text(REFUSED)
    found = run(sys.executable, "refused.py", directory=python).splitlines()
    assert found == ["200 8 True True", "ApiError 0", "ApiError 1", "ApiError 1"]
