"""The verdict on a record or a bundle: each promise, who guarantees it, and whether it is kept.

A bundle is one JSON file: the record with its proofs about the log of all games, receipts, and the server's
keys. Whom to trust is not in it but in a policy, which the verifier brings.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from referee.engine.jsontext import compact
from referee.engine.verdicts import Malformed
from referee.log.times import timestamp
from referee.log.traces import traces
from referee.proofs.policy import Policy
from referee.proofs.promises import cosigners, witnessed_at
from referee.proofs.receipts import KEYS_AT, Key, Receipt, is_bare, read_keys, read_receipt
from referee.proofs.succession import trusted
from referee.verification import forks, inclusion
from referee.verification.entropy import ENTROPY
from referee.verification.findings import (
    CHECKS,
    CONTRADICTED,
    NOBODY,
    NOT_YET,
    PROMISES,
    PROVED,
    UNVOUCHED,
    VOUCHING,
    WITNESSES,
    Report,
)
from referee.verification.signing import CHECK as SIGNATURES
from referee.verification.verify import RUNNING, verify

FORMAT = "card-referee-bundle/1"
MEMBERS = {"format", "record", "receipts", "keys"}

OVER = "fetch it again when it is over"
AGAIN = "fetch it again later: a game is in the log of all games within 24 hours, mostly within a minute"
WITNESSES_LATER = "fetch it again when they have had time, mostly after some minutes"
NEWER_KEYS = f"get {KEYS_AT}"


class Promise(NamedTuple):
    """A promise to players: who guarantees it, and whether it is kept (None: that was not checked).

    `needed`: without evidence for it, the game is not proved. `seq` is the entry that breaks it, if known.
    """

    name: str
    by: str
    ok: bool | None
    detail: str
    needed: bool = False
    seq: int | None = None

    @property
    def is_missing(self) -> bool:
        """Return whether evidence is not there that is needed."""
        return self.needed and self.ok is None

    @property
    def finding(self) -> str:
        """Return what was found, with the entry that breaks the promise."""
        return self.detail if self.seq is None else f"entry {self.seq}: {self.detail}"


class Bundle(NamedTuple):
    """A bundle that was read; nothing in it is checked yet.

    Its receipts are None for a record that was never in a bundle: nobody can expect any there.
    """

    record: dict[str, Any]
    receipts: list[Receipt] | None
    keys: list[Key]


class Assessment(NamedTuple):
    """What a record or bundle proves: every promise, and what its receipts say."""

    record: dict[str, Any]
    report: Report
    promises: list[Promise]
    receipts: list[forks.Compared]

    @property
    def broken(self) -> list[Promise]:
        """The promises that are not kept, that of the first entry first."""
        broken = [one for one in self.promises if one.ok is False]
        return sorted(broken, key=lambda one: (one.seq is None, one.seq))

    @property
    def missing(self) -> list[Promise]:
        """The promises for which evidence is needed that is not there."""
        return [one for one in self.promises if one.is_missing]

    @property
    def vouchers(self) -> list[str]:
        """Who vouches for the game, with keys that the verifier has pinned."""
        return [*{one.by: None for one in self.promises if one.ok is True and one.name in VOUCHING}]

    @property
    def verdict(self) -> str:
        """One of the verdicts."""
        if self.broken or self.missing:
            return CONTRADICTED if self.broken else NOT_YET
        return PROVED if self.vouchers else UNVOUCHED

    @property
    def to_do(self) -> str:
        """How to get the evidence that is missing."""
        ways = (OVER, NEWER_KEYS, WITNESSES_LATER)
        return next((way for way in ways if any(way in one.detail for one in self.missing)), AGAIN)

    @property
    def sentence(self) -> str:
        """The verdict with its reason: who vouches, what contradicts the game, or what is missing."""
        verdict, erased = self.verdict, f"; {self.report.erased}" if self.report.erased else ""
        if verdict == UNVOUCHED:
            return f"{verdict}{erased}"
        if verdict == PROVED:
            return f"{verdict} by {' and '.join(self.vouchers)}{erased}"
        named = ", ".join(one.name for one in self.broken or self.missing)
        return f"{verdict} by {named}" if self.broken else f"{verdict} ({named}); {self.to_do}"


def is_bundle(data: object) -> bool:
    """Return whether this is a bundle, and not a record."""
    return type(data) is dict and data.get("format") == FORMAT


def read_bundle(data: object) -> Bundle:
    """Read a bundle from JSON. Raises Malformed."""
    if type(data) is not dict or data.get("format") != FORMAT:
        raise Malformed("format", f"must be {FORMAT!r}")
    if unknown := data.keys() - MEMBERS:
        raise Malformed("bundle", f"has no member {min(unknown)[:40]!r}")
    record, notes = data.get("record"), data.get("receipts") or []
    if type(record) is not dict or type(notes) is not list:
        raise Malformed("bundle", "needs a record and a list of receipts")
    keys = read_keys(compact(data.get("keys") or []))
    receipts = [read_receipt(note) for note in notes if not is_bare(note)]
    return Bundle(record, receipts, keys)


def assess(
    data: Any, policy: Policy | None = None, keys: Sequence[Key] = (), receipts: Sequence[Receipt] = ()
) -> Assessment:
    """Verify a record or a bundle, with further receipts of the game.

    A policy says whom to trust, and what evidence is needed; further `keys` may follow those that it pins.
    Without a policy all these keys are trusted, and evidence is needed only if it is there. Raises Malformed
    if the record cannot be read.
    """
    bundle = read_bundle(data) if is_bundle(data) else Bundle(data, None, [])
    if policy:
        listed = [*bundle.keys, *keys]
        if type(bundle.record) is dict:
            listed += inclusion.listed_keys(bundle.record)
        keys = trusted(policy.logs, listed)
    report = verify(bundle.record, keys=keys)
    assessor = _Assessor(bundle, policy, keys, report, receipts)
    return Assessment(bundle.record, report, [*assessor.promises()], assessor.compared)


class _Assessor:
    def __init__(
        self,
        bundle: Bundle,
        policy: Policy | None,
        keys: Sequence[Key],
        report: Report,
        receipts: Sequence[Receipt],
    ) -> None:
        self._bundle, self._policy, self._keys, self._report = bundle, policy, keys, report
        self.compared = forks.compare(bundle.record, [*receipts, *(bundle.receipts or ())], keys)
        self._checks = {check.name: check for check in report.checks}
        entries = bundle.record.get("entries")
        self._entries = [entry for entry in entries if type(entry) is dict] if type(entries) is list else []
        self._checkpoint = self._read_checkpoint()

    def promises(self) -> Iterator[Promise]:
        """Yield every promise, also those that nobody keeps."""
        pins, record = bool(self._policy and self._policy.logs), self._bundle.record
        for name in CHECKS:
            yield self._mathematics(name)
        yield self._chosen()
        yield self._acts()
        yield self._receipts(needed=pins and self._bundle.receipts is not None)
        yield self._included(needed=pins or (bool(self._keys) and record.get("inclusion") is not None))
        yield self._witnessed(needed=self._policy is not None and not self._policy.is_met(()))
        yield _promise("clock", None, "the server's word, bounded only by witnesses")
        for sentence in traces(record):
            yield Promise("others", NOBODY, None, f"{sentence}: the server's word")

    # --- mathematics ---

    def _mathematics(self, name: str) -> Promise:
        check = self._checks.get(name)
        if check is not None:
            return Promise(name, PROMISES[name].by, check.ok, check.detail, seq=check.seq)
        why = self._report.unchecked[name]
        if name == "commitment" and why == RUNNING:
            return _promise(name, None, f"{why}; {OVER}", needed=True)
        return _promise(name, None, why)

    def _chosen(self) -> Promise:
        check = self._checks.get(ENTROPY)
        if check is not None:
            return _promise(ENTROPY, check.ok, check.detail, seq=None if check.ok else check.seq)
        why = "the game was created without commitments, so the operator could try seeds"
        return _promise(ENTROPY, None, why)._replace(by=NOBODY)

    # --- signatures ---

    def _acts(self) -> Promise:
        check = self._checks.get(SIGNATURES)
        seats = {entry.get("seat") for entry in self._entries if entry.get("type") == "joined"}
        keyed = {entry.get("seat") for entry in self._entries if "public_key" in entry}
        if check is None or (check.ok and not keyed):
            return _promise(SIGNATURES, None, "no player has a key")
        detail = f"{check.detail}; {len(keyed)} of {len(seats)} seats had a player with a key"
        return _promise(SIGNATURES, check.ok, detail, seq=check.seq)

    def _receipts(self, needed: bool) -> Promise:
        name, compared = "receipts", self.compared
        if not self._policy:  # then a receipt that may be lost proves nothing, and nobody asks for it
            compared = [one for one in compared if forks.LOST not in one.detail] or compared
        if not compared:
            return _promise(name, None, f"there are no receipts; {AGAIN}", needed=needed)
        worst = max(compared, key=lambda one: (True, None, False).index(one.ok))
        if worst.ok is not False and forks.UNKNOWN in worst.detail:
            return _promise(name, None, self._untrusted(), needed=needed)
        if worst.ok and all(one.receipt.size < len(self._entries) for one in compared):
            return _promise(name, None, f"none is of the last entry; {AGAIN}", needed=needed)
        needed = needed or (self._policy is None and forks.LOST not in worst.detail)
        return _promise(name, worst.ok, f"{len(compared)} receipts; {worst.detail}", needed=needed)

    def _included(self, needed: bool) -> Promise:
        check = self._checks.get(inclusion.CHECK)
        if check is not None:
            return _promise(inclusion.CHECK, check.ok, check.detail, needed=needed)
        why = self._report.unchecked.get(inclusion.CHECK, inclusion.NO_PROOFS)
        again = "" if AGAIN in why or KEYS_AT in why else f"; {AGAIN}"
        why = f"{why}{again}" if self._keys else self._untrusted()
        return _promise(inclusion.CHECK, None, why, needed=needed)

    def _untrusted(self) -> str:
        named = ", ".join(key.vkey for key in self._bundle.keys[:1])
        return f"no keys were given; the bundle itself names {named or 'none'}, which a policy can pin"

    # --- others ---

    def _read_checkpoint(self) -> Receipt | None:
        """Return the checkpoint of the record's proofs, if it has valid ones."""
        proofs = self._bundle.record.get("inclusion")
        failed = self._checks.get(inclusion.CHECK)
        if type(proofs) is not dict or (failed is not None and not failed.ok):
            return None
        try:
            return read_receipt(proofs.get("checkpoint"))
        except Malformed:
            return None

    def _witnessed(self, needed: bool) -> Promise:
        name, policy, checkpoint = "witnessed", self._policy, self._checkpoint
        if policy is None or not policy.witnesses:
            return _promise(name, None, "no policy names witnesses", needed=needed)
        by = f"{policy.demand} ({WITNESSES})"
        if checkpoint is None or inclusion.CHECK not in self._checks:
            return Promise(name, by, None, f"there is no signed checkpoint with this game; {AGAIN}", needed)
        names = cosigners(checkpoint, policy)
        at = witnessed_at(checkpoint, policy)
        if at is None:
            detail = f"only {', '.join(names) or 'none'} of the policy's witnesses cosigned"
            return Promise(name, by, None, f"{detail}; {WITNESSES_LATER}", needed)
        detail = f"{', '.join(names)} cosigned the tree of {checkpoint.size} leaves by {timestamp(at)}"
        return Promise(name, by, True, detail, needed)


def _promise(
    name: str, ok: bool | None, detail: str, *, needed: bool = False, seq: int | None = None
) -> Promise:
    """Return a promise by whoever guarantees it, with what it promises and what was found."""
    proves, by = PROMISES[name]
    return Promise(name, by, ok, f"{proves}: {detail}", needed, seq)
