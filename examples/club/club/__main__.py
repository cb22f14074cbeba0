"""`python -m club serve` runs the club; `python -m club event` begins a tournament or a ladder."""

from __future__ import annotations

import argparse
import logging
import os
import threading
from pathlib import Path
from typing import Literal

from card_referee_client import CardReferee
from card_referee_client.errors import ExternalIdTaken, NotFound
from werkzeug.serving import make_server

from club.formats import round_robin
from club.manager import Manager
from club.pages import site
from club.store import Event, Store

DAY = 86_400
EVENTS: list[Literal["game.finished", "game.cancelled"]] = ["game.finished", "game.cancelled"]


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="club", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    serve_ = commands.add_parser("serve", help="run the club")
    serve_.add_argument("--port", type=int, default=8090)
    serve_.add_argument("--per-move", help="the time for a move, such as P2D")
    new = commands.add_parser("event", help="begin an event with all members")
    new.add_argument("name")
    new.add_argument("--format", choices=("round_robin", "swiss", "ladder"), required=True)
    new.add_argument("--ruleset", default="bisca")
    new.add_argument("--best-of", type=int, default=1)
    new.add_argument("--rounds", type=int, default=5, help="of a Swiss tournament")
    new.add_argument("--days", type=float, default=7.0, help="for a round, or for a challenge on the ladder")
    given = parser.parse_args()
    store = Store(Path(os.environ.get("CLUB_DATABASE", "club.sqlite")))
    if given.command == "event":
        begin(store, given)
    else:
        serve(store, given.port, given.per_move)


def begin(store: Store, given: argparse.Namespace) -> None:
    """Add an event; a club that runs begins it at once."""
    members = [*store.members()]
    rounds = len(round_robin(members)) if given.format == "round_robin" else given.rounds
    event = Event(given.name, given.format, given.ruleset, given.best_of, rounds, given.days * DAY)
    store.add_event(event, members)


def serve(store: Store, port: int, pace: str | None) -> None:
    """Run the club until the process ends, which may be at any time."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    server = os.environ["CARD_REFEREE_URL"]
    manager = Manager(store, CardReferee(os.environ["CARD_REFEREE_KEY"], server), pace)
    web = make_server("127.0.0.1", port, site(manager, server), threaded=True)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    register(store, manager.client, os.environ.get("CLUB_URL", f"http://127.0.0.1:{port}") + "/hook")
    threading.Thread(target=manager.follow, daemon=True).start()
    manager.run()


def register(store: Store, client: CardReferee, url: str) -> None:
    """Have the server call this address when games end; the secret is shown once, and kept here."""
    known, secret = store.setting("webhook"), store.setting("webhook_secret")
    if known is not None and secret is not None:
        try:
            client.webhooks.update(known, url=url, events=EVENTS, enabled=True)
        except NotFound:
            pass  # deleted at the server
        else:
            return
    try:
        webhook = client.webhooks.create(url=url, events=EVENTS, external_id="club")
        store.set(webhook=webhook["id"], webhook_secret=webhook["secret"])
    except ExternalIdTaken:  # created before a crash, and its secret is lost
        found = next(iter(client.webhooks.list(external_id="club")))
        store.set(webhook=found["id"], webhook_secret=client.webhooks.replace_secret(found["id"])["secret"])


if __name__ == "__main__":
    main()
