"""The club's pages: members, tables, the ladder; and the address at which notices arrive."""

from __future__ import annotations

import secrets
from typing import Any

from card_referee_client import WebhookVerificationError, verify_webhook
from flask import Blueprint, Flask, Response, abort, current_app, redirect, render_template, request, url_for

from club import standings
from club.manager import REACH, Manager, News, Refused
from club.store import Event, Member, Store

TOKEN_LASTS = "P30D"
pages = Blueprint("club", __name__, template_folder="templates")


def site(manager: Manager, server: str) -> Flask:
    """Return the club's site; `server` is the address of the Card Referee server for browsers."""
    app = Flask("club")
    app.config.update(MANAGER=manager, SERVER=server)
    app.register_blueprint(pages)
    return app


@pages.post("/hook")
def receive() -> tuple[str, int]:
    """Take a notice: note which game to look at, and answer at once."""
    try:
        secret = _store().setting("webhook_secret") or ""
        notice = verify_webhook(secret, request.headers, request.get_data())
    except (WebhookVerificationError, ValueError):
        return "", 400
    if "game" in notice["data"]:
        _manager().news.put(News(notice["data"]["game"]))
    return "", 204


@pages.get("/")
def show_club() -> str:
    """Show members by rating, and the events."""
    rated = _manager().ratings()
    members = sorted(_store().members().values(), key=lambda one: -rated.get(one.id, 0.0))
    return render_template("club.html", members=members, ratings=rated, events=_store().events())


@pages.post("/members")
def join() -> Any:
    """Add a member, who gets a page at a secret address."""
    name = request.form.get("name", "").strip()
    if not 0 < len(name) <= 40:
        abort(400)
    member = Member(f"member-{secrets.token_hex(6)}", name, secrets.token_urlsafe(18), None)
    _store().add_member(member)
    return redirect(url_for(".show_member", secret=member.secret), 303)


@pages.get("/events/<name>")
def show_event(name: str) -> str:
    """Show an event's table or ladder, and its matches."""
    event, manager = _event(name), _manager()
    order = manager.ladder(event) if event.format == "ladder" else None
    return render_template(
        "event.html",
        event=event,
        ladder=order,
        table=manager.table(event) if order is None else None,
        members=_store().members(),
        matches=_store().matches(name),
        games=standings.by_match(_store().games(name)),
        server=current_app.config["SERVER"],
    )


@pages.get("/standings.json")
def show_standings() -> dict[str, Any]:
    """Show the state of all events and the ratings, for programs; members are the server's players."""
    manager, members = _manager(), _store().members()
    shown = {}
    for event in _store().events():
        matches = _store().matches(event.id)
        shown[event.id] = {
            "ladder": [members[one].player for one in manager.ladder(event)],
            "table": [[members[row.member].player, *row[1:]] for row in manager.table(event)],
            "rounds": max((match.round for match in matches), default=0),
            "open": sum(not match.closed for match in matches),
        }
    rated = manager.ratings().items()
    return {"events": shown, "ratings": {str(members[one].player): rating for one, rating in rated}}


@pages.get("/members/<secret>")
def show_member(secret: str) -> str:
    """Show a member's own matches, and whom the member may challenge."""
    member, members, store = _member(secret), _store().members(), _store()
    own = {match.id: match for match in store.matches() if member.id in (match.first, match.second)}
    above = []
    for event in store.events():
        order = _manager().ladder(event) if event.format == "ladder" else []
        place = order.index(member.id) if member.id in order else 0
        above += [(event, members[other]) for other in order[max(place - REACH, 0) : place]]
    games = [game for game in store.games() if game.match in own and game.id and game.ended_at is None]
    return render_template("member.html", member=member, members=members, own=own, games=games, above=above)


@pages.post("/members/<secret>/games/<uuid:game>")
def play(secret: str, game: object) -> Any:
    """Open a table with a token of the member's own; a form, so that programs that read links get none."""
    player = _member(secret).player or abort(409)
    token = _manager().client.players.tokens.create(player, expires_in=TOKEN_LASTS)["token"]
    return redirect(f"{current_app.config['SERVER']}/table/{game}#token={token}", 303)


@pages.post("/members/<secret>/challenges")
def challenge(secret: str) -> Any:
    """Challenge somebody on a ladder."""
    event = _event(request.form.get("event", ""))
    try:
        _manager().challenge(event, _member(secret).id, request.form.get("defender", ""))
    except Refused as refused:
        return Response(str(refused), 409, mimetype="text/plain")
    return redirect(url_for(".show_member", secret=secret), 303)


def _manager() -> Manager:
    manager: Manager = current_app.config["MANAGER"]
    return manager


def _store() -> Store:
    return _manager().store


def _event(name: str) -> Event:
    return next((event for event in _store().events() if event.id == name), None) or abort(404)


def _member(secret: str) -> Member:
    return next((one for one in _store().members().values() if one.secret == secret), None) or abort(404)
