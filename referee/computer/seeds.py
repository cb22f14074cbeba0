"""Seeds of matches: the one place where the library asks the operating system for random bytes.

Everything else in `referee` computes from what it is given. A match is where researchers come in, and they
expect that one without a seed is a new one.
"""

from secrets import token_bytes

from referee.engine.verdicts import Malformed

SIZE = 32  # bytes of a fresh seed, as many as games on a server have


def seed_of(given: bytes | int | None) -> bytes:
    """Return a seed as bytes: a fresh one for None; a number as its bytes, the most significant first.

    Raises Malformed for a negative number.
    """
    if given is None:
        return token_bytes(SIZE)
    if isinstance(given, int):
        if given < 0:
            raise Malformed("seed", "must be bytes, or an integer of at least 0")
        return given.to_bytes(max(1, (given.bit_length() + 7) // 8), "big")
    return bytes(given)
