"""Deprecation: declared with a date, published in the specification, and named in every answer.

The headers are `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); docs/versioning.md says when something is
removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from flask import Response
from marshmallow import Schema
from werkzeug.http import http_date

KEY = "deprecation"  # in a field's metadata; the specification does not show this keyword
LEAST = timedelta(days=180)  # from the announcement to the end
HEADERS = ("Deprecation", "Sunset")


@dataclass(frozen=True)
class Deprecation:
    """The date of a deprecation, and the date after which the feature may be removed."""

    since: date
    sunset: date

    def __post_init__(self) -> None:
        """Check that enough time lies between the two dates. Raises ValueError."""
        if self.sunset < self.since + LEAST:
            raise ValueError(f"{self.sunset} is less than {LEAST.days} days after {self.since}")

    def published(self) -> dict[str, Any]:
        """Return its description for the specification."""
        days = {"x-deprecated-since": self.since.isoformat(), "x-sunset": self.sunset.isoformat()}
        return {"deprecated": True, **days}

    def metadata(self) -> dict[str, Any]:
        """Return the `metadata` of a deprecated parameter's field."""
        return {**self.published(), KEY: self}

    def headers(self) -> dict[str, str]:
        """Return its headers for an answer."""
        return {"Deprecation": f"@{_midnight(self.since):.0f}", "Sunset": http_date(_midnight(self.sunset))}


def _midnight(day: date) -> float:
    return datetime.combine(day, time(), UTC).timestamp()


def of_parameters(query: Schema | None) -> dict[str, Deprecation]:
    """Return the deprecated parameters of a query, by name."""
    fields = {} if query is None else query.fields
    return {name: field.metadata[KEY] for name, field in fields.items() if KEY in field.metadata}


def announce(
    response: Response, whole: Deprecation | None, parameters: Mapping[str, Deprecation], used: Iterable[str]
) -> Response:
    """Add headers to an answer if the operation, or a parameter of the request, is deprecated."""
    deprecations = [whole] if whole is not None else [parameters[name] for name in used if name in parameters]
    if deprecations:
        response.headers.update(min(deprecations, key=lambda each: each.sunset).headers())
    return response
