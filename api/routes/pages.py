"""Pages for people: the start page, the table to watch, and the static files that they load.

A page holds no data of any game: scripts fetch it from the API with the reader's own token. So pages are
the same for everyone, and the policy that they are sent with lets them load nothing from elsewhere.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from uuid import UUID

from flask import Blueprint, Response, abort, make_response, render_template, request, send_from_directory

import referee

WEB = Path(str(files("api"))) / "web"
SWAGGER = Path(str(files("flask_swagger_ui"))) / "dist"
SWAGGER_FILES = {"swagger-ui.css", "swagger-ui-bundle.js"}
SUFFIXES = {".css", ".js", ".svg"}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

blueprint = Blueprint("pages", __name__, template_folder=str(WEB / "templates"))


def page(template: str, **values: object) -> Response:
    """Make the response of an HTML page, under the pages' policy; asked again, it may be a 304."""
    response = make_response(render_template(template, **values))
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.get("/")
def start() -> Response:
    """Say what this is and where to go."""
    return page("start.html", games=referee.newest(), address=request.host_url.rstrip("/"))


@blueprint.get("/watch")
def choose() -> Response:
    """Ask which game to watch."""
    return page("watch.html")


@blueprint.get("/watch/<uuid:game>")
def watch(game: UUID) -> Response:
    """Show the table; whether there is such a game is the API's to say, to the page's script."""
    return page("watch.html")


@blueprint.get("/web/<name>")
def static_file(name: str) -> Response:
    """Serve a style, a script or a picture of ours."""
    if Path(name).suffix not in SUFFIXES:
        abort(404)
    return _file(WEB, name)


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
