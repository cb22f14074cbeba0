"""The fingerprint of a released ruleset: a hash of how it plays.

A game keeps the version of the rules with which it began, so a released version must play the same forever;
how it is written may change. The fingerprint lies beside the rules' text as `ID.sha256` (`ID-2.sha256` for
version 2).
"""

from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from referee.engine.play import legal_moves
from referee.engine.ruleset import Ruleset
from referee.engine.views import dump
from referee.log.chain import canonical
from referee.texts.rulebook import text_file
from referee.workshop.trials import play, tables
from referee.workshop.validator import Outcome

GAMES, MOVES = 3, 120  # random games at each table, and moves in each
NAME = "fingerprint"


def of(rules: Ruleset[Any]) -> str:
    """Return the hash of the positions, moves, transfers and lists of random games at every table."""
    hash_ = sha256()
    for number, (seats, options) in enumerate(tables(rules)):
        for game in range(GAMES):
            for point in play(rules, seats, options, bytes((number % 256, game)), MOVES):
                hash_.update(canonical([dump(point.after), point.seat, dict(point.move)]))
                hash_.update(canonical([list(transfer) for transfer in point.transfers]))
                if point.number % 10 == 1:
                    listed = [legal_moves(point.before, seat) for seat in range(seats)]
                    hash_.update(canonical([[dict(move) for move in moves[:100]] for moves in listed]))
    return hash_.hexdigest()


def compared(rules: Ruleset[Any]) -> Outcome:
    """Compare a ruleset with its fingerprint, if it was released."""
    try:
        released = _file(rules).read_text("utf-8").strip()
    except OSError:
        return Outcome(NAME, "not released yet; `referee test --release` keeps how it plays", True)
    try:
        same = of(rules) == released
    except Exception as error:
        return Outcome(NAME, f"cannot be played: {type(error).__name__}: {error}", False)
    if same:
        return Outcome(NAME, f"version {rules.VERSION} plays as it was released", True)
    return Outcome(
        NAME,
        f"version {rules.VERSION} plays otherwise than when it was released; give it a new VERSION",
        False,
    )


def kept(rules: Ruleset[Any]) -> Outcome:
    """Keep the fingerprint of a ruleset that is released now; one that is kept already is never changed."""
    file = _file(rules)
    if file.exists():
        return compared(rules)
    file.write_text(of(rules) + "\n", "utf-8")
    return Outcome(NAME, f"written to {file}", True)


def _file(rules: Ruleset[Any]) -> Path:
    folder = Path(str(files(getattr(rules, "__package__", "referee.games")) / "rules"))
    return folder / text_file(rules).replace(".md", ".sha256")
