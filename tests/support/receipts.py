"""A server that signs receipts, written only from the C2SP specifications."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.referee.logged import logged

NAME = "cards.example.org"
ORIGIN = f"{NAME}/0195f000-0000-7000-8000-000000000001"
RECORD = json.loads(json.dumps(logged("cats_and_dogs", 3, number=15)))
LOG = RECORD["entries"]


class Server:
    """A server that signs, written only from the C2SP specifications."""

    def __init__(self, number: int = 1, name: str = NAME) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        self.name = name
        public = b"\x01" + self.private.public_key().public_bytes_raw()
        self.id = sha256(name.encode() + b"\n" + public).digest()[:4]
        self.vkey = f"{name}+{self.id.hex()}+{base64.b64encode(public).decode()}"

    def sign(self, size: int, root: str, origin: str = ORIGIN) -> str:
        text = f"{origin}\n{size}\n{base64.b64encode(bytes.fromhex(root)).decode()}\n"
        value = base64.b64encode(self.id + self.private.sign(text.encode())).decode()
        return f"{text}\n\u2014 {self.name} {value}\n"

    def receipt(self, size: int, record: dict[str, Any] = RECORD) -> str:
        return self.sign(size, record["entries"][size - 1]["hash"])


SERVER = Server()
