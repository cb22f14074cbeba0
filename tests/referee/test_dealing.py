"""Deals that nobody can choose: what verification finds if somebody has chosen nevertheless."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner, Result

import referee
import referee.proofs
from api.core.config import Settings
from api.core.readers import ConfigError
from referee.cli import main
from referee.log.beacon import QUICKNET
from tests.chain import CHAIN, signature
from tests.support.chosen_deals import BEGIN, WORDS, at, beginning, due, hashed, record
from tests.support.forging import failed
from tests.support.page_verifier import ask, failures


def test_valid_deals() -> None:
    kinds = {
        (False, False): record(beginning(False, False)),
        (True, False): record(beginning(True, False)),
        (False, True): record(beginning(False), drawn=due(0)),
        (True, True): record(beginning(), drawn=due(70)),
    }
    for (commits, beacon), whole in kinds.items():
        report = referee.verify(whole)
        assert report.ok, report
        names = {check.name for check in report.checks}
        assert ({"entropy", "beacon"} & names) == {*["entropy"] * commits, *["beacon"] * beacon}
    assert [failures(answer) for answer in ask([*kinds.values()])] == [{}] * 4
    keys = [referee.read_record(whole).key for whole in kinds.values()]
    assert len({*keys}) == 3, "commitments change only the time"


def found(bent: Any, name: str) -> bool:
    """Return whether verification fails with this check."""
    return name in failed(bent)


def by_both(bent: Any, name: str) -> None:
    """Return whether the check fails here and in the page."""
    assert found(bent, name)
    assert name in failures(*ask([bent]))


def test_a_reveal_of_something_else_is_found() -> None:
    """The operator chooses what a friend's seat reveals after learning all others."""
    log = beginning(beacon=False)
    log[4]["entropy"] = "some other words"
    by_both(record(log, entropy=["some other words", *WORDS[1:]]), "entropy")


def test_a_seat_without_a_commitment_is_found() -> None:
    for given in ("", "later words"):
        log = beginning(beacon=False)
        del log[2]["commitment"]
        log[2]["entropy"] = given
        del log[5]
        by_both(record(log, entropy=[WORDS[0], given, ""]), "entropy")


def test_entropy_of_a_bot_is_found() -> None:
    """A bot belongs to the server, which would have chosen its entropy."""
    log = beginning(beacon=False)
    log[3]["entropy"] = "chosen"
    assert found(record(log, entropy=[*WORDS[:2], "chosen"]), "entropy")
    log[3] |= {"entropy": "", "commitment": hashed("chosen")}
    assert found(record(log), "entropy")


def test_a_copied_commitment_is_found() -> None:
    log = beginning(beacon=False)
    log[2]["commitment"], log[5]["entropy"] = log[1]["commitment"], WORDS[0]
    assert found(record(log, entropy=[WORDS[0], WORDS[0], ""]), "entropy")


def test_a_deal_before_everybody_has_revealed_is_found() -> None:
    log = beginning(beacon=False)
    del log[5]
    by_both(record(log, entropy=[WORDS[0], "", ""]), "entropy")


def test_a_reveal_that_came_too_late_or_early_is_found() -> None:
    late = beginning(beacon=False)
    late[5]["at"] = at(91.5)
    assert found(record(late), "entropy")
    early = beginning(beacon=False)
    early.insert(3, {**early.pop(4), "at": at(0)})  # before the bot has joined
    assert found(record(early), "entropy")


def test_forfeits_are_checked() -> None:
    """All who have not revealed are named, none of them too early, and the game is cancelled."""

    def ended(*forfeits: tuple[int, float], revealed: bool = True) -> Any:
        log = beginning(beacon=False)[: 5 if revealed else 4]
        for seat, seconds in forfeits:
            log.append(
                {"type": "forfeited", "at": at(seconds), "seat": seat, "player": log[1 + seat]["player"]}
            )
        log.append({"type": "cancelled", "at": at(120)})
        whole = record(log)
        whole["entries"] = whole["entries"][:-3]
        return {
            **{name: value for name, value in whole.items() if name not in ("chance", "result")},
            "entropy": [WORDS[0] if revealed else "", "", ""],
            "ended": {"type": "cancelled"},
            "result": None,
        }

    whole = ended((1, 90))
    assert failed(whole) == {}
    assert failures(*ask([whole])) == {}
    assert found(ended((1, 89)), "entropy")
    assert found(ended((0, 90), (1, 90)), "entropy")
    assert found(ended((1, 90), revealed=False), "entropy")
    assert failed(ended((0, 90), (1, 90), revealed=False)) == {}


def test_a_seat_that_was_left_when_all_were_taken_is_found() -> None:
    """Leaving and joining again would allow another deal."""
    for name, log, drawn in (
        ("entropy", beginning(beacon=False), None),
        ("beacon", beginning(commits=False), due(5)),
    ):
        again = {**log[2], "at": at(5)}
        left = {"type": "left", "at": at(4), **{key: log[2][key] for key in ("seat", "player", "bot")}}
        log[4:4] = [left, again]
        assert found(record(log, drawn=drawn), name)


@pytest.mark.parametrize("shift", [-1, 1, 100])
def test_a_round_other_than_the_first_unknown_one_is_found(shift: int) -> None:
    number = due(70)["round"] + shift
    drawn = {"round": number, "signature": signature(number)}
    assert found(record(beginning(), drawn=drawn, end=1000), "beacon")


def test_a_round_that_the_beacon_has_not_signed_is_found() -> None:
    """Another round's signature, that of another key, and one that is not a point."""
    number = due(70)["round"]
    point = signature(number)
    for other in (signature(number + 1), point[:-2] + "00", "c0" + "00" * 47, "00" * 48):
        drawn = {"round": number, "signature": other}
        assert found(record(beginning(), drawn=drawn), "beacon")


def test_a_deal_without_its_round_or_before_its_time_is_found() -> None:
    assert found(record(beginning()), "beacon")
    assert found(record(beginning(), drawn=due(70), end=70.5), "beacon")


def test_a_round_that_nobody_announced_is_found() -> None:
    """It would be another seed for the operator to choose."""
    assert found(record(beginning(beacon=False), drawn=due(70)), "beacon")


def test_a_record_that_names_another_round_is_found() -> None:
    whole = record(beginning(), drawn=due(70))
    for other in (None, due(80)):
        by_both({**whole, "randomness": other}, "beacon")
    with pytest.raises(referee.Malformed):
        referee.verify({**whole, "randomness": {"round": 1}})
    logless = {name: value for name, value in whole.items() if name != "entries"}
    report = referee.verify(logless)
    assert report.ok
    assert "beacon" in report.unchecked


def test_a_deal_that_does_not_follow_from_the_round_is_found() -> None:
    """Everything is recorded correctly, but dealt as if there were no beacon."""
    whole = record(beginning(), drawn=due(70))
    other = record(beginning())
    for name in ("transfers", "private", "sealed", "seals"):
        whole["entries"][6][name] = other["entries"][6][name]
    whole["chance"] = other["chance"]
    assert found(whole, "shuffles")


BENDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no time": lambda terms: terms.pop("reveal_within"),
    "no duration": lambda terms: terms.update(reveal_within="soon"),
    "another kind": lambda terms: terms.update(entropy="told"),
    "another scheme": lambda terms: terms["beacon"].update(scheme="pedersen-bls-chained"),
    "no key": lambda terms: terms["beacon"].update(public_key="c0" + "00" * 95),
    "no period": lambda terms: terms["beacon"].update(period=0),
    "more": lambda terms: terms["beacon"].update(more=1),
}


@pytest.mark.parametrize("bend", BENDS)
def test_incomplete_terms_are_found(bend: str) -> None:
    log = beginning()
    BENDS[bend](log[0])
    assert failed(record(log, drawn=due(70)))


def test_the_dispute_report_says_how_the_deal_came_about() -> None:
    report = "".join(referee.proofs.dispute_report(record(beginning(), drawn=due(70)), 0))
    assert "committed to their entropy" in report
    assert f"Round {due(70)['round']} of the public beacon" in report
    assert "<dt>Deal</dt>" not in "".join(referee.proofs.dispute_report(record(beginning(False, False)), 0))


def test_the_real_beacon_is_known() -> None:
    """It uses round 1000 of the League of Entropy's quicknet, from its documentation."""
    signed = (
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
    )
    assert QUICKNET.has_signed(1000, signed)
    assert not QUICKNET.has_signed(1001, signed)
    assert not CHAIN.has_signed(1000, signed)
    assert (
        referee.proofs.randomness(signed).hex()
        == "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"
    )
    first = datetime.fromtimestamp(QUICKNET.genesis, UTC)
    assert QUICKNET.round_after(first - timedelta(days=1)) == 1
    assert QUICKNET.round_after(first) == 2
    assert QUICKNET.round_after(first + timedelta(seconds=2, microseconds=999_999)) == 2
    assert QUICKNET.time_of(2) == first + timedelta(seconds=3)


def test_the_command_line_says_whose_key_it_was(tmp_path: Any) -> None:
    """It also refuses a key other than the requested one."""
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record(beginning(), drawn=due(70))))

    def run(*more: str) -> Result:
        return CliRunner().invoke(main, ["verify", *more, str(path)])

    plain = run()
    assert plain.exit_code == 0
    assert CHAIN.public_key[:16] in plain.output
    assert run("--beacon", CHAIN.public_key).exit_code == 0
    other = run("--beacon", "quicknet")
    assert other.exit_code == 1
    assert "FAIL  beacon" in other.output
    times = f"{CHAIN.public_key}:{CHAIN.genesis}"
    assert run("--beacon", f"{times}:{CHAIN.period}").exit_code == 0
    assert run("--beacon", f"{times}:{CHAIN.period + 1}").exit_code == 1
    path.write_text(json.dumps(record(beginning(beacon=False))))
    assert run("--beacon", CHAIN.public_key).exit_code == 1


def test_a_public_chain_with_other_times_is_found(tmp_path: Any) -> None:
    """With a calendar that begins later, a round that has long been known would seem due."""
    other = CHAIN._replace(genesis=CHAIN.genesis + 10**6)
    log = beginning()
    log[0]["beacon"] = other.to_json()
    number = other.round_after(BEGIN + timedelta(seconds=70))
    assert CHAIN.time_of(number) < BEGIN, "the round was published before anybody sat down"
    bent = record(log, drawn={"round": number, "signature": signature(number)})
    assert failed(bent) == {}, "without knowing the chain, nobody can tell"
    path = tmp_path / "record.json"
    path.write_text(json.dumps(bent))
    whole = f"{CHAIN.public_key}:{CHAIN.genesis}:{CHAIN.period}"
    done = CliRunner().invoke(main, ["verify", "--beacon", whole, str(path)])
    assert done.exit_code == 1
    assert "FAIL  beacon" in done.output
    for shift in ({"genesis": QUICKNET.genesis + 1}, {"period": 4}):
        log[0]["beacon"] = QUICKNET._replace(**shift).to_json()
        assert found(record(log, drawn=due(70)), "beacon")
        with pytest.raises(referee.Malformed, match="not its times"):
            referee.proofs.Chain.read(log[0]["beacon"])
    with pytest.raises(ConfigError, match="BEACON_GENESIS"):
        Settings.from_env({"BEACON_PERIOD": "30"})
    mine = {"BEACON_PERIOD": "30", "BEACON_PUBLIC_KEY": CHAIN.public_key}
    assert Settings.from_env(mine).beacon_period == 30


def test_a_cancellation_that_spares_a_late_seat_is_found() -> None:
    """When the time to reveal is over, the log has to name who did not, even if the game is cancelled."""
    for seconds, holds in ((80, True), (161.5, False)):
        log = beginning(beacon=False)[:5]
        log.append({"type": "cancelled", "at": at(seconds)})
        whole = record(log)
        whole["entries"] = whole["entries"][:-3]
        for name in ("chance", "result"):
            del whole[name]
        whole |= {"entropy": [WORDS[0], "", ""], "ended": {"type": "cancelled"}, "result": None}
        assert ("entropy" not in failed(whole)) is holds
