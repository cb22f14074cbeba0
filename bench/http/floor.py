"""The floor: bare Flask views that run our statements with values of the same sizes, and nothing else.

    python -m bench.http.floor APP

APP is `append` (the statements of a move) or `read` (those of a view or a list of legal moves). The values
written and answered are constant texts, as long as those of real games.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from api.core.config import Settings
from api.run.web import server, sharing


def sizes() -> dict[str, int]:
    """Return the sizes measured in real games, from a setting like BENCH_SIZES=position=1998,…"""
    pairs = (pair.split("=") for pair in os.environ["BENCH_SIZES"].split(",") if pair)
    return {name: int(size) for name, size in pairs}


def append_app(settings: Settings) -> Any:
    """Return an application that runs the statements of a move."""
    from flask import Flask, Response, request

    from api.http.tokens import digest
    from api.store import credentials, games, write
    from api.store.database.session import Database, Session
    from api.store.seating import Turn, TurnChanges

    app = Flask("floor")
    database = Database(settings)
    size = sizes()
    text = {name: '"' + "x" * (length - 2) + '"' for name, length in size.items()}
    answer = text["answer"].encode()

    @app.post("/games/<uuid:game>/moves")
    def append(game: UUID) -> Response:
        seat = request.get_json()["seat"]
        session = Session(database)
        try:
            credentials.holder(session, digest(request.headers["Authorization"].partition(" ")[2]))
            with session.transaction():
                row = games.stored(session, game, lock=True)
                assert row is not None
                now = datetime.now(UTC)
                version = row.version + 1
                moved = row._replace(
                    version=version, seats=text["seats"], position=text["position"], updated_at=now
                )
                turns = TurnChanges(passed=[(seat, Turn(seat, now, player_id=str(game)))])
                entry = games.NewEntry(version, text["public"], text["private"], row.head)
                write.write_all(session, [write.Change(moved, row.version, turns, [entry])])
        finally:
            session.close()
        return Response(answer, 201, content_type="application/json")

    return app


def read_app(settings: Settings) -> Any:
    """Return an application that runs the statements of a view and of a list of legal moves."""
    from flask import Flask, Response, request

    from api.http.tokens import digest
    from api.store import credentials, games
    from api.store.database.session import Database, Session

    app = Flask("floor")
    database = Database(settings)
    answers = {name: b'"' + b"x" * (length - 2) + b'"' for name, length in sizes().items()}

    @app.get("/games/<uuid:game>/<name>")
    def read(game: UUID, name: str) -> Response:
        session = Session(database)
        try:
            credentials.holder(session, digest(request.headers["Authorization"].partition(" ")[2]))
            games.stored(session, game)
        finally:
            session.close()
        return Response(answers[name], content_type="application/json")

    return app


APPS = {"append": append_app, "read": read_app}


class NoStreams:
    """Stands for the streams of a process, which a worker closes when it ends."""

    def close(self) -> None:
        """Do nothing."""


class Floor(server.WebServer):
    """The same server class with a bare application."""

    def load(self) -> Any:
        """Return the application for a worker."""

        app = APPS[sys.argv[1]](self.settings)
        self.live = NoStreams()  # the worker closes them; there are none here
        return app


def main() -> None:
    """Serve, and print the address."""
    listener = sharing.reserve("127.0.0.1", 0)
    listener.listen()  # whoever asks too early waits
    host, port = listener.getsockname()
    print(f"http://{host}:{port}", flush=True)
    server.WebServer = Floor  # type: ignore[misc]  # in its place
    server.run(Settings.from_env(os.environ), listener.detach())


if __name__ == "__main__":
    main()
