"""What the number of a log's format means: what logs of each number must have, which earlier ones need not.

A log is always checked by the rules of its own number. A new rule gets a name in `LogRules` and a line in
`CHANGES`.
"""

from typing import Any, NamedTuple

LOG = 9  # the number of the logs that are written now


class LogRules(NamedTuple):
    """What is checked in a log of a `number`."""

    number: int = 1
    says_scores: bool = False  # moves that score have the new `scores`, moves that end a trick have `won_by`
    names_late_together: bool = False  # all late seats are named before a move is made for the first
    has_own_types: bool = False  # requests, days off and agreements are no marks in `said` entries
    binds_bots: bool = False  # bots choose by the game's key
    seals_shares: bool = False  # the shares of private parts are also sealed one by one
    lists_looks: bool = False  # the last entry lists looks at private cards
    says_by: bool = False  # entries say who has acted
    names_late_in_order: bool = False  # late seats are named in the order of their deadlines
    leaving_uses_reserve: bool = False  # a seat that is handed over loses what its turn has used
    says_who_hands_over: bool = False  # seats change hands `agreed` by all others, or `by` the app
    undoes_timeouts: bool = False  # an operator may take back the move for a late seat
    returns_increments: bool = False  # moves that are taken back return their increments
    makes_passive_moves: bool = False  # a late seat makes its phase's passive move


CHANGES: dict[int, tuple[str, ...]] = {
    2: ("says_scores", "names_late_together"),
    3: ("has_own_types",),
    4: ("binds_bots", "seals_shares", "lists_looks"),
    5: ("says_by", "names_late_in_order"),
    6: ("leaving_uses_reserve",),
    7: (),  # a pace may have `own_hours`
    8: ("says_who_hands_over", "undoes_timeouts", "returns_increments", "makes_passive_moves"),
    9: (),  # new types of entries (their `since`), and members of the pace
}
FIRST = LogRules()


def is_number(number: Any) -> bool:
    """Return whether logs of this number are known here."""
    return type(number) is int and 1 <= number <= LOG


def rules_of(number: Any) -> LogRules:
    """Return the rules for logs of a number; those of the first one for an unknown number."""
    if not is_number(number):
        return FIRST
    names = [name for since, added in CHANGES.items() if since <= number for name in added]
    return LogRules(number, **dict.fromkeys(names, True))
