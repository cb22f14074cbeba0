"""Accounts of players of this server, who sign in by mail."""

from api.callers import players
from api.feature import HOUR, SECOND, Due, Feature, Job
from api.features.accounts import mails, sign_ins, tables

SIGN_INS = Due("sign_in_mails", "sign_ins WHERE next_at <= now()", "next_at")

FEATURE = Feature(
    "accounts",
    tables=[tables.sign_ins],
    needs=["mail", "guests"],
    routes=["routes"],
    problems=[sign_ins.SignInAgain],
    answers=[players.deleted.by(sign_ins.forget), players.signed_out.by(sign_ins.leave_behind)],
    jobs=[
        Job(mails.send_due, SECOND, SIGN_INS, threads=2),  # one may be slow
        Job(mails.prune, HOUR),
    ],
)
