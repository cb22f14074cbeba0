"""Records and logs: the types of entries and their members, the chain of hashes, canonical JSON.

>>> entry = make_entry(bytes(32), b"seed", {"seq": 0, "type": "created"}, {}, salt="")
>>> entry.hash == chain(bytes(32), entry.public)
True
>>> canonical({"b": 1, "a": 2.0})
b'{"a":2,"b":1}'
"""

from referee.audit.marks import EndMark as EndMark
from referee.engine.jsontext import parse as parse
from referee.engine.jsontext import same as same
from referee.log.chain import SALT_BYTES as SALT_BYTES
from referee.log.chain import account as account
from referee.log.chain import canonical as canonical
from referee.log.chain import chain as chain
from referee.log.chain import make_entry as make_entry
from referee.log.chain import seal as seal
from referee.log.chain import seal_entry as seal_entry
from referee.log.chain import with_salts as with_salts
from referee.log.checks import entry_fault as entry_fault
from referee.log.entries import ENDINGS as ENDINGS
from referee.log.entries import ENTRY_TYPES as ENTRY_TYPES
from referee.log.entries import GOING_BACK as GOING_BACK
from referee.log.entries import LAST as LAST
from referee.log.keys import is_key as is_key
from referee.log.known import known_members as known_members
from referee.log.members import ENDINGS_AGREED as ENDINGS_AGREED
from referee.log.members import MEMBERS as MEMBERS
from referee.log.members import Entry as Entry
from referee.log.members import Members as Members
from referee.log.parts import Shares as Shares
from referee.log.record import Step as Step
from referee.log.words import ALL as ALL
from referee.log.words import ERASED as ERASED
