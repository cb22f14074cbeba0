"""Pictures for notebooks, of what a seat may see."""

from collections.abc import Mapping
from typing import Any

from referee.texts.drawing import page, picture


class Picture:
    """A view as a picture: `svg` and `html` are texts, and a notebook shows it."""

    def __init__(self, view: Mapping[str, Any], seat: int | None = None) -> None:
        self.svg = picture(view, seat)
        self.html = page(view, seat)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.html
