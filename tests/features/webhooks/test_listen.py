"""`referee-api listen` and `trigger`: notices for a server that the API could not reach."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from click.testing import CliRunner
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from api.features.webhooks.commands import trigger
from api.features.webhooks.notices import EVENTS
from tests.servers.receiver import Receiver, eventually, receiving
from tests.servers.serving import TIMEOUT, Server, command, environment

SECRET = "whsec_" + "c2VjcmV0IG9mIGEgd2ViaG9vaywgMzIgYnl0ZXM="


@contextmanager
def listening(server: Server, target: str, *flags: str) -> Iterator[list[str]]:
    """Run `listen`, and yield the lines that it prints, from the moment when it is ready."""
    words = command("listen", "--url", server.url, "--key", server.key, "--forward-to", target, *flags)
    process = subprocess.Popen(
        words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines: list[str] = []
    stdout = process.stdout
    assert stdout is not None
    reader = threading.Thread(target=lambda: lines.extend(iter(stdout.readline, "")), daemon=True)
    reader.start()
    try:
        assert eventually(lambda: any(line.startswith("ready") for line in lines), TIMEOUT), lines
        yield lines
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)
        reader.join(TIMEOUT)


def genuine(receiver: Receiver, secret: str) -> list[dict]:
    """Return the notices that were received; all of them are signed with the secret."""
    signer = Webhook(secret)
    return [signer.verify(request["data"], request["headers"]) for request in receiver.received]


def test_listen_forwards_the_notices_of_a_game_signed_and_each_once(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.key}"}
    with (
        receiving() as receiver,
        httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT, trust_env=False) as api,
    ):
        with listening(server, receiver.url) as lines:
            seats = [{"bot": "random"}] * 3
            game = api.post("/v1/games", json={"ruleset": "cats_and_dogs", "seats": seats}).json()["id"]
            assert eventually(lambda: any(line.startswith(f"game.finished {game} 204") for line in lines))
        secret = next(line.split()[1] for line in lines if line.startswith("secret"))
        ours = [notice["type"] for notice in genuine(receiver, secret) if notice["data"].get("game") == game]
        assert (ours[0], ours[-1]) == ("game.created", "game.finished")
        assert ours.count("game.started") == ours.count("game.finished") == 1
        assert len({request["headers"]["webhook-id"] for request in receiver.received}) == len(
            receiver.received
        )
        assert lines[-1] == "stopped\n"
        left = api.get("/v1/webhooks").json()["items"]
        assert not [hook for hook in left if (hook["external_id"] or "").startswith("referee-api-listen/")]


def test_listen_forwards_chosen_events_and_names_a_server_that_is_not_there(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.key}"}
    with (
        listening(server, "http://127.0.0.1:1/", "--event", "turn.began", "--secret", SECRET) as lines,
        httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT, trust_env=False) as api,
    ):
        hook = api.get("/v1/webhooks").json()["items"][0]
        assert hook["enabled"] is False
        assert hook["events"] == ["turn.began"]
        assert f"secret {SECRET}\n" in lines


def test_trigger_sends_every_event() -> None:
    words = ["--key", "cra_any", "--secret", SECRET, "--forward-to"]
    with receiving() as receiver:
        for event in EVENTS:
            done = CliRunner().invoke(trigger, [event, *words, receiver.url])
            assert done.exit_code == 0, done.output
        assert [notice["type"] for notice in genuine(receiver, SECRET)] == list(EVENTS)
        with pytest.raises(WebhookVerificationError):
            genuine(receiver, "whsec_" + "b3RoZXI=")


def test_trigger_says_what_went_wrong() -> None:
    words = ["--key", "cra_any", "--forward-to", "http://127.0.0.1:1/"]
    unknown = CliRunner().invoke(trigger, ["game.exploded", *words])
    assert unknown.exit_code == 2
    assert "game.finished" in unknown.output
    refused = CliRunner().invoke(trigger, ["game.finished", *words])
    assert refused.exit_code == 1
    assert "not received" in refused.output


def test_nothing_is_needed_that_only_developers_install() -> None:
    script = (
        "import sys; sys.modules.update(httpx=None, psutil=None); import api.features.webhooks.forwarding"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
