"""Records and logs: the types of entries and their members, the chain of hashes, canonical JSON.

>>> entry = make_entry(bytes(32), b"seed", {"seq": 0, "type": "created"}, {})
>>> entry.hash == chain(bytes(32), entry.public)
True
>>> canonical({"b": 1, "a": 2.0})
b'{"a":2,"b":1}'
"""

from referee.audit.marks import EndMark
from referee.engine.jsontext import parse, same
from referee.log.chain import account, canonical, chain, make_entry, seal, with_salts
from referee.log.checks import entry_fault
from referee.log.entries import ENDINGS, ENTRY_TYPES, GOING_BACK, LAST
from referee.log.keys import is_key
from referee.log.known import known_members
from referee.log.members import ENDINGS as ENDINGS_AGREED
from referee.log.members import MEMBERS, Entry, Members
from referee.log.parts import Shares
from referee.log.record import Step

__all__ = [
    "ENDINGS",
    "ENDINGS_AGREED",
    "ENTRY_TYPES",
    "GOING_BACK",
    "LAST",
    "MEMBERS",
    "EndMark",
    "Entry",
    "Members",
    "Shares",
    "Step",
    "account",
    "canonical",
    "chain",
    "entry_fault",
    "is_key",
    "known_members",
    "make_entry",
    "parse",
    "same",
    "seal",
    "with_salts",
]
