"""Log entries: a public form for everyone, a sealed private part, and a hash that chains them.

Every viewer can check the chain while the game runs and learns nothing by it; once the seed is public
the sealed parts can be checked too.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import orjson
import rfc8785

from referee.position import EVERYONE, NOBODY, Move, Position, Transfer, plain
from referee.views import public_move, show_transfers

SALT = "salt"  # of a share
SALT_BYTES = 16
FIRST = bytes(32)  # the hash before the first entry


class Entry(NamedTuple):
    """A log entry as it is stored: what everyone sees, each seat's share, and the hash of the chain."""

    public: dict[str, Any]
    private: dict[str, Any]
    hash: bytes


# For most values a general writer gives what RFC 8785 asks, and much faster than the package that knows all
# of it. It refuses integers beyond 2**53; where the two may differ (a fraction, keys that sort otherwise as
# UTF-16) the text shows it: it is not ASCII, or has such a number outside a string. To look for one in text
# with few signs, and for what begins with the same bytes, takes a third of the time.
_FEW_SIGNS = bytes.maketrans(b"-123456789[e", b"0000000000,.")
_in_list, _in_object = re.compile(rb",0+\.").search, re.compile(rb'":0+\.').search


def canonical(value: Any) -> bytes:
    """Write a JSON value as canonical JSON (RFC 8785). Raises ValueError for what has no such form."""
    if type(value) is dict:
        try:
            text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)
        except orjson.JSONEncodeError:
            return rfc8785.dumps(value)
        if text.isascii():
            signs = text.translate(_FEW_SIGNS)
            if not _in_list(signs) and not _in_object(signs):
                return text
    return rfc8785.dumps(value)


def salt(seed: bytes, seq: int) -> bytes:
    """Return the salt of an entry's sealed part."""
    return hmac.digest(seed, b"salt" + seq.to_bytes(4, "big"), "sha256")


def seal(seed: bytes, seq: int, private: Mapping[str, Any]) -> str:
    """Return the salted hash, in hex, that stands in public for an entry's private part."""
    return sha256(salt(seed, seq) + canonical(private)).hexdigest()


def with_salts(seed: bytes, seq: int, private: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shares of an entry's private part each with a salt of its own.

    So each can be sealed alone, and no seat's salt tells anything of another's.
    """
    return {seat: {**share, SALT: seat_salt(seed, seq, int(seat))} for seat, share in private.items()}


def seat_salt(seed: bytes, seq: int, seat: int) -> str:
    """Return the salt, in hex, of a seat's share of an entry's private part."""
    message = b"salt" + seq.to_bytes(4, "big") + seat.to_bytes(4, "big")
    return hmac.digest(seed, message, "sha256")[:SALT_BYTES].hex()


def share_seal(share: Mapping[str, Any]) -> str:
    """Return the hash, in hex, that stands in public for a seat's share; the salt is in the share."""
    return sha256(canonical(share)).hexdigest()


def chain(previous: bytes, public: Mapping[str, Any]) -> bytes:
    """Return the hash of an entry: over the hash before it and its public form, `sealed` included."""
    return sha256(previous + canonical(public)).digest()


def make_entry(previous: bytes, seed: bytes, public: Mapping[str, Any], private: Mapping[str, Any]) -> Entry:
    """Seal and chain an entry. `public` has `seq`, `type`, `at` and so on; `private` is seat → its share.

    Shares that have salts (`with_salts`) are sealed one by one too.
    """
    form = dict(public)
    if private:
        form["sealed"] = seal(seed, form["seq"], private)
        if all(SALT in share for share in private.values()):
            form["seals"] = {seat: share_seal(share) for seat, share in private.items()}
    return Entry(form, dict(private), chain(previous, form))


def account(
    state: Position, move: Move | None, transfers: Sequence[Transfer], mover: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a move (or the deal: None) did: `{"move", "transfers"}` for everyone, and seat → its share.

    Where the move changed the scores, the public part has the new `scores`, and `won_by` where a trick ended.

    A seat has a share only where it sees more than everyone does: cards that came to it or left it, and
    the whole of its own move where a part of that is secret.
    """
    public: dict[str, Any] = {"transfers": show_transfers(transfers, None)}
    private: dict[str, Any] = {}
    seers: set[int] = set()
    for *_, left, came in transfers:
        if left != EVERYONE and came != EVERYONE:
            seers |= {left, came}
    for seat in sorted(seers - {NOBODY}):
        private[str(seat)] = {"transfers": show_transfers(transfers, seat)}
    if state.before not in (None, state.scores):
        public["scores"] = list(state.scores)
    if state.won_by is not None:
        public["won_by"] = state.won_by
    if move is not None:
        public["move"] = public_move(state, move)
        if len(public["move"]) < len(move):
            private.setdefault(str(mover), {})["move"] = plain(dict(move))
    return public, private
