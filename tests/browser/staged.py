"""Positions of recorded games at the page's table, without a server: the table has a fake source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from playwright.sync_api import Browser, BrowserContext, Page, Route

import referee
import referee.records
from api.core import languages
from api.rulesets import rulesets
from tests.browser.games import NAMES

WEB = Path(__file__).parents[2] / "api/web"
RECORDS = Path(__file__).parents[1] / "records"
ORIGIN = "http://table.test"
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

GAMES = {
    "bisca": ("target-4_seats", "target-2_seats"),
    "cats_and_dogs": ("last_trick-5_seats",),
    "dog_cards": ("rows-4", "rows-2"),
    "landlord": ("highest_score-all",),
    "mau_mau": ("out_of_cards-6_seats",),
    "palace": ("last_with_cards-6", "last_with_cards-3"),
    "pedro": ("target-several_hands",),
    "pies": ("ace",),
    "truco": ("target-10_seats", "target-played"),
}

OPEN = Path(__file__).with_name("staged.js").read_text()
HIDDEN = Path(__file__).with_name("hidden.js").read_text()  # lists what is cut off or covered


def record_of(ruleset: str, name: str) -> dict[str, Any]:
    return json.loads((RECORDS / ruleset / f"{name}.json").read_text())


def fullness(state: Any) -> int:
    """Return how many cards lie on the table for everybody to see."""
    zones = referee.view(state, None)["zones"]
    return sum(len(held) for held in zones.values() if isinstance(held, list))


@cache
def positions(ruleset: str, name: str, parts: int = 2) -> tuple[dict[str, Any], ...]:
    """Return what the page asks for in the middle of a recorded game, and where most cards are visible."""
    record = referee.read_record(record_of(ruleset, name))
    shapes = [(fullness(step.state), step.n) for step in referee.steps(record) if step.state.result is None]
    wanted = {shapes[len(shapes) * part // parts][1] for part in range(1, parts)} | {max(shapes)[1]}
    return tuple(
        position(step.state, entries, record.seats)
        for step, entries in _with_entries(record)
        if step.n in wanted and step.state.to_act
    )


@cache
def first_choices(ruleset: str, name: str) -> tuple[dict[str, Any], ...]:
    """Return a recorded game's first position with each choice of kinds of moves."""
    record = referee.read_record(record_of(ruleset, name))
    found: dict[Any, dict[str, Any]] = {}
    for step, entries in islice(_with_entries(record), 150):
        seat = next(iter(step.state.to_act), 0)
        kinds = frozenset(move["type"] for move in referee.legal_moves(step.state, seat))
        if kinds not in found:
            found[kinds] = position(step.state, entries, record.seats)
    return tuple(found.values())


def final(ruleset: str, name: str) -> dict[str, Any]:
    """Return the end of a recorded game."""
    record = referee.read_record(record_of(ruleset, name))
    *_, (step, entries) = _with_entries(record)
    return position(step.state, entries, record.seats)


@cache
def kinds_of_moves(ruleset: str) -> tuple[dict[str, Any], ...]:
    """Return positions in which the listed moves have, together, all kinds and fields of the records."""
    seen: set[tuple[str, ...]] = set()
    found = []
    for path in sorted((RECORDS / ruleset).glob("*.json")):
        record = referee.read_record(json.loads(path.read_text()))
        for step, entries in _with_entries(record):
            if step.state.ruleset.VERSION != referee.find(ruleset).VERSION:
                break
            kinds = {
                _kind(move)
                for seat in step.state.to_act[:1]
                for move in referee.legal_moves(step.state, seat)
            }
            if kinds - seen:
                seen |= kinds
                found.append(position(step.state, entries, record.seats))
    return tuple(found)


def _kind(move: dict[str, Any]) -> tuple[str, ...]:
    """Return the type of a move and the fields that it has; a switch that is off says nothing."""
    return (move["type"], *sorted(name for name, value in move.items() if value is not False))


def _with_entries(record: Any) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Yield the steps of a record with the entries of its log so far."""
    entries: list[dict[str, Any]] = []
    for step in referee.steps(record):
        public, private = referee.records.account(step.state, step.move, step.transfers, step.seat)
        kind = {"type": "moved", "seat": step.seat} if step.move else {"type": "started"}
        entries.append({"seq": len(entries) + 1, **kind, **public, "private": private})
        yield step, entries


def in_language(position: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a position whose ruleset has its words in a language."""
    return {**position, "ruleset": _whole(rulesets.ruleset(position["game"]["ruleset"], language))}


def _whole(value: Any) -> Any:
    return json.loads(json.dumps(value, default=list))


def position(state: Any, entries: list[Any], seats: int) -> dict[str, Any]:
    """Return a position as the seat to act sees it: the game, its log, its ruleset and the legal moves."""
    seat = state.to_act[0] if state.to_act else 0
    people = [
        {"seat": n, "player": {"id": str(n), "name": NAMES[n]}, "bot": None, "open": False, "deadline": None}
        for n in range(seats)
    ]
    game = {
        "id": f"{state.ruleset.ID}-{seats}",
        "ruleset": state.ruleset.ID,
        "ruleset_version": state.ruleset.VERSION,
        "options": dict(state.options),
        "status": "running" if state.result is None else "finished",
        "seats": people,
        "to_act": list(state.to_act),
        "result": state.result,
        "view": referee.view(state, seat),
        "version": len(entries),
        "viewer": {"seats": [seat]},
        "visibility": "private",
    }
    shown = [_as_seen_by(str(seat), entry) for entry in entries[-80:]]
    complete = state.ruleset.COMPLETE
    legal = {"version": len(entries), "moves": referee.legal_moves(state, seat), "complete": complete}
    found = {"game": game, "entries": shown, "legal": legal, "ruleset": rulesets.ruleset(state.ruleset.ID)}
    return _whole(found)


def _as_seen_by(seat: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "private": {name: share for name, share in entry["private"].items() if name == seat}}


def answer(route: Route, language: str = "en") -> None:
    path = route.request.url.removeprefix(ORIGIN)
    if path == f"/web/messages/{language}.json":
        return route.fulfill(json=languages.texts_of_scripts(language))
    if path.startswith("/web/"):
        file = WEB / path.removeprefix("/web/")
        return route.fulfill(body=file.read_bytes(), content_type=KINDS[file.suffix])
    templates = FileSystemLoader(WEB / "templates")
    pages = Environment(loader=templates, autoescape=True, extensions=["jinja2.ext.i18n"])
    pages.install_gettext_translations(languages.texts(language))
    styles = "".join((WEB / f"styles/{name}.css").read_text() for name in ("host", "style", "table"))
    page = pages.get_template("table.html").render(language=language, web="/web", styles=Markup(styles))
    return route.fulfill(body=page, content_type="text/html")


def stage(browser: Browser, language: str = "en", **settings: Any) -> tuple[BrowserContext, Page]:
    """Return a context and a page with an empty table in a language, for `show`."""
    context = browser.new_context(reduced_motion="reduce", **settings)
    context.route("**/*", partial(answer, language=language))
    page = context.new_page()
    page.goto(f"{ORIGIN}/table")
    return context, page


def show(page: Page, position: dict[str, Any], **more: Any) -> None:
    page.evaluate(OPEN, {**position, "readonly": False, **more})


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
