"""An application on a new database, and callers with different rights, for every test here."""

from tests.support.service import *  # noqa: F403  # the fixtures
