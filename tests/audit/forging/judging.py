"""Give forgeries to all verifiers, and say what they should have found and have not."""

from __future__ import annotations

from typing import Any, NamedTuple

import referee
from tests.audit.forging.forgers import Forgery
from tests.audit.forging.unfound import is_beyond_page, reason
from tests.independent.game import Referee
from tests.independent.verify import verify as independently
from tests.support.node import ask

Record = dict[str, Any]


def found(record: Record) -> dict[str, str]:
    """Return the checks that fail in the referee's verifier, each with its first finding."""
    try:
        return {check.name: check.detail for check in referee.verify(record).checks if not check.ok}
    except referee.Malformed as error:
        return {"record": str(error)}


class Outcome(NamedTuple):
    """What the verifiers found in a forgery."""

    forgery: Forgery
    by_referee: dict[str, str]
    by_page: set[str]
    by_independent: str | None


def judge(forged: list[Forgery], independent: Referee | None = None, every: int = 1) -> list[Outcome]:
    """Give forgeries to all verifiers, every n-th to the independent one."""
    answers = ask([each.record for each in forged])
    outcomes = []
    for n, (each, answer) in enumerate(zip(forged, answers, strict=True)):
        page = {check["name"] for check in answer["checks"] if not check["ok"]}
        third = "not asked"
        if independent is not None and n % every == 0:
            third = independently(each.record, independent)[0]
        outcomes.append(Outcome(each, found(each.record), page, third))
    return outcomes


def problem(outcome: Outcome) -> str | None:
    """Return what should have been found and was not, or where verifiers contradict each other."""
    forgery, by_referee, by_page, by_independent = outcome
    why = reason(forgery)
    if not by_referee and why is None:
        return f"the referee misses {forgery.what}"
    if by_referee and not by_page and not is_beyond_page(by_referee):
        return f"the page misses {forgery.what}: {by_referee}"
    if by_page and not by_referee and why != "parts beside the log":  # the page asks for all of them
        return f"only the page finds {forgery.what}: {sorted(by_page)}"
    # The independent verifier wants whole records, and skips the bot `cautious`.
    is_asked = by_independent != "not asked" and why != "parts beside the log"
    if is_asked and (by_independent is None) != (not by_referee):
        is_cautious = all(
            name == "bots" or detail.startswith("another move was made for the seat")
            for name, detail in by_referee.items()
        )
        if by_independent is not None or not is_cautious:
            words = f"{by_independent}, {sorted(by_referee)}"
            return f"the independent verifier disagrees about {forgery.what}: {words}"
    return None
