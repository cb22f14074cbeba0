"""What these operations accept."""

from __future__ import annotations

from api.http.fields import Input, Name


class Asking(Input):
    """Who would like to watch a game."""

    name = Name(required=True)
