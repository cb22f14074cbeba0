"""Follow streams with both clients for hours, through restarts and upgrades; compare with the logs.

    make packages
    python -m tests.campaigns.following --minutes 120

A program with the Python client and one with the TypeScript client follow the feed of an app and one long
game. Meanwhile entries are written, with pauses in which only heartbeats are sent, and the server is
stopped, killed, and replaced by another installation of it on the same data. Each program must have noted
every entry exactly once and in order.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import click

from tests.campaigns.mirror import Caller
from tests.servers.serving import Server, free_directory, free_port, start
from tests.support.node import NODE

ENVIRONMENTS = Path(__file__).parents[2] / "build" / "environments"
SERVER = ENVIRONMENTS / "card-referee-server"
PROGRAMS = (None, SERVER / "bin" / "referee-api")  # these sources, and the wheel
PYTHON = """\
import asyncio, json, sys
from card_referee_client import AsyncCardReferee

url, key, game = sys.argv[1:]

def note(stream, game, entry):
    print(json.dumps([stream, game, entry["seq"]]), flush=True)

async def feed(client):
    async for event in client.events.follow():
        note("feed", event.data["game"], event.data["entry"])
        if event.data["game"] == game and event.data["entry"]["type"] == "cancelled":
            return

async def one(client):
    async for event in client.games.follow(game, after=0):
        note("game", game, event.data)

async def main():
    async with AsyncCardReferee(key, url) as client:
        await asyncio.gather(feed(client), one(client))

asyncio.run(main())
"""
TYPESCRIPT = """\
import { cardReferee } from "card-referee-client";

const [url, key, game] = process.argv.slice(2);
const client = cardReferee(key, url);
const note = (stream, game, entry) => console.log(JSON.stringify([stream, game, entry.seq]));

async function feed() {
  for await (const { data } of client.events.follow()) {
    note("feed", data.game, data.entry);
    if (data.game === game && data.entry.type === "cancelled") return;
  }
}

async function one() {
  for await (const { data } of client.games.follow(game, { after: 0 })) note("game", game, data);
}

await Promise.all([feed(), one()]);
"""
EVERY = 60.0  # seconds between two ends of the server
DOWN = (0.0, 8.0)  # seconds without a server
QUIET, SILENT = 25.0, 75.0  # pauses without entries: longer than a heartbeat, longer than the clients wait
STARTING = 600.0  # seconds for a start; only a limit in case something hangs
LONGEST = 120.0  # seconds until the programs must have ended, once everything is written


class Campaign:
    """A server that is replaced again and again, and one game that lasts."""

    def __init__(self, directory: Path, chance: random.Random) -> None:
        self.data, self.chance, self.port = directory / "data", chance, free_port()
        self.ends = Counter[str]()
        self.server = self.start()
        self.key = self.server.key
        self.call = Caller(self.server.url, self.key)
        self.players = [self.call("POST", "/v1/players", {"name": name}).json()["id"] for name in "AB"]
        self.game = self.create()

    def start(self) -> Server:
        """Start the server, from the other installation after an upgrade."""
        program = PROGRAMS[self.ends["upgrade"] % 2]
        return start(self.data, "--port", self.port, timeout=STARTING, program=program)

    def create(self) -> str:
        """Create a game of both players."""
        seats = [{"player": player} for player in self.players]
        game = self.call("POST", "/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json()
        return str(game["id"])

    def end(self) -> None:
        """End the server in one of three ways, and start it again."""
        how = self.chance.choice(("stop", "kill", "upgrade"))
        self.server.stop(signal.SIGKILL if how == "kill" else signal.SIGTERM)
        self.ends[how] += 1
        time.sleep(self.chance.uniform(*DOWN))
        self.server = self.start()

    def write(self) -> None:
        """Write some entries: a message in the long game, or the first moves of another one."""
        text = {"text": "Still here.", "seat": 0}
        if self.chance.random() < 0.7:
            self.call("POST", f"/v1/games/{self.game}/messages", text)
            return
        game = self.create()
        for _ in range(self.chance.randrange(6)):
            seat = self.call("GET", f"/v1/games/{game}").json()["to_act"][0]
            moves = self.call("GET", f"/v1/games/{game}/legal-moves?seat={seat}").json()["moves"]
            self.call("POST", f"/v1/games/{game}/moves", {"move": moves[0], "seat": seat})

    def logs(self) -> dict[str, list[list[Any]]]:
        """Return what was written, as the feed and the long game have it in pages."""
        feed, cursor = list[list[Any]](), ""
        while True:
            page = self.call("GET", f"/v1/events?limit=200{cursor}").json()
            feed += [["feed", item["game"], item["entry"]["seq"]] for item in page["items"]]
            if not page["items"]:
                break
            cursor = f"&cursor={page['cursor']}"
        own = [["game", game, seq] for _, game, seq in feed if game == self.game]
        return {"feed": feed, "game": own}


def follow(url: str, key: str, game: str, directory: Path) -> dict[str, subprocess.Popen[bytes]]:
    """Start both programs; what they note is in files."""
    (directory / "follow.py").write_text(PYTHON)
    (directory / "follow.mjs").write_text(TYPESCRIPT)
    (directory / "node_modules").symlink_to(ENVIRONMENTS / "npm" / "node_modules")
    commands = {
        "python": (ENVIRONMENTS / "card-referee-client" / "bin" / "python", "follow.py"),
        "typescript": (NODE, "--preserve-symlinks", "follow.mjs"),
    }
    programs = {}
    for name, words in commands.items():
        with (directory / f"{name}.notes").open("wb") as notes:
            arguments = [*map(str, words), url, key, game]
            programs[name] = subprocess.Popen(arguments, cwd=directory, stdout=notes)
    return programs


def write_and_end(campaign: Campaign, seconds: float, most: float) -> None:
    """Write entries for a time, while the server ends again and again; then cancel the long game."""
    begun = time.monotonic()
    due = begun + EVERY
    while time.monotonic() < begun + seconds:
        campaign.write()
        pause = campaign.chance.choices((campaign.chance.uniform(0, 3), QUIET, SILENT), (90, 8, 2))[0]
        time.sleep(min(pause, most))
        if time.monotonic() > due:
            campaign.end()
            due = time.monotonic() + campaign.chance.uniform(0.5, 1.5) * EVERY
    campaign.call("POST", f"/v1/games/{campaign.game}/cancellation")


def differences(expected: dict[str, list[list[Any]]], noted: list[list[Any]]) -> list[str]:
    """Return what a program noted otherwise than the logs have it."""
    found = []
    for stream, wanted in expected.items():
        seen = [each for each in noted if each[0] == stream]
        if seen != wanted:
            lost = sum((Counter(map(str, wanted)) - Counter(map(str, seen))).values())
            more = sum((Counter(map(str, seen)) - Counter(map(str, wanted))).values())
            found.append(f"{stream}: {lost} lost, {more} repeated, of {len(wanted)}; order differs")
    return found


def run(minutes: float, seed: int, most: float = SILENT) -> tuple[str, list[str]]:
    """Return what happened, and what differs."""
    with free_directory() as directory:
        directory.chmod(0o711)  # PostgreSQL does not run as root
        campaign = Campaign(directory, random.Random(seed))
        programs = follow(campaign.server.url, campaign.key, campaign.game, directory)
        try:
            write_and_end(campaign, minutes * 60, most)
            found = []
            for name, program in programs.items():
                try:
                    if program.wait(LONGEST):
                        found.append(f"{name}: ended with {program.returncode}")
                except subprocess.TimeoutExpired:
                    found.append(f"{name}: has not ended")
            expected = campaign.logs()
            for name in programs:
                noted = [json.loads(line) for line in (directory / f"{name}.notes").read_text().splitlines()]
                found += [f"{name}: {each}" for each in differences(expected, noted)]
        finally:
            for program in programs.values():
                program.kill()
                program.wait()
            campaign.server.end()
    ends = ", ".join(f"{how} {times}" for how, times in campaign.ends.items())
    counts = f"{len(expected['feed'])} entries, {len(expected['game'])} of them in one game"
    return f"{minutes:g} minutes, {counts}; {ends}: {len(found)} differences", found


@click.command()
@click.option("--minutes", default=120.0)
@click.option("--seed", default=1)
def main(minutes: float, seed: int) -> None:
    """Follow, end, compare, and print what differs."""
    said, found = run(minutes, seed)
    print(said, *found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
