"""The pages behind links in mails, for people who are not logged in.

A mail program may follow every link that it sees, so the page only asks, and its button acts. The header
`List-Unsubscribe` names the same address, to which a mail program posts what RFC 8058 defines (one click).
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, request

from api.context import Context
from api.core.errors import NotFound
from api.features.mail import contacts, links
from api.features.mail.kinds import kinds
from api.features.mail.phrases import mark
from api.features.mail.preferences import EACH, NEVER, UNTIL_VISIT
from api.features.site.pages import page
from api.http.language import say
from api.http.operation import without_token

FREQUENCIES = {
    UNTIL_VISIT: mark("A mail when something happens, then only what decides games until I visit again"),
    EACH: mark("A mail for each event, at once"),
    NEVER: mark("No mail"),
}
blueprint = Blueprint("mail", __name__)


@blueprint.route("/mail/unsubscribe/<token>", methods=["GET", "POST"])
def unsubscribe(token: str) -> Response:
    """Send no more mail."""
    words = (mark("Stop all mail about your games?"), mark("Stop it"), mark("No more mail will be sent."))
    return _ask(links.UNSUBSCRIBE, contacts.unsubscribe, token, *words)


@blueprint.route("/mail/confirm/<token>", methods=["GET", "POST"])
def confirm(token: str) -> Response:
    """Confirm an address."""
    question, done = mark("Do you want mail about your games?"), mark("You will get mail about your games.")
    return _ask(links.CONFIRM, contacts.confirm, token, question, mark("Yes"), done)


@blueprint.route("/mail/manage/<token>", methods=["GET", "POST"])
def manage(token: str) -> Response:
    """Choose which mail to get, and how often; resume mail that is paused."""
    saved, form = request.method == "POST", request.form
    with without_token() as context:
        if saved:
            choices = (form.get("frequency", ""), form.getlist("mail"))
            contact = contacts.manage(context, token, *choices, again="again" in form)
        else:
            contact = links.follow(context, links.MANAGE, token)
    since = contact.refused_at and f"{contact.refused_at:%Y-%m-%d}"
    return page(
        "people/manage.html",
        forms=True,
        saved=saved,
        chosen=contact.preferences,
        since=since,
        frequencies=FREQUENCIES,
        kinds={event: kind.called for event, kind in kinds().items()},
    )


def _ask(
    purpose: str, act: Callable[[Context, str], None], token: str, question: str, button: str, done: str
) -> Response:
    posted = request.method == "POST"
    with without_token() as context:
        if posted:
            act(context, token)
        else:
            links.follow(context, purpose, token)
    words, shown = say(done if posted else question), None if posted else say(button)
    return page("people/mail.html", words=words, button=shown, forms=True)


@blueprint.errorhandler(NotFound)
def say_not_found(none: NotFound) -> Response:
    """Return the page of a link that is no longer valid."""
    response = page("people/mail.html", words=say(none.detail), button=None)
    response.status_code = 404
    return response
