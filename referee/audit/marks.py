"""The line at the end of an archive, with which a reader knows that nothing was cut off."""

from hashlib import sha256
from typing import Any

from referee.engine.jsontext import line, parse, same
from referee.engine.verdicts import Malformed

MEMBER = "archive_end"
BEGINNING = b'{"archive_end"'
BESIDE = (b'{"app":', b'{"player":')
"""The beginnings of lines that are no games: in the export of an app, what it has beside them."""


def is_game(text: bytes) -> bool:
    """Return whether a line, which is no end mark, has a game."""
    return bool(text.strip()) and not text.startswith(BESIDE)


class EndMark:
    """The lines of an archive so far: how many games, and the SHA-256 of all lines with their line feeds."""

    def __init__(self) -> None:
        self.games = 0
        self._hash = sha256()

    def add(self, text: bytes) -> None:
        """Count a line, given without its line feed."""
        self._hash.update(text + b"\n")
        self.games += is_game(text)

    @property
    def line(self) -> bytes:
        """The mark as a line, with its line feed."""
        return line({MEMBER: self._content()})

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the lines so far."""
        return self._hash.digest()

    def require(self, text: bytes) -> None:
        """Compare with the mark that was read. Raises Malformed if lines are missing or were changed."""
        mark: Any = parse(text)
        if not same(mark, {MEMBER: self._content()}):
            raise Malformed("", f"is not whole: its end mark is not that of the {self.games} lines before it")

    def _content(self) -> dict[str, Any]:
        return {"games": self.games, "sha256": self._hash.hexdigest()}
