"""Properties of every game at every table, checked in random games, also where a seat resigns."""

import itertools
import json
import random
from collections import Counter
from typing import Any

import pytest

import referee
import referee.positions
import referee.records
import referee.table
from referee.engine.position import EVERYONE
from tests.referee.tables import Table, fresh, tables, wander

SEEDS = range(2)
MOVES = 250


def every_table(test: Any) -> Any:
    return pytest.mark.parametrize("table", tables(), ids=str)(test)


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@every_table
def test_cards_are_conserved(table: Table):
    for seed in SEEDS:
        for point in wander(table, seed, MOVES):
            state = point.state
            deck = Counter(state.ruleset.deck(state.seats, state.options))
            held = Counter(card for place in state.places for card in place)
            assert held == deck


@every_table
def test_transfers_account_for_every_card(table: Table):
    for point in wander(table, 3, MOVES):
        before = {place.name: Counter(place) for place in point.state.places}
        after = referee.clone(point.state)
        again = referee.Seeded.from_seed((3).to_bytes(4, "big"), [""] * table.seats, point.chance.drawn)
        for source, target, cards, _, _ in referee.advance(after, point.seat, point.move, again):
            if source is not None:
                before[source] -= Counter(cards)
            if target is not None:
                before[target] += Counter(cards)
        assert before == {place.name: Counter(place) for place in after.places}


@every_table
def test_listed_moves_are_legal_and_each_seat_waited_for_has_one(table: Table):
    for seed in SEEDS:
        for point in wander(table, seed, MOVES):
            for seat in range(table.seats):
                moves = referee.legal_moves(point.state, seat)
                assert moves or seat not in point.state.to_act
                assert len({text(move) for move in moves}) == len(moves)
                for move in moves:
                    assert referee.judge(point.state, seat, move) == referee.Verdict(None)


@every_table
def test_a_refused_move_changes_nothing(table: Table):
    choose = random.Random(5)
    seen: list[tuple[int, dict[str, Any]]] = []
    refused = 0
    for point in wander(table, 5, MOVES):
        seen.append((point.seat, point.move))
        before = text(referee.dump(point.state))
        for _, move in choose.sample(seen, min(4, len(seen))):
            for seat in range(table.seats):
                verdict = referee.judge(point.state, seat, move)
                refused += not verdict.legal
                if verdict.refusal is not None:
                    assert verdict.refusal.reason
        assert text(referee.dump(point.state)) == before
    assert refused


@every_table
def test_positions_survive_json_and_play_on_alike(table: Table):
    for seed in SEEDS:
        for n, point in enumerate(wander(table, seed, MOVES)):
            if n % 2:
                continue  # half of them say as much
            written = referee.dump(point.state)
            read = referee.read(json.loads(json.dumps(written)))
            assert text(referee.dump(read)) == text(written)
            assert text(
                referee.dump(referee.positions.restore(point.state.ruleset, json.loads(text(written))))
            ) == text(written)
            if n % 6 == 0:
                _same_next_step(point.state, read, point.seat, point.move, table, seed, point.chance.drawn)


def _same_next_step(state: Any, read: Any, seat: int, move: Any, table: Table, seed: int, drawn: int) -> None:
    ends = []
    for one in (referee.clone(state), read):
        chance = referee.Seeded.from_seed(seed.to_bytes(4, "big"), [""] * table.seats, drawn)
        transfers = referee.advance(one, seat, move, chance)
        ends.append(text([referee.dump(one), transfers, chance.drawn]))
    assert ends[0] == ends[1]


@every_table
def test_views_show_only_what_is_declared(table: Table):
    for point in wander(table, 1, 60):
        state = point.state
        for seat in (None, *range(table.seats)):
            view = referee.view(state, seat)
            for place in state.places:
                shown = view["zones"][place.name]
                if place.seen in (EVERYONE, seat):
                    assert shown == list(place)
                else:
                    assert shown == {"count": len(place)}


@every_table
def test_a_seat_learns_nothing_about_hidden_cards(table: Table):
    """If hidden cards are exchanged, view, legal moves, verdicts and entries stay equal."""
    choose = random.Random(7)
    tried = 0
    for n, point in enumerate(wander(table, 7, MOVES)):
        if n % 6:
            continue
        viewer = choose.randrange(table.seats)
        other = _exchanged(point.state, viewer, choose)
        if other is None:
            continue
        tried += 1
        for seat in (viewer, None):
            assert text(referee.view(other, seat)) == text(referee.view(point.state, seat))
        assert [*referee.legal_moves(other, viewer)] == [*referee.legal_moves(point.state, viewer)]
        candidates = [point.move, *referee.legal_moves(point.state, viewer)[:10], {"type": "pass"}]
        for move in candidates:
            assert referee.judge(other, viewer, move) == referee.judge(point.state, viewer, move)
    hides = any(place.seen != EVERYONE for place in fresh(table, 7)[0].places)
    assert tried or not hides


def _exchanged(state: Any, viewer: int, choose: random.Random) -> Any:
    """Shuffle the cards that a viewer does not see among their places; return None if that is impossible."""
    other = referee.clone(state)
    unseen = [place for place in other.places if place.seen not in (EVERYONE, viewer)]
    cards = [card for place in unseen for card in place]
    if len(set(cards)) < 2:
        return None
    for _ in range(20):
        choose.shuffle(cards)
        rest = iter(cards)
        for place in unseen:
            place[:] = itertools.islice(rest, len(place))
            if place.sorted:
                place.sort(key=place.key)
        try:
            return referee.read(referee.dump(other))
        except referee.Malformed:
            continue
    return None


@every_table
def test_entries_of_a_move_show_each_seat_only_its_own(table: Table):
    """No public part or share contains a card that moved between places hidden from its reader."""
    for point in wander(table, 2, 120):
        state = referee.clone(point.state)
        chance = referee.Seeded.from_seed(b"", [""] * table.seats)
        transfers = referee.advance(state, point.seat, point.move, chance)
        public, private = referee.records.account(state, point.move, transfers, point.seat)
        shares = {None: public["transfers"]}
        shares |= {int(s): share["transfers"] for s, share in private.items() if "transfers" in share}
        for viewer, shown in shares.items():
            for (_, _, cards, left, came), entry in zip(transfers, shown, strict=True):
                visible = {left, came} & {EVERYONE, viewer}
                assert entry["cards"] == (cards if visible else [None] * len(cards))


@every_table
def test_replay_equals_play(table: Table):
    from referee.computer.playout import playout

    record = playout(table.ruleset, table.seats, table.options, b"\x09", 400)
    last = referee.replay(referee.read_record(json.loads(json.dumps(record))))
    assert last.verdict is None or last.verdict.legal
    assert last.state.result == record["result"]
    assert last.n == len(record["moves"])


@every_table
def test_cloned_states_share_nothing(table: Table):
    state, chance = fresh(table, 11)
    kept = referee.clone(state)
    before = text(referee.dump(kept))
    for seat in itertools.islice(itertools.cycle(range(table.seats)), 40):
        moves = referee.legal_moves(state, seat)
        if moves:
            referee.advance(state, seat, moves[0], chance)
    assert text(referee.dump(kept)) == before


@pytest.mark.parametrize("table", tables(), ids=str)
def test_the_team_loses_and_everyone_else_wins(table: Table):
    for point in wander(table, 4, 40):
        state = point.state
    for seat in range(table.seats):
        result = referee.resign(state, seat)
        assert seat in result["losers"]
        assert sorted(result["winners"] + result["losers"]) == list(range(table.seats))
        assert result["winners"] == sorted(result["winners"])
        assert result["reason"] == "resigned"
        for mate in result["losers"]:
            assert referee.resign(state, mate) == result


def test_partners_fall_together():
    state, _ = fresh(Table("truco", 8, {}), 1)
    assert referee.resign(state, 6)["losers"] == [2, 6]
    state, _ = fresh(Table("dog_cards", 4, {}), 1)
    assert referee.resign(state, 3)["losers"] == [1, 3]
    state, _ = fresh(Table("bisca", 4, {"partners": True}), 1)
    assert referee.resign(state, 0)["losers"] == [0, 2]


def test_landlord_alone_against_the_others_once_there_is_one():
    state, chance = fresh(Table("landlord", 4, {}), 1)
    assert referee.resign(state, 2)["losers"] == [2]
    taker = state.to_act[0]
    referee.advance(state, taker, {"type": "take"}, chance)
    others = [seat for seat in range(4) if seat != taker]
    assert referee.resign(state, taker)["losers"] == [taker]
    assert referee.resign(state, others[1])["losers"] == others


@pytest.mark.parametrize("table", tables(), ids=str)
def test_a_resigned_game_can_be_read_and_does_not_continue(table: Table):
    state, _ = fresh(table, 4)
    referee.table.conclude(state, referee.resign(state, 0))
    again = referee.read(referee.dump(state))
    assert referee.dump(again) == referee.dump(state)
    for seat in range(table.seats):
        assert referee.legal_moves(again, seat) == []
        verdict = referee.judge(again, seat, {"type": "anything"})
        assert verdict.refusal is not None
        assert verdict.refusal.rule == "common.finished"
    with pytest.raises(referee.Malformed):
        referee.read({**referee.dump(state), "to_act": [0]})
