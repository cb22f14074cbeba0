"""A bot plays many games while two of five answers are lost; what it has noted is compared with the logs.

    make packages
    python -m tests.campaigns.bot --games 100

The bot is a program with the Python client, installed from its wheel. It notes the entries of its own moves,
and every entry of the streams, each of which is interrupted after some events. A move that is in a log but
not in the bot's notes was made twice; one that is only in its notes was lost.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click
import httpx

from tests.contract.flaky import flaky
from tests.servers.serving import free_directory, serve
from tests.support.node import run

PYTHON = Path(__file__).parents[2] / "build" / "environments" / "card-referee-client" / "bin" / "python"
BOT = """\
import json, os, sys
from concurrent.futures import ThreadPoolExecutor
from card_referee_client import CardReferee

client = CardReferee(os.environ["CARD_REFEREE_KEY"], os.environ["CARD_REFEREE_URL"])
me = client.players.create(name="Bot")["id"]

def play(number):
    seats = [{"player": me}, {"bot": "random"}]
    game = client.games.create(ruleset="cats_and_dogs", seats=seats)["id"]
    bot, own = client.acting_as(me), []
    while (legal := bot.games.legal_moves(game))["moves"]:
        own.append(bot.games.move(game, legal["moves"][number % len(legal["moves"])])["entry"]["seq"])
    seen = [int(event.id) for event in bot.games.follow(game, after=0)]
    return {"game": game, "own": own, "seen": seen}

with ThreadPoolExecutor(16) as pool:
    print(json.dumps(list(pool.map(play, range(int(sys.argv[1]))))))
"""


def differences(server: httpx.Client, noted: dict[str, Any]) -> list[str]:
    """Return how what the bot noted of a game differs from its log."""
    path = f"/v1/games/{noted['game']}"
    entries = server.get(f"{path}/events?limit=200").json()["items"]
    seat = server.get(path).json()["seats"][0]["seat"]
    own = [entry["seq"] for entry in entries if entry["type"] == "moved" and entry["seat"] == seat]
    found = []
    if own != noted["own"]:
        found.append(f"moves {noted['own']}, in the log {own}")
    if [entry["seq"] for entry in entries] != noted["seen"]:
        found.append(f"streamed {noted['seen']} of {len(entries)}")
    if not server.get(f"{path}/verification").json()["ok"]:
        found.append("not verified")
    return found


@click.command()
@click.option("--games", default=100)
def main(games: int) -> None:
    """Play, compare, and print what differs."""
    begun, faults = time.monotonic(), list[str]()
    with free_directory() as directory, serve(directory) as server:
        (directory / "bot.py").write_text(BOT)
        with flaky(server.url, faults) as url:
            known = {"CARD_REFEREE_URL": url, "CARD_REFEREE_KEY": server.key}
            played = json.loads(run(PYTHON, "bot.py", games, directory=directory, **known))
        headers = {"Authorization": f"Bearer {server.key}"}
        with httpx.Client(base_url=server.url, headers=headers, trust_env=False) as http:
            found = {noted["game"]: wrong for noted in played if (wrong := differences(http, noted))}
    moves = sum(len(noted["own"]) for noted in played)
    print(f"{len(played)} games, {moves} moves of the bot, {len(faults)} faults: {len(found)} games differ")
    print(f"{time.monotonic() - begun:.0f} s")
    for game, wrong in found.items():
        print(game, *wrong, sep="\n  ")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
