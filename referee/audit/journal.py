"""The journal of an audit: the findings of batches that were verified, so that an audit can be continued."""

from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from referee.audit.archives import Batch
from referee.audit.tally import Failure, Found, Game
from referee.engine.jsontext import line, parse
from referee.engine.verdicts import Malformed
from referee.log.receipts import Key

FORMAT = "3"  # of what is kept of a batch; another one is verified again


class Journal:
    """The findings so far, by the hash of what was verified: changed records are verified again.

    Without a path nothing is kept.
    """

    def __init__(self, path: Path | None, require_log: bool, keys: Sequence[Key]) -> None:
        """Read the journal. Raises Malformed if the file is none."""
        how = [version("card-referee"), FORMAT, str(require_log), *(str(key) for key in keys)]
        self._how = sha256("\n".join(how).encode()).digest()
        self._path = path
        self._file: IO[bytes] | None = None
        self._known: dict[str, Any] = {}
        if path is not None and path.exists():
            self._read(path)

    def __enter__(self) -> "Journal":
        if self._path is not None:
            self._file = self._path.open("ab")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def _read(self, path: Path) -> None:
        *lines, last = path.read_bytes().split(b"\n")
        for text in lines:
            data = parse(text)
            if type(data) is not dict or data.keys() != {"batch", "found"}:
                raise Malformed("journal", f"{path} is no journal of an audit")
            self._known[data["batch"]] = data["found"]
        if last:  # the process was killed while it wrote this
            path.write_bytes(b"".join(text + b"\n" for text in lines))

    def known(self, batch: Batch) -> Found | None:
        """Return the findings of a batch that was verified before, or None."""
        line = self._known.get(self._name(batch))
        if line is None:
            return None
        records, entries, failed, failures, unchecked, rulesets, special, short, games = line
        return Found(
            records,
            entries,
            failed,
            [Failure(*failure) for failure in failures],
            [(check, why) for check, why in unchecked],
            {name: (total, fails) for name, (total, fails) in rulesets.items()},
            special,
            short,
            [Game(*game) for game in games],
        )

    def add(self, batch: Batch, tally: Found) -> None:
        """Keep the findings of a batch."""
        name = self._name(batch)
        if self._file is not None and name not in self._known:
            self._known[name] = tally
            self._file.write(line({"batch": name, "found": list(tally)}))
            self._file.flush()

    def _name(self, batch: Batch) -> str:
        content = sha256(self._how)
        for name, text in batch.records:
            for part in (name.encode(), text if type(text) is bytes else str(text).encode()):
                content.update(len(part).to_bytes(8, "big") + part)
        return content.hexdigest()
