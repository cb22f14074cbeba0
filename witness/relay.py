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
import referee.proofs
from referee.cli import main
from referee.cli.reading import text_of, wrong_call
from referee.engine.jsontext import printable
from referee.proofs.cosigning import cosigned
from referee.proofs.policy import Listed, Policy, read_policy
from referee.proofs.succession import trusted
from witness.protocol import SIZE
from witness.watching import TIMEOUT, Broken, Log


class Relay:
    """A server's log, and the witnesses of a policy with what each of them has seen of it."""

    def __init__(self, url: str, policy: Policy) -> None:
        self._log, self._policy = Log(url), policy
        self._session = requests.Session()
        self._seen: dict[str, int] = {}
        self.reasons: dict[str, str] = {}  # why a witness has not cosigned

    def round(self) -> tuple[dict[str, bool], referee.proofs.Receipt]:
        """Ask every witness that has an address about the newest checkpoint, and publish what they say.

        Returns who has cosigned, and the checkpoint with all cosignatures. Raises Broken.
        """
        checkpoint, listed = self._log.checkpoint()
        if (
            self._policy.logs
            and referee.proofs.signer(checkpoint, trusted(self._policy.logs, listed)) is None
        ):
            raise Broken("The checkpoint is not signed by a key that the policy trusts.", checkpoint.note)
        asked = {name: one for name, one in self._policy.witnesses.items() if one.url}
        self.reasons.clear()
        lines = {name: self._ask(name, one, checkpoint) for name, one in asked.items()}
        note = referee.proofs.read_receipt(checkpoint.note + "".join(line for line in lines.values() if line))
        if note.size and any(lines.values()):  # without games there is nothing to cosign
            self._log.publish(note)
        return {name: line is not None for name, line in lines.items()}, note

    def _ask(self, name: str, listed: Listed, checkpoint: referee.proofs.Receipt) -> str | None:
        """Return a witness's cosignature, or None if it gives none."""
        for _ in range(3):  # an answer may say what the witness has seen, or that it does not know the key
            old = min(self._seen.get(name, 0), checkpoint.size)
            answer = self._post(listed, checkpoint, old)
            if answer is None:
                return None
            if answer.status_code == 409 and SIZE in answer.headers.get("Content-Type", ""):
                self._seen[name] = int(answer.text) if answer.text.strip().isdecimal() else 0
                continue
            if answer.status_code == 403 and self._send_keys(listed):
                continue
            if answer.status_code != 200:
                self.reasons[name] = f"{answer.status_code}: {printable(answer.text.strip()[:200])}"
                return None
            self._seen[name] = checkpoint.size
            try:
                found = cosigned(referee.proofs.read_receipt(checkpoint.note + answer.text), listed.witness)
            except referee.Malformed:
                found = None
            if found is None:
                self.reasons[name] = "it answered with no valid cosignature of the key in the policy"
            return found and found[1]
        self.reasons.setdefault(name, "it does not know the key of the server, or has seen another tree")
        return None

    def _send_keys(self, listed: Listed) -> bool:
        """Send a witness the server's keys, which the key it knows may have endorsed; whether it took any."""
        address = f"{listed.url.rstrip('/')}/add-keys"
        try:
            answer = self._session.post(address, self._log.keys(), timeout=TIMEOUT, allow_redirects=False)
        except requests.RequestException:
            return False
        return answer.status_code == 200 and not answer.text.startswith("0 ")

    def _post(self, listed: Listed, checkpoint: referee.proofs.Receipt, old: int) -> requests.Response | None:
        proof: Iterable[bytes] = ()
        if 0 < old < checkpoint.size:
            proof = self._log.consistency(old, checkpoint.size)
        lines = "".join(f"{base64.b64encode(hash_).decode()}\n" for hash_ in proof)
        body = f"old {old}\n{lines}\n{checkpoint.note}"
        try:
            address = f"{listed.url.rstrip('/')}/add-checkpoint"
            return self._session.post(address, body.encode(), timeout=TIMEOUT, allow_redirects=False)
        except requests.RequestException as error:
            self.reasons[listed_name(self._policy, listed)] = f"it cannot be reached: {error}"
            return None


def listed_name(policy: Policy, listed: Listed) -> str:
    """Return the name of a witness in a policy."""
    return next(name for name, one in policy.witnesses.items() if one == listed)


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
        why = f": {relay.reasons[name]}" if name in relay.reasons else ""
        click.echo(f"{'ok  ' if has else '-   '}  {name}{why}", err=True)
    click.echo(f"{'ok  ' if is_met else 'FAIL'}  {policy.demand}: the tree of {note.size} leaves", err=True)
    if is_met:
        click.echo(note.note, nl=False)
    return is_met
