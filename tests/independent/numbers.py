"""Hashes, keys, chance and times, by the steps of docs/reference/log-format.md."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

DOCS = Path(__file__).parents[2] / "docs/reference"
FORMAT: dict[str, Any] = json.loads((DOCS / "log-format.json").read_text("utf-8"))
VECTORS: dict[str, Any] = json.loads((DOCS / "log-vectors.json").read_text("utf-8"))
BIGGEST = 2**53 - 1


def canonical(value: Any) -> bytes:
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be"))
        return b"{" + b",".join(canonical(name) + b":" + canonical(item) for name, item in pairs) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(canonical, value)) + b"]"
    if isinstance(value, float) or (type(value) is int and abs(value) > BIGGEST):
        raise ValueError("a number that is not allowed")
    return json.dumps(value, ensure_ascii=False).encode()


def hashed(*parts: bytes) -> str:
    return sha256(b"".join(parts)).hexdigest()


def mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.digest(key, b"".join(parts), "sha256")


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def game_key(seed: bytes, entropy: list[str]) -> bytes:
    given = [text.encode() for text in entropy]
    return mac(seed, b"card-referee/1", *(bytes([len(each)]) + each for each in given))


def words(key: bytes, k: int) -> Iterator[int]:
    for block in count():
        digest = mac(key, u32(k), u32(block))
        yield from (int.from_bytes(digest[n : n + 4], "big") for n in range(0, 32, 4))


def below(source: Iterator[int], n: int) -> int:
    return next(word for word in source if word < 2**32 // n * n) % n


def outcome(key: bytes, k: int, named: dict[str, Any]) -> dict[str, Any]:
    """Return outcome k, of the kind that a record names."""
    source = words(key, k)
    if "shuffle" not in named:
        return {"pick": below(source, named["of"]), "of": named["of"]}
    order = sorted(named["shuffle"])
    for i in range(len(order) - 1, 0, -1):
        j = below(source, i + 1)
        order[i], order[j] = order[j], order[i]
    return {"shuffle": order}


def chosen(key: bytes, word: bytes, n: int, *numbers: int) -> int:
    """Return a number below n for a move that nobody has chosen."""
    return int.from_bytes(mac(key, word, *map(u32, numbers)), "big") % n


# --- signatures -------------------------------------------------------------------------------------

P = 2**255 - 19
EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL = {0, 1, P - 1, EIGHTH, P - EIGHTH}


def is_key(text: Any) -> bool:
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{64}", text):
        return False
    y = int.from_bytes(bytes.fromhex(text), "little") % 2**255
    return y < P and y not in SMALL


def is_signed(key: str, signature: Any, message: bytes) -> bool:
    if not isinstance(signature, str) or not re.fullmatch("[0-9a-f]{128}", signature):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


# --- times, in microseconds -------------------------------------------------------------------------

SECOND = 10**6
DAY = 24 * 3600 * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS = {"W": 7 * DAY, "D": DAY, "H": 3600 * SECOND, "M": 60 * SECOND, "S": SECOND}


def nanoseconds(text: str) -> int:
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", text)
    if not found:
        raise ValueError("no time")
    at = datetime.fromisoformat(f"{found[1]}+00:00") - EPOCH
    return at // timedelta(seconds=1) * 10**9 + int((found[2] or "").ljust(9, "0"))


def time(text: str) -> int:
    return nanoseconds(text) // 1000


def time_text(at: int) -> str:
    return (EPOCH + timedelta(microseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


LATEST = time("9999-12-30T00:00:00Z")


def length(text: str | None) -> int:
    if text is None:
        return 0
    number = r"(?:(\d+){0})?"
    date, clock = "".join(map(number.format, "WD")), "".join(map(number.format, "HM"))
    found = re.fullmatch(rf"P{date}(?:T(?=\d){clock}(?:(\d+(?:\.\d+)?)S)?)?", text)
    if not found or not any(found.groups()):
        raise ValueError("no duration")
    *whole, seconds = found.groups()
    total = sum(int(each) * UNITS[unit] for each, unit in zip(whole, "WDHM", strict=True) if each)
    whole_seconds, _, fraction = (seconds or "0").partition(".")
    return total + int(whole_seconds) * SECOND + int(fraction[:6].ljust(6, "0"))


def length_text(micro: int) -> str:
    seconds, rest = divmod(micro, SECOND)
    return f"PT{seconds}.{rest:06}".rstrip("0") + "S" if rest else f"PT{seconds}S"


def weekday(at: int) -> int:
    return (at // DAY + 3) % 7  # 1970 began on a Thursday


def from_monday(at: int) -> int:
    return at if weekday(at) < 5 else at // DAY * DAY + (7 - weekday(at)) * DAY


def counted(step: Callable[[int, int], tuple[int, int]], at: int, most: int) -> tuple[int, int]:
    """Go through weeks from a time on; return the time that is reached, and what was counted."""
    done = 0
    while done < most:
        saturday = at // DAY * DAY + (5 - weekday(at)) * DAY
        piece, stop = step(saturday - at, most - done)
        done += piece
        at += piece
        if stop:
            break
        at = saturday + 2 * DAY
    return at, done


def offset(text: str) -> int:
    """Read how much later it is somewhere than in UTC."""
    found = re.fullmatch("([+-])(0[0-9]|1[0-4]):([0-5][0-9])", text)
    if found is None:
        raise ValueError(text)
    return (60 * int(found[2]) + int(found[3])) * 60 * SECOND * (-1 if found[1] == "-" else 1)


def later(start: int, micro: int, quiet: int | None) -> int:
    if start + micro > LATEST:
        return LATEST
    if quiet is None:
        return start + micro
    at, _ = counted(lambda week, left: (min(week, left), left <= week), from_monday(start + quiet), micro)
    return min(at - quiet, LATEST)


def between(start: int, end: int, quiet: int | None) -> int:
    if quiet is None:
        return max(0, end - start)
    total, at = 0, from_monday(start + quiet)
    end += quiet
    while at < end:
        saturday = at // DAY * DAY + (5 - weekday(at)) * DAY
        total += max(0, min(end, saturday) - at)
        at = saturday + 2 * DAY
    return total
