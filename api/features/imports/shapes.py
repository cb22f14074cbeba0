"""What these operations accept and answer."""

from __future__ import annotations

from api.http.fields import Choice
from api.http.queries import VISIBILITIES
from api.http.shapes import Input


class Importing(Input):
    """The visibility of an imported game."""

    visibility = Choice(*VISIBILITIES, load_default="private", about="Who can see the game.")
