"""Letting the finished games of apps go, as an operator and the worker do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner, Result

from api.cli import cli
from api.context import Context
from api.core.config import Settings
from api.features.retention import retention
from tests.support.callers import START, Caller

AGE = (datetime.now(UTC) - START).days  # of what happens at the time of the tests' clock


@pytest.fixture
def retain(settings: Settings) -> Callable[..., Result]:
    def call(*words: object) -> Result:
        return CliRunner(env=settings.environment()).invoke(cli, ["retain", *map(str, words)])

    return call


@pytest.fixture
def forget(worker: Callable[[], None], context: Context) -> Callable[[], None]:
    """Do all that is due, and then delete what has to go."""

    def run() -> None:
        worker()
        retention.forget(context)

    return run


def ids(key: Caller) -> set[str]:
    return {game["id"] for game in key.get("/v1/games?limit=100").json["items"]}
