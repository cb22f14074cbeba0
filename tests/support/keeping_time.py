"""What the job worker does by itself, done at once by a test."""

from __future__ import annotations

from api.context import Context
from api.features.notices import projection, warnings
from api.features.proofs import tree
from api.features.ratings import ratings
from api.games import outages
from api.run import worker


def keep_time(context: Context) -> None:
    """Do everything that is due now, except what needs other servers."""
    for job in (
        outages.give_all_back,
        worker.enforce,
        worker.forfeit,
        warnings.warn_all,
        worker.play,
        worker.play_alone,
        tree.integrate_all,
        ratings.rate_all,
        projection.announce_all,
    ):
        job(context)
