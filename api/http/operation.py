"""Operations: each is declared once; the declaration is enforced here and published in the specification."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partialmethod, wraps
from inspect import getdoc
from typing import Any, NamedTuple, TypeAlias, get_type_hints
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Request, Response, request
from marshmallow import Schema
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException, NotAcceptable

import referee
from api.context import Context, NotLookedUp, PassedOn
from api.core.callers import ANONYMOUS
from api.core.errors import BadRequest, ServiceError
from api.core.json import dumps
from api.core.shares import networks
from api.feature import RateLimits
from api.http import auth, conditional, inputs, problem_types, problems
from api.http.admission import LIMITS, Admission, admitted, line_of, look_up
from api.http.idempotency import AlreadyAnswered
from api.http.middleware import REQUEST_ID
from api.http.queue import leave
from api.http.site import Site, this_site
from api.store.database.session import Session

JSON = "application/json"
SEQ, CURSOR = "LastEventId", "LastEventCursor"  # names of the parameters that resume a stream
COSTS_MORE = 4096  # this many bytes of a body count as one more request
ITEMS = 50  # so many items of a list, too
USUAL = {"GET": 200, "POST": 201, "PUT": 200, "PATCH": 200, "DELETE": 204}  # the usual status of a success
View = Callable[..., Any]
Presented = tuple[Any, int, dict[str, str]]
Route: TypeAlias = partialmethod[Callable[[View], View]]


@dataclass(frozen=True)
class Operation:
    """One operation of the API.

    `answers` maps a status to the shape of an answer, or to what the answer means if it is no object;
    the first is the usual one. `creates` is the path below which what it creates has its address.
    `examples` of its body have a summary each. `problems` are those that do not follow from the other
    declarations. `cost` is what it counts for the rate limits, in addition to its body; most operations count
    as one. An operation that `remembers` its callers need not look them up: the statement with which it reads
    or writes the game checks their credentials. A stream is `resumable` with a SEQ or a CURSOR. Its events
    contain the items of a page, except for the names in `events`, which have these shapes. A `long` operation
    is forwarded to a compute process if its body has at least this many bytes. One that `checks` tells
    whether the server works, and waits for no other work. The view of an idempotent operation returns the
    result of its service, and `presents` turns it into what is sent, so that the answer can be kept in the
    same transaction. If no token is needed, `secret` reads from the body what a repeated request must know
    instead; None: its key must be a secret. Reading what is not `cacheable` never answers 304, although it
    has an `etag` for If-Match.
    """

    id: str
    tag: str
    method: str
    rule: str
    summary: str
    audience: auth.Audience
    answers: Mapping[int, type[Any] | str]
    problems: Sequence[str] = ()
    description: str = ""
    body: Schema | None = None
    examples: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    query: Schema | None = None
    if_match: bool = False
    etag: bool = False
    cacheable: bool = True
    idempotent: bool = False
    creates: str | None = None
    secret: Callable[[dict[str, Any]], str | None] | None = None
    resumable: str | None = None
    large: bool = False
    long: int | None = None
    checks: bool = False
    cost: int = 1
    remembers: bool = False
    produces: Sequence[str] = (JSON,)
    events: Mapping[str, type[Any]] = field(default_factory=dict)
    presents: Callable[[Any], Any] | None = None

    @property
    def conditional(self) -> bool:
        """Whether it answers 304 if the caller has the newest state already."""
        return self.etag and self.cacheable and self.method == "GET"

    @property
    def guarded(self) -> bool:
        """Whether it changes an object only if its ETag is still the one that If-Match names."""
        return self.etag and self.method == "PATCH"

    def present(self, result: Any) -> Presented:
        """Return what to send for the result of a view: a value, a status and headers."""
        shown = self.presents(result) if self.presents is not None else result
        shown = shown if isinstance(shown, tuple) else (shown, next(iter(self.answers)))
        value, status, headers = (*shown, {})[:3]
        if self.creates and status == 201:
            headers = {**headers, "Location": f"{self.creates}/{value['id']}"}
        return value, status, headers


class Operations(Blueprint):
    """A blueprint whose routes are operations of one tag: its name, which `about` describes, or another's."""

    def __init__(self, name: str, import_name: str, about: str = "", *, tag: str | None = None) -> None:
        super().__init__(name, import_name)
        self.tag, self.about = tag or name, about
        self.operations: dict[str, Operation] = {}

    def operation(
        self,
        method: str,
        rule: str,
        audience: auth.Audience,
        answer: type[Any] | str | None = None,
        *,
        query: type[Schema] | None = None,
        body: type[Schema] | None = None,
        **declared: Any,
    ) -> Callable[[View], View]:
        """Route a view whose first argument is the Context; body and query come as `body` and `query`.

        `answer` is the answer with the method's usual status, by default of the class that the view returns;
        `answers` is for other cases. The view's name becomes the operation's id, and its docstring the
        summary and description. The view (or `presents`, given its result) returns what to send as JSON,
        alone, with a status, or with a status and headers.
        """

        def decorate(view: View) -> View:
            declared.setdefault("answers", {USUAL[method]: answer or get_type_hints(view)["return"]})
            summary, _, description = (getdoc(view) or "").partition("\n\n")
            declaration = Operation(
                id=view.__name__,
                summary=summary.rstrip("."),
                description=description,
                tag=declared.pop("tag", self.tag),
                method=method,
                rule=rule,
                audience=audience,
                query=query() if query else None,
                body=body() if body else None,
                **declared,
            )
            self.operations[declaration.id] = declaration

            @wraps(view)
            def run(**path: Any) -> Response:
                return _run(declaration, view, path)

            admission = Admission(None, large=declaration.large, checks=declaration.checks)
            self.add_url_rule(rule, declaration.id, admitted(admission)(run), methods=[method])
            return view

        return decorate

    GET: Route = partialmethod(operation, "GET")
    POST: Route = partialmethod(operation, "POST")
    PUT: Route = partialmethod(operation, "PUT")
    PATCH: Route = partialmethod(operation, "PATCH")
    DELETE: Route = partialmethod(operation, "DELETE")


class Answer(Response):
    """An answer whose headers are complete, so that Werkzeug need not copy and look through them."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """Return the headers."""
        return self.headers


class Call(NamedTuple):
    """A request for an operation. Flask's proxies are asked once, not for each part of the request."""

    declared: Operation
    view: View
    path: dict[str, Any]
    site: Site
    asked: Request
    context: Context
    token: str | None

    def look_up(self) -> None:
        """Find the caller. Raises Unauthorized, Forbidden, BadRequest."""
        look_up(self.site, self.context, self.token)


def _run(declared: Operation, view: View, path: dict[str, Any]) -> Response:
    site, asked = this_site(), request._get_current_object()  # type: ignore[attr-defined]  # Flask documents it
    session = Session(site.database)
    context = site.context(session)
    context.networks = networks(asked.environ.get("REMOTE_ADDR") or "")
    asked.environ["card_referee.context"] = context
    try:
        token = auth.bearer_token(asked.headers.get("Authorization"))
        return _work(Call(declared, view, path, site, asked, context, token))
    except (ServiceError, HTTPException, referee.Malformed) as error:
        about = (asked.environ[REQUEST_ID], asked.method, asked.path)
        problem_types.refused(context, *about, problems.of(error))
        raise
    except PassedOn:
        session.close()
        leave()
        assert site.compute is not None
        return site.compute.answer(line_of(context.caller), changes=declared.idempotent)
    finally:
        session.close()


def _work(call: Call) -> Response:
    """Find the caller of a request, and answer it."""
    declared, context, site = call.declared, call.context, call.site
    if declared.audience == auth.OPERATOR:
        auth.require_operator(context.settings.metrics_token, call.token)
        return _respond(declared, call.view(context, **call.path, **_inputs(call)), context)
    if not (declared.remembers and _remembered(call)):
        call.look_up()
    if context.caller.player_id is not None:  # a player, or an app for one
        site.visits.record(context.caller.player_id, context.now())
    _count(call)
    try:
        return _respond(declared, _result(call), context)
    except AlreadyAnswered as before:
        return _respond(declared, before.value, context, again=True)


def _result(call: Call) -> Any:
    """Return what a view says to a caller who may ask; one who was remembered is looked up if need be."""
    context = call.context
    if context.caller.remembered:
        try:
            arguments = _admit(call)
        except (ServiceError, HTTPException, referee.Malformed):
            pass
        else:
            with suppress(NotLookedUp):
                return call.view(context, **call.path, **arguments)
        call.look_up()
    return call.view(context, **call.path, **_admit(call))


def _remembered(call: Call) -> bool:
    """Use the caller who is remembered, if there is one and the statement will check it; return whether."""
    asked, context = call.asked, call.context
    if (call.declared.method != "GET" and asked.query_string) or auth.ACTING in asked.headers:
        return False
    caller = call.site.remembered.get(call.token, context.now())
    if caller is None or caller.app_id is None:
        return False
    context.caller = caller
    context.session.expect(caller.app_id)
    return True


def _admit(call: Call) -> dict[str, Any]:
    """Check what the caller may do, and read the rest of the request; return the arguments of the view."""
    declared, context = call.declared, call.context
    auth.require(declared.audience, context.caller)
    auth.require_its_game(context.caller, call.path, declared.audience)
    context.serves_others = call.site.compute is not None
    if context.serves_others and declared.long is not None and len(call.asked.get_data()) >= declared.long:
        raise PassedOn
    arguments = _inputs(call)
    if declared.idempotent:
        secret = declared.secret(arguments["body"]) if declared.secret is not None else call.token
        context.key = inputs.read_key(context.caller, secret, of_caller=declared.secret is None)
    return arguments


def _count(call: Call) -> None:
    """Count the request for its caller, by its cost. Raises TooManyRequests."""
    declared, asked = call.declared, call.asked
    limits: RateLimits | None = asked.environ.get(LIMITS)
    if limits is not None:
        data = asked.get_data() if declared.method != "GET" else b""
        cost = declared.cost + len(data) // COSTS_MORE + _items(asked) // ITEMS
        caller = call.context.caller
        credential = None if caller.kind == ANONYMOUS else caller.credential_id  # many may share a link
        limits.count_caller(asked.environ, credential, cost)


def _items(asked: Request) -> int:
    """Return how many items of a list are asked for, if that is said."""
    named = b"limit" in asked.query_string or b"%" in asked.query_string
    limit = asked.args.get("limit", "").lstrip("0") if named else ""
    return int(limit) if limit.isascii() and limit.isdigit() and len(limit) < 4 else 0


def _inputs(call: Call) -> dict[str, Any]:
    """Read what the operation declares, and refuse everything else."""
    declared, asked = call.declared, call.asked
    if asked.headers.get("Accept") not in (None, "*/*", JSON) and inputs.accepted(declared.produces) is None:
        raise NotAcceptable
    arguments: dict[str, Any] = {}
    if declared.query is not None:
        arguments["query"] = inputs.query(declared.query)
    elif asked.query_string:
        inputs.refuse_query()
    if declared.body is not None:
        arguments["body"] = inputs.body(declared.body)
    elif declared.method != "GET":
        inputs.refuse_body()
    if declared.if_match:
        arguments["if_match"] = inputs.if_match(asked.headers.get("If-Match"))
    elif (
        declared.method != "GET"
        and not declared.guarded
        and inputs.if_match(asked.headers.get("If-Match")) is not None
    ):
        raise BadRequest({"If-Match": ["No version is compared here."]})
    return arguments


def _respond(declared: Operation, result: Any, context: Context, *, again: bool = False) -> Response:
    """Return the response for the result of a view, or `again` for a repeated request.

    An ETag belongs to one viewer.
    """
    if isinstance(result, Response):
        return result
    value, status, headers = declared.present(result)
    if (
        declared.conditional
        and status != 304
        and conditional.asks()
        and conditional.is_known(headers, context)
    ):
        value, status = None, 304
    headers = conditional.for_viewer(headers, context)
    if again:
        headers = {**headers, "Idempotency-Replayed": "true"}
    if value is None:
        return problems.empty(status, headers)
    return Answer(dumps(value), status, headers, content_type=JSON)


@contextmanager
def without_token() -> Iterator[Context]:
    """Serve a caller who has no token."""
    site = this_site()
    with closing(Session(site.database)) as session:
        yield site.context(session)
