"""Limits on how much callers ask for."""

from __future__ import annotations

from api.core.config import Settings
from api.feature import Feature, RateLimits


def _limits(settings: Settings) -> RateLimits:
    """Make the limits of one web process; a worker needs none."""
    from api.features.limits.limits import Limits

    return Limits(settings)


FEATURE = Feature("limits", limits=_limits)
