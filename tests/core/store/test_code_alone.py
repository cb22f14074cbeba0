"""Without row-level security, as on a Citus cluster, the code alone keeps apps apart.

`CODE_ALONE=yes` runs all tests in this way.
"""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from api.core.config import Settings, libpq
from tests.support.strangers import Tenant, changes_nothing, reads_nothing
from tests.support.strangers import two as two


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Let the service connect as the owner, whom no policy restricts."""
    with psycopg.connect(libpq(settings.owner_database_url)) as owner:
        assert owner.execute("SELECT row_security_active('games')").fetchone() == (False,)
    return replace(settings, database_url=settings.owner_database_url)


def test_an_app_reads_nothing_of_another(two: tuple[Tenant, Tenant]) -> None:
    reads_nothing(*two)


def test_an_app_changes_nothing_of_another(two: tuple[Tenant, Tenant]) -> None:
    changes_nothing(*two)
