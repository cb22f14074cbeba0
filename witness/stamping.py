"""Requests time-stamps (RFC 3161) from an authority."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import click
import requests

from referee.cli import main
from referee.cli.reading import Shortfall, json_of
from referee.engine.jsontext import compact
from referee.proofs.timestamps import Certificate, Stamp, Unstamped, check_stamp, library, read_certificates
from referee.verification.bundle import is_bundle

QUERY, REPLY = "application/timestamp-query", "application/timestamp-reply"
TIMEOUT = 30  # seconds


def request_stamp(url: str, note: bytes, trusted: Sequence[Certificate]) -> Stamp:
    """Request a time-stamp of a note from the authority at a URL. Raises Unstamped."""
    client = library()
    request = client.TimestampRequestBuilder().data(note).hash_algorithm(client.HashAlgorithm.SHA256).build()
    try:
        headers = {"Content-Type": QUERY, "Accept": REPLY}
        response = requests.post(
            url, request.as_bytes(), headers=headers, timeout=TIMEOUT, allow_redirects=False
        )
        response.raise_for_status()
    except requests.RequestException as error:
        raise Unstamped(f"The authority gave no time-stamp: {error}.") from None
    return check_stamp(note, response.content, trusted, nonce=request.nonce)


@main.command("stamp")
@click.argument("bundle")
@click.option("--timestamp-authority", "authority", required=True, metavar="URL", help="by RFC 3161")
@click.option("--timestamp-roots", "roots", type=Path, required=True, help="its certificates, in PEM")
def stamp(bundle: str, authority: str, roots: Path) -> None:
    """Print BUNDLE with a time-stamp of its checkpoint, from an authority of your choice."""
    data = json_of(bundle)
    proofs = data["record"].get("inclusion") if is_bundle(data) else None
    note = proofs.get("checkpoint") if type(proofs) is dict else None
    if type(note) is not str:
        raise Shortfall(f"{bundle}: is no bundle with a signed checkpoint")
    try:
        made = request_stamp(authority, note.encode(), read_certificates(roots))
    except Unstamped as error:
        raise Shortfall(str(error)) from None
    answer = base64.b64encode(made.answer).decode()
    click.echo(compact({**data, "timestamp": {"note": note, "answer": answer}}))
