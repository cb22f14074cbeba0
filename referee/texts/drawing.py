"""Pictures of views, for notebooks: what a seat or a spectator sees, with the faces that the pages show."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from referee.engine.registry import find

WIDTH, HEIGHT = 60, 84  # of a card; it is drawn in a box of 100 by 140
STEP = 24  # from card to card, where they overlap
LINE, GAP, MARGIN = 18, 10, 16
PAGE = 880
MOST_BACKS = 6  # hidden cards that are drawn of one zone
BACK = (
    '<rect width="100" height="140" rx="11" fill="#fff" stroke="#0003"/>'
    '<rect x="6" y="6" width="88" height="128" rx="7" fill="#2b5085"/>'
    '<path d="M6 50L50 6M6 94L94 6M6 134L94 46M50 134L94 90M50 6L94 50M6 6L94 94M6 46L94 134M6 90L50 134"'
    ' stroke="#3f6cab" stroke-width="5"/>'
)
PAPER = '<rect width="100" height="140" rx="11" fill="#fff" stroke="#0003"/>'


@cache
def _faces() -> tuple[list[str], dict[str, dict[str, int]]]:
    known = json.loads((files("referee.texts") / "faces.json").read_text("utf-8"))
    return known["drawings"], known["cards"]


def face(ruleset: str, card: str) -> str:
    """Return the drawing of a card in a box of 100 by 140: its name, where its game is in no list."""
    drawings, cards = _faces()
    known = cards.get(ruleset)
    if known is None and card not in getattr(find(ruleset), "CATALOGUE", {}):
        known = cards["landlord"]  # all French cards
    if known and (place := known.get(card)) is not None:
        return PAPER + drawings[place]
    return PAPER + f'<text x="50" y="80" font-size="34" text-anchor="middle">{escape(card)}</text>'


def picture(view: Mapping[str, Any], seat: int | None = None) -> str:
    """Return a view as SVG: the table, then each seat with what it holds, the viewer's seat last."""
    drawn = _Drawing(view["ruleset"])
    waits = ", ".join(map(str, view["to_act"]))
    now = view["result"]["reason"] if view["result"] else f"seat {waits} to act"
    drawn.line(f"{view['ruleset']} · {view['phase']} · {now}", strong=True)
    zones = [(name, *_owner(name), shown) for name, shown in view["zones"].items()]
    drawn.row([(called, shown) for _, called, owner, shown in zones if owner is None])
    seats = sorted(range(view["seats"]), key=lambda each: (each == seat, each))
    for each in seats:
        marks = ["to act"] * (each in view["to_act"]) + ["sees this"] * (each == seat)
        drawn.line(" · ".join([f"Seat {each}", f"score {view['scores'][each]}", *marks]))
        drawn.row([(called, shown) for _, called, owner, shown in zones if owner == each])
    return drawn.svg()


def page(view: Mapping[str, Any], seat: int | None = None) -> str:
    """Return a view as HTML: its picture, and the facts below it."""
    facts = "".join(
        f"<li>{escape(name)}: {escape(json.dumps(value, ensure_ascii=False))}</li>"
        for name, value in view["facts"].items()
    )
    about = f"<details><summary>Facts</summary><ul>{facts}</ul></details>" if facts else ""
    return f"<div>{picture(view, seat)}{about}</div>"


def _owner(zone: str) -> tuple[str, int | None]:
    """Return what a zone is called, and the seat that it belongs to."""
    name, dot, seat = zone.rpartition(".")
    return (name, int(seat)) if dot and seat.isdecimal() else (zone, None)


class _Drawing:
    """Lines of text and rows of zones, one below the other."""

    def __init__(self, ruleset: str) -> None:
        self._ruleset = ruleset
        self._parts: list[str] = []
        self._used: dict[str, None] = {}  # each face is written once; "" is the back
        self._y = MARGIN

    def line(self, text: str, *, strong: bool = False) -> None:
        """Write a line."""
        self._y += LINE
        weight = ' font-weight="700"' if strong else ""
        self._text(MARGIN, text, 14, weight)
        self._y += 4

    def row(self, zones: list[tuple[str, Any]]) -> None:
        """Draw zones side by side, in as many rows as they need; those without cards are left out."""
        x: float = MARGIN
        drawn = False
        for called, shown in zones:
            cards = shown if isinstance(shown, list) else [None] * shown["count"]
            if not cards:
                continue
            kept = cards if any(cards) else cards[:MOST_BACKS]
            step = min(STEP, (PAGE - 2 * MARGIN - WIDTH) / max(1, len(kept) - 1))
            wide = WIDTH + step * (len(kept) - 1)
            if x > MARGIN and x + wide > PAGE - MARGIN:
                x, self._y = MARGIN, self._y + HEIGHT + LINE + GAP
            self._text(x, f"{called} ({len(cards)})", 11, ' opacity=".8"', LINE - 5)
            for place, card in enumerate(kept):
                self._card(card, x + place * step, self._y + LINE)
            x += max(wide, 7 * len(called) + 30) + 2 * GAP
            drawn = True
        self._y += (HEIGHT + LINE + GAP) * drawn

    def svg(self) -> str:
        """Return the picture."""
        height = self._y + MARGIN
        named = "".join(f'<g id="{id_}">{drawing}</g>' for id_, drawing in self._defined())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PAGE} {height}" width="{PAGE}"'
            f' font-family="system-ui,sans-serif"><defs>{named}</defs>'
            f'<rect width="{PAGE}" height="{height}" rx="14" fill="#2d6a4f"/>{"".join(self._parts)}</svg>'
        )

    def _defined(self) -> Iterator[tuple[str, str]]:
        for card in self._used:
            yield self._id(card), face(self._ruleset, card) if card else BACK

    def _id(self, card: str) -> str:
        """Return an id that names the same drawing in every picture of a page."""
        return f"card-{self._ruleset}-{card.encode().hex()}"

    def _text(self, x: float, text: str, size: int, more: str = "", down: int = 0) -> None:
        at = f'x="{x:g}" y="{self._y + down:g}" font-size="{size}"'
        self._parts.append(f'<text {at} fill="#fff"{more}>{escape(text)}</text>')

    def _card(self, card: str | None, x: float, y: float) -> None:
        self._used[card or ""] = None
        named = f"<title>{escape(card or 'hidden card')}</title>"
        self._parts.append(
            f'<g transform="translate({x:g} {y:g}) scale({WIDTH / 100:g})">{named}'
            f'<use href="#{self._id(card or "")}"/></g>'
        )
