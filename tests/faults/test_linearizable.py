"""Histories of concurrent clients of two web servers, their checker, and broken builds that it detects."""

from __future__ import annotations

import asyncio
from importlib import import_module, util
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.core.config import Settings
from tests.campaigns import histories
from tests.campaigns.linear import Call, fault
from tests.campaigns.plugins.builds import BUILDS

HISTORIES = 25


@pytest.mark.long
def test_histories_over_two_servers_are_linearizable(settings: Settings) -> None:
    """`python -m tests.campaigns.histories` records more of them."""
    faults, calls = record(settings, HISTORIES)
    assert not faults
    # A busy machine may refuse some.
    assert set(calls) - {"refused as overloaded"} == {"talk", "twice", "move", "blind_move", "view", "events"}


@pytest.mark.long
@pytest.mark.parametrize("build", ["overwriting", "unversioned", "cached"])
def test_a_broken_build_is_detected(settings: Settings, build: str) -> None:
    faults, _ = record(settings, 20 * HISTORIES, build)
    print(faults[:3])
    assert faults


@pytest.mark.parametrize("build", BUILDS)
def test_every_build_changes_existing_code(build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A renamed function would leave the service unchanged, in trials that are seldom run."""
    monkeypatch.setenv("CLOCK_FILE", "/nowhere")
    for name, change in BUILDS[build].items():
        import_module(name)
        spec = util.find_spec(name)
        module = util.module_from_spec(spec)
        spec.loader.exec_module(module)  # a private copy
        before = dict(vars(module))
        change(module)
        changed = {key for key, value in vars(module).items() if before.get(key) is not value}
        assert changed
        assert changed <= before.keys()


def record(settings: Settings, count: int, *builds: str) -> tuple[list[str], object]:
    key = histories.app_key(settings)
    with histories.web_servers(settings, *builds) as urls:
        return asyncio.run(histories.record_and_check(urls, key, count, 1, first=bool(builds)))


def explained(calls: list[Call], base: int) -> bool:
    """Search as Wing and Gong do for an order, consistent with time, in which one log gives these answers."""
    for order in permutations(calls):
        length, good = base, True
        for n, call in enumerate(order):
            in_time = all(call.begun <= later.ended for later in order[n + 1 :])
            if call.appended:
                good = in_time and call.expected in (None, length) and call.version == length + 1
                length += 1
            else:
                good = in_time and call.version == length and call.expected != length
            if not good:
                break
        if good:
            return True
    return False


MOMENTS = st.integers(0, 8)


@st.composite
def recorded(draw: st.DrawFn) -> list[Call]:
    """Return nearly correct histories: a few calls at existing versions, at random times."""
    appends = draw(st.integers(0, 3))
    calls = []
    for n in range(draw(st.integers(appends, 5))):
        begun, ended = sorted((draw(MOMENTS), draw(MOMENTS)))
        appended = n < appends
        version = 2 + n if appended else draw(st.integers(1, 1 + appends))
        nearby = st.sampled_from([None, version - 1, version, 1])
        calls.append(Call(begun, ended, version, appended, draw(nearby)))
    return calls


@given(recorded())
def test_the_checker_agrees_with_a_search(calls: list[Call]) -> None:
    appends = sum(call.appended for call in calls)
    log = [str(n) for n in range(1 + appends)]
    assert (fault(calls, 1, log) is None) == explained(calls, 1)


def test_answers_that_no_log_explains() -> None:
    def wrong(*calls: Call, log: str = "abc") -> str:
        found = fault(calls, 1, log)
        assert found is not None
        return found

    first, second = Call(0, 1, 2, True, digest="b"), Call(2, 3, 3, True, digest="c")
    assert fault([first, second], 1, "abc") is None
    assert "too late" in wrong(first, second, Call(4, 5, 2))  # an old version, read after a newer one existed
    assert "too late" in wrong(Call(5, 6, 2, True), second)
    assert "2 appends" in wrong(first, second, Call(2, 3, 3, True))
    assert "was expected" in wrong(first, Call(2, 3, 3, True, expected=1))
    assert "was expected" in wrong(first, second, Call(2, 3, 2, expected=2))
    assert "another one" in wrong(first, Call(2, 3, 3, True, digest="d"))
    assert "no entry 4" in wrong(first, second, Call(4, 5, 4))
    assert "nobody" in wrong(second)
    assert "answered for" in wrong(first)
