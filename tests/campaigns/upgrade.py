"""Upgrade under play: the previous release's code on the new schema, and the new code beside it.

    python -m tests.campaigns.upgrade OLD [GAMES [SEED]]

OLD is the `referee-api` of the previous release, installed in an environment of its own. Its server plays
games, with both mirrors; meanwhile the new release migrates the database, and later games are played at its
own web server. No request may be answered with 5xx, and nothing may be lost.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import httpx

from api.core.config import Settings, libpq
from api.run.embedded.postgres import find_database
from tests.campaigns import mirror
from tests.campaigns.mirror import TIMEOUT, Campaign
from tests.servers import serving
from tests.servers.receiver import eventually
from tests.servers.serving import Server, command, environment, free_directory, free_port, run, start

ANSWERS: Counter[int] = Counter()


class Caller(mirror.Caller):
    """A client that counts its answers."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(url, key)
        self.client.event_hooks = {"response": [lambda answer: ANSWERS.update([answer.status_code])]}


class Upgrade(Campaign):
    """The old release's server, and later the new one's beside it."""

    forms = ("stream",)
    old: Path

    def _start(self) -> Server:
        settings = {"RATE_LIMIT": "none", "WORKERS": "2", "COMPUTE_WORKERS": "0", "MAX_STREAMS": "100"}
        settings["ALLOW_PRIVATE_WEBHOOKS"] = "true"
        (self.directory / "data").mkdir(exist_ok=True)
        return start(self.directory / "data", "--port", self.port, program=self.old, **settings)

    def new_environment(self) -> dict[str, str]:
        """Return what the new release needs to use the database of the old one."""
        found = find_database(Settings(data_dir=self.directory / "data"))
        return {
            "DATABASE_URL": libpq(found.database_url),
            "WORKER_DATABASE_URL": libpq(found.worker_database_url),
            "MIGRATION_DATABASE_URL": libpq(found.owner_database_url),
            "ENCRYPTION_KEYS": ",".join(found.encryption_keys),
        }


def _begin_web(more: dict[str, str], port: int) -> subprocess.Popen[bytes]:
    quiet = environment(RATE_LIMIT="none", WORKERS="1", COMPUTE_WORKERS="0", **more)
    web = subprocess.Popen(command("web", "--port", port), env=quiet, stderr=subprocess.DEVNULL)

    def ready() -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    assert eventually(ready), "the new web server is not ready"
    return web


def upgrade(old: Path, games: int, seed: int) -> str:
    """Play, upgrade meanwhile, and return what was done."""
    mirror.Caller = Caller  # type: ignore[misc]  # so that the campaign counts
    Upgrade.old = old
    with free_directory() as directory:
        directory.chmod(0o711)
        campaign = Upgrade(directory, random.Random(seed))
        web = None
        try:
            with ThreadPoolExecutor(3) as pool:
                playing = [pool.submit(campaign.play, seed * 1_000_000 + number) for number in range(games)]
                time.sleep(10)
                begun, before = time.monotonic(), sum(ANSWERS.values())
                done = run("migrate", **campaign.new_environment())
                took = time.monotonic() - begun
                assert done.returncode == 0, done.stderr
                port = free_port()
                web = _begin_web(campaign.new_environment(), port)
                time.sleep(10)
                meanwhile = sum(ANSWERS.values()) - before
                campaign.url = f"http://127.0.0.1:{port}"  # games that begin now are played there
                for each in playing:
                    each.result()
            played, entries = campaign.compare()
        finally:
            if web is not None:
                web.terminate()
                web.wait(TIMEOUT)
            campaign.end()
    errors = {status: number for status, number in ANSWERS.items() if status >= 500}
    assert not errors, errors
    return (
        f"{played} games, {entries} entries, {sum(ANSWERS.values())} answers, {meanwhile} of the old code on"
        f" the new schema, no 5xx; `migrate` took {took:.1f} s; both mirrors equal the server"
    )


@click.command(help=__doc__)
@click.argument("old", type=click.Path(path_type=Path, exists=True))
@click.argument("games", default=100)
@click.argument("seed", default=1)
def main(old: Path, games: int, seed: int) -> None:
    """Run it."""
    serving.TIMEOUT = TIMEOUT
    print(upgrade(old.absolute(), games, seed))


if __name__ == "__main__":
    sys.exit(main())
