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
from api.notify.people import bounces, calendars, contacts, managing
from api.notify.people.preferences import DAILY, EACH, NEVER, UNTIL_VISIT
from api.notify.people.words import KINDS
from api.routes.site.pages import page
from api.store.database.session import Session
from api.store.notify.contacts import BOUNCES, COMPLAINT, NO_SUCH_MAILBOX

# Not one of the static files of the pages, because players never load it.
PAGE = """{% extends "base.html" %}
{% block title %}Mail{% endblock %}
{% block content %}
<h1>{{ words }}</h1>
{% if button %}<form method="post"><button>{{ button }}</button></form>{% endif %}
{% endblock %}
"""

MANAGE = """{% extends "base.html" %}
{% block title %}Mail{% endblock %}
{% block content %}
<h1>Mail about your games</h1>
{% if saved %}<p role="status">Your choice is stored.</p>{% endif %}
{% if refused %}<p role="status"><strong>{{ refused }}</strong></p>{% endif %}
<form method="post">
<fieldset><legend>How often</legend>
{% for value, words in frequencies.items() %}<label><input type="radio" name="frequency" value="{{ value }}"
{{- " checked" if value == managed.frequency }}> {{ words }}</label><br>{% endfor %}
</fieldset>
<fieldset><legend>About what</legend>
{% for value, words in kinds.items() %}<label><input type="checkbox" name="mail" value="{{ value }}"
{{- " checked" if value in managed.mail }}> {{ words }}</label><br>{% endfor %}
</fieldset>
{% if refused %}
<label><input type="checkbox" name="again" value="yes"> Send mail to this address again</label>
{% endif %}
<p><button>Save</button></p>
</form>
{% endblock %}
"""
FREQUENCIES = {
    UNTIL_VISIT: "A mail when something happens, then only what decides games until I visit again",
    EACH: "A mail for each event, at once",
    DAILY: "One mail a day",
    NEVER: "No mail",
}
REFUSED = {
    NO_SUCH_MAILBOX: "the mail server says that the address does not exist",
    BOUNCES: "several mails could not be delivered",
    COMPLAINT: "one of them was reported as unwanted",
}

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


@blueprint.route("/mail/manage/<token>", methods=["GET", "POST"])
def manage(token: str) -> Response:
    """Choose which mail to get, and how often; resume mail that is paused."""
    saved = request.method == "POST"
    try:
        with _context() as context:
            if saved:
                form = request.form
                choices = (form.get("frequency", ""), form.getlist("mail"))
                managed = managing.change(context, token, *choices, again="again" in form)
            else:
                managed = managing.show(context, token)
    except NotFound as none:
        return _nothing(none)
    refused = None
    if managed.refused_at is not None:
        why = REFUSED.get(managed.refused_because or "", "it was refused")
        refused = f"No mail has been sent since {managed.refused_at:%d %B %Y}, because {why}."
    shown = current_app.jinja_env.from_string(MANAGE)
    return page(
        shown,
        forms=True,
        saved=saved,
        managed=managed,
        refused=refused,
        frequencies=FREQUENCIES,
        kinds=KINDS,
    )


@blueprint.post("/mail/bounces")
def bounced() -> Response:
    """Take a message that came back to the address that a mail names, as a mail server passes it on."""
    try:
        with _context() as context:
            bounces.receive(context, request.get_data())
    except NotFound as none:
        return problems.answer("not-found", none.detail)
    return Response(status=204)


@blueprint.get("/calendar/<token>.ics")
def calendar(token: str) -> Response:
    """Return a player's deadlines as a calendar."""
    with _context() as context:
        try:
            content = calendars.read(context, token)
        except NotFound as none:
            return problems.answer("not-found", none.detail)
    response = Response(content, content_type="text/calendar; charset=utf-8")
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
        return _nothing(none)
    return page(
        _template(), words=done if posted else question, button=None if posted else button, forms=True
    )


def _nothing(none: NotFound) -> Response:
    response = page(_template(), words=none.detail, button=None)
    response.status_code = 404
    return response


def _template() -> Template:
    return current_app.jinja_env.from_string(PAGE)
