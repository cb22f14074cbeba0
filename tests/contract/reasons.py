"""A check for schemathesis, in its process: input that fits the schema is refused only for known reasons.

A schema cannot express everything. Of the operations that `schemathesis.toml` allows to answer 400 to valid
input, those listed here may refuse only these members.
"""

from __future__ import annotations

from typing import Any

import schemathesis

REASONS = {
    "list_games": {"cursor"},  # a cursor of another list
    "change_preferences": {"time_zone"},  # of the right form, but unknown
    # The pattern is for every dialect, and names not every invisible character (`api.core.names`).
    "create_player": {"name"},
    "rename_player": {"name"},
    "create_guest": {"name"},
    "create_seat_guest": {"name", "public_key"},  # 32 bytes, but not a point of the curve
    "add_cosignatures": {"checkpoint"},  # a text, but no signed note
    # A duration of nothing.
    "create_token": {"expires_in"},
    "create_key": {"expires_in"},
    "add_time": {"length"},
    "adjudicate_game": {"losers"},  # a seat that wins as well
    # One duration is too long for another, or all together are too long.
    "create_game": {
        "public_key",
        "warn_before",
        "reveal_within",
        "per_move",
        "reserve",
        "increment",
    },
}


@schemathesis.check
def refused_for_known_reasons(context: Any, response: Any, case: Any) -> None:
    known = REASONS.get(case.operation.definition.raw.get("operationId"))
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if known and fits and response.status_code == 400:
        problem = response.json()
        named = {name.rsplit(".", 1)[-1] for name in problem.get("errors", {"": problem["detail"]})}
        assert named <= known, f"refused though it fits the schema: {problem}"
