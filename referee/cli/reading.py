"""Reads the arguments and files of commands, and reports what is wrong with them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from referee.computer.bots import BOTS, BROKEN_BOTS
from referee.engine.jsontext import parse, printable
from referee.engine.verdicts import Malformed, UnknownLog
from referee.log.record import Record, read_record
from referee.proofs.policy import Policy, read_policy
from referee.proofs.receipts import Key, Receipt, read_keys, read_receipts


class Shortfall(click.ClickException):
    """A failure of a command: one sentence on standard error, exit status 1."""

    exit_code = 1

    def format_message(self) -> str:
        """Return the sentence with control characters escaped, because it may quote a record."""
        return printable(self.message)


def refuse(name: str, error: Malformed) -> NoReturn:
    """Say why a record is refused. Raises UsageError for a log of an unknown number, Shortfall."""
    kind = click.UsageError if isinstance(error, UnknownLog) else Shortfall
    raise kind(printable(f"{name}: {error}")) from None


def known_bots(context: click.Context, option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of bots. Raises UsageError for an unknown one."""
    for name in names:
        if name not in BOTS:
            known = f"there is no bot {name}; there are {', '.join(BOTS)}"
            raise click.UsageError(printable("; ".join([known, *BROKEN_BOTS.values()])))
    return names


def json_value(context: click.Context, option: click.Parameter, text: str) -> Any:
    """Return the value of an option that is JSON. Raises BadParameter, which names the option."""
    try:
        return parse(text)
    except Malformed as error:
        raise click.BadParameter(printable(str(error))) from None


def keys_of(path: Path | None) -> list[Key]:
    """Return the keys in a file, or none without a file. Raises UsageError."""
    try:
        return [] if path is None else read_keys(text_of(path))
    except Malformed as error:
        raise click.UsageError(f"{path}: {error}") from None


def policy_of(path: Path | None) -> Policy | None:
    """Return the policy in a file, or None without a file. Raises UsageError."""
    return None if path is None else wrong_call(read_policy, text_of(path))


def receipts_of(path: Path) -> list[Receipt]:
    """Return the receipts in a file. Raises Shortfall, UsageError."""
    try:
        return read_receipts(text_of(path))
    except Malformed as error:
        raise Shortfall(f"receipts: {error}") from None


def wrong_call(function: Callable[..., Any], *given: Any) -> Any:
    """Return a function's result for an argument. Raises UsageError if the function refuses it."""
    try:
        return function(*given)
    except Malformed as error:
        raise click.UsageError(printable(str(error))) from None


def text_of(path: Path) -> str:
    """Return a file's text. Raises UsageError."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path}: {error}") from None


def bytes_of(path: str) -> bytes:
    """Return a file, or standard input for `-`. Raises UsageError."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None


def json_of(path: str) -> Any:
    """Return the JSON in a file. Raises Shortfall if it is not JSON."""
    return parsed(path, bytes_of(path))


def parsed(path: str, text: bytes) -> Any:
    """Return the JSON in a text; errors name the place that it comes from. Raises Shortfall."""
    try:
        return parse(text)
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None


def record_of(path: str) -> Record:
    """Return the record in a file. Raises Shortfall."""
    try:
        return read_record(json_of(path))
    except Malformed as error:
        raise Shortfall(f"{path}: {error}") from None
