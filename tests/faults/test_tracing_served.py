"""Traces of a real server, as a collector receives them."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, serve

pytestmark = pytest.mark.long


def test_a_collector_gets_the_spans_of_a_server(data_dir: Path) -> None:
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        thread = threading.Thread(target=collector.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            wanted = {
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
                "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
                "OTEL_BSP_SCHEDULE_DELAY": "100",
                "OTEL_SERVICE_NAME": "cards",
            }
            with serve(data_dir, COMPUTE_WORKERS="0", **wanted) as server:
                headers = {"Authorization": f"Bearer {server.key}"}
                made = httpx.post(
                    f"{server.url}/v1/players", json={"name": "Anna"}, headers=headers, timeout=TIMEOUT
                )
                assert made.status_code == 201
                parts = (b"POST /v1/players", b"INSERT INTO players", b"cards")
                assert eventually(lambda: all(part in b"".join(received) for part in parts))
                for hidden in (server.key, "Anna", made.json()["id"]):
                    assert hidden.encode() not in b"".join(received)
        finally:
            collector.shutdown()
            thread.join()
