"""What an operator can do about many games at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from api.commands.opening import of_owner, opened
from api.core.config import Settings, StartError
from api.features.guests import idle
from api.features.guests.store import Idle
from api.store.accounts import credentials


def cancel(settings: Settings, app: str, length: timedelta, say: Callable[[str], object]) -> int:
    """Cancel an app's games in which nothing has happened for so long; say each id. Raises StartError."""
    with opened(of_owner(settings)) as context:
        app_id = credentials.app_named(context.session, app)
        if app_id is None:
            raise StartError(f"There is no app {app}.")
        context.session.see(app_id)
        cancelled = 0
        for game_id in idle.cancel(context, app_id, Idle(length, length, length)):
            say(str(game_id))
            cancelled += 1
        return cancelled
