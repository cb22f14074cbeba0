"""A next migration, invented for tests: it adds a column that nobody reads."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import migrations
from api.core.release import newest
from migrations import versions

NUMBER = "0002"
INVENTED = f'''
from alembic import op

revision = "{NUMBER}"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE games ADD COLUMN invented text NOT NULL DEFAULT 'yes'")


def downgrade() -> None:
    op.execute("ALTER TABLE games DROP COLUMN invented")
'''


@pytest.fixture
def invented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let this release know one migration more; return its number."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder)
    (folder / "versions" / f"{NUMBER}_invented.py").write_text(INVENTED)
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))
    monkeypatch.setattr(versions, "__path__", [str(folder / "versions")])
    newest.cache_clear()
    yield NUMBER
    newest.cache_clear()
