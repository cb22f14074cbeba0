"""How the Python package waits, repeats and remembers: no server is needed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.node import run

pytestmark = pytest.mark.long


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
