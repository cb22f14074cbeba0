"""On a Citus cluster, which has no row-level security, the code alone keeps apps apart.

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test.
"""

from __future__ import annotations

from tests.support.citus import migrated, pytestmark, settings
from tests.support.strangers import Tenant, changes_nothing, reads_nothing, two

__all__ = ["migrated", "pytestmark", "settings", "two"]


def test_an_app_reads_nothing_of_another(two: tuple[Tenant, Tenant]) -> None:
    reads_nothing(*two)


def test_an_app_changes_nothing_of_another(two: tuple[Tenant, Tenant]) -> None:
    changes_nothing(*two)
