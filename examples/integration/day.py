"""An app's day: sign-up, a game, the embedded table, a webhook, a mirror, a verified record."""

import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from uuid import uuid4

from card_referee_client import CardReferee, verify_webhook

address = os.environ["CARD_REFEREE_URL"]
client = CardReferee(os.environ["CARD_REFEREE_KEY"], address)
finished = threading.Event()
secret = ""


class Receiver(BaseHTTPRequestHandler):
    """Where the notifications of the game arrive."""

    def do_POST(self) -> None:
        """Accept a signed notification."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print("notified of", verify_webhook(secret, self.headers, body)["type"])
        self.send_response(204)
        self.end_headers()
        finished.set()


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()

# Sign-up: a player of ours, who has our own id.
anna = client.players.create(name="Anna", external_id=f"user-{uuid4()}")

# A webhook that is told of every game's end, and a game with a bot.
hook = client.webhooks.create(url=f"http://127.0.0.1:{receiver.server_port}/", events=["game.finished"])
secret = hook["secret"]
seats = [{"player": anna["id"]}, {"bot": "random"}]
game = client.games.create(ruleset="cats_and_dogs", seats=seats)

# The embedded table, for this player, this game and the next hour.
token = client.players.tokens.create(anna["id"], game=game["id"], expires_in="PT1H")
print(f'<script type="module" src="{address}/web/embed.js"></script>')
print(f"<card-referee-table game={game['id']!r}></card-referee-table>", token["expires_at"])

# Anna plays; her moves could as well come from the table.
me = client.acting_as(anna["id"])
while (legal := me.games.legal_moves(game["id"]))["moves"]:
    me.games.move(game["id"], legal["moves"][0], version=legal["version"])

# The mirror: a copy of the log, entry by entry, from the feed of all our games.
mirror = []
for event in client.events.follow():
    if event.data["game"] == game["id"]:
        mirror.append(event.data["entry"])
        if mirror[-1]["type"] == "finished":
            break
record = client.games.record(game["id"])
print("mirrored", len(mirror), "of", len(record["entries"]), "entries")
print("verified", client.games.verify(game["id"])["ok"], "and notified", finished.wait(60))
