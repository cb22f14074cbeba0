"""The numbers of advisory locks, and the settings that permit what triggers refuse; each for one purpose."""

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
    RATINGS = 7_305_006  # workers take turns rating games
    INSTALLATION = 7_305_008  # as FIRST_KEY
    NOTICES = 7_305_009  # the first of two numbers; the second is that of an app
    SEEKS = 7_305_010  # the first of two numbers; the second is that of the terms
    IDS = 7_305_020  # the first of two numbers; the second is that of an id (`api.store.layout`)


# Only a transaction of the owner may set them.
DELETING, RESEALING = "card_referee.deleting_app", "card_referee.resealing"


def permit(setting: str) -> str:
    """Return the statement that permits it; on a Citus cluster, on every machine that is reached."""
    return f"SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL {setting} = 'on'"
