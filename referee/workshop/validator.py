"""Everything that is checked of the games of this package, for any ruleset: `referee test`.

Declarations are checked first, the rest in random games at every table. A failure names the declaration or
function to mend, with its line.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from referee.computer.playout import playout
from referee.engine.chance import Below, Seeded
from referee.engine.jsontext import compact, parse
from referee.engine.play import advance, judge, legal_moves, read
from referee.engine.position import clone, sees
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import Bool, Kind, ListOf, OneOf, Text
from referee.engine.verdicts import Faulty, Malformed
from referee.engine.views import dump, public_move
from referee.log.record import read_record, replay
from referee.verification.verify import verify
from referee.workshop import hidden, programs, trials
from referee.workshop.declarations import Fault, Source, faults, place_of
from referee.workshop.trials import Point

GAMES, MOVES = 2, 120  # random games at each table, and moves in each
SELDOM = 5  # what takes long is checked at one in this many positions
SHAPES = 6  # moves of the right shape that are tried for each type


class Outcome(NamedTuple):
    """The outcome of one check: its name, what it found, and whether the ruleset passes."""

    name: str
    detail: str
    ok: bool


class Tried(NamedTuple):
    """A check of one position or move of a random game."""

    doc: str
    check: Callable[[Point, Below], Fault | None]
    seldom: bool = False


def validate(rules: Ruleset[Any], games: int = GAMES, most: int = MOVES) -> Iterator[Outcome]:
    """Check a ruleset in every way that is known here; yield an outcome for each check."""
    source = Source(rules)
    results = faults(rules)
    yield Outcome("declarations", "\n".join(results) or "every name, phase, shape and rule fits", not results)
    if not results:
        yield from _in_games(rules, source, games, most)
        yield _records(rules, source)
        yield from _recorded(Path(source.file).parent.parent / "records" / rules.ID)


def _recorded(folder: Path) -> Iterator[Outcome]:
    """Verify the games that the author has recorded, if there are any: JSON files in a folder."""
    files = sorted(folder.rglob("*.json")) if folder.is_dir() else []
    bad = [f"{file}: {fault}" for file in files if (fault := _fault_of(file.read_text("utf-8"))) is not None]
    if files:
        yield Outcome("recorded games", "\n".join(bad) or f"{len(files)} are verified", not bad)


def _fault_of(record: str) -> str | None:
    """Return why a record fails verification, or None."""
    try:
        bad = [f"{check.name} ({check.detail})" for check in verify(parse(record)).checks if not check.ok]
    except Exception as error:
        return str(error)
    return ", ".join(bad) or None


def _in_games(rules: Ruleset[Any], source: Source, games: int, most: int) -> Iterator[Outcome]:
    failed: dict[str, str] = {}
    ended = played = 0
    for number, (seats, options) in enumerate(trials.tables(rules)):
        for game in range(games):
            seed = bytes((number % 256, game))
            below = Seeded.from_seed(seed, ["validator"]).pick
            played += 1
            try:
                for point in trials.play(rules, seats, options, seed, most):
                    _try(point, source, below, failed)
                    ended += point.after.result is not None
            except Faulty as fault:
                failed.setdefault("endings", source.told("BLOCKS", str(fault)))
            except Exception as error:
                failed.setdefault("endings", place_of(error, source.file))
    for name, tried in CHECKS.items():
        yield Outcome(name, failed.get(name, tried.doc), name not in failed)
    detail = f"{ended} of {played} random games ended within {most} moves, and none stopped without a result"
    yield Outcome("endings", failed.get("endings", detail), "endings" not in failed)


def _try(point: Point, source: Source, below: Below, failed: dict[str, str]) -> None:
    for name, (_, check, seldom) in CHECKS.items():
        if name in failed or (seldom and point.number % SELDOM):
            continue
        try:
            fault = check(point, below)
        except Exception as error:
            failed[name] = f"{_told(error, source)} ({point})"
        else:
            if fault is not None:
                failed[name] = source.told(fault[0], f"{fault[1]} ({point})")


def _told(error: Exception, source: Source) -> str:
    """Return an error with the line that led to it, or the line that declares what is malformed."""
    told = place_of(error, source.file)
    if not isinstance(error, Malformed) or not told.startswith(f"{source.file}: "):
        return told
    names = error.place.split(".")
    return source.told(names[1] if len(names) > 1 else names[0], str(error))


def _records(rules: Ruleset[Any], source: Source) -> Outcome:
    """Write the record of a random game, replay it and verify it."""
    try:
        for seats in rules.SEATS:
            record = parse(compact(playout(rules.ID, seats, {}, b"\x01", MOVES)))
            last = replay(read_record(record))
            if last.state.result != record["result"] or last.n != len(record["moves"]):
                return Outcome("records", source.told("BLOCKS", "a replay ends differently"), False)
            bad = [check.name for check in verify(record).checks if not check.ok]
            if bad:
                return Outcome("records", f"a record fails verification: {', '.join(bad)}", False)
    except Exception as error:
        return Outcome("records", place_of(error, source.file), False)
    return Outcome("records", "records are replayed and verified with the same result", True)


# --- checks of a position or move ----------------------------------------------------------------------
def _cards(point: Point, below: Below) -> Fault | None:
    state = point.after
    deck = Counter(state.ruleset.deck(state.seats, state.options))
    held = Counter(card for place in state.places for card in place)
    if held != deck:
        wrong = min((deck - held) + (held - deck))
        return _maker(point), f"{wrong} is there {held[wrong]} times, not {deck[wrong]}"
    return None


def _maker(point: Point) -> str:
    """Return the name of the function that made the move, or the deal."""
    if point.seat < 0:
        return "deal"
    makes = point.before.makes[point.before.phase]
    return str(getattr(makes[point.move["type"]], "__name__", "BLOCKS"))


def _transfers(point: Point, below: Below) -> Fault | None:
    if point.seat < 0:
        return None
    before = {place.name: Counter(place) for place in point.before.places}
    for source, target, cards, _, _ in point.transfers:
        if source is not None:
            before[source].subtract(cards)
        if target is not None:
            before[target].update(cards)
    for place in point.after.places:
        if +before[place.name] != Counter(place) or -before[place.name]:
            return _maker(point), f"{place.name} changed without a transfer; use `move` and its relatives"
    return None


def _lists(point: Point, below: Below) -> Fault | None:
    state = point.before
    for seat in range(state.seats) if point.seat >= 0 else ():
        listed = [*legal_moves(state, seat)]
        if not listed and seat in state.to_act:
            return "BLOCKS", f"the game waits for seat {seat}, which has no legal move"
        texts = [compact(move) for move in listed]
        if len({*texts}) < len(texts):
            return "BLOCKS", f"seat {seat} is listed a move twice: {max(texts, key=texts.count)}"
        rules = state.ruleset
        wanted = [move for move in rules.candidates(state, seat) if rules.refuse(state, seat, move) is None]
        if seat not in state.to_act:
            wanted = [move for move in wanted if move["type"] in rules.OUT_OF_TURN]
        if len(listed) != len(wanted) or {*texts} != {*map(compact, wanted)}:
            return "BLOCKS", f"seat {seat} is listed {compact(listed)}; the rules allow {compact(wanted)}"
        for move in listed:
            if refusal := judge(state, seat, move).refusal:
                return refusal.rule, f"{compact(move)} is listed and refused"
    return None


def _verdicts(point: Point, below: Below) -> Fault | None:
    """Check many moves of the right shape: complete lists, and that nothing changes."""
    state = point.before
    rules = state.ruleset
    if point.seat < 0:
        return None
    before = compact(dump(state))
    deck = sorted({*rules.deck(state.seats, state.options)})
    for seat in range(state.seats):
        shown = [card for place in state.places if sees(seat, place.seen) for card in place]
        listed = {compact(move) for move in legal_moves(state, seat)}
        for kind in rules.PHASES[state.phase]:
            for number in range(SHAPES):
                cards = shown if shown and number % 2 else deck
                fields = rules.MOVES[kind].items()
                move = {"type": kind} | {name: _value(field.kind, cards, below) for name, field in fields}
                verdict = judge(state, seat, move)
                in_order = {compact(move), compact(_sorted(state, move))}
                if rules.COMPLETE and verdict.legal and not in_order & listed:
                    told = "is legal and not listed: a rule must refuse it, or the list must have it"
                    return "BLOCKS", f"{compact(move)} {told}; else COMPLETE is False"
    return None if compact(dump(state)) == before else ("BLOCKS", "a rule changes the state")


def _sorted(state: Any, move: dict[str, Any]) -> dict[str, Any]:
    """Return a move with its lists in the order of the table, as lists of moves have them."""
    return {**move, **public_move(state, move)}


def _value(kind: Kind, cards: list[str], below: Below) -> Any:
    """Return a value for a field: a card for a string, a small number for an integer."""
    if isinstance(kind, Text):
        return cards[below(len(cards))]
    if isinstance(kind, OneOf):
        return kind.values[below(len(kind.values))]
    if isinstance(kind, ListOf):
        return [_value(kind.item, cards, below) for _ in range(max(1, kind.low) + below(3))]
    if isinstance(kind, Bool):
        return bool(below(2))
    return below(16)


def _positions(point: Point, below: Below) -> Fault | None:
    """Write the position, read it again and continue: the result is the same."""
    state = point.before if point.seat >= 0 else point.after
    written = compact(dump(state))
    again = read(parse(written))
    if compact(dump(again)) != written:
        return "check", "a position that is written and read again is another one"
    if point.seat < 0:
        return None
    ends = []
    for one in (clone(state), again):
        chance = point.chance()
        transfers = advance(one, point.seat, point.move, chance)
        ends.append(compact([dump(one), transfers, chance.drawn]))
    return None if ends[0] == ends[1] else ("State", "a position that is read again continues differently")


CHECKS: dict[str, Tried] = {
    "cards": Tried("every card is in exactly one zone, always", _cards),
    "transfers": Tried("every card that moves is in a transfer", _transfers),
    "lists": Tried("what is listed is what is judged legal, each move once", _lists),
    "verdicts": Tried("what is legal is listed, and to ask changes nothing", _verdicts, seldom=True),
    "positions": Tried("positions are read as they were written", _positions),
    "views": Tried("views contain what is declared visible", hidden.views),
    "facts": Tried("no fact names a card that its readers never saw", hidden.facts),
    "entries": Tried("entries show each seat only its own", hidden.entries),
    "hidden cards": Tried("nothing told depends on hidden cards", hidden.exchanges, seldom=True),
    "samples": Tried("hidden cards can be imagined from every view", programs.samples, seldom=True),
    "values": Tried("payoffs and standings are numbers, one a seat", programs.values),
    "talk": Tried("talk is free, a move, or forbidden by a rule", programs.talk_declared),
    "bots": Tried("bots make legal moves", programs.bots),
}
