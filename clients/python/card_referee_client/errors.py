"""The exception for requests that the API refuses."""

from __future__ import annotations

from typing import Any

import httpx


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

    @classmethod
    def of(cls, response: httpx.Response) -> ApiError:
        """Create an error from an answer whose body was read; a proxy's answer may have no problem in it."""
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        known = problem if isinstance(problem, dict) else {}
        problem = known or {"title": response.reason_phrase, "detail": response.text[:200]}
        return cls(response.status_code, problem, response.headers.get("X-Request-Id"))
