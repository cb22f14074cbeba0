"""The exception for requests that the API refuses."""

from __future__ import annotations

from typing import Any, cast


class ApiError(Exception):
    """A problem (RFC 9457) in an answer of the API.

    `type` identifies the kind of problem, such as `/problems/illegal-move`; `problem` has all members, such
    as `verdict`.
    """

    def __init__(self, status: int, problem: dict[str, Any], request_id: str | None = None) -> None:
        self.status = status
        self.problem = problem
        self.type = str(problem.get("type", "about:blank"))
        self.title = str(problem.get("title", ""))
        self.detail = str(problem.get("detail", ""))
        self.request_id = request_id
        super().__init__(f"{status} {self.title}: {self.detail}".strip(" :"))

    @property
    def rule(self) -> str | None:
        """The id of the rule that a move breaks."""
        return self._verdict().get("rule")

    @property
    def reason(self) -> str | None:
        """What the rule says of the move."""
        return self._verdict().get("reason")

    def _verdict(self) -> dict[str, Any]:
        verdict = self.problem.get("verdict")
        return cast("dict[str, Any]", verdict) if isinstance(verdict, dict) else {}
