"""`referee-api listen` and `trigger`: notices for a server on the developer's machine, without open ports.

`listen` creates a webhook that is disabled: its notices are kept, and never sent. They are read from the
list of its deliveries, signed and forwarded. So nothing in the server knows of it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import socket
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
from standardwebhooks.webhooks import Webhook as Signer

from api.core.config import StartError
from api.core.json import dumps
from api.openapi.notices import examples as examples

NOWHERE = "https://listen.invalid/"  # a name that nobody can have (RFC 2606)
LABEL = "referee-api-listen"  # the metadata of these webhooks: the machine that made them
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
        with _api(url, key) as api, httpx.Client(timeout=TIMEOUT, trust_env=False) as local:
            hook = _webhook(api, events)
            try:
                say(f"secret {secret}\nready {url} -> {target}")
                for delivery in _deliveries(api, hook):
                    _forward(local, target, secret, delivery["id"], delivery["payload"], say)
            finally:
                with contextlib.suppress(httpx.HTTPError):
                    api.delete(f"/v1/webhooks/{hook}")
    except httpx.HTTPError as error:
        raise StartError(f"The server {url} does not answer ({error}).") from None


def trigger(target: str, event: str, secret: str, say: Say) -> bool:
    """Send the example of an event, and return whether it was received."""
    payload = {**examples()[event], "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z")}
    with httpx.Client(timeout=TIMEOUT, trust_env=False) as local:
        return _forward(local, target, secret, str(uuid4()), payload, say)


def _api(url: str, key: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT, trust_env=False)


def _webhook(api: httpx.Client, events: list[str]) -> str:
    """Create the webhook, in place of one that an earlier call on this machine has left; return its id."""
    machine = socket.gethostname()[:100] or "unknown"
    for old in _ask(api, "GET", "/v1/webhooks", params={"metadata": f"{LABEL}:{machine}"})["items"]:
        api.delete(f"/v1/webhooks/{old['id']}")
    request = {"url": NOWHERE, "events": events, "include": ["entry"], "metadata": {LABEL: machine}}
    hook: str = _ask(api, "POST", "/v1/webhooks", json=request)["id"]
    _ask(api, "PATCH", f"/v1/webhooks/{hook}", json={"enabled": False})
    return hook


def _deliveries(api: httpx.Client, hook: str) -> Iterator[dict[str, Any]]:
    """Yield the deliveries of a webhook as they are queued, each once, in the order of their ids."""
    known: set[str] = set()
    while True:
        deliveries = _new(api, hook, known)
        known.update(delivery["id"] for delivery in deliveries)
        yield from sorted(deliveries, key=lambda delivery: str(delivery["id"]))
        if not deliveries:
            time.sleep(PAUSE)


def _new(api: httpx.Client, hook: str, known: set[str]) -> list[dict[str, Any]]:
    """Return the deliveries that are not known yet. An outage of the server is waited for."""
    deliveries: list[dict[str, Any]] = []
    asked: dict[str, Any] = {"limit": PAGE}
    while True:
        try:
            page = _ask(api, "GET", f"/v1/webhooks/{hook}/deliveries", params=asked)
        except httpx.TransportError:
            time.sleep(PAUSE)
            continue
        fresh = [delivery for delivery in page["items"] if delivery["id"] not in known]
        deliveries += fresh
        if page["next"] is None or len(fresh) < len(page["items"]):
            return deliveries
        asked["cursor"] = page["next"]


def _forward(
    local: httpx.Client, target: str, secret: str, notice: str, payload: dict[str, Any], say: Say
) -> bool:
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
        response = local.post(target, content=body, headers=headers)
        became, good = str(response.status_code), response.is_success
    except httpx.HTTPError as error:
        became, good = f"not received: {error}", False
    say(f"{payload['type']} {payload['data'].get('game') or '-'} {became}")
    return good


def _ask(api: httpx.Client, method: str, path: str, **more: Any) -> dict[str, Any]:
    """Send a request. Raises StartError if it is refused; httpx.TransportError."""
    response = api.request(method, path, **more)
    if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise httpx.TransportError(f"{response.status_code}")
    if response.is_error:
        try:
            detail = response.json()["detail"]
        except (json.JSONDecodeError, KeyError, TypeError):
            detail = response.text[:200]
        raise StartError(f"The server refuses {method} {path}: {detail}")
    answer: dict[str, Any] = response.json()
    return answer
