"""`referee witness-server`: a witness that logs ask for cosignatures, by C2SP's tlog-witness."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from flask import Flask, Response, request
from gunicorn.app.base import BaseApplication

from referee.cli import main
from referee.cli.reading import text_of, wrong_call
from referee.proofs.policy import read_logs
from witness import state
from witness.protocol import WitnessOfLogs
from witness.state import Signer, Unreadable

MOST = 1 << 16  # bytes of a request


def create_app(witness: WitnessOfLogs) -> Flask:
    """Return the application: one path, behind whatever prefix a proxy adds."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST

    @app.post("/add-checkpoint")
    def add_checkpoint() -> Response:
        answer = witness.add_checkpoint(request.get_data(), time.time)
        return Response(answer.body, answer.status, content_type=answer.kind)

    @app.post("/add-keys")
    def add_keys() -> Response:
        answer = witness.add_keys(request.get_data())
        return Response(answer.body, answer.status, content_type=answer.kind)

    return app


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    def __init__(self, app: Flask, listen: str) -> None:
        self._app, self._listen = app, listen
        super().__init__()

    def load_config(self) -> None:
        """Configure one process with some threads: the state has a lock."""
        options = {"bind": self._listen, "workers": 1, "threads": 8, "timeout": 30}
        options["control_socket_disable"] = True
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Return the application."""
        return self._app


@main.command("witness-server")
@click.option("--state", "folder", type=click.Path(path_type=Path, file_okay=False), required=True)
@click.option("--name", default="witness", show_default=True, help="of a new witness's key")
@click.option("--policy", type=Path, required=True, help="the keys of the logs to watch, as a tlog-policy")
@click.option("--listen", default="127.0.0.1:8090", show_default=True, help="address behind a proxy with TLS")
def witness_server(folder: Path, name: str, policy: Path, listen: str) -> None:
    """Cosign the checkpoints of the logs that POLICY lists, if they only grow, whoever sends them.

    Speaks C2SP's tlog-witness. Prints the witness's key. The key and what it saw last of each log are in the
    folder STATE, where two contradicting checkpoints are kept as well.
    """
    logs = wrong_call(read_logs, text_of(policy))
    if not logs:
        raise click.UsageError(f"{policy} lists no log")
    signer = load_signer(folder, name)
    click.echo(signer.witness.vkey)
    _Server(create_app(WitnessOfLogs(folder, signer, logs)), listen).run()


def load_signer(folder: Path, name: str) -> Signer:
    """Return the key in a folder; a new one is created. Raises UsageError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "key.json"
    try:
        found: Any = state.read(path, name)
    except Unreadable as error:
        raise click.UsageError(str(error)) from None
    if not path.exists():
        state.write(path, found)
    signer: Signer = found.signer
    return signer
