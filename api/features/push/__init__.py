"""Push messages: notices to the browsers of players, at once."""

from api.callers import players
from api.feature import Feature
from api.features.mail import posting
from api.features.mail.sending import dispatcher
from api.features.notices.outbox import PUSH
from api.features.push import browsers, sending, tables

PLAYERS_AT_ONCE = 32  # players choose where their messages go: a few slow addresses must not delay all others

FEATURE = Feature(
    "push",
    tables=[tables.push_subscriptions],
    needs=["notices", "mail"],
    routes=["routes"],
    answers=[
        posting.reach.by(browsers.reach),
        players.deleted.by(browsers.delete_all),
        players.signed_out.by(browsers.delete_all),
    ],
    runners=[lambda settings, contexts: dispatcher(PUSH, sending.send, contexts, PLAYERS_AT_ONCE)],
)
