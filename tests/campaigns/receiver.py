"""A mirror that webhooks fill: it stores their content in a file, and may be killed at any moment.

    SECRET=... python -m tests.campaigns.receiver SOCKET FILE

The listening socket belongs to the parent process, so that connections wait while this process is dead. While
there is a file FILE.down, it answers as a server that is out of order. Ends
with status 3 if a notice is not signed, or an entry comes again with other content.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def opened(file: str) -> sqlite3.Connection:
    """Return the mirror's database; `arrived` is the order in which entries came."""
    found = sqlite3.connect(file, timeout=60, check_same_thread=False)
    found.execute("PRAGMA synchronous = off")  # only processes are killed, not the machine
    found.execute(
        "CREATE TABLE IF NOT EXISTS entries (arrived INTEGER PRIMARY KEY, game text, seq int, type text,"
        " entry text, UNIQUE (game, seq))"
    )
    found.execute("CREATE TABLE IF NOT EXISTS games (game text PRIMARY KEY, about text)")
    return found


def keep(mirror: sqlite3.Connection, notice: dict[str, Any]) -> None:
    """Apply a notice, which may be a repetition."""
    data = notice["data"]
    if "game" not in data:
        return
    about = {name: data[name] for name in ("ruleset", "title", "external_id", "metadata")}
    with mirror:
        mirror.execute("INSERT OR REPLACE INTO games VALUES (?, ?)", (data["game"], json.dumps(about)))
        if "entry" in data:
            entry = data["entry"]
            place = (data["game"], entry["seq"])
            known = mirror.execute("SELECT entry FROM entries WHERE game = ? AND seq = ?", place).fetchone()
            if known is None:
                values = (*place, entry["type"], json.dumps(entry))
                mirror.execute("INSERT INTO entries (game, seq, type, entry) VALUES (?, ?, ?, ?)", values)
            elif json.loads(known[0]) != entry:
                give_up(f"game {data['game']}: entry {entry['seq']} came again and is another one")


def give_up(words: str) -> None:
    print(words, file=sys.stderr)
    os._exit(3)


def main() -> None:
    """Receive forever."""
    number, file = sys.argv[1:]
    mirror, secret, alone = opened(file), Webhook(os.environ["SECRET"]), threading.Lock()
    down, wrong = Path(f"{file}.down"), itertools.cycle((503, 500, None, 404))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if down.exists():
                self.fail(next(wrong))
                return
            try:
                secret.verify(body, {name.lower(): value for name, value in self.headers.items()})
            except WebhookVerificationError as error:
                give_up(f"a notice is not signed: {error}")
            with alone:
                keep(mirror, json.loads(body))
            self.send_response(204)
            self.end_headers()

        def fail(self, status: int | None) -> None:
            """Answer with a status, or not at all."""
            self.close_connection = True
            if status is not None:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = socket.socket(fileno=int(number))
    server.serve_forever(poll_interval=60)


if __name__ == "__main__":
    main()
