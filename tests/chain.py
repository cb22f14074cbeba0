"""The tests' own public beacon: a chain of rounds with its secret, and a server that publishes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

import referee
import referee.proofs
from referee.log.beacon import TAG

SECRET = Scalar.from_be_bytes(sha256(b"a beacon of our own").digest()[1:].rjust(32, b"\0"))
GENESIS, PERIOD = 1_700_000_000, 3
CHAIN = referee.proofs.Chain((G2Point() * SECRET).to_compressed_bytes().hex(), GENESIS, PERIOD)


def signature(number: int, secret: Scalar = SECRET) -> str:
    """Return the signature of a round, in hex."""
    point = G1Point.hash_to_curve(sha256(number.to_bytes(8, "big")).digest(), TAG)
    return bytes((point * secret).to_compressed_bytes()).hex()


def published(number: int) -> bytes:
    """Return a drand server's answer for a round."""
    signed = signature(number)
    round_ = {"round": number, "randomness": referee.proofs.randomness(signed).hex(), "signature": signed}
    return json.dumps(round_).encode()


@dataclass
class Publisher:
    """A server of rounds; `answer` returns the body for a round, or None if it is not published yet."""

    url: str = ""
    answer: Callable[[int], bytes | None] = published
    asked: list[int] = field(default_factory=list)


@contextmanager
def publishing() -> Iterator[Publisher]:
    """Serve rounds as drand's servers do."""
    publisher = Publisher()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = int(self.path.removeprefix("/public/"))
            publisher.asked.append(number)
            body = publisher.answer(number)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    publisher.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield publisher
    finally:
        server.shutdown()
        server.server_close()
