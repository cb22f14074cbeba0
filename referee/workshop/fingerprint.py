"""The fingerprints of a released ruleset: hashes of how it plays.

A game keeps the version of the rules with which it began, so a released version must play the same forever;
how it is written may change. The fingerprints lie beside the rules' text as `ID.sha256` (`ID-2.sha256` for
version 2): one of games with the default options, and one for each option that is chosen otherwise. Options
that are left at their defaults are no part of them, so an option may be added to a released version, if the
game is as before where nobody chooses it. So may larger tables: a fingerprint is of the games with up to so
many seats, and those with more have one of their own from the next release on.
"""

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from referee.engine.loading import default_options
from referee.engine.play import legal_moves
from referee.engine.ruleset import Ruleset
from referee.engine.views import dump
from referee.log.chain import canonical
from referee.texts.rulebook import text_file
from referee.workshop.trials import other, play
from referee.workshop.validator import Outcome

GAMES, MOVES = 3, 120  # random games at each table, and moves in each
NAME, DEFAULTS = "fingerprint", "defaults"


def of(rules: Ruleset[Any]) -> dict[str, list[str]]:
    """Return hashes of random games with the default options, and of those with each option changed.

    There is one for each number of seats, of all games with so many seats or fewer.
    """
    return {name: [*_hashes(rules, name)] for name in dict.fromkeys([DEFAULTS, *_options(rules)])}


def compared(rules: Ruleset[Any]) -> Outcome:
    """Compare a ruleset with its fingerprints, if it was released."""
    released = _read(rules)
    if not released:
        return Outcome(NAME, "not released yet; `referee test --release` keeps how it plays", True)
    try:
        found = of(rules)
    except Exception as error:
        return Outcome(NAME, f"cannot be played: {type(error).__name__}: {error}", False)
    changed = [name for hash_, name in released if hash_ not in found.get(name, ())]
    if changed:
        tables = ", ".join(changed)
        told = f"plays otherwise than when it was released ({tables}); give it a new VERSION"
        return Outcome(NAME, f"version {rules.VERSION} {told}", False)
    return Outcome(NAME, f"version {rules.VERSION} plays as it was released", True)


def kept(rules: Ruleset[Any]) -> Outcome:
    """Keep the fingerprints of what is released now; one that is kept already is never changed."""
    outcome = compared(rules)
    released = _read(rules)
    found = [(hashes[-1], name) for name, hashes in of(rules).items()] if outcome.ok else []
    if not outcome.ok or set(found) <= set(released):
        return outcome
    file = _file(rules)
    lines = dict.fromkeys([*released, *found])
    file.write_text("".join(f"{hash_}  {name}\n" for hash_, name in lines), "utf-8")
    return Outcome(NAME, f"written to {file}", True)


def _hashes(rules: Ruleset[Any], name: str) -> Iterator[str]:
    """Yield the hash of positions, moves, transfers and lists of random games, this option changed."""
    hash_ = sha256()
    for seats in rules.SEATS:
        declared = rules.options(seats)
        if name != DEFAULTS and name not in declared:
            continue
        chosen = {} if name == DEFAULTS else {name: other(declared[name])}
        options = default_options(rules, seats) | chosen
        for game in range(GAMES):
            for point in play(rules, seats, options, bytes((seats, game)), MOVES):
                position = dump(point.after) | {"options": chosen}
                hash_.update(canonical([position, point.seat, dict(point.move)]))
                hash_.update(canonical([list(transfer) for transfer in point.transfers]))
                if point.number % 10 == 1:
                    listed = [legal_moves(point.before, seat) for seat in range(seats)]
                    hash_.update(canonical([[dict(move) for move in moves[:100]] for moves in listed]))
        yield hash_.hexdigest()


def _options(rules: Ruleset[Any]) -> Iterator[str]:
    """Yield the options that can be changed."""
    for seats in rules.SEATS:
        for name, option in rules.options(seats).items():
            if other(option) != option.default:
                yield name


def _read(rules: Ruleset[Any]) -> list[tuple[str, str]]:
    """Return what is kept: hashes, each with its name."""
    try:
        lines = _file(rules).read_text("utf-8").splitlines()
    except OSError:
        return []
    return [(hash_, name) for hash_, name in (line.split() for line in lines)]


def _file(rules: Ruleset[Any]) -> Path:
    folder = Path(str(files(getattr(rules, "__package__", "referee.games")) / "rules"))
    return folder / text_file(rules).replace(".md", ".sha256")
