"""The language of a request: chosen in the address, on this device, or by the browser."""

from __future__ import annotations

from collections.abc import Collection

from flask import Response, g, request

from api.core import languages

COOKIE = "language"


def of_page(further: Collection[str] = ()) -> str:
    """Return the language of a page: `?lang=`, else the cookie of the reader's choice, else the browser's.

    A text that exists in `further` languages may be in one of these.
    """
    tags = (request.args.get("lang", ""), request.cookies.get(COOKIE, ""))
    return languages.supported(tags, further) or of_headers(further)


def of_headers(further: Collection[str] = ()) -> str:
    """Return the language that `Accept-Language` prefers."""
    if "Accept-Language" not in request.headers:
        return languages.ENGLISH
    return languages.supported(request.accept_languages.values(), further) or languages.ENGLISH


def say(text: str) -> str:
    """Return a page's text in the language of the page."""
    return languages.texts(_here()).gettext(text)


def count(one: str, many: str, n: int) -> str:
    """Return a page's text for a number in the language of the page."""
    return languages.texts(_here()).ngettext(one, many, n)


def _here() -> str:
    if "language" not in g:
        g.language = of_page()
    return str(g.language)


def mark(response: Response, language: str, *headers: str) -> Response:
    """Say in which language an answer is, and what of the request chose it."""
    response.headers["Content-Language"] = language
    response.vary.update(headers)
    return response
