"""The settings by which a transaction of the owner may do what triggers refuse otherwise."""

DELETING, RESEALING = "card_referee.deleting_app", "card_referee.resealing"


def permit(setting: str) -> str:
    """Return the statement that permits it; on a Citus cluster, on every machine that is reached."""
    return f"SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL {setting} = 'on'"
