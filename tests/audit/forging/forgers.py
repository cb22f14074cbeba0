"""Forgers of records: `plain`, `rebuilt`, `re-signed` and `semantic` (see tests/campaigns/forgeries.py)."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.audit.forging import invented, told, votes  # noqa: F401 (they add to LIES)
from tests.audit.forging.deeds import Deed, any_deed, deeds, deeds_beside, do_beside, pattern
from tests.audit.forging.rebuilding import rebuild
from tests.audit.forging.table import LIES, Lie
from tests.support.honest import played
from tests.support.honest.server import Server

Record = dict[str, Any]
KINDS = ("plain", "rebuilt", "re-signed", "semantic")


class Forgery(NamedTuple):
    """A forged record: the kind of forger, what was done to which type of entry and which member."""

    kind: str
    deed: str
    type: str
    member: str
    record: Record
    game: int
    more: str = ""

    @property
    def what(self) -> str:
        return f"{self.kind}: {self.deed} {self.type}.{self.member}{self.more} (game {self.game})"


def _more(path: tuple[Any, ...], value: Any) -> str:
    return "".join(f".{step}" for step in path[1:]) + ("" if value is None else f" to {repr(value)[:40]}")


def forge(server: Server, kind: str, done: Deed | Lie, choose: random.Random) -> Forgery | None:
    """Do something to a game, and what this kind of forger does to hide it; None if nothing changes."""
    whole, record = server.record(), server.record()
    if isinstance(done, Lie):
        named, more = ("lie", done.type, done.name), ""
        if not done.tell(choose, record):
            return None
    else:
        named, more = done.kind(record["entries"]), _more(done.path, done.value)
        done.do(record["entries"])
    if kind != "plain":
        with contextlib.suppress(Exception):  # then the forger gives up half way
            rebuild(record, {} if kind == "rebuilt" else server.all_keys)
    is_same = json.dumps(record, sort_keys=True) == json.dumps(whole, sort_keys=True)
    return None if is_same or not record["entries"] else Forgery(kind, *named, record, server.number, more)


def forge_beside(whole: Record, number: int, deed: str, path: tuple[Any, ...], value: Any) -> Forgery:
    """Do something to a copy of a record, apart from its log."""
    record = copy.deepcopy(whole)
    do_beside(record, deed, path, value)
    return Forgery("plain", deed, "record", str(path[0]), record, number, _more(path, value))


def forgeries(
    count: int, games: Iterator[Server], seed: int = 1, kinds: Sequence[str] = KINDS
) -> Iterator[Forgery]:
    """Yield forgeries, of each kind in turn."""
    choose, made = random.Random(seed), 0
    while made < count:
        server = next(games)
        for _ in range(40):
            kind = kinds[made % len(kinds)]
            if kind == "plain" and choose.random() < 0.4:
                whole = server.record()
                beside = choose.choice([*deeds_beside(whole)])
                forged: Forgery | None = forge_beside(whole, server.number, *beside)
            else:
                done = choose.choice(LIES) if kind == "semantic" else any_deed(choose, server.entries)
                forged = forge(server, kind, done, choose)
            if forged is not None:
                yield forged
                made += 1
            if made == count:
                return


def every_deed(games: Iterable[Server]) -> Iterator[tuple[Server, Deed]]:
    """Yield each deed once, of those that are alike at different entries."""
    done = set()
    for server in games:
        for at in range(len(server.entries)):
            for deed in deeds(server.entries, at):
                if (alike := pattern(deed, server.entries)) not in done:
                    done.add(alike)
                    yield server, deed


def honest_games(first: int, most: int = 25) -> Iterator[Server]:
    number = first
    while True:
        yield played(number, most=most)
        number += 1
