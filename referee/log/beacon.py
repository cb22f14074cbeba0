"""A public beacon: numbered rounds of randomness that nobody can know or choose in advance.

The format is drand's: a round is a BLS signature of its number, and its randomness the hash of that. With the
public key of the chain, a round can be checked offline.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from referee.engine.extras import require
from referee.engine.verdicts import Malformed
from referee.log.members import CHAIN, SCHEME

TAG = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND, MICROSECONDS = timedelta(microseconds=1), 1_000_000


class Chain(NamedTuple):
    """A chain of rounds: its public key (hex), the time of round 1 (Unix), the seconds between rounds."""

    public_key: str
    genesis: int
    period: int

    @classmethod
    def read(cls, data: Any) -> "Chain":
        """Read a chain from its form in a `created` entry. Raises Malformed."""
        if not CHAIN.accepts(data):
            raise Malformed("beacon", "must name a chain of a scheme that is known here")
        if _key(data["public_key"]) is None:
            raise Malformed("beacon.public_key", "is no key of this scheme")
        chain = cls(data["public_key"], data["genesis_time"], data["period"])
        if chain.public_key == QUICKNET.public_key and chain != QUICKNET:
            # With other times, an old round, which is already public, could pass for the next one.
            raise Malformed("beacon", "has the key of the League of Entropy's quicknet, and not its times")
        return chain

    def to_json(self) -> dict[str, Any]:
        """Return the chain in its form in a `created` entry."""
        return {
            "scheme": SCHEME,
            "public_key": self.public_key,
            "genesis_time": self.genesis,
            "period": self.period,
        }

    def round_after(self, at: datetime) -> int:
        """Return the first round whose time is later than this one."""
        since = (at - EPOCH) // MICROSECOND - self.genesis * MICROSECONDS
        return max(1, since // (self.period * MICROSECONDS) + 2)

    def time_of(self, number: int) -> datetime:
        """Return when a round is published."""
        return EPOCH + timedelta(seconds=self.genesis + (number - 1) * self.period)

    def has_signed(self, number: int, signature: str) -> bool:
        """Return whether this is the signature of a round, in hex; each round has exactly one."""
        return _has_signed(self.public_key, number, signature)


# The chain of the League of Entropy with a round every three seconds.
QUICKNET = Chain(
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    1692803367,
    3,
)


def randomness(signature: str) -> bytes:
    """Return the 32 bytes of randomness for a round's signature, in hex."""
    return sha256(bytes.fromhex(signature)).digest()


@lru_cache(maxsize=16)
def _key(public_key: str) -> Any:
    """Return the point of a key, or None. Raises Malformed where no package for such keys is installed."""
    bls = _bls()
    try:
        point = bls.G2Point.from_compressed_bytes(bytes.fromhex(public_key))
    except ValueError:
        return None
    return None if point == bls.G2Point.identity() else point


@lru_cache(maxsize=4096)  # games that began together share a round
def _has_signed(public_key: str, number: int, signature: str) -> bool:
    bls, key = _bls(), _key(public_key)
    try:
        point = bls.G1Point.from_compressed_bytes(bytes.fromhex(signature))
    except ValueError:
        return False
    if key is None or point == bls.G1Point.identity():
        return False
    message = bls.G1Point.hash_to_curve(sha256(number.to_bytes(8, "big")).digest(), TAG)
    # e(signature, generator) = e(message, key); `G2Point()` is the generator.
    fits: bool = bls.GT.pairing_check([point, -message], [bls.G2Point(), key])
    return fits


def _bls() -> Any:
    return require("py_arkworks_bls12381", "beacon")
