"""A simulated browser that receives push messages."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@dataclass
class Browser:
    """A browser's subscription, and what its push service received for it."""

    url: str
    status: int = 201
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: os.urandom(16))
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def subscription(self) -> dict[str, Any]:
        public = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": encoded(public), "auth": encoded(self.auth)}
        return {"endpoint": self.url, "expirationTime": None, "keys": keys}

    def message(self, server_key: str) -> dict[str, Any]:
        """Check the newest message as its push service would, and decrypt it as the browser would."""
        headers, body = self.received[-1]
        authorization = headers["authorization"]
        assert Vapid02.verify(authorization), "the message is not signed"
        token, key = (part.split("=", 1)[1] for part in authorization.removeprefix("vapid ").split(","))
        assert key == server_key, "the message is signed with another key than the subscription's"
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        origin = urlsplit(self.url)
        assert claims["aud"] == f"{origin.scheme}://{origin.netloc}"
        assert claims["sub"].startswith(("mailto:", "https:"))
        assert (headers["content-encoding"], headers["ttl"]) == ("aes128gcm", "86400")
        clear = http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        found: dict[str, Any] = json.loads(clear)
        return found
