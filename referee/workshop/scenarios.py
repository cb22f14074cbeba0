"""Scenario files: YAML documents in which rules are discussed, tested and disputed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import yaml

from referee.engine.chance import Scripted, Seeded, seed_bytes
from referee.engine.jsontext import compact
from referee.engine.loading import load
from referee.engine.play import advance, deal, judge, legal_moves
from referee.engine.registry import find
from referee.engine.ruleset import Ruleset
from referee.engine.talk import talk
from referee.engine.verdicts import Malformed
from referee.engine.views import dump, show_transfers, view
from referee.log.record import read_seat
from referee.texts.rulebook import COMMON, read_rules

FIRST = 1  # the version of a scenario that names none, so that it stays true when there is another
KEYS = {"name", "ruleset", "version", "seats", "options", "chance", "seed", "position", "rules", "steps"}


class Outcome(NamedTuple):
    """The outcome of a scenario: its name, and the first failure, or None."""

    name: str
    failure: str | None


class Failed(Exception):
    """The failure of a step."""


class _Loader(yaml.SafeLoader):
    """Reads dates and timestamps as text, because JSON has no such values."""

    yaml_implicit_resolvers = {  # noqa: RUF012  (how PyYAML is configured)
        first: [(tag, expr) for tag, expr in resolvers if not tag.endswith("timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def check(text: str) -> Iterator[Outcome]:
    """Run every scenario of a file's text."""
    try:
        documents = _documents(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        yield Outcome("(file)", f"is not YAML: {error}"[:300])
        return
    for i, document in enumerate(documents, 1):
        named = type(document) is dict and type(document.get("name")) is str
        name = document["name"] if named else f"document {i}"
        try:
            _run(document)
        except (Malformed, Failed) as error:
            yield Outcome(name, str(error))
        else:
            yield Outcome(name, None)


def _documents(text: str) -> list[Any]:
    return [document for document in yaml.load_all(text, _Loader) if document is not None]


def _run(document: object) -> None:
    if type(document) is not dict:
        raise Malformed("scenario", "must be a mapping")
    for key in document:
        if key not in KEYS:
            raise Malformed(str(key)[:40], "is no part of a scenario")
    seats = document.get("seats")
    rules = find(document.get("ruleset"), document.get("version", FIRST))
    if type(seats) is not int or seats not in rules.SEATS:
        raise Malformed("seats", "must be a number of seats that the ruleset has")
    seeded = partial(Seeded.from_seed, seed_bytes(document.get("seed", "00")), [""] * seats)
    chance = Scripted(document.get("chance", []), seeded)
    state = _start(document, chance)
    _named(rules, document.get("rules", []))
    steps = document.get("steps", [])
    if type(steps) is not list:
        raise Malformed("steps", "must be a list")
    for i, step in enumerate(steps, 1):
        if type(step) is not dict:
            raise Malformed(f"step {i}", "must be a mapping")
        try:
            _step(state, step, chance)
        except Failed as error:
            raise Failed(f"step {i}: {error}") from None
        except Malformed as error:
            raise Malformed(f"step {i}", str(error)) from None


def _named(rules: Ruleset[Any], named: object) -> None:
    """Check the ids of the rules that a scenario shows. Raises Malformed."""
    if type(named) is not list or not all(type(name) is str for name in named):
        raise Malformed("rules", "must be a list of ids of rules")
    for name in named:
        if name not in {rule.id for rule in read_rules(rules)}:
            raise Malformed("rules", f"{rules.ID} has no rule {name[:60]}")


def exercised(text: str) -> set[str]:
    """Return the rules that the scenarios of a file exercise: those they name, and those that refuse.

    A file with a scenario that fails shows nothing.
    """
    if any(outcome.failure for outcome in check(text)):
        return set()
    found: set[str] = set()
    for document in _documents(text):
        found |= {*document.get("rules", ()), *(step.get("illegal") for step in document.get("steps", ()))}
    return found


def unexercised(rules: Ruleset[Any], texts: Iterable[str]) -> list[str]:
    """List a ruleset's own rules that none of these scenario files exercises, in the order of its text."""
    found = set[str]().union(*map(exercised, texts))
    return [rule.id for rule in read_rules(rules) if rule.id not in found | COMMON.keys()]


def _start(document: dict[str, Any], chance: Scripted) -> Any:
    ruleset, version = document.get("ruleset"), document.get("version", FIRST)
    seats, options = document.get("seats"), document.get("options", {})
    if "position" not in document:
        return deal(ruleset, seats, options, chance, version=version)[0]
    position = document["position"]
    if type(position) is not dict:
        raise Malformed("position", "must be a mapping")
    game = find(ruleset, version)
    head = {"ruleset": game.ID, "version": game.VERSION, "seats": seats, "options": options}
    return load(game, {**position, **head})


def _step(state: Any, step: dict[str, Any], chance: Scripted) -> None:
    if step.keys() == {"expect"}:
        _matches(state, step["expect"], dump(state))
        return
    if "seat" not in step:
        raise Malformed("", 'needs "seat" or "expect"')
    seat = step["seat"]
    if seat is None:
        _spectator(state, step)
        return
    read_seat(seat, state.seats)
    match sorted(step.keys() - {"seat"}):
        case ["move"] | ["move", "shows"]:
            verdict = judge(state, seat, step["move"])
            if verdict.refusal is not None:
                raise Failed(f"refused: {verdict.refusal.rule}: {verdict.refusal.reason}")
            transfers = advance(state, seat, step["move"], chance)
            if "shows" in step:
                _compare("shows", step["shows"], show_transfers(transfers, None), set())
        case ["illegal", "move"]:
            _refused(state, seat, step["move"], step["illegal"])
        case ["says"] | ["illegal", "says"]:
            _says(state, step["says"], step.get("illegal"))
        case ["legal" | "legal_excludes" | "legal_includes" as how]:
            _lists(how, step[how], legal_moves(state, seat))
        case ["sees"]:
            _matches(state, step["sees"], view(state, seat))
        case keys:
            raise Malformed("", f"has no meaning with {', '.join(map(str, keys))}")


def _says(state: Any, text: object, rule: object) -> None:
    """Check which rule forbids talk, or that none does."""
    if type(text) is not str:
        raise Malformed("says", "must be a text")
    refusal = talk(state).refuse(text)
    if (refusal and refusal.rule) != rule:
        raise Failed(f"talk should be refused by {rule}, not {refusal and refusal.rule}")


def _spectator(state: Any, step: dict[str, Any]) -> None:
    match sorted(step.keys() - {"seat"}):
        case ["sees"]:
            _matches(state, step["sees"], view(state, None))
        case ["legal" | "legal_excludes" | "legal_includes" as how]:
            _lists(how, step[how], [])
        case keys:
            raise Malformed("", f"has no meaning for a spectator with {', '.join(map(str, keys))}")


def _refused(state: Any, seat: int, move: object, rule: object) -> None:
    before = dump(state)
    verdict = judge(state, seat, move)
    if verdict.refusal is None:
        raise Failed(f"should be refused by {rule} but is legal")
    if verdict.refusal.rule != rule:
        raise Failed(f"should be refused by {rule}, not {verdict.refusal.rule}: {verdict.refusal.reason}")
    if dump(state) != before:
        raise Failed("a refused move changed the position")


def _lists(how: str, given: object, listed: Sequence[dict[str, Any]]) -> None:
    if type(given) is not list:
        raise Malformed(how, "must be a list of moves")
    wanted = Counter(_key(move) for move in given)
    counts = Counter(_key(move) for move in listed)
    missing = [] if how == "legal_excludes" else list(wanted - counts)
    extra = {"legal": counts - wanted, "legal_includes": Counter(), "legal_excludes": counts & wanted}[how]
    if missing:
        raise Failed(f"not listed as legal: {', '.join(missing[:5])}")
    if extra:
        raise Failed(f"listed as legal: {', '.join(list(extra)[:5])}")


def _matches(state: Any, wanted: object, actual: dict[str, Any]) -> None:
    unordered = {place.name for place in state.places if place.sorted}
    _compare("", wanted, actual, unordered)


def _compare(place: str, wanted: object, actual: object, unordered: set[str]) -> None:
    if type(wanted) is dict and type(actual) is dict:
        for key, value in wanted.items():
            where = f"{place}.{key}" if place else str(key)
            if key not in actual:
                raise Failed(f"{where} is not there")
            _compare(where, value, actual[key], unordered)
        return
    if place.startswith("zones.") and place[6:] in unordered and type(wanted) is type(actual) is list:
        same = Counter(map(_key, wanted)) == Counter(map(_key, actual))
    else:
        same = _key(wanted) == _key(actual)
    if not same:
        raise Failed(f"{place} should be {_key(wanted)}, not {_key(actual)}")


def _key(value: object) -> str:
    """Return a text that is the same only for equal JSON values; 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(str(k))}:{_key(value[k])}" for k in sorted(value, key=str)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_key, value)) + "]"
    try:
        return compact(value)
    except TypeError:
        return repr(value)
