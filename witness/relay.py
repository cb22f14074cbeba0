"""`referee cosign`: carries a server's checkpoints to witnesses, and their cosignatures back."""

from __future__ import annotations

import base64
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import click
import requests

import referee
from referee.cli import main
from referee.cli.reading import text_of, wrong_call
from referee.log.cosigning import cosigned
from referee.log.policy import Listed, Policy, read_policy
from referee.log.succession import trusted
from witness.protocol import SIZE
from witness.watching import TIMEOUT, Broken, Log


class Relay:
    """A server's log, and the witnesses of a policy with what each of them has seen of it."""

    def __init__(self, url: str, policy: Policy) -> None:
        self._log, self._policy = Log(url), policy
        self._session = requests.Session()
        self._seen: dict[str, int] = {}

    def round(self) -> tuple[dict[str, bool], referee.Receipt]:
        """Ask every witness that has an address about the newest checkpoint, and publish what they say.

        Returns who has cosigned, and the checkpoint with all cosignatures. Raises Broken.
        """
        checkpoint, listed = self._log.checkpoint()
        if self._policy.logs and referee.signer(checkpoint, trusted(self._policy.logs, listed)) is None:
            raise Broken("The checkpoint is not signed by a key that the policy trusts.", checkpoint.note)
        asked = {name: one for name, one in self._policy.witnesses.items() if one.url}
        lines = {name: self._ask(name, one, checkpoint) for name, one in asked.items()}
        note = referee.read_receipt(checkpoint.note + "".join(line for line in lines.values() if line))
        if note.size and any(lines.values()):  # without games there is nothing to cosign
            self._log.publish(note)
        return {name: line is not None for name, line in lines.items()}, note

    def _ask(self, name: str, listed: Listed, checkpoint: referee.Receipt) -> str | None:
        """Return a witness's cosignature, or None if it gives none."""
        for _ in range(2):  # the first answer may say what the witness has seen
            old = min(self._seen.get(name, 0), checkpoint.size)
            answer = self._post(listed, checkpoint, old)
            if answer is None:
                return None
            if answer.status_code == 409 and SIZE in answer.headers.get("Content-Type", ""):
                self._seen[name] = int(answer.text) if answer.text.strip().isdecimal() else 0
                continue
            if answer.status_code != 200:
                return None
            self._seen[name] = checkpoint.size
            try:
                found = cosigned(referee.read_receipt(checkpoint.note + answer.text), listed.witness)
            except referee.Malformed:
                return None
            return found and found[1]
        return None

    def _post(self, listed: Listed, checkpoint: referee.Receipt, old: int) -> requests.Response | None:
        proof: Iterable[bytes] = ()
        if 0 < old < checkpoint.size:
            proof = self._log.consistency(old, checkpoint.size)
        lines = "".join(f"{base64.b64encode(hash_).decode()}\n" for hash_ in proof)
        body = f"old {old}\n{lines}\n{checkpoint.note}"
        try:
            address = f"{listed.url.rstrip('/')}/add-checkpoint"
            return self._session.post(address, body.encode(), timeout=TIMEOUT, allow_redirects=False)
        except requests.RequestException:
            return None


@main.command("cosign")
@click.argument("url")
@click.option("--policy", type=Path, required=True, help="the witnesses to ask, with addresses (tlog-policy)")
@click.option("--every", type=click.IntRange(1), metavar="SECONDS", help="repeat; otherwise ask once")
def cosign(url: str, policy: Path, every: int | None) -> None:
    """Ask the witnesses of POLICY to cosign the newest checkpoint of the server at URL, and publish it there.

    Needs no key and no password, so anybody can do it: the server accepts the cosignatures of the witnesses
    that it is configured with. Exits with 1 if those who cosigned are no quorum.
    """
    found = wrong_call(read_policy, text_of(policy))
    relay = Relay(url, found)
    while True:
        is_met = _try(relay, found)
        if every is None:
            sys.exit(0 if is_met else 1)
        time.sleep(every)


def _try(relay: Relay, policy: Policy) -> bool:
    try:
        cosigners, note = relay.round()
    except Broken as error:
        click.echo(f"FAIL  {error}", err=True)
        return False
    is_met = policy.is_met([name for name, has in cosigners.items() if has])
    for name, has in cosigners.items():
        click.echo(f"{'ok  ' if has else '-   '}  {name}", err=True)
    click.echo(f"{'ok  ' if is_met else 'FAIL'}  {policy.demand}: the tree of {note.size} leaves", err=True)
    if is_met:
        click.echo(note.note, nl=False)
    return is_met
