"""What every operation has: declared once, enforced here, and published from the same declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from inspect import getdoc
from typing import Any

from flask import Blueprint, Response, current_app, request
from marshmallow import Schema
from werkzeug.exceptions import NotAcceptable

from api.accounts.tokens import caller_of
from api.core.context import Caller, Context, PassedOn
from api.core.json import dumps
from api.http import auth, inputs, problems, replay
from api.ops.limits import LIMITS, Limits
from api.store.database.session import Session
from api.store.idempotency import AlreadyAnswered

JSON = "application/json"
COSTS_MORE = 4096  # as many bytes of a body cost as much as a request
MOST_VALUES, MOST_RECORD_VALUES = 50_000, 1_000_000  # of JSON in a body
View = Callable[..., Any]


@dataclass(frozen=True)
class Operation:
    """One operation of the API.

    `answers` maps a status to the name of an answer's schema (None: no body); the first is the usual one.
    `cost` is what it counts for the rate limits, beside its body; most operations count as one.
    An operation that is `long` is passed on to a compute process where its body has at least so many bytes.
    An idempotent operation's view returns what its service does, and `presents` makes of that what is sent:
    so the answer can be kept in the transaction of what it answers.
    """

    id: str
    tag: str
    method: str
    rule: str
    summary: str
    audience: auth.Audience
    answers: Mapping[int, str | None]
    problems: Sequence[str] = ()
    description: str = ""
    body: Schema | None = None
    query: Schema | None = None
    if_match: bool = False
    etag: bool = False
    idempotent: bool = False
    resumable: bool = False
    large: bool = False
    long: int | None = None
    cost: int = 1
    produces: Sequence[str] = (JSON,)
    presents: Callable[[Any], Any] | None = None

    def present(self, made: Any) -> replay.Rendered:
        """Return what to send of what a view returned: a value, a status and headers."""
        shown = self.presents(made) if self.presents is not None else made
        if not isinstance(shown, tuple):
            return shown, next(iter(self.answers)), {}
        value, status, headers = (*shown, {})[:3]
        return value, status, headers


OPERATIONS: dict[str, Operation] = {}


def operation(blueprint: Blueprint, method: str, rule: str, **declared: Any) -> Callable[[View], View]:
    """Route a view whose first argument is the Context; body and query come as `body` and `query`.

    The view's name becomes the operation's id, its docstring the summary and description. It (or `presents`,
    given what it returned) returns what to send as JSON, or that with a status, or with a status and headers.
    """
    query = declared.pop("query", None)
    body = declared.pop("body", None)

    def decorate(view: View) -> View:
        summary, _, description = getdoc(view).partition("\n\n")  # type: ignore[union-attr]
        declaration = Operation(
            id=view.__name__,
            summary=summary.rstrip("."),
            description=description,
            tag=blueprint.name,
            method=method,
            rule=rule,
            query=query and query(),
            body=body and body(),
            **declared,
        )
        OPERATIONS[declaration.id] = declaration

        @wraps(view)
        def run(**path: Any) -> Response:
            return _run(declaration, view, path)

        blueprint.add_url_rule(rule, declaration.id, run, methods=[method])
        return view

    return decorate


def _run(declared: Operation, view: View, path: dict[str, Any]) -> Response:
    site = current_app.extensions["card_referee"]
    session = Session(site.database)
    request.environ["card_referee.database"] = site.database
    context = Context(site.settings, session, site.clock, site.random_bytes)
    request.environ["card_referee.context"] = context
    try:
        token = auth.bearer_token(request.headers.get("Authorization"))
        _receive(declared, context)
        if declared.audience == auth.OPERATOR:
            auth.require_operator(context.settings.metrics_token, token)
        else:
            context.caller = caller_of(session, token, context.now())
            _count(declared, context)
            auth.require(declared.audience, context.caller)
        context.serves_others = site.compute is not None
        if context.serves_others and declared.long is not None and len(request.get_data()) >= declared.long:
            raise PassedOn
        given = _inputs(declared, context)
        present = partial(_present, declared, context.caller)
        if declared.idempotent:
            context.keyed = replay.keyed(present, context.caller, token)
        made = view(context, **path, **given)
        if context.keyed is not None and context.keyed.answer is not None:
            return replay.send(context.keyed.answer, replayed=False)
        return _answer(declared, made, present)
    except AlreadyAnswered as before:
        return replay.send(before.answer, replayed=True)
    except PassedOn:
        session.close()
        return site.compute.answer(str(context.caller.owner or request.remote_addr))  # type: ignore[no-any-return]
    finally:
        session.close()


def _count(declared: Operation, context: Context) -> None:
    """Count the request by its caller and its cost. Raises TooManyRequests."""
    limits: Limits | None = request.environ.get(LIMITS)
    if limits is not None:
        data = request.get_data() if declared.method != "GET" else b""
        cost = declared.cost + len(data) // COSTS_MORE
        limits.count_caller(request.environ, context.caller.credential_id, cost)


def _receive(declared: Operation, context: Context) -> None:
    """Read the body before anything else: who waits for it holds no connection to the database."""
    if declared.method != "GET":
        inputs.receive(context.settings.max_record_body if declared.large else context.settings.max_body)
        inputs.require_few_values(request.get_data(), MOST_RECORD_VALUES if declared.large else MOST_VALUES)


def _inputs(declared: Operation, context: Context) -> dict[str, Any]:
    """Read what the operation declares; whatever else comes is refused."""
    accept = request.headers.get("Accept")
    if accept not in (None, "*/*", JSON) and not request.accept_mimetypes.best_match(list(declared.produces)):
        raise NotAcceptable
    given: dict[str, Any] = {}
    if declared.query is not None:
        given["query"] = inputs.query(declared.query)
    elif request.query_string:
        inputs.refuse_query()
    if declared.body is not None:
        given["body"] = inputs.body(declared.body)
    if declared.if_match:
        given["if_match"] = inputs.if_match(request.headers.get("If-Match"))
    return given


def _present(declared: Operation, caller: Caller, made: Any) -> replay.Rendered:
    """Return what is sent of what a view made: a value, a status and headers; an ETag is the viewer's own."""
    value, status, headers = declared.present(made)
    if "ETag" in headers:
        headers = {**headers, "ETag": f'{headers["ETag"][:-1]}-{caller.viewer}"'}
    return value, status, headers


def _answer(declared: Operation, made: Any, present: Callable[[Any], replay.Rendered]) -> Response:
    if isinstance(made, Response):
        return made
    value, status, headers = present(made)
    known = request.headers.get("If-None-Match")
    if (
        known is not None
        and declared.etag
        and declared.method == "GET"
        and inputs.matches_none(known, headers["ETag"])
    ):
        return problems.empty(304, headers)
    if value is None:
        return problems.empty(status, headers)
    return Response(dumps(value), status, headers, content_type=JSON)
