"""`referee verify` of a bundle: one verdict, which says for each promise who guarantees it."""

import sys
from pathlib import Path
from typing import Any

import click

from referee.cli.reading import Shortfall, json_of, keys_of, refuse, text_of, wrong_call
from referee.engine.jsontext import printable
from referee.engine.verdicts import Malformed
from referee.proofs.policy import read_policy
from referee.proofs.promises import check_omission
from referee.proofs.succession import trusted
from referee.verification.bundle import (
    LOG,
    Bundle,
    is_bundle,
    read_bundle,
    summary,
    verdict_of,
    verify_bundle,
)
from referee.verification.course.terms import IMPORTED
from referee.verification.findings import EXITS
from referee.verification.kinds import SENTENCES, kinds

WORDS = {True: "ok  ", False: "FAIL", None: "-   "}


def verify_file(name: str, data: Any, policy: Path | None, keys: Path | None) -> None:
    """Print what a bundle, or a record under a policy, proves; exit with the status of the verdict."""
    trusted = None if policy is None else wrong_call(read_policy, text_of(policy))
    try:
        bundle = read_bundle(data) if is_bundle(data) else Bundle(data, None, [])
        bundle = bundle._replace(keys=[*bundle.keys, *keys_of(keys)])
        promises, _ = verify_bundle(bundle, trusted)
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


@click.command("verify-omission")
@click.argument("proof")
@click.option("--policy", type=Path, required=True, help="the server's keys and the witnesses (tlog-policy)")
@click.option("--keys", type=Path, help="further keys of the server, which those of the policy endorse")
def verify_omission(proof: str, policy: Path, keys: Path | None) -> None:
    """Check PROOF, which `referee witness --promises` wrote, that a server left a game out of its log."""
    rules = wrong_call(read_policy, text_of(policy))
    try:
        known = trusted(rules.logs, keys_of(keys))
        click.echo(printable(check_omission(json_of(proof), rules, known)))
    except Malformed as error:
        raise Shortfall(f"{proof}: {error}") from None
