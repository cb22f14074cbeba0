"""Mail and push messages to players: their addresses, what they want to hear, when, and their own hours."""

from api.callers import players
from api.feature import HOUR, MINUTE, Check, Feature, Job
from api.features.mail import allowances, contacts, hours, mail, outbox, sending, tables
from api.features.mail.store_notices import MAIL, PUSH
from api.features.notices import projection
from api.games import events
from api.games.hours import hours_of
from api.http import tokens

FEATURE = Feature(
    "mail",
    tables=[tables.allowances, tables.push_subscriptions, tables.notices],
    needs=["notices", "site"],
    routes=["routes", "routes_of_links"],
    answers=[
        projection.listening.by(outbox.listening),
        events.posted.by(outbox.post),
        hours_of.by(hours.of_player),
        tokens.visited.by(contacts.note_visit),
        players.deleted.by(contacts.forget),
        players.signed_out.by(contacts.shut),
    ],
    jobs=[Job(sending.prune, HOUR), Job(allowances.prune, HOUR), Job(mail.notice_recovery, MINUTE)],
    checks=[Check("mail server", mail.check)],
    runners=[  # each in a thread of its own: a slow mail server must not delay push messages
        lambda settings, contexts: sending.Sender(MAIL, contexts),
        lambda settings, contexts: sending.Sender(PUSH, contexts),
    ],
)
