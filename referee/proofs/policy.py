"""Policies of C2SP (`c2sp.org/tlog-policy`): whose keys a verifier trusts, outside of any server.

A policy names the keys of logs, witnesses, and which of them must have cosigned a checkpoint.
"""

from collections.abc import Collection
from typing import NamedTuple

from referee.engine.verdicts import Malformed
from referee.proofs.cosigning import read_witness
from referee.proofs.receipts import Key, read_vkey

NONE = "none"


class Group(NamedTuple):
    """So many of these witnesses or groups must have cosigned."""

    threshold: int
    members: tuple[str, ...]


class Listed(NamedTuple):
    """A witness of a policy: its key, and the address for new checkpoints ("" if there is none)."""

    witness: Key
    url: str


class Policy(NamedTuple):
    """The keys of logs, the witnesses and groups by their names, and the name of the quorum."""

    logs: tuple[Key, ...]
    witnesses: dict[str, Listed]
    groups: dict[str, Group]
    quorum: str

    def is_met(self, cosigners: Collection[str], name: str | None = None) -> bool:
        """Return whether these witnesses are a quorum, or suffice for one of the groups."""
        name = self.quorum if name is None else name
        if name == NONE:
            return True
        if name in self.witnesses:
            return name in cosigners
        group = self.groups[name]
        return sum(self.is_met(cosigners, member) for member in group.members) >= group.threshold

    @property
    def demand(self) -> str:
        """Return the quorum in words, such as "2 of A, B, C"."""
        group = self.groups.get(self.quorum)
        return f"{group.threshold} of {', '.join(group.members)}" if group else self.quorum


def read_policy(text: str) -> Policy:
    """Read a policy. Raises Malformed, naming the line."""
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip(" \t").replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        try:
            reader.read(*words)
        except (Malformed, TypeError, ValueError) as error:
            why = str(error) if isinstance(error, Malformed) else "cannot be read"
            raise Malformed(f"line {number}", why) from None
    if reader.quorum is None:
        raise Malformed("policy", "has no line that says which witnesses are the quorum")
    return Policy(tuple(reader.logs), reader.witnesses, reader.groups, reader.quorum)


def read_logs(text: str) -> tuple[Key, ...]:
    """Return the keys of logs in a policy, which needs no quorum for that. Raises Malformed."""
    words = [line.split() for line in text.split("\n")]
    return read_policy(text if ["quorum"] in [line[:1] for line in words] else f"{text}\nquorum none\n").logs


def _number(text: str) -> int:
    """Return a number in decimal digits. Raises ValueError; `int` would also take signs and other digits."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)


class _Reader:
    def __init__(self) -> None:
        self.logs: list[Key] = []
        self.witnesses: dict[str, Listed] = {}
        self.groups: dict[str, Group] = {}
        self.quorum: str | None = None
        self._members: set[str] = set()

    def read(self, kind: str, *rest: str) -> None:
        """Read a line. Raises Malformed, TypeError for the number of words, ValueError."""
        if kind == "log":
            self._log(*rest)
        elif kind == "witness":
            self._witness(*rest)
        elif kind == "group":
            self._group(*rest)
        elif kind == "quorum":
            self._quorum(*rest)
        else:
            raise Malformed("policy", f"has an unknown kind of line: {kind[:20]}")

    def _log(self, vkey: str, url: str = "") -> None:
        key = read_vkey(vkey)
        if key.public in {one.public for one in self.logs}:
            raise Malformed("policy", "lists a log twice")
        self.logs.append(key)

    def _witness(self, name: str, vkey: str, url: str = "") -> None:
        self._require_new(name)
        witness = read_witness(vkey)
        if witness.public in {one.witness.public for one in self.witnesses.values()}:
            raise Malformed("policy", "lists a witness twice")
        self.witnesses[name] = Listed(witness, url)

    def _group(self, name: str, threshold: str, *members: str) -> None:
        self._require_new(name)
        known = {*self.witnesses, *self.groups}
        if not members or len({*members}) < len(members) or not {*members} <= known - self._members:
            raise Malformed("policy", "has a group of unknown members, or of members of another group")
        number = {"any": 1, "all": len(members)}.get(threshold) or _number(threshold)
        if not 1 <= number <= len(members):
            raise Malformed("policy", "demands more members than a group has, or none")
        self._members.update(members)
        self.groups[name] = Group(number, members)

    def _quorum(self, name: str) -> None:
        if self.quorum is not None or name not in {NONE, *self.witnesses, *self.groups}:
            raise Malformed("policy", "needs exactly one quorum, a witness or group of the lines before")
        self.quorum = name

    def _require_new(self, name: str) -> None:
        if name in {NONE, *self.witnesses, *self.groups}:
            raise Malformed("policy", f"uses the name {name[:40]} twice")
