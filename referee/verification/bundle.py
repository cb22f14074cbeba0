"""Verification of a bundle: a record with all evidence, and a verdict that says who guarantees what.

A bundle is one JSON file: the record with its proofs about the log of all games, receipts, and the server's
keys. Whom to trust is not in it but in a policy, which the verifier brings.
"""

from collections.abc import Iterator, Mapping, Sequence
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
from referee.verification.findings import CHECKS, NOT_YET, Report, verdict
from referee.verification.signing import CHECK as SIGNATURES
from referee.verification.verify import verify

FORMAT = "card-referee-bundle/1"
MEMBERS = {"format", "record", "receipts", "keys"}
MATHEMATICS, SERVER, WITNESSES = "mathematics", "the server's key", "witnesses"
PLAYERS, NOBODY = "players' keys", "nobody"
LOG = "the log"  # of a look that it lists, which is no promise

RUNNING = "the seed is secret while the game runs; fetch it again when it is over"
AGAIN = "fetch it again later: a game is in the log of all games within 24 hours, mostly within a minute"
WITNESSES_LATER = "fetch it again when they have had time, mostly after some minutes"


class Promise(NamedTuple):
    """A promise to players: who guarantees it, and whether it is kept (None: that was not checked).

    `needed`: the policy asks for it, so without evidence the game is not proved.
    """

    name: str
    by: str
    ok: bool | None
    detail: str
    needed: bool = False

    @property
    def is_missing(self) -> bool:
        """Return whether the policy asks for evidence that is not there."""
        return self.needed and self.ok is None


class Bundle(NamedTuple):
    """A bundle that was read; nothing in it is checked yet.

    Its receipts are None for a record that was never in a bundle: nobody can expect any there.
    """

    record: dict[str, Any]
    receipts: list[Receipt] | None
    keys: list[Key]


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


def verify_bundle(bundle: Bundle, policy: Policy | None = None) -> tuple[list[Promise], Report]:
    """Verify a bundle; return each promise, and the report of its record.

    Without a policy nobody is trusted, so what only signatures guarantee is not checked. Raises Malformed if
    the record cannot be read.
    """
    listed = [*bundle.keys, *inclusion.listed_keys(bundle.record)]
    keys = trusted(policy.logs, listed) if policy else []
    report = verify(bundle.record, keys=keys)
    judge = _Judge(bundle, policy, keys, report)
    return [*judge.promises()], report


def evidence(
    record: Mapping[str, Any], report: Report, keys: Sequence[Key], receipts: Sequence[forks.Compared] = ()
) -> tuple[str, bool]:
    """Return how to get what a record lacks ("": nothing), and whether one of these keys vouches for it."""
    if record.get("seed") is None:
        return RUNNING, False
    included: list[bool | None] = [check.ok for check in report.checks if check.name == inclusion.CHECK]
    if record.get("inclusion") is not None and not included:
        included = [None]
    signed = [one for one in receipts if forks.LOST not in one.detail]
    found = [*included, *(one.ok for one in signed)] if keys else []
    if None not in found:
        # A receipt of an earlier entry says nothing of what follows.
        whole = [one.ok for one in signed if one.receipt.size >= len(record.get("entries") or ())]
        return "", bool(keys) and True in [*included, *whole]
    whys = [*report.unchecked.values(), *(one.detail for one in receipts)]
    return (f"get {KEYS_AT}" if any(KEYS_AT in why for why in whys) else AGAIN), False


def promises_beside(
    record: Mapping[str, Any], report: Report, receipts: Sequence[forks.Compared]
) -> list[Promise]:
    """Return who guarantees what of a record that was verified, with mathematics in one promise.

    The receipts were compared with it; nobody else is trusted.
    """
    bundle = Bundle(dict(record), [], [])
    promises = [*_Judge(bundle, None, [], report, receipts).promises()]
    failed = [one for one in promises if one.by == MATHEMATICS and one.ok is False]
    open_ = [one.name for one in promises if one.by == MATHEMATICS and one.ok is None]
    what = "the deal, every move and the result follow from the seed, the rules and the log"
    detail = f"{what}: {failed[0].detail}" if failed else what
    if open_:
        detail += f"; not checked: {', '.join(open_)}"
    return [
        Promise("record", MATHEMATICS, not failed, detail),
        *(one for one in promises if one.by != MATHEMATICS),
    ]


class _Judge:
    def __init__(
        self,
        bundle: Bundle,
        policy: Policy | None,
        keys: Sequence[Key],
        report: Report,
        compared: Sequence[forks.Compared] = (),
    ) -> None:
        self._compared = [*compared, *forks.compare(bundle.record, bundle.receipts or (), keys)]
        self._bundle, self._policy, self._keys, self._report = bundle, policy, keys, report
        self._checks = {check.name: check for check in report.checks}
        entries = bundle.record.get("entries")
        self._entries = [entry for entry in entries if type(entry) is dict] if type(entries) is list else []
        self._checkpoint = self._read_checkpoint()

    def promises(self) -> Iterator[Promise]:
        """Yield every promise, also those that nobody keeps."""
        yield from self._mathematics()
        yield self._chosen()
        yield self._acts()
        pins = bool(self._policy and self._policy.logs)
        yield self._receipts()._replace(needed=pins and self._bundle.receipts is not None)
        yield self._included()._replace(needed=pins)
        yield self._witnessed()._replace(needed=self._policy is not None and not self._policy.is_met(()))
        yield from self._words()

    # --- mathematics ---

    def _mathematics(self) -> Iterator[Promise]:
        for name, what in CHECKS.items():
            if (check := self._checks.get(name)) is not None:
                where = "" if check.ok or check.seq is None else f"entry {check.seq}: "
                yield Promise(name, MATHEMATICS, check.ok, what if check.ok else f"{where}{check.detail}")
            else:
                why = self._report.unchecked.get(name, "it does not occur in this game")
                yield Promise(name, MATHEMATICS, None, f"{what}: {why}")

    def _chosen(self) -> Promise:
        name = "unchosen"
        if (check := self._checks.get(ENTROPY)) is not None:
            return Promise(name, MATHEMATICS, check.ok, f"nobody could choose the deal: {check.detail}")
        why = "the game was created without commitments, so the operator could try seeds"
        return Promise(name, NOBODY, None, f"nobody could choose the deal: {why}")

    # --- signatures ---

    def _acts(self) -> Promise:
        what, check = "players acted themselves", self._checks.get(SIGNATURES)
        seats = {entry.get("seat") for entry in self._entries if entry.get("type") == "joined"}
        keyed = {entry.get("seat") for entry in self._entries if "public_key" in entry}
        if check is None or not keyed:
            return Promise("signatures", PLAYERS, None, f"{what}: no player has a key")
        detail = f"{what}: {check.detail}; {len(keyed)} of {len(seats)} seats had a player with a key"
        return Promise("signatures", PLAYERS, check.ok, detail)

    def _receipts(self) -> Promise:
        what = "the log is the one that was shown during the game"
        if not self._compared:
            return Promise("receipts", SERVER, None, f"{what}: there are no receipts; {AGAIN}")
        compared = self._compared
        worst = max(compared, key=lambda one: (True, None, False).index(one.ok))
        if worst.ok is not False and forks.UNKNOWN in worst.detail:
            return Promise("receipts", SERVER, None, f"{what}: {self._untrusted()}")
        if worst.ok and self._policy and all(one.receipt.size < len(self._entries) for one in compared):
            return Promise("receipts", SERVER, None, f"{what}: none is of the last entry; {AGAIN}")
        return Promise("receipts", SERVER, worst.ok, f"{what}: {len(compared)} receipts; {worst.detail}")

    def _included(self) -> Promise:
        what = "the game is counted in the server's log of all games, with these terms from its beginning"
        check = self._checks.get(inclusion.CHECK)
        if check is None:
            why = self._report.unchecked.get(inclusion.CHECK, inclusion.NO_PROOFS)
            again = "" if AGAIN in why or KEYS_AT in why else f"; {AGAIN}"
            why = f"{why}{again}" if self._keys else self._untrusted()
            return Promise("inclusion", SERVER, None, f"{what}: {why}")
        return Promise("inclusion", SERVER, check.ok, f"{what}: {check.detail}")

    def _untrusted(self) -> str:
        named = ", ".join(key.vkey for key in self._bundle.keys[:1])
        return f"no trusted key was given; the bundle itself names {named or 'none'}, which a policy can pin"

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

    def _witnessed(self) -> Promise:
        what = "everybody is shown the same log of all games"
        policy, checkpoint = self._policy, self._checkpoint
        if policy is None or not policy.witnesses:
            return Promise("witnessed", WITNESSES, None, f"{what}: no policy names witnesses")
        by = f"{policy.demand} ({WITNESSES})"
        if checkpoint is None or inclusion.CHECK not in self._checks:
            return Promise(
                "witnessed", by, None, f"{what}: there is no signed checkpoint with this game; {AGAIN}"
            )
        names = cosigners(checkpoint, policy)
        at = witnessed_at(checkpoint, policy)
        if at is None:
            detail = f"only {', '.join(names) or 'none'} of the policy's witnesses cosigned"
            return Promise("witnessed", by, None, f"{what}: {detail}; {WITNESSES_LATER}")
        detail = f"{', '.join(names)} cosigned the tree of {checkpoint.size} leaves by {timestamp(at)}"
        return Promise("witnessed", by, True, f"{what}: {detail}")

    def _words(self) -> Iterator[Promise]:
        """Yield what only the server says."""
        yield Promise(
            "clock",
            NOBODY,
            None,
            "the times of entries are right: the server's word, bounded only by witnesses",
        )
        for sentence in traces(self._bundle.record):
            yield Promise("others", NOBODY, None, f"{sentence}: the server's word")


def summary(promises: Sequence[Promise]) -> str:
    """Return the verdict in one sentence; of one that is not proved, what contradicts it or is missing."""
    failed = [one.name for one in promises if one.ok is False]
    held = sum(one.ok is True and one.by != LOG for one in promises)
    unchecked = sum(one.ok is None for one in promises)
    word = verdict_of(promises)
    named = failed or [one.name for one in promises if one.is_missing]
    what = f" ({', '.join(named)})" if named else ""
    counted = f"{held} promises hold, {len(failed)} fail, {unchecked} were not checked"
    return f"{word}{what}: {counted}" + (f"; {what_to_do(promises)}" if word == NOT_YET else "")


def what_to_do(promises: Sequence[Promise]) -> str:
    """Return how to get the evidence that is missing."""
    missing = [one.detail for one in promises if one.is_missing]
    ways = (f"get {KEYS_AT}", WITNESSES_LATER)
    return next((way for way in ways if any(way in detail for detail in missing)), AGAIN)


def verdict_of(promises: Sequence[Promise]) -> str:
    """Return which of the three verdicts these promises give."""
    fails, lacks = any(one.ok is False for one in promises), any(one.is_missing for one in promises)
    vouched = any(one.ok is True and one.name in ("receipts", "inclusion", "witnessed") for one in promises)
    return verdict(fails, lacks, vouched)


def to_json(promises: Sequence[Promise]) -> list[Mapping[str, Any]]:
    """Return the promises as JSON; `ok` is null for what was not checked."""
    return [one._asdict() for one in promises]
