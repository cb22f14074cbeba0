"""Pages for people: the start page, tables, records, disputes, and the static files that they load.

A page contains no data of any game: its scripts fetch the data from the API with the reader's own token. So
pages are the same for everybody, and their content security policy allows nothing from other sites.
"""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from uuid import UUID

import segno
from flask import (
    Blueprint,
    Response,
    abort,
    make_response,
    redirect,
    render_template,
    request,
    send_from_directory,
)
from flask.blueprints import BlueprintSetupState
from markupsafe import Markup
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from api.core import languages
from api.core.errors import NotFound
from api.core.json import dumps
from api.http import problems
from api.http.language import count, mark, of_page, say
from api.http.problem_types import types
from api.http.site import this_site

WEB = Path(str(files("api"))) / "web"
REFEREE = Path(str(files("referee")))
SWAGGER = Path(str(files("flask_swagger_ui"))) / "dist"
SWAGGER_FILES = {"swagger-ui.css", "swagger-ui-bundle.js"}
IMPORT = re.compile(r'^import .* from "(\..+\.js)";$', re.MULTILINE)
# Comments that fill whole lines: a fifth of what a browser has to load.
COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*$", re.MULTILINE)
# The scripts that every table loads: the first is part of its page, the others come when a move is possible.
TABLE = (
    "pages/table-page.js",
    "cards/faces.js",
    "game/connection.js",
    "game/following.js",
    "game/orders.js",
    "table/aside.js",
    "pages/table-more.js",
)
LONGEST_LINK = 500  # characters that are drawn as a QR code
SUFFIXES = {".css", ".js", ".svg"}
LASTING = "public, max-age=31536000, immutable"
WORKERS = {"game/streams.js", "pages/push-worker.js", "verify/verifier.js"}
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)

MANIFEST = {
    "id": "/games",
    "name": "Card Referee",
    "short_name": "Cards",
    "start_url": "/games",
    "scope": "/",
    "display": "standalone",
    "icons": [{"src": "/web/styles/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}],
}

blueprint = Blueprint("pages", __name__, template_folder=str(WEB / "templates"))


@blueprint.record
def translate_templates(state: BlueprintSetupState) -> None:
    """Let templates contain texts in every language: `_("Play")` and `{% trans %}`."""
    environment = state.app.jinja_env
    environment.add_extension("jinja2.ext.i18n")
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(say, count, newstyle=True)  # type: ignore[attr-defined]  # the extension adds it


@cache
def modules(*scripts: str) -> list[str]:
    """Return the addresses of scripts and all that they import, so that a browser asks for all at once.

    Otherwise it learns of a module only when it has read another one, which takes seconds on a slow line.
    """
    found = [(WEB / script).resolve() for script in scripts]
    for module in found:
        for name in IMPORT.findall(module.read_text("utf-8")):
            if (imported := (module.parent / name).resolve()) not in found:
                found.append(imported)
    return [str(module.relative_to(WEB.resolve())) for module in found]


@lru_cache(256)
def without_comments(script: str) -> str:
    """Return a script without comments that fill whole lines; all other lines keep their numbers."""
    return COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), script)


@cache
def part_of_page(*names: str) -> tuple[Markup, str]:
    """Return the text of files that are part of a page, and the source by which its policy permits it."""
    text = "".join(without_comments((WEB / name).read_text("utf-8")) for name in names)
    here = "".join(f"{folder}/" for folder in names[0].split("/")[:-1])
    text = text.replace('"../', f'"{lasting()}/').replace('"./', f'"{lasting()}/{here}')  # what it imports
    return Markup(text), f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"  # our own files


@cache
def files_fingerprint() -> str:
    """Return what changes with any file of the pages: addresses that contain it can be cached for good."""
    digest = sha256()
    for path in sorted(WEB.rglob("*")):
        if path.suffix in SUFFIXES:
            digest.update(b"%s\n%s" % (str(path.relative_to(WEB)).encode(), path.read_bytes()))
    for language in sorted(languages.NAMES.keys() - {languages.ENGLISH}):
        digest.update((languages.CATALOGUES / f"{language}.po").read_bytes())
    return digest.hexdigest()[:12]


def lasting() -> str:
    """Return the address of the files of pages that browsers keep for good."""
    return f"/web/at-{files_fingerprint()}"


def page(
    template: str,
    *,
    framed_by: Sequence[str] = (),
    forms: bool = False,
    parts: Mapping[str, str] | None = None,
    **values: object,
) -> Response:
    """Return an HTML page with the pages' policy, or a 304 if the reader has it already.

    Only the sites in `framed_by` may show it in a frame. With `forms` it may post one to this server;
    `parts` are the sources of scripts and styles that are part of it, by directive.
    """
    language = of_page()
    response = make_response(
        render_template(template, web=lasting(), language=language, languages=languages.NAMES, **values)
    )
    mark(response, language, "Accept-Language", "Cookie")
    ancestors = " ".join(framed_by) or "'none'"
    policy = POLICY.replace("form-action 'none'", "form-action 'self'") if forms else POLICY
    for directive, source in (parts or {}).items():
        policy = policy.replace(f"{directive} 'self'", f"{directive} 'self' {source}")
    response.headers["Content-Security-Policy"] = f"{policy}; frame-ancestors {ancestors}"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.app_errorhandler(404)
def missing(error: HTTPException) -> Response:
    """Return a page to clients that accept HTML, and a problem to others."""
    if request.path.startswith("/v1/") or "text/html" not in request.headers.get("Accept", ""):
        return problems.refusal(NotFound("There is nothing at this address."))
    response = page("missing.html")
    response.status_code = 404
    return response


@blueprint.get("/")
def home() -> Response:
    """Show the start page."""
    return page("home.html", soon=modules(*TABLE)[1:])


@blueprint.get("/table/<uuid:game>")
def table(game: UUID) -> Response:
    """Show a table; the page's script asks the API whether the game exists."""
    # On a slow line, every request takes long: the page itself asks for the game, and contains what begins.
    first, source_of_first = part_of_page("pages/table-first.js")
    script, source = part_of_page("pages/table-page.js")
    styles, source_of_styles = part_of_page("styles/host.css", "styles/table.css")
    needed = modules(TABLE[0])[1:]
    return page(
        "table.html",
        mails=bool(this_site().settings.mail_from),
        parts={"script-src": f"{source_of_first} {source}", "style-src": source_of_styles},
        first=first,
        script_text=script,
        styles=styles,
        preload=sorted(needed, key=lambda name: (WEB / name).stat().st_size),
    )


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Say how a phone shows the site as an installed app, which begins with the reader's games."""
    return kept_json(dumps(MANIFEST), "application/manifest+json")


@blueprint.get("/watch")
def choose() -> BaseResponse:
    """Redirect an old address to the part of the start page that lists games to watch."""
    return redirect("/", 308)


@blueprint.get("/watch/<uuid:game>")
def watch(game: UUID) -> BaseResponse:
    """Redirect to the table, so that old links continue to work, with their fragments."""
    return redirect(f"/table/{game}", 308)


@blueprint.get("/join")
def join() -> Response:
    """Show an invitation to a seat; the code is in the fragment, which is never sent to a server."""
    return page("people/join.html", soon=modules(*TABLE)[1:])


@blueprint.post("/qr")
def code_of_link() -> Response:
    """Draw a link as a QR code. It comes in the body, so that no list of addresses contains an invitation."""
    if not 0 < (request.content_length or 0) <= LONGEST_LINK:
        abort(400)
    drawn = BytesIO()
    code = segno.make(request.get_data(as_text=True), micro=False, error="m")
    code.save(drawn, kind="svg", xmldecl=False, omitsize=True, border=2, light="#fff")
    return Response(drawn.getvalue(), content_type="image/svg+xml", headers={"Cache-Control": "no-store"})


# Pages whose scripts do the rest. The code of a link to sign in is in the fragment, which no server is sent.
PLAIN = {
    "/sign-in": "people/sign-in.html",
    "/games": "people/games.html",  # those of this device's account
    "/ladder": "people/ladder.html",
    "/player": "people/player.html",  # one's own, or that of the player in the fragment
    "/settings": "people/settings.html",
    "/record": "record.html",  # a record file, replayed and verified in the browser
    "/dispute/<uuid:game>": "dispute.html",
    "/fairness/<uuid:game>": "fairness.html",  # the deal of a finished game, worked through
}


def plain(template: str, game: UUID | None = None) -> Response:
    """Show a page of PLAIN."""
    return page(template, mails=bool(this_site().settings.mail_from))


for address, template in PLAIN.items():
    blueprint.add_url_rule(address, template.removesuffix(".html").split("/")[-1], partial(plain, template))


@blueprint.get("/embed/<uuid:game>")
def embed(game: UUID) -> Response:
    """Show a public table, without actions, in frames of the permitted sites."""
    return page("embed.html", framed_by=this_site().settings.embed_origins, game=game)


@blueprint.get("/web/<path:name>")
def static_file(name: str) -> Response:
    """Serve a style sheet, a script or a picture."""
    if Path(name).suffix not in SUFFIXES:
        abort(404)
    response = _file(WEB, name)
    # A worker or a picture that is opened has its own policy: it may send requests only to this server.
    if name in WORKERS or name.endswith(".svg"):
        response.headers["Content-Security-Policy"] = f"{POLICY}; frame-ancestors 'none'"
    return response


@blueprint.get("/web/at-<fingerprint>/<path:name>")
def lasting_file(fingerprint: str, name: str) -> Response:
    """Serve a file at an address that changes with the files, so that browsers need not ask for it again.

    While servers are updated one by one, a page of the other release may ask for it: that answer is not kept.
    """
    translated = re.fullmatch(r"messages/(\w+)\.json", name)
    response = messages(translated[1]) if translated else static_file(name)
    if name.endswith(".js") and response.status_code == 200:
        response.direct_passthrough = False
        response.set_data(without_comments(response.get_data(as_text=True)))
    if fingerprint == files_fingerprint():
        response.headers["Cache-Control"] = LASTING
    return response


@blueprint.get("/web/sample.json")
def sample() -> Response:
    """Serve the recorded match that the start page offers; the file is compressed."""
    data = gzip.decompress(Path(__file__).with_name("sample.json.gz").read_bytes())
    return kept_json(data)


@blueprint.get("/web/messages/<language>.json")
def messages(language: str) -> Response:
    """Serve the texts of the scripts in a language, by their English."""
    if language not in languages.NAMES or language == languages.ENGLISH:
        abort(404)
    # Also the titles of problems, which the API says in English.
    titles = [kind.title for kind in types(this_site().features).values()]
    texts = languages.texts(language)
    shown = languages.texts_of_scripts(language) | {title: texts.gettext(title) for title in titles}
    return kept_json(dumps(shown))


@blueprint.get("/web/dispute.css")
def dispute_style() -> Response:
    """Serve the style sheet of dispute reports, which reports as files contain."""
    return _file(REFEREE / "dispute", "dispute.css")


@blueprint.get("/web/swagger/<name>")
def swagger_file(name: str) -> Response:
    """Serve a file of the bundled reference viewer."""
    if name not in SWAGGER_FILES:
        abort(404)
    return _file(SWAGGER, name)


def _file(directory: Path, name: str) -> Response:
    response = send_from_directory(directory, name)
    for needless in ("Accept-Ranges", "Content-Disposition", "Last-Modified"):
        response.headers.pop(needless, None)
    return _kept(response)


def _kept(response: Response) -> Response:
    """Return a file that browsers keep, and ask each time whether it is still the newest."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"  # so that a new release shows at once
    return response


def kept_json(data: bytes, kind: str = "application/json") -> Response:
    """Return a file that browsers keep, and ask each time whether it is still the newest."""
    response = _kept(Response(data, content_type=kind))
    response.add_etag()
    response.make_conditional(request)
    return response
