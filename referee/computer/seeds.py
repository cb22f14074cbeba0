"""Seeds of matches: the one place where the library asks the operating system for random bytes.

Everything else in `referee` computes from what it is given. A match is where researchers come in, and they
expect that one without a seed is a new one.
"""

from operator import index
from secrets import token_bytes

from referee.engine.verdicts import Malformed

SIZE = 32  # bytes of a fresh seed, as many as games on a server have


def seed_of(given: bytes | int | None) -> bytes:
    """Return a seed as bytes: a fresh one for None; a number as its bytes, the most significant first.

    Raises Malformed for a negative number, and for anything else.
    """
    if given is None:
        return token_bytes(SIZE)
    if isinstance(given, bytes | bytearray | memoryview):
        return bytes(given)
    try:
        number = index(given)  # a number of numpy, too
    except TypeError:
        number = -1
    if number < 0:
        raise Malformed("seed", "must be bytes, or an integer of at least 0")
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
