"""The text of SQLAlchemy's statements, as psycopg takes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy
from sqlalchemy.sql import ClauseElement

DIALECT = sqlalchemy.make_url("postgresql+psycopg://").get_dialect()()


def written_out(statement: ClauseElement) -> tuple[str, Mapping[str, Any]]:
    """Return the text of an SQLAlchemy statement for psycopg, and its values."""
    compiled = statement.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
    return compiled.string, compiled.params


compiled_once = cache(written_out)
