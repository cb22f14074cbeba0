"""A running server, as commands use it over HTTP."""

from __future__ import annotations

from typing import Any

import requests

from api.core.config import StartError

TIMEOUT = 60  # seconds for one answer: a game of bots is played in the request that creates it
SERVER_ERROR = 500  # statuses from here on


class Server(requests.Session):
    """A running server, as the holder of a key uses it."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__()
        self.trust_env = False
        self.headers["Authorization"] = f"Bearer {key}"
        self._url = url

    def ask(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        """Return the response. Raises StartError if the server refuses, RequestException if it fails."""
        response = self.request(method, self._url + path, timeout=TIMEOUT, **more)
        if response.status_code >= SERVER_ERROR:
            raise requests.ConnectionError(f"it answers {response.status_code}")
        if not response.ok:
            try:
                detail = response.json()["detail"]
            except (ValueError, KeyError, TypeError):
                detail = response.text.strip()[:500]
            raise StartError(f"The server refuses {method} {path}: {detail}")
        answer: dict[str, Any] = response.json() if response.content else {}
        return answer
