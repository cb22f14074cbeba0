"""The one place where requests are admitted: each route waits in the fair queue and counts for the limits.

A view says by `costs` what it costs; an operation says it in its declaration, and counts when its caller is
known. An answer of 429, here or later, comes slowly.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any, NamedTuple, TypeVar

from flask import Response, current_app, request
from werkzeug.exceptions import TooManyRequests

from api.context import Context
from api.core.callers import ANONYMOUS, GUEST, Caller
from api.core.errors import Unauthorized
from api.core.shares import Party, networks
from api.feature import RateLimits
from api.http import auth, inputs
from api.http.queue import LINE, NOBODY, UNVERIFIED, Line, QueuePlace
from api.http.site import Site, this_site
from api.http.tokens import caller_of, digest
from api.store.database.session import Session

LIMITS, WAIT = "card_referee.limits", "card_referee.wait"  # of a request, if it is limited
MOST_VALUES, MOST_RECORD_VALUES = 50_000, 1_000_000  # JSON values in a body
REFUSED = 429
BODILESS = ("GET", "HEAD", "OPTIONS")
View = TypeVar("View", bound=Callable[..., Any])


class Admission(NamedTuple):
    """How a route is admitted: its cost (None: it counts its caller itself), and the size of its bodies.

    Routes that tell whether the server works wait in a queue of their own, so that work never delays them.
    """

    cost: int | None = 1
    large: bool = False
    checks: bool = False


USUAL = Admission()
ADMISSION = "admission"


def costs(requests: int) -> Callable[[View], View]:
    """Let a view count as so many requests."""
    return admitted(Admission(requests))


def admitted(admission: Admission) -> Callable[[View], View]:
    """Let a view be admitted so."""

    def decorate(view: View) -> View:
        setattr(view, ADMISSION, admission)
        return view

    return decorate


def admission_of(endpoint: str | None) -> Admission:
    """Return how a route is admitted; None: there is nothing at the address."""
    admission: Admission = getattr(current_app.view_functions.get(endpoint or ""), ADMISSION, USUAL)
    return admission


def answer(work: Callable[[], Response], problem: Callable[[Exception], Response]) -> Response:
    """Return the answer to the current request: `work`, when it is admitted, or else a `problem`."""
    try:
        with _place(admission_of(request.endpoint)):
            response = work()
    except Exception as error:  # of the admission: those of `work` are answered there
        response = problem(error)
    if response.status_code == REFUSED:
        this_site().delays.delay()
    return response


def _place(admission: Admission) -> QueuePlace:
    """Return the place to wait for. Raises TooManyRequests, Unauthorized; a body's errors.

    The body is read before, so that nothing is held while waiting for it.
    """
    site = this_site()
    environ, method = request.environ, request.method
    wait = environ.get(WAIT)
    if wait:
        raise TooManyRequests(retry_after=wait)
    line = environ[LINE] = _line(site, admission)
    if method not in BODILESS and request.endpoint is not None:  # nobody reads those of others
        data = inputs.receive(site.settings.max_record_body if admission.large else site.settings.max_body)
        inputs.require_few_values(data, MOST_RECORD_VALUES if admission.large else MOST_VALUES)
    limits: RateLimits | None = environ.get(LIMITS)
    cost = 1 if method == "OPTIONS" else admission.cost
    if cost is not None and limits is not None:
        limits.count_caller(environ, None, cost)
    return QueuePlace(site.checks if admission.checks else site.queue, line)


def _line(site: Site, admission: Admission) -> Line:
    """Return where the request waits. Before a large body is read its caller is looked up, if it is unknown.

    Raises Unauthorized.
    """
    address = _site_of(request.environ)
    try:
        token = auth.bearer_token(request.headers.get("Authorization"))
    except Unauthorized:
        token = None  # operations say so
    hashed = None if token is None else digest(token)
    line = site.known.line(hashed, address)
    if admission.large and line.party == UNVERIFIED:
        with closing(Session(site.database)) as session, QueuePlace(site.queue, line):
            look_up(site, site.context(session), token)
        line = site.known.line(hashed, address)
    return line


def look_up(site: Site, context: Context, token: str | None) -> None:
    """Find the caller of the current request. Raises Unauthorized, Forbidden, BadRequest."""
    if token is not None and site.compute is not None:
        site.compute.begin()
    player = auth.acting_player(request.headers.get(auth.ACTING))
    try:
        context.caller = caller_of(context, token, player)
    except Unauthorized:
        if token is not None:
            site.known.forget(digest(token))
        raise
    if token is not None:
        site.known.remember(digest(token), _own_line(context.caller))
    if player is None:
        site.remembered.add(token, context.caller)


def party_of(context: Context) -> Party:
    """Return who follows something: of an app the player, or else the key; others by their networks."""
    caller, line = context.caller, _own_line(context.caller)
    if line is None:
        return (NOBODY, *context.networks)
    return (line.party, line.member if caller.by_app or caller.player_id is None else caller.player_id)


def line_of(caller: Caller) -> Line:
    """Return the line of the caller of this request, who was looked up."""
    return _own_line(caller) or Line(NOBODY, _site_of(request.environ))


def _own_line(caller: Caller) -> Line | None:
    """Return the line of a caller; None for guests of the server and strangers, who wait by address."""
    if caller.app_id is None or caller.kind == ANONYMOUS or GUEST in caller.scopes:
        return None
    return Line(caller.app_id, caller.credential_id)


def _site_of(environ: dict[str, Any]) -> str:
    """Return the caller's address; for IPv6 the largest network that counts as one party."""
    return networks(environ.get("REMOTE_ADDR") or "")[0]


def address_of(environ: dict[str, Any]) -> str:
    """Return the caller's address; for IPv6 the network, which usually belongs to one customer."""
    return networks(environ.get("REMOTE_ADDR") or "")[-1]
