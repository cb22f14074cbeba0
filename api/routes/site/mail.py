"""The pages behind links in mails and calendars, for people who are not logged in.

A mail program may follow every link that it sees, so the page only asks, and its button acts. The header
`List-Unsubscribe` names the same address, to which a mail program posts what RFC 8058 defines (one click).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flask import Blueprint, Response, current_app, request
from jinja2 import Template

from api.context import Context
from api.core.errors import NotFound
from api.http import problems
from api.notify.people import calendars, contacts
from api.routes.site.pages import page
from api.store.database.session import Session

# Not one of the static files of the pages, because players never load it.
PAGE = """{% extends "base.html" %}
{% block title %}Mail{% endblock %}
{% block content %}
<h1>{{ words }}</h1>
{% if button %}<form method="post"><button>{{ button }}</button></form>{% endif %}
{% endblock %}
"""

blueprint = Blueprint("mail", __name__)


@blueprint.route("/mail/unsubscribe/<token>", methods=["GET", "POST"])
def unsubscribe(token: str) -> Response:
    """Send no more mail."""
    return _ask(
        contacts.unsubscribe,
        token,
        "Stop all mail about your games?",
        "Stop it",
        "No more mail will be sent.",
    )


@blueprint.route("/mail/confirm/<token>", methods=["GET", "POST"])
def confirm(token: str) -> Response:
    """Confirm an address."""
    words = ("Do you want mail about your games?", "Yes", "You will get mail about your games.")
    return _ask(contacts.confirm, token, *words)


@blueprint.get("/calendar/<token>.ics")
def calendar(token: str) -> Response:
    """Return a player's deadlines as a calendar."""
    with _context() as context:
        try:
            found = calendars.read(context, token)
        except NotFound as none:
            return problems.answer("not-found", none.detail)
    response = Response(found, content_type="text/calendar; charset=utf-8")
    response.headers["Cache-Control"] = "private, max-age=300"
    return response


@contextmanager
def _context() -> Iterator[Context]:
    """Serve a caller who has no token."""
    site = current_app.extensions["card_referee"]
    session = Session(site.database)
    try:
        yield Context(site.settings, session, site.clock, site.random_bytes)
    finally:
        session.close()


def _ask(act: Callable[..., None], token: str, question: str, button: str, done: str) -> Response:
    posted = request.method == "POST"
    try:
        with _context() as context:
            act(context, token, change=posted)
    except NotFound as none:
        response = page(_template(), words=none.detail, button=None)
        response.status_code = 404
        return response
    return page(
        _template(), words=done if posted else question, button=None if posted else button, forms=True
    )


def _template() -> Template:
    return current_app.jinja_env.from_string(PAGE)
