"""A check of schemathesis's, in its own process: what fits the schema is refused for known reasons alone.

A schema cannot say all that an operation wants. Of operations that `schemathesis.toml` lets answer 400 to
what fits, those named here may refuse nothing but these members.
"""

from __future__ import annotations

from typing import Any

import schemathesis

REASONS = {
    "list_games": {"cursor"},  # of another list
    "change_preferences": {"time_zone"},  # of the right form, but nobody's
    # What is unseen above U+FFFF, no pattern can name in every dialect (`api.core.names`).
    "create_player": {"name"},
    "rename_player": {"name"},
    "create_guest": {"name"},
    "create_seat_guest": {"name", "public_key"},  # 32 bytes, but no point of the curve
    "create_game": {"public_key", "warn_before", "own_hours", "reveal_within"},  # longer than others allow
}


@schemathesis.check
def refused_for_known_reasons(context: Any, response: Any, case: Any) -> None:
    known = REASONS.get(case.operation.definition.raw.get("operationId"))
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if known and fits and response.status_code == 400:
        problem = response.json()
        named = {name.rsplit(".", 1)[-1] for name in problem.get("errors", {"": problem["detail"]})}
        assert named <= known, f"refused though it fits the schema: {problem}"
