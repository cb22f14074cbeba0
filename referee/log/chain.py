"""Log entries: a public form for everybody, a sealed private part, and a chain of hashes.

Every viewer can check the chain while the game runs, without learning anything secret. Once the seed is
public, the sealed parts can be checked too.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson
import rfc8785

from referee.engine.jsontext import plain
from referee.engine.position import EVERYONE, Moved, Position, seats_of
from referee.engine.shapes import Move
from referee.engine.views import public_move, show_transfers
from referee.log.members import Entry, Members
from referee.log.parts import Json, Name, Shares
from referee.log.words import ALL, with_commitment, without_words

SALT = "salt"  # the member of a share
SALT_BYTES = 16
FIRST = bytes(32)  # the hash before the first entry


# For most values, a general JSON writer gives the result that RFC 8785 demands, much faster than the rfc8785
# package. It refuses integers beyond 2**53. Where the results may differ (a fraction, or keys that sort
# differently in UTF-16), the text has characters of four bytes or such a number outside a string. Searching
# text with few signs, and for a common beginning, takes a third of the time.
_FEW_SIGNS = bytes.maketrans(b"-123456789[e", b"0000000000,.")
_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_long = re.compile(rb"[\xf0-\xf4]").search  # a character of four bytes
_in_list, _in_object = re.compile(rb",0+\.").search, re.compile(rb'":0+\.').search


def canonical(value: Any) -> bytes:
    """Return a JSON value as canonical JSON (RFC 8785). Raises ValueError if it has no such form."""
    if type(value) is dict:
        try:
            text = orjson.dumps(value, option=_SORTED)
        except orjson.JSONEncodeError:
            return rfc8785.dumps(value)
        if text.isascii() or not _long(text):
            signs = text.translate(_FEW_SIGNS)
            if not _in_list(signs) and not _in_object(signs):
                return text
    return rfc8785.dumps(value)


def canonical_if_whole(value: Any) -> bytes | None:
    """Return what `canonical` returns for a value without fractions, where that is quick; else None.

    For a value with a fraction it may be another text; the check of types refuses such values anyway.
    """
    try:
        text = orjson.dumps(value, option=_SORTED)
    except orjson.JSONEncodeError:
        return None
    return text if text.isascii() or not _long(text) else None


def salt(seed: bytes, seq: int) -> bytes:
    """Return the salt of an entry's sealed part."""
    return hmac.digest(seed, b"salt" + seq.to_bytes(4, "big"), "sha256")


def seal(seed: bytes, seq: int, private: Mapping[str, Any]) -> str:
    """Return the public salted hash, in hex, of an entry's private part."""
    return sha256(salt(seed, seq) + canonical(private)).hexdigest()


def with_salts(seed: bytes, seq: int, private: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shares of an entry's private part, each with its own salt.

    So each can be sealed separately, and a seat's salt reveals nothing about another's share. The share of
    everybody, whose salt does not follow from the seed, stays as it is.
    """
    return {
        seat: share if seat == ALL else {**share, SALT: seat_salt(seed, seq, int(seat))}
        for seat, share in private.items()
    }


def seat_salt(seed: bytes, seq: int, seat: int) -> str:
    """Return the salt, in hex, of a seat's share of an entry's private part."""
    message = b"salt" + seq.to_bytes(4, "big") + seat.to_bytes(4, "big")
    return hmac.digest(seed, message, "sha256")[:SALT_BYTES].hex()


def share_seal(share: Mapping[str, Any]) -> str:
    """Return the public hash, in hex, of a share or of a name, which contains the salt."""
    return sha256(canonical(share)).hexdigest()


def chain(previous: bytes, public: Mapping[str, Any]) -> bytes:
    """Return the hash of an entry: over the hash before it and its public form, `sealed` included."""
    return sha256(previous + canonical(public)).digest()


def make_entry(previous: bytes, seed: bytes, said: Members, private: Mapping[str, Json], salt: str) -> Entry:
    """Write an entry. `said` has `seq`, `type`, `at` and so on, with names and texts; `private` the shares.

    The `salt` of a name or a text is random, in hex (`SALT_BYTES`).
    """
    public, called, text = without_words(said)
    name: Name | None = None if called is None else {"name": called, "salt": salt}
    if name is not None:
        public = with_commitment(public, share_seal(name))
    shares = {**private}
    if text := text or shares.get(ALL, {}):
        shares[ALL] = {**text, SALT: salt}
    salted = with_salts(seed, public["seq"], shares) if shares else {}
    return seal_entry(previous, seed, public, salted)._replace(name=name)


def seal_entry(previous: bytes, seed: bytes, public: Members, private: Shares) -> Entry:
    """Seal and chain an entry. `public` is its form without seals; `private` are the shares, with salts."""
    form: Members = {**public}
    if private:
        form["sealed"] = seal(seed, form["seq"], private)
        form["seals"] = {seat: share_seal(share) for seat, share in private.items()}
    return Entry(form, dict(private), chain(previous, form))


def account(
    state: Position, move: Move | None, transfers: Sequence[Moved], mover: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the effects of a move (None: the deal): `{"move", "transfers"}` for all, and seat → share.

    If the move changed the scores, the public part has the new `scores`; if a trick ended, `won_by`.

    A seat has a share only if it sees more than everybody: cards that came to it or left it, and its own move
    if a part of that is secret. A move with a text is whole only in the share of everybody.
    """
    public: dict[str, Any] = {"transfers": show_transfers(transfers, None)}
    private: dict[str, Any] = {}
    seers: set[int] = set()
    for _, _, _, left, came in transfers:
        if EVERYONE not in (left, came):
            seers.update(seats_of(left), seats_of(came))
    for seat in sorted(seers):
        private[str(seat)] = {"transfers": show_transfers(transfers, seat)}
    if state.before not in (None, state.scores):
        public["scores"] = list(state.scores)
    if state.won_by is not None:
        public["won_by"] = state.won_by
    if move is not None:
        shown = public["move"] = public_move(state, move)
        if len(shown) < len(move):
            private.setdefault(str(mover), {})["move"] = plain(dict(move))
        fields = state.ruleset.MOVES[move["type"]]
        if any(fields[name].spoken for name in shown if name in fields):
            private[ALL] = {"move": shown}
            public["move"] = {n: each for n, each in shown.items() if n not in fields or not fields[n].spoken}
    return public, private
