"""Settings for the databases of the tests' embedded server."""

from __future__ import annotations

import base64

from api.core.config import Settings
from api.run.embedded.postgres import OWNER, SERVICE, WORKER, Postgres

KEY = base64.b64encode(bytes(range(32))).decode()


def addresses(postgres: Postgres, name: str) -> Settings:
    return Settings(
        database_url=postgres.url(SERVICE, name),
        owner_database_url=postgres.url(OWNER, name),
        worker_database_url=postgres.url(WORKER, name),
        data_dir=postgres.directory,
        encryption_keys=(KEY,),
    )
