"""Mail to players: their addresses, what they want to hear, and when."""

from api.callers import players
from api.feature import HOUR, MINUTE, Check, Feature, Job
from api.features.mail import allowances, contacts, mail, posting, sending, tables
from api.features.notices import events, projection
from api.features.notices.outbox import MAIL
from api.http.visits import visited

FEATURE = Feature(
    "mail",
    tables=[tables.allowances, tables.contacts],
    needs=["notices", "site"],
    routes=["routes", "routes_of_links"],
    events=[sending.FAILED],
    answers=[
        projection.listening.by(posting.listening),
        events.posted.by(posting.post),
        posting.reach.by(posting.by_mail),
        visited.by(contacts.record_visits),
        players.deleted.by(contacts.forget),
        players.known.by(contacts.known),
        players.signed_out.by(contacts.shut),
    ],
    jobs=[Job(allowances.prune, HOUR), Job(mail.notice_recovery, MINUTE)],
    checks=[Check("mail server", mail.check)],
    resources=[sending.SENDER_SLOTS, allowances.SIGN_IN_MAILS],
    runners=[lambda settings, contexts: sending.dispatcher(MAIL, sending.send_mail, contexts)],
)
