"""What identifies the file and the game of a report: ids, promises, hashes, receipts, pace."""

from collections.abc import Sequence
from typing import Any

from referee.dispute.story import pace_in_words
from referee.dispute.words import isolated
from referee.table.dealing import COMMIT
from referee.verification.forks import Compared


def proof(
    data: Any,
    entries: list[dict[str, Any]],
    game: str | None,
    file: str | None,
    held: Sequence[Compared] = (),
) -> str:
    """Return the part of the page that names the game and the file."""
    created = entries[0] if entries else {}
    signed = next((one.receipt.origin.rpartition("/")[2] for one in held if one.ok), None)
    written = data.get("game")
    known = game or signed or (written if type(written) is str else None)
    promised = created.get("commitment") or data.get("commitment")
    rows = [
        ("Game", _code(known) if known else "The record does not name it."),
        ("File", f"SHA-256 {_code(file)}" if file else ""),
        (
            "Commitment",
            f"{_code(promised)}, published before anyone sat down: the SHA-256 of the seed"
            if promised
            else "none",
        ),
        ("Log", f"{len(entries)} entries" if entries else "none: who moved, and when, is not told"),
        ("Hash of the last entry", _code(entries[-1].get("hash")) if entries else ""),
        ("Receipts", _receipts(held)),
        ("Deal", _deal(created)),
        ("Pace", pace_in_words(created.get("pace")) if entries else ""),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows if text)
    origin = _origin(data.get("origin"), data.get("imported_by"))
    if data.get("test_clock") is not None:
        origin += "<p class=note>This was a test game: its app has set what time it is in it.</p>"
    return f"<h2>What this report belongs to</h2><dl class=facts>{listed}</dl>{origin}"


def _code(text: Any) -> str:
    return f"<code>{isolated(str(text))}</code>"


def _deal(created: dict[str, Any]) -> str:
    """Report what determines the deal in addition to the seed and the entropy given when joining."""
    commits = created.get("entropy") == COMMIT
    return "The seats committed to their entropy before anybody could know another's." if commits else ""


def _origin(origin: object, importer: object) -> str:
    """Report that a game was imported, so the server that exported the record did not deal it."""
    if origin != "imported":
        return ""
    name = importer.get("name") if type(importer) is dict else None
    by = f" by {isolated(str(name)[:100])}" if name else ""
    return f"<p class=note>This game was imported{by}: the server that wrote this record did not deal it.</p>"


def _receipts(held: Sequence[Compared]) -> str:
    """Report for each receipt whether it fits this log."""
    marks = {True: "", False: "<strong>Does not fit:</strong> ", None: "Not certain: "}
    lines = [f"{isolated(one.receipt.origin)}: {marks[one.ok]}{isolated(one.detail)}" for one in held]
    return "<br>".join(lines) or "None were given."
