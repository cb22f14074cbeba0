"""Checks that nothing a seat may not see reaches it: by views, legality, entries, facts or fields."""

from itertools import islice
from typing import Any

from referee.engine.chance import Below, Seeded
from referee.engine.play import judge, legal_moves, read
from referee.engine.position import EVERYONE, Transfer, clone, layout, sees
from referee.engine.verdicts import Malformed
from referee.engine.views import dump, public_move, view
from referee.log.chain import account
from referee.workshop.declarations import Fault
from referee.workshop.trials import Point, cards_in

TRIES = 12  # exchanges of hidden cards, of which some are no possible position


def views(point: Point, below: Below) -> Fault | None:
    """Check that views contain exactly what is declared visible."""
    state = point.after
    for seat in (None, *range(state.seats)):
        shown = view(state, seat)
        for place in state.places:
            wanted = list(place) if sees(seat, place.seen) else {"count": len(place)}
            if shown["zones"][place.name] != wanted:
                return place.name.partition(".")[0], f"is shown to seat {seat} otherwise than declared"
    return None


def facts(point: Point, below: Below) -> Fault | None:
    """Check that no fact names a card that its readers have never been shown."""
    state = point.after
    for name, spec in layout(type(state)).facts.items():
        if spec.shows:
            continue
        value = getattr(state, name)
        readers = [(seat, value[seat]) for seat in range(state.seats)] if spec.private else [(None, value)]
        for reader, seen in readers:
            if unknown := cards_in(seen, state) - point.known[reader]:
                who = "everybody sees" if reader is None else f"seat {reader} sees"
                why = f"{who} this fact, and it names {min(unknown)}, which was never shown there"
                return name, f"{why}; shows=True says that the rules show it"
    return None


def entries(point: Point, below: Below) -> Fault | None:
    """Check that entries show each seat only what it sees, in transfers and in the fields of the move."""
    if point.seat < 0:
        return None
    public, private = account(point.after, point.move, point.transfers, point.seat)
    shares: dict[int | None, Any] = {None: public["transfers"]}
    shares |= {int(seat): share["transfers"] for seat, share in private.items() if "transfers" in share}
    for viewer, shown in shares.items():
        for moved, entry in zip(map(Transfer._make, point.transfers), shown, strict=True):
            seen = sees(viewer, moved.source_seen) or sees(viewer, moved.target_seen)
            if entry["cards"] != (moved.cards if seen else [None] * len(moved.cards)):
                return "State", f"a transfer is shown to seat {viewer} otherwise than its zones are declared"
    return _fields(point)


def _fields(point: Point) -> Fault | None:
    """Find a field that everybody sees and that names a card of a place that nobody was shown."""
    rules, kind = point.before.ruleset, str(point.move["type"])
    transfers = map(Transfer._make, point.transfers)
    open_ = [moved for moved in transfers if EVERYONE in (moved.source_seen, moved.target_seen)]
    shown = {card for moved in open_ for card in moved.cards}
    public = public_move(point.before, point.move)
    for name, field in rules.MOVES[kind].items():
        if field.zones and name in public:
            fields = [zone.partition("{")[0].rstrip(".") for zone in field.zones.split()]
            for place in (*point.before.places, *point.after.places):
                if place.seen == EVERYONE and place.name.startswith(tuple(fields)):
                    shown.update(place)
            if hidden := cards_in(public[name], point.before) - shown:
                what = f"{kind}.{name} names {min(hidden)}, which nobody else was shown: secret=True hides it"
                return kind, what
    return None


def exchanges(point: Point, below: Below) -> Fault | None:
    """Check that nothing a seat is told changes if the cards that it does not see are exchanged."""
    state = point.before
    if point.seat < 0:
        return None
    for viewer in range(state.seats):
        listed = [*legal_moves(state, viewer)]
        tried = [point.move, *listed[:10], *({"type": kind} for kind in state.ruleset.PHASES[state.phase])]
        for _ in range(TRIES):
            other = _exchanged(state, viewer, below)
            if other is None:
                continue
            where = f"what seat {viewer} is told changes with cards that it does not see"
            if view(other, viewer) != view(state, viewer):
                return "State", where
            if [*legal_moves(other, viewer)] != listed:
                return "BLOCKS", f"{where}: the list of its legal moves"
            for move in tried:
                verdict, another = judge(state, viewer, move), judge(other, viewer, move)
                if verdict != another:
                    refusal = verdict.refusal or another.refusal
                    return refusal.rule if refusal else "BLOCKS", f"{where}: the verdict on {move}"
    return None


def _exchanged(state: Any, viewer: int, below: Below) -> Any:
    """Return the state with the cards that a viewer does not see exchanged; None if that is not possible."""
    other = clone(state)
    unseen = [place for place in other.places if not sees(viewer, place.seen)]
    cards = [card for place in unseen for card in place]
    if len(set(cards)) < 2:
        return None
    order = Seeded(below(2**32).to_bytes(4, "big")).shuffle([f"{i:04}" for i in range(len(cards))])
    rest = iter([cards[int(i)] for i in order])
    for place in unseen:
        place[:] = islice(rest, len(place))
        if place.sorted:
            place.sort(key=place.key)
    try:
        return read(dump(other))
    except Malformed:
        return None
