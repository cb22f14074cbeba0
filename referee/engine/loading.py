"""Reads positions from JSON, and names the place of every error."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

from referee.engine.chance import in_order
from referee.engine.checks import check_size
from referee.engine.jsontext import compact
from referee.engine.position import (
    Position,
    Zone,
    absent_facts,
    absent_zones,
    build,
    cached,
    fact_kinds,
    layout,
    needed_facts,
    private_facts,
    zone_names,
)
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import Option
from referee.engine.verdicts import Malformed

KEYS = dict.fromkeys(
    ("ruleset", "version", "seats", "options", "phase", "to_act", "zones", "facts", "scores", "result")
).keys()
GIVEN_UP = ("resigned", "timed_out")  # reasons of games that did not end by a move
STRINGS, INTEGERS, LISTS = frozenset({str}), frozenset({int}), frozenset({list})  # the types of all items


def read_options(rules: Ruleset[Any], seats: object, options: object) -> tuple[int, dict[str, Any]]:
    """Check the number of seats and the options of a new game; return both, with defaults filled in.

    Raises Malformed naming the field.
    """
    if type(seats) is not int or seats not in rules.SEATS:
        offered = ", ".join(map(str, rules.SEATS))
        raise Malformed("seats", f"must be one of {offered} for {rules.ID}")
    if type(options) is not dict:
        raise Malformed("options", "must be an object")
    declared = _declared(rules, seats)
    for key, value in options.items():
        if key not in declared:
            raise Malformed(f"options.{_short(key)}", f"{rules.ID} has no such option")
        if not declared[key].kind.accepts(value):
            raise Malformed(f"options.{key}", f"must be {declared[key].kind.what}")
    return seats, {key: options.get(key, option.default) for key, option in declared.items()}


@cached
def _declared(rules: Ruleset[Any], seats: int) -> dict[str, Option]:
    return dict(rules.options(seats))


@cached
def default_options(rules: Ruleset[Any], seats: int) -> dict[str, Any]:
    """Return the defaults of all options; the dict is shared."""
    return {name: option.default for name, option in _declared(rules, seats).items()}


def load(rules: Ruleset[Any], data: Mapping[str, Any]) -> Any:
    """Read a position. Raises Malformed, naming the place, if it is not a possible one."""
    if data.keys() != KEYS:
        for key in KEYS:
            if key not in data:
                raise Malformed(key, "is missing")
        extra = next(key for key in data if key not in KEYS)
        raise Malformed(_short(extra), "is no part of a position")
    if data["ruleset"] != rules.ID or type(data["version"]) is not int or data["version"] != rules.VERSION:
        raise Malformed("ruleset", f"this is read as {rules.ID} version {rules.VERSION}")
    seats, options = read_options(rules, data["seats"], data["options"])
    phase = data["phase"]
    if type(phase) is not str or phase not in rules.PHASES:
        raise Malformed("phase", "must be one of " + ", ".join(rules.PHASES))
    state = build(
        rules,
        seats,
        options,
        _zones(rules, seats, data["zones"]),
        _facts(rules, seats, data["facts"]),
        phase=phase,
        to_act=_seats("to_act", data["to_act"], seats),
        scores=_scores(data["scores"], seats),
        result=_result(rules, data["result"], seats, phase),
    )
    _all_there(rules, state)
    for place in state.places:
        if place.sorted:
            place.sort(key=place.key)
    if state.result is not None and state.to_act:
        raise Malformed("to_act", "must be empty when the game is over")
    if state.result is not None and state.result["reason"] in GIVEN_UP:
        return state  # cards and facts are as they were when seats gave up, so nothing else can be checked
    _check_facts(state)
    rules.check(state)
    _check_sizes(state)
    _check_zones(state)
    _check_ending(rules, state)
    if state.result is None and state.to_act != rules.due(state):
        raise Malformed("to_act", f"must be {rules.due(state)} at this point of the game")
    return state


def restore(rules: Ruleset[Any], data: Mapping[str, Any]) -> Any:
    """Read a position that this package has written and that was stored safely, without checks.

    Options that the ruleset has had only since then have their defaults.
    """
    return build(
        rules,
        data["seats"],
        {**default_options(rules, data["seats"]), **data["options"]},
        data["zones"],
        _by_field(rules, data["seats"], data["facts"]),
        phase=data["phase"],
        to_act=data["to_act"],
        scores=data["scores"],
        result=data["result"],
    )


def _zones(rules: Ruleset[Any], seats: int, given: object) -> dict[str, list[str]]:
    if type(given) is not dict:
        raise Malformed("zones", "must be an object")
    names = zone_names(rules.State, seats)
    whole = given.keys() == names.keys() and LISTS.issuperset(map(type, given.values()))
    if whole and STRINGS.issuperset(map(type, chain.from_iterable(given.values()))):
        return given
    for name in names:
        if name not in given:
            raise Malformed(f"zones.{name}", "is missing; a zone without cards is written []")
        cards = given[name]
        if type(cards) is not list or not STRINGS.issuperset(map(type, cards)):
            raise Malformed(f"zones.{name}", "must be a list of cards")
    if len(given) > len(names):
        extra = next(name for name in given if name not in names)
        raise Malformed(f"zones.{_short(extra)}", f"is no zone of {rules.ID} with {seats} seats")
    return given


def _all_there(rules: Ruleset[Any], state: Any) -> None:
    cards = rules.deck(state.seats, state.options)
    if sorted(chain.from_iterable(state.places)) == in_order(cards):
        return
    deck, held = Counter(cards), Counter[str]()
    for place in state.places:
        for card in place:
            if card not in deck:
                raise Malformed(f"zones.{place.name}", f"{_short(card)!r} is no card of this deck")
        held.update(place)
    for card, number in deck.items():
        if held[card] != number:
            raise Malformed("zones", f"{card} must be there {number} times, not {held[card]}")


def _facts(rules: Ruleset[Any], seats: int, given: object) -> dict[str, Any]:
    if type(given) is not dict:
        raise Malformed("facts", "must be an object")
    expected = fact_kinds(rules.State, seats)
    for key, kind in expected.items():
        if key not in given:
            raise Malformed(f"facts.{key}", "is missing")
        if not kind.accepts(given[key]):
            raise Malformed(f"facts.{key}", f"must be {kind.what}")
    if len(given) > len(expected):
        extra = next(key for key in given if key not in expected)
        raise Malformed(f"facts.{_short(extra)}", f"is no fact of {rules.ID}")
    return _by_field(rules, seats, given)


def _by_field(rules: Ruleset[Any], seats: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of facts by field name; of a private one, a list of those of all seats."""
    values = dict(given)
    for name in private_facts(rules.State):
        values[name] = [values.pop(f"private.{s}.{name}") for s in range(seats)]
    return values


def _check_facts(state: Position) -> None:
    """Refuse facts that do not exist in the phase, and missing facts that do."""
    seats, phase = state.seats, state.phase
    for name, due in absent_facts(type(state), phase, seats):
        if getattr(state, name) != due:
            raise Malformed(f"facts.{name}", f"must be {compact(due)} in phase {phase}")
    for name, kind in needed_facts(type(state), phase, seats):
        if getattr(state, name) is None:
            raise Malformed(f"facts.{name}", f"must be {kind.what} in phase {phase}")


def _check_zones(state: Position) -> None:
    """Refuse cards in zones that do not exist in the phase."""
    for name in absent_zones(type(state), state.phase):
        value = getattr(state, name)
        for place in (value,) if isinstance(value, Zone) else value:
            if place:
                raise Malformed(f"zones.{place.name}", f"must be empty in phase {state.phase}")


def _check_sizes(state: Position) -> None:
    """Refuse zones that hold another number of cards than is declared."""
    for name, spec in layout(type(state)).zones.items():
        if state.phase in (spec.phases or (state.phase,)) and spec.exists(state.seats):
            value = getattr(state, name)
            for seat, place in enumerate((value,) if isinstance(value, Zone) else value):
                _check_size(place, spec.size(state, seat))


def _check_size(place: Zone, size: int | range | None) -> None:
    if isinstance(size, range):
        if len(place) not in size:
            most = f"{size[0]} to {size[-1]}" if size[0] else f"at most {size[-1]}"
            raise Malformed(f"zones.{place.name}", f"must hold {most} cards at this point of the hand")
    elif size is not None:
        check_size(place, size)


def _check_ending(rules: Ruleset[Any], state: Any) -> None:
    """Refuse a result, or the lack of one, that does not follow from the position."""
    ending = rules.ending(state)
    if ending != state.result:
        raise Malformed("result", f"must be {compact(ending)}, as cards, facts and scores give it")


def _seats(place: str, given: object, seats: int) -> list[int]:
    if (
        type(given) is not list
        or not INTEGERS.issuperset(map(type, given))
        or given != sorted(set(given))
        or (given and not 0 <= given[0] <= given[-1] < seats)
    ):
        raise Malformed(place, "must be a list of seats, ascending")
    return given


def _scores(given: object, seats: int) -> list[int]:
    if type(given) is not list or len(given) != seats or not INTEGERS.issuperset(map(type, given)):
        raise Malformed("scores", f"must be {seats} integers, one a seat")
    return given


def _result(rules: Ruleset[Any], given: object, seats: int, phase: str) -> dict[str, Any] | None:
    if given is None:
        if phase == "over":
            raise Malformed("result", "is missing: the game is over")
        return None
    if phase != "over":
        raise Malformed("result", f"must be null in phase {phase}")
    if type(given) is not dict:
        raise Malformed("result", "must be null or an object")
    for key in ("winners", "losers"):
        _seats(f"result.{key}", given.get(key), seats)
    reasons = (*rules.REASONS, *GIVEN_UP)
    if given.get("reason") not in reasons:
        raise Malformed("result.reason", "must be one of " + ", ".join(reasons))
    for key, value in given.items():
        if key != "reason" and not _numbers(value):
            raise Malformed(f"result.{_short(key)}", "must be integers, or lists of them")
    return given


def _numbers(value: object) -> bool:
    return type(value) is int or (type(value) is list and all(map(_numbers, value)))


def _short(text: object) -> str:
    shown = str(text)
    return shown if len(shown) <= 40 else shown[:40] + "…"
