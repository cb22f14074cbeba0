"""Bots of packages, leagues, and the bot that searches."""

import random
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import referee
import referee.bots
import referee.records
from referee.cli import main
from referee.cli.strength import lines
from referee.computer import bots, league, plugins
from referee.computer.skilled import _points, skilled_bot
from tests.support.packages import PACKAGES, registered

LEAGUE = ["league", "cats_and_dogs", "--bot", "cautious", "--bot", "random", "--games", "2"]


def run(*words: str) -> Any:
    return CliRunner().invoke(main, [*words])


@pytest.fixture
def packaged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the bot of the package Dark Mark, and one that is broken."""
    monkeypatch.syspath_prepend(PACKAGES / "dark-mark")
    entries = [
        EntryPoint("highest", "dark_mark.bot", plugins.GROUP),
        EntryPoint("broken", "dark_mark.nothing", plugins.GROUP),
    ]
    monkeypatch.setattr(plugins, "entry_points", lambda group: entries if group == plugins.GROUP else [])
    tables: list[dict[str, Any]] = [bots.BOTS, bots.BOT_EFFORT, bots.BROKEN_BOTS]
    before = [dict(table) for table in tables]
    bots.register_installed()
    yield
    for table, known in zip(tables, before, strict=True):
        table.clear()
        table.update(known)


# --- bots of packages -----------------------------------------------------------------------------------
def test_a_bot_of_a_package_chooses_from_its_view(packaged: None) -> None:
    match = referee.Match("bisca", 2, seed=b"p")
    match.play(match.to_act[0], {"type": "tap"})
    seat = match.to_act[0]
    below = referee.bots.bot_numbers(b"key", 1)
    assert bots.bot_move("highest-1", match.state, seat, below) == match.legal_moves(seat)[-1]
    assert "dark_mark.nothing" in bots.BROKEN_BOTS["broken"]


def test_a_bot_sees_its_seat_its_view_its_moves_numbers_and_a_budget() -> None:
    match = referee.Match("bisca", 2, seed=b"p")
    seat = match.to_act[0]
    seen: dict[str, Any] = {}

    def choose(view: Any, legal: Any, rng: Any, budget: int) -> Any:
        numbers = [rng(10), rng.randrange(3), rng.random()]
        seen.update(view=view, legal=list(legal), budget=budget, numbers=numbers)
        cards = list("abcdef")
        rng.shuffle(cards)
        assert sorted(cards) == list("abcdef")
        return rng.choice(legal)

    chosen = [
        bots._of_plugin(SimpleNamespace(NAME="x", VERSION=1, choose=choose))(
            match.view(seat), seat, match.legal_moves(seat), referee.bots.bot_numbers(b"key", 1), 77
        )
        for _ in range(2)
    ]
    assert chosen[0] == chosen[1], "the same numbers"
    assert seen["view"] == {**match.view(seat), "seat": seat}
    assert seen["legal"] == match.legal_moves(seat)
    assert seen["budget"] == 77
    assert 0 <= seen["numbers"][2] < 1


def test_a_bot_that_invents_a_move_is_told() -> None:
    match = referee.Match("bisca", 2)
    cheat = SimpleNamespace(NAME="cheat", VERSION=3, choose=lambda *given: {"type": "win"})
    with pytest.raises(ValueError, match="cheat-3"):
        bots._of_plugin(cheat)(match.view(0), 0, match.legal_moves(match.to_act[0]), lambda n: 0, 1)


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        (SimpleNamespace(NAME="Too Loud", VERSION=1, choose=len), "NAME"),
        (SimpleNamespace(NAME="quiet", VERSION="1", choose=len), "VERSION"),
        (SimpleNamespace(NAME="quiet", VERSION=1), "choose"),
    ],
)
def test_a_bot_without_what_it_needs_is_not_used(
    bot: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = SimpleNamespace(name="one", value="module", load=lambda: bot)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [entry])
    found, broken = plugins.installed()
    assert found == {}
    assert told in broken["one"]


def test_bots_of_packages_play_at_the_command_line(packaged: None, tmp_path: Path) -> None:
    done = run(
        "random", "bisca", "--seats", "2", "--bot", "highest-1", "--bot", "random", "--max-moves", "30"
    )
    assert done.exit_code == 0, done.output
    record = referee.records.parse(done.output.encode())
    assert len(record["moves"]) == 30
    for move, step in zip(record["moves"], referee.steps(referee.read_record(record)), strict=False):
        if move["seat"] == 0:
            assert move["move"] == list(referee.legal_moves(step.state, 0))[-1]
    assert "stronger" not in run("random", "bisca", "--seats", "2", "--bot", "nobody").output
    assert "there is no bot nobody" in run("random", "bisca", "--seats", "2", "--bot", "nobody").output


# --- leagues --------------------------------------------------------------------------------------------
def test_a_league_is_the_same_for_a_seed() -> None:
    first, again, other = run(*LEAGUE), run(*LEAGUE), run(*LEAGUE, "--seed", "01")
    assert first.exit_code == 0, first.output
    assert first.output == again.output != other.output
    assert first.output.splitlines()[0] == "1 deal, each played 2 times"


def test_strengths_are_printed_with_intervals() -> None:
    strengths = [league.Strength("a", 40, 10, 3.5, -0.5, 0.2), league.Strength("b", 40, 30, 4.25, 0.5, 0.2)]
    for within, verdict in ((0.4, "stronger"), (1.1, "no clear difference")):
        standings = league.Standings(strengths, [league.Lead("a", "b", -1.0, within)], 0)
        assert lines(standings, 20) == [
            "20 deals, each played 2 times",
            "b: payoff +0.50 ± 0.20, 30 of 40 games won, 4.25 points a game",
            "a: payoff -0.50 ± 0.20, 10 of 40 games won, 3.50 points a game",
            f"b over a: +1.00 ± {within:.2f}: {verdict}",
        ]


def test_a_bot_is_as_strong_as_itself() -> None:
    """Two names of one bot: every deal is played from both sides, so neither can lead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(bots.BOTS, "first", lambda view, seat, moves, below, budget: moves[0])
        patch.setitem(bots.BOTS, "also", lambda view, seat, moves, below, budget: moves[0])
        standings = league.play("truco", ["first", "also"], 8)
    assert standings.leads[0].payoff == 0
    assert [one.payoff for one in standings.strengths] == [0, 0]


def test_few_deals_prove_nothing() -> None:
    assert league._interval([2.0])[1] > 2.0
    mean, within = league._interval([2.0] * 40)
    assert mean == 2.0
    assert 0 < within < 0.5


def test_games_cut_short_pay_nobody() -> None:
    done = run(*LEAGUE, "--games", "2", "--max-moves", "3")
    assert "2 games were cut short and paid nobody" in done.output
    assert "payoff +0.00" in done.output


@pytest.mark.parametrize("bots_given", [["random"], ["random", "random"], ["random", "nobody"]])
def test_a_wrong_league_is_refused(bots_given: list[str]) -> None:
    words = [word for name in bots_given for word in ("--bot", name)]
    assert run("league", "bisca", *words).exit_code == 2
    assert run("league", "chess", "--bot", "random", "--bot", "cautious").exit_code == 2


# --- the bot that searches ------------------------------------------------------------------------------
@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_the_searching_bot_chooses_a_legal_move_in_every_game(game: Any) -> None:
    match = referee.Match(game.ID, game.SEATS[-1], seed=b"s")
    choose = random.Random(2)
    for number in range(24):
        if match.is_over:
            break
        seat = match.to_act[0]
        moves = match.legal_moves(seat)
        if number % 6 == 0:
            given = [match.view(seat), seat, moves]
            chosen = skilled_bot(*given, referee.bots.bot_numbers(b"k", number), 150)
            assert chosen in moves
            assert skilled_bot(*given, referee.bots.bot_numbers(b"k", number), 150) == chosen
            match.play(seat, chosen)
        else:
            match.play(seat, choose.choice(moves))


def test_the_searching_bot_beats_chance() -> None:
    choose = random.Random(3)
    won = 0
    for seed in range(6):
        match = referee.Match("cats_and_dogs", 2, seed=bytes([seed]))
        for number in count(1):
            if match.is_over:
                break
            seat = match.to_act[0]
            moves = match.legal_moves(seat)
            below = referee.bots.bot_numbers(bytes([seed]), number)
            thought = skilled_bot(match.view(seat), seat, moves, below, 1000) if seat == 0 else None
            match.play(seat, thought or choose.choice(moves))
        won += 0 in match.state.result["winners"]
    assert won >= 5, "a fair coin would reach this in one of nine runs"


def test_few_points_are_good_where_the_ruleset_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with registered("dark-mark", "dark_mark") as rules:
        match = referee.Match("dark_mark", 2)
        match.state.scores = [0, 3]
        assert _points(match.state) == [3.0, -3.0]
        monkeypatch.setattr(rules, "LOWEST_WINS", False)
        assert _points(match.state) == [-3.0, 3.0]
