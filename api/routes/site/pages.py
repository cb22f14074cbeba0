"""Pages for people: the start page, tables, records, disputes, and the static files that they load.

A page holds no data of any game: scripts fetch it from the API with the reader's own token. So pages are
the same for everyone, and the policy that they are sent with lets them load nothing from elsewhere.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from uuid import UUID

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    send_from_directory,
)
from jinja2 import Template
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from api.core.config import Settings
from api.http import problems

WEB = Path(str(files("api"))) / "web"
REFEREE = Path(str(files("referee")))
SWAGGER = Path(str(files("flask_swagger_ui"))) / "dist"
SWAGGER_FILES = {"swagger-ui.css", "swagger-ui-bundle.js"}
SUFFIXES = {".css", ".js", ".svg"}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)

blueprint = Blueprint("pages", __name__, template_folder=str(WEB / "templates"))


def page(
    template: str | Template, *, framed_by: Sequence[str] = (), forms: bool = False, **values: object
) -> Response:
    """Make the response of an HTML page, under the pages' policy; asked again, it may be a 304.

    Only the sites in `framed_by` may show it in a frame. With `forms` it may post one to this server.
    """
    response = make_response(render_template(template, **values))
    ancestors = " ".join(framed_by) or "'none'"
    policy = POLICY.replace("form-action 'none'", "form-action 'self'") if forms else POLICY
    response.headers["Content-Security-Policy"] = f"{policy}; frame-ancestors {ancestors}"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.app_errorhandler(404)
def missing(error: HTTPException) -> Response:
    """Show a page to clients that accept HTML, a problem to others."""
    if request.path.startswith("/v1/") or "text/html" not in request.headers.get("Accept", ""):
        return problems.answer("not-found", "There is nothing at this address.")
    response = page("missing.html")
    response.status_code = 404
    return response


@blueprint.get("/")
def home() -> Response:
    """Let people play, watch, and find the rest."""
    return page("home.html")


@blueprint.get("/table/<uuid:game>")
def table(game: UUID) -> Response:
    """Show a table; whether there is such a game is the API's to say, to the page's script."""
    return page("table.html")


@blueprint.get("/watch")
def choose() -> BaseResponse:
    """Lead to what there is to watch: where it stood before there was a start page for it."""
    return redirect("/", 308)


@blueprint.get("/watch/<uuid:game>")
def watch(game: UUID) -> BaseResponse:
    """Lead to the table: links to where it stood before go on to work, fragment and all."""
    return redirect(f"/table/{game}", 308)


@blueprint.get("/join")
def join() -> Response:
    """Let a friend take a seat; the invite stands in the fragment, which no server sees."""
    return page("join.html")


@blueprint.get("/record")
def record() -> Response:
    """Replay and verify a record file, in the browser."""
    return page("record.html")


@blueprint.get("/dispute/<uuid:game>")
def dispute(game: UUID) -> Response:
    """Show the dispute report of a game that is over."""
    return page("dispute.html")


@blueprint.get("/embed/<uuid:game>")
def embed(game: UUID) -> Response:
    """Show a public table, to look at, in the frames of the sites that may have it."""
    return page("embed.html", framed_by=_settings().embed_origins, game=game)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["card_referee"].settings
    return settings


@blueprint.get("/web/<path:name>")
def static_file(name: str) -> Response:
    """Serve a style, a script or a picture of ours."""
    if Path(name).suffix not in SUFFIXES:
        abort(404)
    response = _file(WEB, name)
    # Of a script that runs as a worker this is the policy: it may ask us, and nobody else.
    response.headers["Content-Security-Policy"] = f"{POLICY}; frame-ancestors 'none'"
    return response


@blueprint.get("/web/sample.json")
def sample() -> Response:
    """Serve the recorded match that the start page offers, which is kept compressed."""
    data = gzip.decompress(Path(__file__).with_name("sample.json.gz").read_bytes())
    response = Response(data, content_type="application/json", headers={"Cache-Control": "no-cache"})
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.get("/web/dispute.css")
def dispute_style() -> Response:
    """Serve the style that the dispute report brings along as a file."""
    return _file(REFEREE, "dispute.css")


@blueprint.get("/web/swagger/<name>")
def swagger_file(name: str) -> Response:
    """Serve a file of the bundled reference viewer."""
    if name not in SWAGGER_FILES:
        abort(404)
    return _file(SWAGGER, name)


def _file(directory: Path, name: str) -> Response:
    response = send_from_directory(directory, name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"  # kept, but asked for again: a new release shows at once
    return response
