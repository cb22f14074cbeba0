"""What these operations accept and answer."""

from __future__ import annotations

from api.http.fields import Flag
from api.http.queries import Signing


class TakeBack(Signing):
    """The seat that asks, if the caller holds or acts for several."""


class TakeBackAnswer(Signing):
    """Whether a seat agrees to take back the move."""

    agree = Flag(required=True)
