"""What these operations accept."""

from __future__ import annotations

from api.http.fields import Input
from api.http.patterns import Id


class Against(Input):
    """The player to compare with."""

    against = Id(about="Only games that this other player of the app has finished as well.")
