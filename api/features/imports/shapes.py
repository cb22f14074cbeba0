"""What these operations accept and answer."""

from __future__ import annotations

from api.schemas.fields import Choice
from api.schemas.requests.common import VISIBILITIES
from api.schemas.shapes import Input


class Importing(Input):
    """The visibility of an imported game."""

    visibility = Choice(*VISIBILITIES, load_default="private", about="Who can see the game.")
