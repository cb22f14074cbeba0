"""Compares receipts with a record, and turns two that contradict each other into a self-contained proof.

A proof is one JSON file: two receipts of the same log, signed by the same server, and the public forms of the
entries between them. The shorter receipt names a hash after entry n. These entries lead to the longer receipt
from a different hash after entry n, so the server has signed two different logs.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from referee.engine.jsontext import same
from referee.engine.verdicts import Malformed
from referee.log.chain import chain
from referee.log.entries import LAST
from referee.log.times import read_time, timestamp
from referee.proofs.leaves import CREATED
from referee.proofs.promises import DELAY, GRACE, promise_of
from referee.proofs.receipts import Key, Receipt, read_receipt, signer, unsigned

FORMAT = "card-referee-fork/1"
UNKNOWN = "by whom it is signed is not checked: no keys were given"
LOST = "its key was retired when the server was restored from a backup, which may lack this entry"
SHOWN_WITH = ("hash", "private")


class Compared(NamedTuple):
    """Whether a receipt fits a record; `ok` is None if that is unknown."""

    receipt: Receipt
    ok: bool | None
    detail: str


def compare(record: Mapping[str, Any], receipts: Iterable[Receipt], keys: Sequence[Key]) -> list[Compared]:
    """Compare receipts with a record's log. Without keys, the signers are unknown."""
    entries = record.get("entries")
    log = [entry for entry in entries if type(entry) is dict] if type(entries) is list else []
    over = record.get("seed") is not None or any(entry.get("type") in LAST for entry in log)
    # A server that imported the game gave it another id than the one that signed the receipts.
    game = None if record.get("origin") == "imported" else record.get("game")
    return [
        Compared(receipt, False, f"is of game {receipt.origin.rpartition('/')[2]}, and the record of {game}")
        if game is not None and receipt.origin.rpartition("/")[2] != game
        else Compared(receipt, *(_promised(record, log, receipt) or _compared(log, over, receipt, keys)))
        for receipt in receipts
    ]


def _promised(
    record: Mapping[str, Any], log: Sequence[Mapping[str, Any]], receipt: Receipt
) -> tuple[bool, str] | None:
    """Return what is wrong with the promise in a receipt, if it has one."""
    promise, created = promise_of(receipt), log[0] if log else {}
    if promise is None or created.get("type") != CREATED:
        return None
    if promise.commitment != created.get("commitment"):
        return False, "promises that another game will be in the log of all games"
    at = read_time(created.get("at"))
    has_own_times = record.get("origin") == "imported" or record.get("test_clock") is not None
    if at is not None and not has_own_times and promise.by > at + DELAY + GRACE:
        return (
            False,
            f"promises that the game will be in the log of all games only at {timestamp(promise.by)}",
        )
    return None


def _compared(
    log: list[dict[str, Any]], over: bool, receipt: Receipt, keys: Sequence[Key]
) -> tuple[bool | None, str]:
    key = signer(receipt, keys)
    if keys and key is None:
        return unsigned(receipt, keys)
    by = f"signed by {key.name}" if key else UNKNOWN
    differs = None if key and key.restored else False
    by = f"{by}; {LOST}" if key and key.restored else by
    if not log:
        return None, f"the record has no log; {by}"
    if receipt.size > len(log):
        if over:  # a running game's record may be older than the receipt; one with the seed is complete
            return differs, f"it has {receipt.size} entries, and this log ends with entry {len(log)}; {by}"
        return None, f"this log does not go as far as entry {receipt.size}; {by}"
    entry = log[receipt.size - 1] if receipt.size else {}
    if not receipt.size or entry.get("hash") != receipt.root.hex():
        return differs, f"another entry {receipt.size} was shown to whoever holds it; {by}"
    at, retired = read_time(entry.get("at")), key and key.valid_until
    if at is not None and retired and at > retired:
        return False, f"the key that signed it was retired before entry {receipt.size} was made"
    return True, f"fits entry {receipt.size}; {by.removesuffix(f'; {LOST}')}"


def find_fork(record: Mapping[str, Any], receipts: Sequence[Receipt]) -> dict[str, Any] | None:
    """Return a proof that two receipts contradict each other, or None if there is none."""
    entries = record.get("entries")
    log = entries if type(entries) is list else []
    ordered = sorted(receipts, key=lambda receipt: receipt.size)
    for number, short in enumerate(ordered):
        for long in ordered[number + 1 :]:
            if short.origin == long.origin and (proof := _proof(log, short, long)):
                return proof
    return None


def _proof(log: list[Any], short: Receipt, long: Receipt) -> dict[str, Any] | None:
    between: list[dict[str, Any]] = []
    root = long.root
    if short.size < long.size:
        if short.size == 0 or len(log) < long.size:
            return None
        try:
            between = [_public(entry) for entry in log[short.size : long.size]]
            root = bytes.fromhex(log[short.size - 1]["hash"])
        except (AttributeError, KeyError, TypeError, ValueError):
            return None
    proof = {
        "format": FORMAT,
        "receipts": [short.note, long.note],
        "hash": root.hex(),
        "entries": between,
    }
    return proof if root != short.root and _leads(root, between, short, long) else None


def _public(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in SHOWN_WITH}


def _leads(root: bytes, entries: Sequence[Any], short: Receipt, long: Receipt) -> bool:
    """Return whether these entries lead from one hash to the longer receipt's."""
    if len(entries) != long.size - short.size:
        return False
    for seq, entry in enumerate(entries, short.size + 1):
        if type(entry) is not dict or not same(entry.get("seq"), seq):
            return False
        try:
            root = chain(root, entry)
        except (ValueError, TypeError):
            return False
    return root == long.root


def check_fork(proof: object, keys: Sequence[Key]) -> str:
    """Check a proof with only a server's keys; return what it proves, as a sentence.

    Raises Malformed if it proves nothing.
    """
    if type(proof) is not dict or proof.get("format") != FORMAT:
        raise Malformed("format", f"must be {FORMAT!r}")
    notes, entries = proof.get("receipts"), proof.get("entries", [])
    if type(notes) is not list or len(notes) != 2 or type(entries) is not list:
        raise Malformed("receipts", "must be two, with the entries between them")
    short, long = (read_receipt(note) for note in notes)
    signers = [signer(receipt, keys) for receipt in (short, long)]
    if None in signers:
        raise Malformed("receipts", "are not both signed with the keys given")
    if short.origin != long.origin:
        raise Malformed("receipts", "are of two different logs")
    try:
        other = bytes.fromhex(str(proof.get("hash")))
    except ValueError:
        raise Malformed("hash", "must be hex") from None
    if short.size > long.size or len(other) != len(short.root) or not _leads(other, entries, short, long):
        raise Malformed("entries", "do not lead to the second receipt")
    if other == short.root:
        raise Malformed("receipts", "agree with each other")
    restored = len(set(signers)) == 2 and any(key and key.restored for key in signers)
    between = ", before and after the server was restored from a backup" if restored else ""
    return f"{short.origin}: two logs were signed{between}, which differ at or before entry {short.size}"
