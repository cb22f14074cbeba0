"""`referee-api demo` against a real server: its links work, and each error is one sentence."""

from __future__ import annotations

import httpx
import pytest

from tests.serving import TIMEOUT, Server, run_here


@pytest.mark.parametrize("ruleset", ["cats_and_dogs", "dog_cards"])
def test_the_demo_plays_a_game_and_its_links_work(server: Server, ruleset: str) -> None:
    done = run_here("demo", "--url", server.url, "--key", server.key, "--ruleset", ruleset)
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    for name in ("watch", "replay", "record", "verify"):
        assert httpx.get(lines[name], trust_env=False, timeout=TIMEOUT).status_code == 200, name
    assert httpx.get(lines["verify"], trust_env=False, timeout=TIMEOUT).json()["ok"]
    record = httpx.get(lines["record"], trust_env=False, timeout=TIMEOUT)
    assert record.json()["result"] is not None
    assert "hold" in lines["verified"]


def test_the_demo_creates_a_key_if_it_finds_the_database(server: Server) -> None:
    done = run_here("demo", "--url", server.url, "--data-dir", server.data_dir)
    assert done.returncode == 0, done.stderr
    assert "verified here" in done.stdout


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--key", "cra_wrong"], "token"),
        (["--ruleset", "whist"], "no such ruleset"),
        (["--url", "http://127.0.0.1:1"], "No Card Referee server"),
    ],
)
def test_the_demo_explains_what_it_cannot_do(server: Server, flags: list[str], sentence: str) -> None:
    given = {"--url": server.url, "--key": server.key, **dict(zip(flags[::2], flags[1::2], strict=True))}
    done = run_here("demo", *(part for flag in given.items() for part in flag))
    assert done.returncode == 1
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
