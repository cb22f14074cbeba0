"""The numbers of the database's advisory locks, each used for one purpose."""

from __future__ import annotations

from enum import IntEnum, unique


@unique
class Lock(IntEnum):
    """What only one process at a time does."""

    MIGRATE = 7_305_001
    FIRST_KEY = 7_305_002  # two servers that start on the same empty database create only one key
    RESEAL = 7_305_003
    LOG_KEYS = 7_305_004  # as FIRST_KEY
    TREE = 7_305_005  # workers take turns adding leaves
    ARCHIVE = 7_305_006
    RESULTS = 7_305_007  # rebuilding the results of players
    CURSOR_KEY = 7_305_008  # as FIRST_KEY
    NOTICES = 7_305_009  # the first of two numbers; the second is that of an app
    SEEKS = 7_305_010  # the first of two numbers; the second is that of the terms
    IDS = 7_305_020  # the first of two numbers; the second is that of an id (`api.store.distributed.citus`)
