"""`referee verify` of a bundle, one verdict that says for each promise who guarantees it, and of proofs."""

import sys
from pathlib import Path
from typing import Any

import click

from referee.cli.reading import Shortfall, keys_of, refuse, text_of, wrong_call
from referee.engine.jsontext import printable
from referee.engine.verdicts import Malformed
from referee.proofs.policy import read_policy
from referee.proofs.promises import FORMAT as OMISSION
from referee.proofs.promises import check_omission
from referee.proofs.succession import trusted
from referee.verification import forks
from referee.verification.bundle import (
    LOG,
    Bundle,
    is_bundle,
    read_bundle,
    summary,
    verdict_of,
    verify_bundle,
)
from referee.verification.findings import EXITS
from referee.verification.kinds import SENTENCES, kinds
from referee.verification.terms import IMPORTED

PROOFS = (forks.FORMAT, OMISSION)
WORDS = {True: "ok  ", False: "FAIL", None: "-   "}


def verify_file(name: str, data: Any, policy: Path | None, keys: Path | None) -> None:
    """Print what a bundle, or a record under a policy, proves; exit with the status of the verdict."""
    rules = None if policy is None else wrong_call(read_policy, text_of(policy))
    try:
        bundle = read_bundle(data) if is_bundle(data) else Bundle(data, None, [])
        bundle = bundle._replace(keys=[*bundle.keys, *keys_of(keys)])
        promises, _ = verify_bundle(bundle, rules)
    except Malformed as error:
        refuse(name, error)
    print_kinds(bundle.record)
    for promise in promises:
        word = "NOTE" if promise.by == LOG else WORDS[promise.ok]
        click.echo(printable(f"{word}  {promise.name} [{promise.by}]: {promise.detail}"))
    click.echo(summary(promises))
    sys.exit(EXITS[verdict_of(promises)])


def print_kinds(record: dict[str, Any]) -> None:
    """Print first what nobody should overlook: a test, an import, practice."""
    for kind in kinds(record):
        name = kind if kind != IMPORTED else "origin"
        click.echo(f"NOTE  {name}: {SENTENCES[kind]}")


def verify_proof(name: str, proof: dict[str, Any], policy: Path | None, keys: Path | None) -> None:
    """Print what the proof of a fork or of an omission proves, with trusted keys and nothing else."""
    rules = None if policy is None else wrong_call(read_policy, text_of(policy))
    listed = keys_of(keys)
    try:
        if proof["format"] == forks.FORMAT:
            known = [*(rules.logs if rules else ()), *listed]
            if not known:
                raise click.UsageError("Give the server's keys with --keys or --policy.")
            click.echo(printable(forks.check_fork(proof, known)))
        elif rules is None:
            raise click.UsageError("Give the server's keys and the witnesses with --policy.")
        else:
            click.echo(printable(check_omission(proof, rules, trusted(rules.logs, listed))))
    except Malformed as error:
        raise Shortfall(f"{name}: {error}") from None
