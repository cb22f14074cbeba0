"""Play through a bad network while the receiver of webhooks fails: `python -m tests.campaigns.outage`.

    python -m tests.campaigns.outage [GAMES [SEED [SECONDS]]]

Random games are played, and a mirror follows the feed, through a proxy that drops, doubles, delays, truncates
and cuts (tests/campaigns/bad_network.py). After a tenth of the games the receiver of webhooks fails for
SECONDS. Within a minute after it works again, all deliveries must have arrived, without a request to repeat
any; then both mirrors are compared with the server.
"""

from __future__ import annotations

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from tests.campaigns.bad_network import BadNetwork
from tests.campaigns.mirror import TIMEOUT, Caller, Campaign
from tests.servers import serving
from tests.servers.serving import free_directory

MINUTE = 60


class Streaming(Campaign):
    """A campaign whose mirror follows a stream, which is cut."""

    forms = ("stream",)


def run(games: int, seed: int, seconds: float, clients: int = 3) -> str:
    """Play, let the receiver fail for so long, and return what was done and how long recovery took."""
    with free_directory() as directory, BadNetwork(seed) as network:
        directory.chmod(0o711)
        campaign = Streaming(directory, random.Random(seed), network.before)
        down = Path(f"{campaign.inbox}.down")
        try:
            with ThreadPoolExecutor(clients) as pool:
                playing = [pool.submit(campaign.play, seed * 1_000_000 + number) for number in range(games)]
                for future in playing[: games // 10]:
                    future.result()
                down.touch()
                ends = time.monotonic() + seconds
                for future in playing[games // 10 :]:
                    future.result()
            time.sleep(max(0, ends - time.monotonic()))
            waiting = pending(campaign)
            assert waiting, "the receiver has not failed"
            down.unlink()
            took = until_delivered(campaign)
            played, entries = campaign.compare()
        finally:
            campaign.end()
        assert network.did["cuts a stream"], "no stream was cut"
        faults = ", ".join(f"{what} {times}" for what, times in sorted(network.did.items()))
        return (
            f"{played} games, {entries} entries; through the network: {faults};"
            f" after {seconds:.0f} s of outage {waiting} deliveries waited, and all arrived in"
            f" {took:.0f} s; both mirrors equal the server"
        )


def pending(campaign: Campaign) -> int:
    """Return how many deliveries have not arrived."""
    call, found, cursor = Caller(campaign.server.url, campaign.key), 0, ""
    while cursor is not None:
        path = f"/v1/webhooks/{campaign.hook}/deliveries?status=pending&limit=200"
        page = call("GET", path + (cursor and f"&cursor={cursor}")).json()
        found, cursor = found + len(page["items"]), page["next"]
    return found


def until_delivered(campaign: Campaign) -> float:
    """Wait until nothing waits any more; return the seconds. Raises AssertionError after a minute."""
    begun = time.monotonic()
    while left := pending(campaign):
        assert time.monotonic() < begun + MINUTE, f"after a minute {left} deliveries wait"
        time.sleep(0.5)
    return time.monotonic() - begun


@click.command()
@click.argument("games", type=int, default=150)
@click.argument("seed", type=int, default=1)
@click.argument("seconds", type=float, default=600)
def main(games: int, seed: int, seconds: float) -> None:
    """Play GAMES, and let the receiver of webhooks fail for SECONDS."""
    serving.TIMEOUT = TIMEOUT
    print(f"seed {seed}", flush=True)
    print(run(games, seed, seconds))


if __name__ == "__main__":
    sys.exit(main())
