"""Every deed of a forger, once: found by all verifiers, or listed in docs/explanation/trust.md.

The games have every type of entry, with every member that an honest server writes. passing.txt lists what no
verifier finds in these games. What is new in it has to be in `UNFOUND`, and in docs/explanation/trust.md.
`python -m tests.campaigns.forgeries` forges more games.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.records import ENTRY_TYPES
from tests.audit.forging.deeds import REBUILT, deeds_beside
from tests.audit.forging.forgers import LIES, Forgery, every_deed, forge, forge_beside
from tests.audit.forging.judging import Outcome, found, judge, problem
from tests.audit.forging.unfound import UNFOUND, is_beyond_page, reason
from tests.campaigns.forgeries import campaign
from tests.independent.game import Referee
from tests.independent.verify import verify as independently
from tests.support.honest import honest, played
from tests.support.honest.server import Server
from tests.support.node import ask

# The first have every member; each lie can be told about one of all.
GAMES = (1020, 1059, 1266, 1233, 1293, 1268, 1071, 1236, 1098, 1182, 1011, 1242, 1007, 1069, 1246, 1169, 1107)
MORE = (1006, 1063, 1001, 1016)
MOST = 8  # moves
NEVER = {"origin", "imported_by"}  # no honest server of these games writes them
TRUST = (Path(__file__).parents[2] / "docs/explanation/trust.md").read_text("utf-8")
PASSING = Path(__file__).with_name("passing.txt")
# Agreements that were signed, an increment that a cap took away, a time-out undone after a bot had taken the
# seat, a seat that was dropped; keys that were given up while others are still used.
HONEST = (1, 11, 26, 62, 10, 14, 1005, 1006, 1010)


@cache
def game(number: int) -> Server:
    return played(number, most=MOST)


@pytest.fixture(scope="module")
def independent() -> Iterator[Referee]:
    running = Referee()
    yield running
    running.close()


def deeds(types: Sequence[str]) -> list[Forgery]:
    choose = random.Random(1)
    done = [
        (server, deed)
        for server, deed in every_deed(map(game, GAMES))
        if deed.kind(server.entries)[1] in types
    ]
    return [forgery for server, deed in done if (forgery := forge(server, "re-signed", deed, choose))]


def lies() -> list[Forgery]:
    """Tell each lie about the first game about which it can be told."""
    forged = []
    for lie in LIES:
        told = (forge(game(number), "re-signed", lie, random.Random(number)) for number in (*GAMES, *MORE))
        first = next((each for each in told if each), None)
        assert first, f"{lie.type}.{lie.name} cannot be told"
        forged.append(first)
    return forged


def listed(deed: bool, types: Collection[str]) -> set[str]:
    """Return what passing.txt lists of these types of entries."""
    lines = PASSING.read_text("utf-8").splitlines()
    of = {line: line.split(" ")[2].partition(".")[0] for line in lines if (": lie " not in line) == deed}
    return {line for line, kind in of.items() if kind in types}


@pytest.mark.parametrize("types", [[*ENTRY_TYPES][n::4] for n in range(4)], ids=lambda types: types[0])
def test_what_passes_is_listed(types: list[str], independent: Referee) -> None:
    check(judge(deeds(types), independent, 40), listed(True, types))


def test_the_lies_that_pass_are_listed(independent: Referee) -> None:
    check(judge(lies(), independent, 40), listed(False, ENTRY_TYPES))


def check(outcomes: list[Outcome], due: set[str]) -> None:
    assert [fault for each in outcomes if (fault := problem(each))] == []
    passing = {each.forgery.what for each in outcomes if not each.by_referee}
    assert (sorted(passing - due), sorted(due - passing)) == ([], []), "passes now; is found now"


def test_all_members_of_all_types_are_forged() -> None:
    forged = {
        (each.entries[deed.at]["type"], deed.path[0])
        for each, deed in every_deed(map(game, GAMES))
        if deed.path
    }
    due = {
        (kind, name) for kind, declared in ENTRY_TYPES.items() for name in declared.known - REBUILT - NEVER
    }
    assert due - forged == set()


def test_no_entry_lacks_a_member_that_it_needs(independent: Referee) -> None:
    drops = {
        (server.entries[deed.at]["type"], deed.path[0]): (server, deed)
        for server, deed in every_deed(map(game, GAMES))
        if deed.name == "drop" and len(deed.path) == 1
    }
    needed = [
        (kind, name)
        for kind, declared in ENTRY_TYPES.items()
        for name in declared.needed
        if name not in REBUILT
    ]
    forged = [
        forge(server, "rebuilt", deed, random.Random(1)) for server, deed in map(drops.__getitem__, needed)
    ]
    for each in judge([forgery for forgery in forged if forgery], independent):
        # The seat of an ending stands in the record too, which is refused then.
        by_referee = {"members", "record"} & each.by_referee.keys()
        assert all((by_referee, "members" in each.by_page, each.by_independent)), each.forgery.what


def test_nothing_beside_the_log_can_be_changed_unseen(independent: Referee) -> None:
    for number in GAMES[-2:]:
        record = game(number).record()
        outcomes = judge(
            [forge_beside(record, number, *deed) for deed in deeds_beside(record)], independent, 20
        )
        assert [fault for each in outcomes if (fault := problem(each))] == []


@pytest.mark.parametrize("number", HONEST)
def test_an_honest_game_is_accused_by_none(number: int, independent: Referee) -> None:
    record = honest(number, most=25)
    (page,) = ask([record])
    assert found(record) == {}
    assert [check for check in page["checks"] if not check["ok"]] == []
    assert independently(record, independent)[0] is None


def test_a_run_that_is_killed_says_that_it_has_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def killed(*batch: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("tests.campaigns.forgeries.run", killed)
    assert campaign(10, 1, 1, tmp_path) == 2
    assert capfd.readouterr().out.startswith("NO VERDICT: the run ended after 0 of 10 forgeries")


def test_a_run_ends_with_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """All kinds of forgers take part in it."""
    monkeypatch.setattr("tests.campaigns.forgeries.HONEST", 1)
    assert campaign(4, 1, 1, tmp_path) == 0
    assert "VERDICT seed 1: 4 forgeries, 1 honest" in capfd.readouterr().out.splitlines()[-1]


def test_what_nobody_finds_is_listed() -> None:
    assert [name for name in (*UNFOUND, "parts beside the log") if f"| {name} |" not in TRUST] == []


@pytest.mark.parametrize(
    "done",
    [
        *("change cancelled.seats", "double resigned.", "drop take_back_requested.of", "drop moved.move"),
        *("change timed_out.seat", "double timed_out.", "change time_added.added", "retype said.text"),
        "drop vacation_taken.vacation",
    ],
)
def test_nobody_may_be_deceived_by_more_than_what_is_listed(done: str) -> None:
    deed, what = done.split(" ")
    kind, member = what.split(".")
    assert reason(Forgery("rebuilt", deed, kind, member, {}, 0)) is None


def test_what_is_not_listed_is_a_problem() -> None:
    forgery: Any = Forgery("rebuilt", "change", "moved", "transfers", {}, 0)
    assert reason(forgery) is None
    missed = SimpleNamespace(forgery=forgery, by_referee={}, by_page=set(), by_independent="not asked")
    page = {**vars(missed), "by_referee": {"seats": "names another player"}}
    outcomes: Any = [tuple(vars(missed).values()), tuple(page.values())]
    assert [str(problem(each)).split(" rebuilt")[0] for each in outcomes] == [
        "the referee misses",
        "the page misses",
    ]
    assert is_beyond_page({"result": "the game came to None"})
    assert not is_beyond_page({"result": "the seed revealed here is not the record's"})
