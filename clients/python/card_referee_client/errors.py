"""What the API refuses, as an exception."""

from __future__ import annotations

from typing import Any

import httpx


class ApiError(Exception):
    """A problem (RFC 9457) that the API answered with.

    `type` is what to tell problems apart by, such as `/problems/illegal-move`; `problem` has every member,
    such as `verdict`.
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
        """Make one of an answer whose body has been read; a proxy's answer may be no problem at all."""
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        known = problem if isinstance(problem, dict) else {}
        problem = known or {"title": response.reason_phrase, "detail": response.text[:200]}
        return cls(response.status_code, problem, response.headers.get("X-Request-Id"))
