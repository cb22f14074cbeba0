"""The succession of a server's keys: each key signs which one follows it.

So whoever has pinned one key, outside of the server, can trust all later ones.
"""

from collections.abc import Iterable, Sequence

from referee.engine.verdicts import Malformed
from referee.proofs.receipts import Key, has_signed, read_signatures

KEYS = "keys"


def succession(old: Key, new: Key) -> str:
    """Return the text that the old key signs."""
    return f"{old.name}/{KEYS}\n{new.vkey}\n"


def trusted(pinned: Iterable[Key], listed: Sequence[Key]) -> list[Key]:
    """Return the listed keys that are pinned or were endorsed by a trusted key; pinned keys come first.

    A pinned key that is also listed has the times of the list.
    """
    known = [*{key.public: key for key in pinned}.values()]
    by_vkey = {key.vkey: key for key in listed}
    keys = [by_vkey.get(key.vkey, key) for key in known]
    waiting = [key for key in listed if key not in keys]
    while endorsed := [key for key in waiting if any(_endorses(old, key) for old in keys)]:
        keys += endorsed
        waiting = [key for key in waiting if key not in endorsed]
    return keys


def _endorses(old: Key, new: Key) -> bool:
    if new.endorsement is None:
        return False
    try:
        text, signatures = read_signatures(new.endorsement)
    except Malformed:
        return False
    return text == succession(old, new) and has_signed(old, text, signatures)
