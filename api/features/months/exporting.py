"""Writes finished months to files, one for each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from api.context import Context
from api.core.config import Settings, StartError
from api.core.errors import NotFound
from api.features import opened
from api.features.months import files, months
from api.features.proofs.keys import Signer
from api.games.export import record_of
from api.games.loading import load
from api.games.views import Visibility

Report = Callable[[str], None]


def export(settings: Settings, folder: Path, report: Report, now: datetime) -> None:
    """Write every finished month that is not in the folder yet; say why others wait. Raises StartError."""
    # A worker may read every app's games, and only a web process has the key to sign with.
    with opened(settings.for_worker()) as context, opened(settings.for_web()) as web:
        context.signer = Signer(web.session)
        for month in months.over(context.session, now):
            file = folder / f"{month.name}{files.GZIP}"
            if file.exists():
                continue
            if waits := months.unfinished(context.session, month, now):
                report(f"{month.name} waits: {waits}")
                continue
            games = [*months.games_of(context.session, month)]
            if games:
                files.write(file, (line_of(context, game) for game in games))
                report(f"{file}: {len(games)} games")


def line_of(context: Context, game: UUID) -> dict[str, Any]:
    """Return the line of a game in its month's file. Raises StartError."""
    try:
        record = record_of(context, load(context, game), Visibility(whole=True))
    except (psycopg.Error, OSError):
        raise
    except NotFound:
        raise StartError(f"Game {game} was deleted meanwhile: repeat the command.") from None
    except Exception as error:  # an invalid log may cause any error
        raise StartError(f"No record can be made of game {game}, so its month waits.") from error
    return {"game": str(game), "ended_at": record["entries"][-1]["at"], "record": record}
