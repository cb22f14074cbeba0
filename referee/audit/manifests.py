"""Manifests of archived months: what an archive must contain, proved by the server's log of all games."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from referee.audit.archives import MANIFEST, SUFFIXES, digest_of
from referee.engine.jsontext import parse
from referee.engine.verdicts import Malformed
from referee.log.leaves import GAMES, archive_leaf
from referee.log.merkle import leaf_hash, root_of_inclusion
from referee.log.receipts import Key, read_receipt, signer

FORMAT = "card-referee-archive/1"
MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])").fullmatch
MEMBERS = {"format", "month", "file", "games", "sha256", "inclusion"}


class Checked(NamedTuple):
    """What a manifest says of its archive; `ok` is None if it was not checked."""

    name: str
    ok: bool | None
    detail: str
    month: str = ""


def check_folder(folder: Path, keys: Sequence[Key]) -> list[Checked]:
    """Compare every archive in a folder with its manifest, and every manifest with its archive."""
    manifests = {path.name.removesuffix(MANIFEST): path for path in sorted(folder.glob(f"*{MANIFEST}"))}
    checks = [_checked(path, folder / name, keys) for name, path in manifests.items()]
    for path in sorted(folder.iterdir()):
        if path.name.endswith(SUFFIXES) and path.name not in manifests:
            checks.append(Checked(path.name, None, "has no manifest: games may be missing"))
    return [*checks, *gaps(one.month for one in checks if one.month)]


def gaps(months: Iterable[str]) -> Iterator[Checked]:
    """Yield the months that two archives claim, and those between the first and the last without one."""
    counted = Counter(months)
    for month in sorted(month for month, archives in counted.items() if archives > 1):
        yield Checked(month, False, "two archives are said to be of this month")
    numbers = sorted(int(month[:4]) * 12 + int(month[5:]) - 1 for month in counted)
    for number in range(numbers[0], numbers[-1]) if numbers else ():
        if number not in numbers:
            month = f"{number // 12:04}-{number % 12 + 1:02}"
            yield Checked(month, None, "has no archive: no game ended in it, or its archive is missing")


def _checked(path: Path, archive: Path, keys: Sequence[Key]) -> Checked:
    try:
        return check_manifest(parse(path.read_bytes()), archive, keys)
    except (Malformed, OSError) as error:
        return Checked(path.name, False, f"cannot be read: {error}")


def check_manifest(data: Any, archive: Path, keys: Sequence[Key]) -> Checked:
    """Check a manifest with its archive and the server's keys. Raises Malformed, OSError."""
    if type(data) is not dict or data.keys() != MEMBERS or data["format"] != FORMAT:
        raise Malformed("format", f"must be that of {FORMAT!r}")
    if not archive.exists():
        return Checked(data["file"], False, "the archive that the manifest describes is missing")
    if data["file"] != archive.name:
        return Checked(archive.name, False, f"has the manifest of {data['file']}")
    games, digest = digest_of(archive)
    if (games, digest) != (data["games"], data["sha256"]):
        return Checked(archive.name, False, f"has other lines than its manifest says: {games} games")
    try:
        key = _signer(data, keys)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise Malformed("inclusion", "cannot be read") from None
    month = data["month"]
    if type(month) is not str or MONTH(month) is None:
        raise Malformed("month", "must be a year and a month")
    if key is None:
        why = "no trusted key was given" if not keys else "no trusted key has signed it"
        return Checked(archive.name, None if not keys else False, f"{month}, {games} games: {why}", month)
    return Checked(archive.name, True, f"{month} is whole: {games} games, in the log of {key.name}", month)


def _signer(data: dict[str, Any], keys: Sequence[Key]) -> Key | None:
    """Return the key that has signed a tree with the manifest's leaf. Raises Malformed if there is none."""
    inclusion = data["inclusion"]
    (one,) = inclusion["leaves"]
    at = parse(one["data"].encode())["at"]
    leaf = archive_leaf(data["month"], data["games"], data["sha256"], at)
    proof = [bytes.fromhex(text) for text in one["proof"]]
    root = root_of_inclusion(one["index"], inclusion["size"], leaf_hash(leaf), proof)
    if inclusion["checkpoint"] is None:
        return None
    signed = read_receipt(inclusion["checkpoint"])
    if one["data"].encode() != leaf or (signed.size, signed.root) != (inclusion["size"], root):
        raise Malformed("inclusion", "does not prove that the month is in the log of all games")
    key = signer(signed, keys)
    return key if key is not None and signed.origin == f"{key.name}/{GAMES}" else None
