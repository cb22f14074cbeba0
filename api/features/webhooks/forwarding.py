"""`referee-api listen` and `trigger`: notices for a server on the developer's machine, without open ports.

`listen` creates a webhook that is disabled: its notices are kept, and never sent. They are read from the
list of its deliveries, signed and forwarded. So nothing in the server knows of it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import socket
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import requests
from standardwebhooks.webhooks import Webhook as Signer

from api.core.config import StartError
from api.core.json import dumps
from api.features.webhooks.asking import Server
from api.features.webhooks.examples import examples as examples

NOWHERE = "https://listen.invalid/"  # a name that nobody can have (RFC 2606)
LABEL = "referee-api-listen/"  # with the name of the machine that made it, the external id of such a webhook
PAUSE = 1.0  # seconds between two looks
TIMEOUT = 30.0
PAGE = 200

Say = Callable[[str], None]


def secret_of(key: str) -> str:
    """Return the secret with which notices are signed here: always the same one for a key."""
    return "whsec_" + base64.b64encode(hashlib.sha256(f"listen {key}".encode()).digest()).decode()


def listen(url: str, key: str, target: str, events: list[str], secret: str, say: Say) -> None:
    """Forward an app's notices until the process is interrupted. Raises StartError."""
    try:
        with Server(url, key) as api:
            hook = _webhook(api, events)
            try:
                say(f"secret {secret}\nready {url} -> {target}")
                for delivery in _deliveries(api, hook):
                    _forward(target, secret, delivery["id"], delivery["payload"], say)
            finally:
                with contextlib.suppress(requests.RequestException):
                    api.ask("DELETE", f"/v1/webhooks/{hook}")
    except requests.RequestException as error:
        raise StartError(f"The server {url} does not answer ({error}).") from None


def trigger(target: str, event: str, secret: str, say: Say) -> bool:
    """Send the example of an event, and return whether it was received."""
    payload = {**examples()[event], "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
    return _forward(target, secret, str(uuid4()), payload, say)


def _webhook(api: Server, events: list[str]) -> str:
    """Create the webhook, in place of one that an earlier call on this machine has left; return its id."""
    ours = LABEL + re.sub("[^!-~]", "-", socket.gethostname()[:100])
    for old in api.ask("GET", "/v1/webhooks", params={"external_id": ours})["items"]:
        api.ask("DELETE", f"/v1/webhooks/{old['id']}")
    request = {"url": NOWHERE, "events": events, "external_id": ours}
    hook: str = api.ask("POST", "/v1/webhooks", json=request)["id"]
    api.ask("PATCH", f"/v1/webhooks/{hook}", json={"enabled": False})
    return hook


def _deliveries(api: Server, hook: str) -> Iterator[dict[str, Any]]:
    """Yield the deliveries of a webhook as they are queued, each once, in the order of their ids."""
    known: set[str] = set()
    while True:
        deliveries = _new(api, hook, known)
        known.update(delivery["id"] for delivery in deliveries)
        yield from sorted(deliveries, key=lambda delivery: str(delivery["id"]))
        if not deliveries:
            time.sleep(PAUSE)


def _new(api: Server, hook: str, known: set[str]) -> list[dict[str, Any]]:
    """Return the deliveries that are not known yet. An outage of the server is waited for."""
    deliveries: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"limit": PAGE}
    while True:
        try:
            page = api.ask("GET", f"/v1/webhooks/{hook}/deliveries", params=asked)
        except (requests.ConnectionError, requests.Timeout):
            time.sleep(PAUSE)
            continue
        fresh = [delivery for delivery in page["items"] if delivery["id"] not in known]
        deliveries += fresh
        if page["next"] is None or len(fresh) < len(page["items"]):
            return deliveries
        asked["cursor"] = page["next"]


def _forward(target: str, secret: str, notice: str, payload: dict[str, Any], say: Say) -> bool:
    """Sign and send a notice, print what became of it, and return whether it was received."""
    now, body = datetime.now(UTC), dumps(payload).decode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "card-referee/1",
        "webhook-id": notice,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Signer(secret).sign(notice, now, body),
    }
    try:
        with requests.Session() as local:
            local.trust_env = False
            response = local.post(target, body, headers=headers, timeout=TIMEOUT, allow_redirects=False)
        became, good = str(response.status_code), response.status_code // 100 == 2
    except requests.RequestException as error:
        became, good = f"not received: {error}", False
    say(f"{payload['type']} {payload['data'].get('game') or '-'} {became}")
    return good
